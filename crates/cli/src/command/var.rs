//! `samebits var`.

use samebits::Mode;

use super::sum::each_of;
use crate::args::{Input, Op, Places, Spread};
use crate::failure::Failure;
use crate::output::Output;

pub(super) fn run(spread: Spread, input: &Input, places: &Places, out: &mut Output) -> Result<u8, Failure> {
    each_of(Op::Var(spread), Mode::exact(), input, places, out)
}
