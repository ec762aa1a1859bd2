//! The floating-point mode of a thread.

/// Sets the floating-point mode that Rust code relies on, and restores the caller's mode when it is dropped.
///
/// The thread of a host program may flush subnormal numbers to zero or round differently (a library built with fast
/// mathematics sets that when it is loaded). Results must not depend on that.
pub(crate) struct FloatMode {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    before: Mode,
}

/// The control register.
#[cfg(target_arch = "x86_64")]
type Mode = u32;
/// The control register.
#[cfg(target_arch = "aarch64")]
type Mode = u64;

#[cfg(target_arch = "x86_64")]
impl FloatMode {
    /// Every exception masked, round to nearest, subnormal numbers kept.
    const STANDARD: Mode = 0x1f80;
    /// The bits that report exceptions; the others control the unit.
    const FLAGS: Mode = 0x3f;

    fn get() -> Mode {
        let mut mode = 0;
        // SAFETY: every x86-64 CPU has the instruction, and `mode` is four bytes to write.
        unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut mode, options(nostack, preserves_flags)) };
        mode
    }

    fn set(mode: Mode) {
        // SAFETY: every x86-64 CPU has the instruction; `mode` is one read from the register, or `STANDARD`, so no reserved bit is set.
        unsafe {
            std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const mode, options(nostack, preserves_flags, readonly));
        }
    }
}

#[cfg(target_arch = "aarch64")]
impl FloatMode {
    /// No exception traps, round to nearest, subnormal numbers and NaN kept, IEEE's f16.
    const STANDARD: Mode = 0;
    /// The register reports no exceptions; all bits control the unit.
    const FLAGS: Mode = 0;

    fn get() -> Mode {
        let mode;
        // SAFETY: every aarch64 CPU has the register, and reading it changes nothing.
        unsafe { std::arch::asm!("mrs {}, fpcr", out(reg) mode, options(nomem, nostack, preserves_flags)) };
        mode
    }

    fn set(mode: Mode) {
        // SAFETY: `mode` is one read from the register, or `STANDARD`, so no reserved bit is set. As it may access
        // memory for all the compiler knows, loads and stores stay on their side of it.
        unsafe { std::arch::asm!("msr fpcr, {}", in(reg) mode, options(nostack, preserves_flags)) };
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl FloatMode {
    /// Sets the standard mode if it is not set.
    pub(crate) fn standard() -> Self {
        let before = Self::get();
        if before & !Self::FLAGS != Self::STANDARD {
            Self::set(Self::STANDARD);
        }
        Self { before }
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl Drop for FloatMode {
    fn drop(&mut self) {
        if self.before & !Self::FLAGS != Self::STANDARD {
            Self::set(self.before);
        }
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
impl FloatMode {
    pub(crate) fn standard() -> Self {
        Self {}
    }
}

#[cfg(all(test, any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests {
    use std::hint::black_box;

    use super::*;

    #[test]
    fn a_host_that_flushes_subnormals_is_not_followed() {
        // The result is used at once, or the product could be computed after a later change of the mode.
        let half = || black_box(black_box(f32::MIN_POSITIVE) * black_box(0.5));
        FloatMode::set(if cfg!(target_arch = "x86_64") { 0x9fc0 } else { 1 << 24 });
        let flushed = half();
        let kept = {
            let _mode = FloatMode::standard();
            half()
        };
        let again = half();
        FloatMode::set(FloatMode::STANDARD);
        assert_eq!((flushed, kept, again), (0.0, f32::MIN_POSITIVE / 2.0, 0.0));
    }
}
