//! Instruction sets: which the CPU has, and every loop compiled again under each.
//!
//! A [`Body`] is an ordinary loop, always inlined. [`versions`] makes one function per [`Level`] around it, each allowed to use
//! that level's instructions, so that the compiler vectorises the same source three times. Which one runs is chosen by an
//! [`Isa`], a value that exists only where the CPU has what it names.

use std::sync::OnceLock;

/// Computes `n` elements from up to three operands.
///
/// # Safety
/// Every operand that the loop reads as dense is readable for `n` elements of its dtype, a constant one for one element, and `out`
/// is writable for `n` elements. No alignment is asked. `out` overlaps no operand.
pub type Loop = unsafe fn(n: usize, operands: [*const u8; 3], out: *mut u8);

/// Finds the first of `n` pairs that an operator refuses, or `n`; an operand with step 0 is constant, with step 1 dense.
///
/// # Safety
/// As for [`Loop`], for the first two operands.
pub type Check = unsafe fn(n: usize, operands: [*const u8; 3], steps: [usize; 3]) -> usize;

/// A loop before it is compiled for a level.
pub(crate) trait Body {
    /// Runs the loop.
    ///
    /// # Safety
    /// As for [`Loop`].
    unsafe fn run(n: usize, operands: [*const u8; 3], out: *mut u8);
}

/// The levels of instruction sets, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What every CPU of the target has (SSE2, NEON).
    Baseline,
    /// AVX2, FMA, F16C and the bit instructions that came with them (x86-64-v3).
    Avx2,
    /// AVX-512 F, BW, CD, DQ and VL (x86-64-v4).
    Avx512,
}

/// The number of levels.
pub(crate) const LEVELS: usize = 3;

impl Level {
    /// Lists every level, the least first.
    pub const ALL: [Self; LEVELS] = [Self::Baseline, Self::Avx2, Self::Avx512];

    /// Returns the level's name, as `BROADAXE_ISA` takes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn is_here(self) -> bool {
        // The standard library also asks whether the operating system saves the wide registers.
        let avx2 = || {
            is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("f16c")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt")
        };
        let avx512 = || {
            is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512cd")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
        };
        match self {
            Self::Baseline => true,
            Self::Avx2 => avx2(),
            Self::Avx512 => avx2() && avx512(),
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn is_here(self) -> bool {
        self == Self::Baseline
    }
}

/// A level that this CPU has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isa(Level);

impl Isa {
    /// Lists the levels of this CPU, the least first.
    pub fn available() -> Vec<Self> {
        Level::ALL.into_iter().filter(|level| level.is_here()).map(Self).collect()
    }

    /// Returns this level where the CPU has it.
    pub fn of(level: Level) -> Option<Self> {
        level.is_here().then_some(Self(level))
    }

    /// Returns the level that the environment variable `BROADAXE_ISA` names, or else the best one; asked once.
    ///
    /// # Errors
    /// The names that would have worked, when the variable names no level of this CPU.
    pub fn current() -> Result<Self, &'static str> {
        static CURRENT: OnceLock<Result<Isa, String>> = OnceLock::new();
        CURRENT
            .get_or_init(|| Self::choose(std::env::var("BROADAXE_ISA").ok().as_deref()))
            .as_ref()
            .copied()
            .map_err(String::as_str)
    }

    fn choose(name: Option<&str>) -> Result<Self, String> {
        let here = Self::available();
        match name {
            None | Some("") => Ok(*here.last().unwrap_or(&Self(Level::Baseline))),
            Some(name) => here.iter().copied().find(|isa| isa.0.name() == name).ok_or_else(|| {
                let names: Vec<_> = here.iter().map(|isa| isa.0.name()).collect();
                format!("BROADAXE_ISA is '{name}', which this CPU has not; it has {}", names.join(", "))
            }),
        }
    }

    /// Returns the level.
    pub fn level(self) -> Level {
        self.0
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

// SAFETY: as for `Loop`.
unsafe fn baseline<B: Body>(n: usize, operands: [*const u8; 3], out: *mut u8) {
    // SAFETY: the caller keeps the promise of `Loop`.
    unsafe { B::run(n, operands, out) }
}

// SAFETY: as for `Loop`, on a CPU that has these instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn avx2<B: Body>(n: usize, operands: [*const u8; 3], out: *mut u8) {
    // SAFETY: the caller keeps the promise of `Loop`; an `Isa` of this level exists only where the CPU has these instructions.
    unsafe { B::run(n, operands, out) }
}

// SAFETY: as for `Loop`, on a CPU that has these instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn avx512<B: Body>(n: usize, operands: [*const u8; 3], out: *mut u8) {
    // SAFETY: the caller keeps the promise of `Loop`; an `Isa` of this level exists only where the CPU has these instructions.
    unsafe { B::run(n, operands, out) }
}

/// Returns a body compiled for every level, in their order.
#[cfg(target_arch = "x86_64")]
pub(crate) const fn versions<B: Body>() -> [Loop; LEVELS] {
    [baseline::<B>, avx2::<B>, avx512::<B>]
}

/// Returns a body compiled for every level, in their order.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) const fn versions<B: Body>() -> [Loop; LEVELS] {
    [baseline::<B>, baseline::<B>, baseline::<B>]
}

/// Keeps the floating-point mode that Rust code may rely on, for as long as it lives, and brings the caller's back.
///
/// A host may have told its thread to flush subnormal numbers to zero or to round otherwise (a library built with fast
/// mathematics does so when it is loaded). Results must not depend on that.
pub(crate) struct FloatMode {
    #[cfg(target_arch = "x86_64")]
    before: u32,
}

#[cfg(target_arch = "x86_64")]
impl FloatMode {
    /// Every exception masked, round to nearest, subnormal numbers kept.
    const STANDARD: u32 = 0x1f80;
    /// The bits that say what has happened, not what shall.
    const FLAGS: u32 = 0x3f;

    /// Sets the standard mode, where it is not set.
    pub(crate) fn standard() -> Self {
        let mut before = 0_u32;
        // SAFETY: every x86-64 CPU has the instruction, and `before` is four bytes to write.
        unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut before, options(nostack, preserves_flags)) };
        if before & !Self::FLAGS != Self::STANDARD {
            Self::set(Self::STANDARD);
        }
        Self { before }
    }

    fn set(mode: u32) {
        // SAFETY: every x86-64 CPU has the instruction; `mode` is one read from the register, or `STANDARD`, so no reserved bit is set.
        unsafe {
            std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const mode, options(nostack, preserves_flags, readonly));
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl Drop for FloatMode {
    fn drop(&mut self) {
        if self.before & !Self::FLAGS != Self::STANDARD {
            Self::set(self.before);
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl FloatMode {
    pub(crate) fn standard() -> Self {
        Self {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_choose_levels() {
        assert_eq!(Isa::choose(Some("baseline")), Ok(Isa(Level::Baseline)));
        assert_eq!(Isa::choose(None).ok(), Isa::available().last().copied());
        let refused = Isa::choose(Some("mmx")).unwrap_err();
        assert!(refused.contains("'mmx'") && refused.contains("baseline"), "{refused}");
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_host_that_flushes_subnormals_is_not_followed() {
        let half = || std::hint::black_box(f32::MIN_POSITIVE) * std::hint::black_box(0.5);
        FloatMode::set(0x9fc0);
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
