//! The dictionary of a `.npy` header: just as much of Python's notation as such headers use.

use crate::io::Fault;

/// The three entries of the dictionary.
pub(super) struct Fields {
    pub(super) descr: String,
    pub(super) fortran: bool,
    pub(super) shape: Vec<u64>,
    pub(super) shape_text: String,
}

/// Reads the dictionary. Order of the keys, quotes, a trailing comma, padding and Python 2's `L` are free.
pub(super) fn parse(text: &[u8]) -> Result<Fields, Fault> {
    let mut cursor = Cursor { text, at: 0 };
    let (mut descr, mut fortran, mut shape) = (None, None, None);
    cursor.expect(b'{')?;
    while !cursor.eat(b'}') {
        let key = cursor.string()?;
        cursor.expect(b':')?;
        let twice = match key.as_str() {
            "descr" => descr.replace(cursor.descr()?).is_some(),
            "fortran_order" => fortran.replace(cursor.boolean()?).is_some(),
            "shape" => shape.replace(cursor.shape()?).is_some(),
            _ => return Err(bad(format!("unknown key '{}'", shorten(key.as_bytes())))),
        };
        if twice {
            return Err(bad(format!("'{key}' is given twice")));
        }
        if !cursor.eat(b',') {
            cursor.expect(b'}')?;
            break;
        }
    }
    if cursor.peek().is_some() {
        return Err(cursor.unexpected("nothing more after '}'"));
    }
    let missing = |key: &str| bad(format!("'{key}' is missing"));
    let (shape, shape_text) = shape.ok_or_else(|| missing("shape"))?;
    Ok(Fields {
        descr: descr.ok_or_else(|| missing("descr"))?,
        fortran: fortran.ok_or_else(|| missing("fortran_order"))?,
        shape,
        shape_text,
    })
}

fn bad(what: String) -> Fault {
    Fault::bad(format!("header not understood: {what}"))
}

/// Text from a file for a message: printable and short.
pub(super) fn shorten(text: &[u8]) -> String {
    const MOST: usize = 40;
    let shown = text[..text.len().min(MOST)].escape_ascii().to_string();
    if text.len() > MOST { shown + ".." } else { shown }
}

struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// The next byte that is not white space.
    fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\t' | b'\r' | b'\n' | b'\x0c') = self.text.get(self.at) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8) -> Result<(), Fault> {
        if self.eat(byte) { Ok(()) } else { Err(self.unexpected(&format!("'{}'", byte as char))) }
    }

    fn unexpected(&mut self, wanted: &str) -> Fault {
        let found = match self.peek() {
            None => "its end".to_owned(),
            Some(_) => format!("'{}'", shorten(&self.text[self.at..])),
        };
        bad(format!("{wanted} expected, {found} found"))
    }

    fn string(&mut self) -> Result<String, Fault> {
        // Python 2 wrote unicode keys as u'..'.
        if self.peek() == Some(b'u') {
            self.at += 1;
        }
        let quote = match self.peek() {
            Some(quote @ (b'\'' | b'"')) => quote,
            _ => return Err(self.unexpected("a quoted word")),
        };
        let rest = &self.text[self.at + 1..];
        let end = rest.iter().position(|&b| b == quote).ok_or_else(|| bad("a quote is not closed".into()))?;
        self.at += end + 2;
        Ok(String::from_utf8_lossy(&rest[..end]).into_owned())
    }

    fn descr(&mut self) -> Result<String, Fault> {
        match self.peek() {
            Some(b'[' | b'(' | b'{') => Err(Fault::bad(format!(
                "dtype {}: structured data is not supported; save the field you need",
                shorten(self.text[self.at..].trim_ascii_end())
            ))),
            _ => self.string(),
        }
    }

    fn boolean(&mut self) -> Result<bool, Fault> {
        self.peek();
        for (word, value) in [(&b"True"[..], true), (b"False", false)] {
            let rest = &self.text[self.at..];
            if rest.starts_with(word) && !rest.get(word.len()).is_some_and(u8::is_ascii_alphanumeric) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.unexpected("True or False for 'fortran_order'"))
    }

    /// A plain tuple of integers, and its text for messages.
    fn shape(&mut self) -> Result<(Vec<u64>, String), Fault> {
        self.peek();
        let start = self.at;
        let shape = self.tuple();
        let text = match &shape {
            Ok(_) => &self.text[start..self.at],
            Err(_) => {
                let rest = &self.text[start..];
                &rest[..rest.iter().position(|&b| b == b'\n' || b == b'}').unwrap_or(rest.len())]
            }
        };
        let text = shorten(text.trim_ascii_end());
        match shape {
            Ok(shape) => Ok((shape, text)),
            Err(why) => Err(Fault::bad(format!("shape {text}: {why}; a plain tuple of integers is expected"))),
        }
    }

    fn tuple(&mut self) -> Result<Vec<u64>, &'static str> {
        if !self.eat(b'(') {
            return Err("not a tuple");
        }
        let mut shape = Vec::new();
        loop {
            if self.eat(b')') {
                return Ok(shape);
            }
            shape.push(self.integer()?);
            if self.eat(b',') {
                continue;
            }
            if !self.eat(b')') {
                return Err("not a tuple of integers");
            }
            // Python reads (2) as the number 2, and so does NumPy.
            return if shape.len() == 1 { Err("a tuple of one needs a comma") } else { Ok(shape) };
        }
    }

    fn integer(&mut self) -> Result<u64, &'static str> {
        if self.eat(b'-') {
            return Err("a negative size");
        }
        let digits = self.text[self.at.min(self.text.len())..].iter().take_while(|b| b.is_ascii_digit()).count();
        if self.peek().is_none_or(|b| !b.is_ascii_digit()) {
            return Err("not a tuple of integers");
        }
        let value = self.text[self.at..self.at + digits]
            .iter()
            .try_fold(0u64, |n, &b| n.checked_mul(10)?.checked_add(u64::from(b - b'0')))
            .ok_or("a size beyond 2^64")?;
        self.at += digits;
        // Python 2 marked long integers.
        self.at += usize::from(self.text.get(self.at) == Some(&b'L'));
        Ok(value)
    }
}
