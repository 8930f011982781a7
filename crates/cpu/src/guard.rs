//! The floating-point environment: kernels run in the default one, whatever the caller's is, and the caller gets its
//! own back, status flags included.
//!
//! The compiler may move float operations across an `asm!` block, so the switch alone would prove nothing: the work
//! is behind a function pointer that the compiler cannot see through, called between the two switches.

use core::hint::black_box;

/// Calls `work(data)` in the default environment: round to nearest, no flushing, exceptions masked.
pub(crate) fn with_default_environment<D>(work: unsafe fn(&mut D), data: &mut D) {
    let saved = environment::enter();
    // SAFETY: `work`'s contract is the caller's; every use in this crate passes a function whose needs were checked.
    unsafe { black_box(work)(black_box(data)) };
    environment::restore(saved);
}

#[cfg(target_arch = "x86_64")]
mod environment {
    use core::arch::asm;

    /// All exceptions masked, round to nearest, neither flush-to-zero nor denormals-are-zero, no flag set.
    const DEFAULT: u32 = 0x1f80;

    pub(super) fn enter() -> u32 {
        let mut saved = 0u32;
        // SAFETY: stores and loads MXCSR through valid pointers; the value loaded has no reserved bit set.
        unsafe {
            asm!("stmxcsr [{}]", in(reg) &mut saved, options(nostack));
            asm!("ldmxcsr [{}]", in(reg) &DEFAULT, options(nostack));
        }
        saved
    }

    pub(super) fn restore(saved: u32) {
        // SAFETY: loads the value that `enter` read.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &saved, options(nostack)) };
    }
}

#[cfg(target_arch = "aarch64")]
mod environment {
    use core::arch::asm;

    pub(super) fn enter() -> (u64, u64) {
        let (control, status): (u64, u64);
        // SAFETY: reads and writes the floating-point control and status registers; zero is the default environment.
        unsafe {
            asm!("mrs {}, fpcr", out(reg) control, options(nostack));
            asm!("mrs {}, fpsr", out(reg) status, options(nostack));
            asm!("msr fpcr, {}", in(reg) 0u64, options(nostack));
        }
        (control, status)
    }

    pub(super) fn restore((control, status): (u64, u64)) {
        // SAFETY: writes back what `enter` read.
        unsafe {
            asm!("msr fpcr, {}", in(reg) control, options(nostack));
            asm!("msr fpsr, {}", in(reg) status, options(nostack));
        }
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod environment {
    //! No switch is known here: `samebits-cpu` then offers no float kernel at all (see `dispatch`).
    pub(super) fn enter() {}
    pub(super) fn restore(_: ()) {}
}
