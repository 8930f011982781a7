//! The reusable buffer, and how elements of a file's type get into it.

use std::path::Path;

use bytemuck::{Pod, Zeroable};

use super::{Dtype, Order, Scalar};
use crate::{Error, Result};

/// A reusable buffer of numbers. Readers empty it first and then fill exactly one of the vectors, so the order of
/// the elements is that of the file.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Chunk {
    /// Numbers, where the result type is f64.
    pub f64s: Vec<f64>,
    /// Numbers, where the result type is f32.
    pub f32s: Vec<f32>,
    /// Integers of which at least one is beyond what the result type holds; only with `exact`.
    pub ints: Vec<i128>,
    /// Blank cells and NULLs skipped in this part of the data.
    pub nulls: u64,
    // Elements as they lie in the file, where they need a conversion; u64 for its alignment.
    scratch: Vec<u64>,
}

impl Chunk {
    /// An empty buffer, which grows to the size of the parts read and stays there.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many numbers it holds.
    pub fn len(&self) -> usize {
        self.f64s.len() + self.f32s.len() + self.ints.len()
    }

    /// Whether it holds no number. There may still be [`Chunk::nulls`].
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Empties it and keeps the memory.
    pub fn clear(&mut self) {
        self.f64s.clear();
        self.f32s.clear();
        self.ints.clear();
        self.nulls = 0;
    }
}

/// Sets the length without writing again what is there: the buffer is about to be overwritten, and clearing it
/// first would cost a second pass over the memory.
fn set_len<T: Zeroable + Clone>(buffer: &mut Vec<T>, n: usize) -> Result<()> {
    if n > buffer.capacity() {
        let bytes = n.saturating_mul(size_of::<T>());
        buffer
            .try_reserve_exact(n - buffer.len())
            .map_err(|_| Error::OutOfMemory { what: "a part of the file", bytes })?;
    }
    if n > buffer.len() {
        buffer.resize(n, T::zeroed())
    } else {
        buffer.truncate(n)
    }
    Ok(())
}

/// What numbers become: the result type, and what happens to integers that it cannot hold.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Target {
    /// The result type.
    pub dtype: Dtype,
    /// Deliver such integers in full instead of refusing them.
    pub exact: bool,
}

impl Target {
    /// A result type, and whether integers it cannot hold are delivered in full.
    pub fn new(dtype: Dtype, exact: bool) -> Self {
        Target { dtype, exact }
    }

    /// Empties the chunk and puts these integers into it, exactly.
    ///
    /// If the result type cannot hold all of them, with `exact` the whole part is delivered as [`Chunk::ints`].
    ///
    /// # Errors
    /// [`Error::Integer`] with the first integer beyond the type, unless `exact`.
    pub fn integers<I: Copy + Ord + Into<i128>>(&self, values: &[I], out: &mut Chunk, path: &Path) -> Result<()> {
        out.clear();
        let limit = 1i128 << self.dtype.integer_bits();
        let fits = |v: &I| (-limit..=limit).contains(&(*v).into());
        // The extremes tell for all, and finding them is a loop without a branch.
        let extremes = values
            .first()
            .map(|&first| values.iter().fold((first, first), |(least, most), &v| (least.min(v), most.max(v))));
        if extremes.is_some_and(|(least, most)| !(fits(&least) && fits(&most))) {
            let value = values.iter().copied().find(|v| !fits(v)).map(Into::into).unwrap_or_default();
            if !self.exact {
                return Err(self.refuse(value, path));
            }
            reserve(&mut out.ints, values.len())?;
            out.ints.extend(values.iter().map(|&v| v.into()));
            return Ok(());
        }
        // Exact, since the limit was checked; i64 holds it and converts in one instruction.
        match self.dtype {
            Dtype::F64 => {
                reserve(&mut out.f64s, values.len())?;
                out.f64s.extend(values.iter().map(|&v| v.into() as i64 as f64));
            }
            Dtype::F32 => {
                reserve(&mut out.f32s, values.len())?;
                out.f32s.extend(values.iter().map(|&v| v.into() as i64 as f32));
            }
        }
        Ok(())
    }

    /// Empties the chunk and puts these numbers into it, widened if the result is f64.
    ///
    /// # Errors
    /// Only if memory runs out.
    pub fn singles(&self, values: &[f32], out: &mut Chunk) -> Result<()> {
        out.clear();
        match self.dtype {
            Dtype::F64 => {
                reserve(&mut out.f64s, values.len())?;
                out.f64s.extend(values.iter().map(|&v| f64::from(v)));
            }
            Dtype::F32 => {
                reserve(&mut out.f32s, values.len())?;
                out.f32s.extend_from_slice(values);
            }
        }
        Ok(())
    }

    /// The error for an integer that the result type cannot hold.
    pub fn refuse(&self, value: i128, path: &Path) -> Error {
        Error::Integer { path: path.to_owned(), value, limit_bits: self.dtype.integer_bits(), dtype: self.dtype.name() }
    }
}

fn reserve<T>(buffer: &mut Vec<T>, n: usize) -> Result<()> {
    buffer
        .try_reserve(n)
        .map_err(|_| Error::OutOfMemory { what: "a part of the file", bytes: n.saturating_mul(size_of::<T>()) })
}

/// How elements lie in a file and what they become.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) scalar: Scalar,
    pub(crate) order: Order,
    pub(crate) target: Target,
}

impl Layout {
    /// Reads `n` elements into the chunk; `fill` must fill the bytes it is given. Where the file's type is the
    /// result's, these bytes are the chunk's own, and nothing is copied.
    pub(crate) fn read<F>(&self, n: usize, out: &mut Chunk, path: &Path, fill: F) -> Result<()>
    where
        F: FnOnce(&mut [u8]) -> Result<()>,
    {
        out.nulls = 0;
        let foreign = self.order.is_foreign();
        match (self.scalar, self.target.dtype) {
            (Scalar::F64, _) => {
                out.f32s.clear();
                out.ints.clear();
                direct(&mut out.f64s, n, fill)?;
                if foreign {
                    out.f64s.iter_mut().for_each(|v| *v = f64::from_bits(v.to_bits().swap_bytes()));
                }
                Ok(())
            }
            (Scalar::F32, Dtype::F32) => {
                out.f64s.clear();
                out.ints.clear();
                direct(&mut out.f32s, n, fill)?;
                if foreign {
                    out.f32s.iter_mut().for_each(|v| *v = f32::from_bits(v.to_bits().swap_bytes()));
                }
                Ok(())
            }
            _ => {
                // Taken out for the time of the call, so that the rest of the chunk can be written.
                let mut scratch = std::mem::take(&mut out.scratch);
                let result = self.convert(n, &mut scratch, out, path, foreign, fill);
                out.scratch = scratch;
                result
            }
        }
    }

    fn convert<F>(
        &self,
        n: usize,
        scratch: &mut Vec<u64>,
        out: &mut Chunk,
        path: &Path,
        foreign: bool,
        fill: F,
    ) -> Result<()>
    where
        F: FnOnce(&mut [u8]) -> Result<()>,
    {
        let bytes = n * self.scalar.size();
        set_len(scratch, bytes.div_ceil(8))?;
        let raw = &mut bytemuck::cast_slice_mut::<u64, u8>(scratch)[..bytes];
        if let Err(error) = fill(raw) {
            out.clear();
            return Err(error);
        }
        let target = &self.target;
        match self.scalar {
            Scalar::F64 => unreachable!("read directly"),
            Scalar::F32 => {
                let values = words::<u32>(raw, foreign, u32::swap_bytes);
                target.singles(bytemuck::cast_slice(values), out)
            }
            Scalar::I8 => target.integers(bytemuck::cast_slice::<u8, i8>(raw), out, path),
            Scalar::U8 => target.integers::<u8>(raw, out, path),
            Scalar::Bool => {
                raw.iter_mut().for_each(|b| *b = u8::from(*b != 0));
                target.integers::<u8>(raw, out, path)
            }
            Scalar::I16 => target.integers(words::<i16>(raw, foreign, i16::swap_bytes), out, path),
            Scalar::U16 => target.integers(words::<u16>(raw, foreign, u16::swap_bytes), out, path),
            Scalar::I32 => target.integers(words::<i32>(raw, foreign, i32::swap_bytes), out, path),
            Scalar::U32 => target.integers(words::<u32>(raw, foreign, u32::swap_bytes), out, path),
            Scalar::I64 => target.integers(words::<i64>(raw, foreign, i64::swap_bytes), out, path),
            Scalar::U64 => target.integers(words::<u64>(raw, foreign, u64::swap_bytes), out, path),
        }
    }
}

/// The bytes as whole elements of this machine's order.
fn words<T: Pod>(raw: &mut [u8], foreign: bool, swap: fn(T) -> T) -> &[T] {
    let values = bytemuck::cast_slice_mut::<u8, T>(raw);
    if foreign {
        values.iter_mut().for_each(|v| *v = swap(*v));
    }
    values
}

fn direct<T: Pod, F>(buffer: &mut Vec<T>, n: usize, fill: F) -> Result<()>
where
    F: FnOnce(&mut [u8]) -> Result<()>,
{
    set_len(buffer, n)?;
    fill(bytemuck::cast_slice_mut(buffer.as_mut_slice())).inspect_err(|_| buffer.clear())
}
