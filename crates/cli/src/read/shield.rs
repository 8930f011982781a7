//! Keeps a panic of somebody else's code from ending the process.
//!
//! This needs unwinding: a build with `panic = "abort"` would lose it.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// Calls `f`; a panic becomes its message. Whatever `f` was changing must not be used after that.
pub(super) fn contain<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        // The panic becomes an ordinary error, so its report on standard error would only alarm.
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !CONTAINED.get() {
                before(info);
            }
        }));
    });
    let outer = CONTAINED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(f));
    CONTAINED.set(outer);
    result.map_err(|payload| {
        payload
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string))
            .unwrap_or_else(|| "no message".to_owned())
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_panic_becomes_its_message() {
        assert_eq!(super::contain(|| 1), Ok(1));
        assert_eq!(super::contain(|| -> i32 { panic!("page {}", 7) }), Err("page 7".to_owned()));
        assert_eq!(super::contain(|| -> i32 { panic!("plain") }), Err("plain".to_owned()));
    }
}
