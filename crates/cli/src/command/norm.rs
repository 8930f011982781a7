//! `samebits norm`.

use super::sum::each_file;
use crate::args::{NormKind, Op, Summing};
use crate::failure::Failure;
use crate::output::Output;

pub(super) fn run(kind: NormKind, args: &Summing, out: &mut Output) -> Result<u8, Failure> {
    each_file(Op::Norm(kind), args, out)
}
