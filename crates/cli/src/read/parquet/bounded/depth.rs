//! How deeply the schema in a Parquet footer is nested, found without recursion.
//!
//! The footer is a Thrift structure in the compact protocol. Only the list of schema elements is looked at (field 2),
//! and of these only the number of children (field 5): the elements come in depth-first order.

/// The deepest nesting; `None` if the footer is not understood, which the real parser will then say.
pub(super) fn of_schema(footer: &[u8]) -> Option<usize> {
    let mut bytes = Compact { bytes: footer };
    let mut field = 0;
    loop {
        let kind = bytes.field(&mut field)?;
        if (field, kind) == (2, LIST) {
            break;
        }
        bytes.skip(kind)?;
    }
    let (count, kind) = bytes.list()?;
    if kind != STRUCT {
        return None;
    }
    let mut open: Vec<u64> = Vec::new();
    let mut deepest = 0;
    for _ in 0..count {
        let children = bytes.children()?;
        deepest = deepest.max(open.len() + 1);
        if children > 0 {
            open.push(children);
            continue;
        }
        while let Some(left) = open.last_mut() {
            *left -= 1;
            if *left > 0 {
                break;
            }
            open.pop();
        }
    }
    Some(deepest)
}

pub(super) const STOP: u8 = 0;
const BINARY: u8 = 8;
pub(super) const LIST: u8 = 9;
pub(super) const STRUCT: u8 = 12;

/// What is left of a structure in Thrift's compact protocol.
pub(super) struct Compact<'a> {
    pub(super) bytes: &'a [u8],
}

impl Compact<'_> {
    pub(super) fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(first)
    }

    pub(super) fn varint(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    pub(super) fn signed(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// The kind of the next field, whose number replaces `field`.
    pub(super) fn field(&mut self, field: &mut i64) -> Option<u8> {
        let head = self.byte()?;
        let kind = head & 15;
        if kind != STOP {
            *field = if head >> 4 == 0 { self.signed()? } else { field.checked_add(i64::from(head >> 4))? };
        }
        Some(kind)
    }

    pub(super) fn list(&mut self) -> Option<(u64, u8)> {
        let head = self.byte()?;
        let count = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
        Some((count, head & 15))
    }

    /// Passes over a value. Structures within structures are counted, not called into.
    pub(super) fn skip(&mut self, kind: u8) -> Option<()> {
        match kind {
            1 | 2 => {}
            3 => drop(self.byte()?),
            4..=6 => drop(self.varint()?),
            7 => drop(self.bytes.split_off(..8)?),
            BINARY => {
                let n = usize::try_from(self.varint()?).ok()?;
                self.bytes.split_off(..n)?;
            }
            STRUCT => {
                // Unions of small structures, as logical types are.
                let mut fields = vec![0i64];
                while let Some(field) = fields.last_mut() {
                    match self.field(field)? {
                        STOP => drop(fields.pop()),
                        STRUCT => fields.push(0),
                        LIST => return None,
                        kind => self.skip(kind)?,
                    }
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// Passes over a schema element and gives its number of children.
    fn children(&mut self) -> Option<u64> {
        let (mut field, mut children) = (0, 0);
        loop {
            match self.field(&mut field)? {
                STOP => return Some(children),
                5 if field == 5 => children = u64::try_from(self.signed()?).ok()?,
                kind => self.skip(kind)?,
            }
        }
    }
}
