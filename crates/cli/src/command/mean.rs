//! `samebits mean`.

use super::sum::each_file;
use crate::args::{Op, Summing};
use crate::failure::Failure;
use crate::output::Output;

pub(super) fn run(args: &Summing, out: &mut Output) -> Result<u8, Failure> {
    each_file(Op::Mean, args, out)
}
