//! Everything specific to the machine: instruction sets, with every loop compiled for each; the floating-point mode of
//! a thread; and pages of files that may vanish while they are read.
//!
//! A `LoopCode` is an ordinary loop that is always inlined. `versions` makes one function per [`Level`] around it, each
//! allowed to use that level's instructions, so the compiler vectorises the same source several times. An [`Isa`]
//! selects the version; it exists only for a level that the CPU supports.
//!
//! x86-64 has three levels, aarch64 two, and other architectures one. Every aarch64 CPU has NEON, so the compiler uses
//! it at both levels; what the level NEON adds are the loops with explicit instructions and fused operations.

mod opcode;
pub(crate) mod vector;
pub(crate) mod lane_blocks;
pub(crate) mod cut;
pub(crate) mod lanes;

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod constants;
mod float_mode;
pub(crate) mod shuffle;
pub(crate) mod stack;
mod turn;

pub(crate) use float_mode::FloatMode;
use once_cell::race::OnceBox;
pub(crate) use opcode::{Opcode, Widened};

/// Whether this machine has a clock and processes. A web page has neither: there the standard library panics when it is asked for them.
pub(crate) const HAS_PROCESSES: bool = !cfg!(all(target_family = "wasm", target_os = "unknown"));

/// Returns the number of this process; 0 on a machine without processes.
pub(crate) fn process() -> u32 {
    if HAS_PROCESSES { std::process::id() } else { 0 }
}

/// The work of one call: `turns` times `rows` rows of `n` elements each.
///
/// Within a row, an operand is dense or constant. It moves by its step from row to row, which may be 0, and by its turn
/// step from turn to turn.
#[derive(Clone, Copy)]
pub(crate) struct Block {
    /// The elements of a row.
    pub n: usize,
    /// The rows of a turn.
    pub rows: usize,
    /// The turns.
    pub turns: usize,
    /// Where the first row of each operand begins.
    pub places: [*const u8; 3],
    /// The bytes from row to row of each operand.
    pub steps: [isize; 3],
    /// The bytes from turn to turn of each operand.
    pub turn_steps: [isize; 3],
    /// Where the first row of the result begins.
    pub out: *mut u8,
    /// The bytes from row to row of the result.
    pub out_step: isize,
    /// The bytes from turn to turn of the result.
    pub out_turn: isize,
}

impl Block {
    /// An empty block, as a default for unused fields.
    pub(crate) const EMPTY: Self = Self {
        n: 0,
        rows: 1,
        turns: 1,
        places: [std::ptr::null(); 3],
        steps: [0; 3],
        turn_steps: [0; 3],
        out: std::ptr::null_mut(),
        out_step: 0,
        out_turn: 0,
    };

    /// Calls `row` for every row, with the addresses of the operands and of the result. Returns whether any call
    /// returned true.
    #[inline(always)]
    pub(crate) fn any_row(&self, mut row: impl FnMut([*const u8; 3], *mut u8) -> bool) -> bool {
        // No iterators here: there are thousands of copies of this function. The first turn is read from the block itself:
        // a copy would be made 16 bytes at a time, and a CPU waits where one access reads what two have just written.
        // Addresses are not carried from turn to turn in variables, from which the compiler no longer sees that they lead
        // out of the stack.
        let mut any = false;
        let mut next;
        let (mut first, mut first_out, mut turn) = (&self.places, &self.out, 0);
        while turn < self.turns {
            let (mut places, mut out, mut rows) = (*first, *first_out, self.rows);
            while rows > 0 {
                any |= row(places, out);
                places[0] = places[0].wrapping_offset(self.steps[0]);
                places[1] = places[1].wrapping_offset(self.steps[1]);
                places[2] = places[2].wrapping_offset(self.steps[2]);
                out = out.wrapping_offset(self.out_step);
                rows = rows.wrapping_sub(1);
            }
            turn = turn.wrapping_add(1);
            if turn < self.turns {
                next = turn::Turn::EMPTY;
                next.begin(self, turn);
                (first, first_out) = (&next.places, &next.out);
            }
        }
        any
    }
}

/// Rows of strided elements.
#[derive(Clone, Copy)]
pub(crate) struct StridedBlock {
    /// The elements of a row.
    pub(crate) n: usize,
    pub(crate) rows: usize,
    /// Where the first row of each operand begins, the bytes from row to row, and those from element to element.
    pub(crate) places: [*const u8; 3],
    pub(crate) steps: [isize; 3],
    pub(crate) apart: [isize; 3],
    /// The same of the result.
    pub(crate) out: *mut u8,
    pub(crate) out_step: isize,
    pub(crate) out_apart: isize,
}

/// Moves each address by a number of bytes.
#[inline(always)]
pub(crate) fn moved([a, b, c]: [*const u8; 3], by: [isize; 3]) -> [*const u8; 3] {
    [a.wrapping_offset(by[0]), b.wrapping_offset(by[1]), c.wrapping_offset(by[2])]
}

/// Does the work that its argument describes: for a kernel a [`Block`], for others what their [`LoopCode`] names. Returns
/// whether an element was rejected; then the result is meaningless.
///
/// # Safety
/// As the argument says. For a block: in every row, each operand is readable for `n` elements of its dtype where the loop reads it as dense, and for one
/// where it reads it as constant; `out` is writable for `n` elements. Any alignment is allowed. No row of `out`
/// overlaps an operand or another row.
pub(crate) type Loop<A = Block> = unsafe fn(args: &A) -> bool;

/// Finds the first of `n` elements that an operator rejects, or returns `n`. An operand with step 0 is constant, with
/// step 1 dense.
///
/// # Safety
/// The first two operands are readable for `n` elements, or for one where the step is 0.
pub(crate) type SearchLoop = unsafe fn(n: usize, operands: [*const u8; 3], steps: [usize; 3]) -> usize;

/// A loop, before it is compiled for a level.
pub(crate) trait LoopCode {
    /// What describes the work.
    type Args;
    /// Runs the loop. Everything it calls is always inlined, so that it may use the instructions of the level.
    ///
    /// # Safety
    /// As for [`Loop`].
    unsafe fn run(args: &Self::Args) -> bool;
}

/// The levels of instruction sets. Those of one architecture are in order, lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What every CPU of the architecture supports, as the compiler uses it.
    Baseline,
    /// AVX2, FMA, F16C and the bit instructions that came with them (x86-64-v3).
    Avx2,
    /// AVX-512 F, BW, CD, DQ and VL (x86-64-v4).
    Avx512,
    /// NEON, with its conversions of f16 and its fused operations: every aarch64 CPU.
    Neon,
}

/// The number of levels of this architecture.
pub(crate) const LEVELS: usize = Level::ALL.len();

impl Level {
    /// Lists the levels of the architecture that this is compiled for, lowest first.
    pub const ALL: &'static [Self] = if cfg!(target_arch = "x86_64") {
        &[Self::Baseline, Self::Avx2, Self::Avx512]
    } else if cfg!(target_arch = "aarch64") {
        &[Self::Baseline, Self::Neon]
    } else {
        &[Self::Baseline]
    };

    /// Returns the level's name, as in `BROADAXE_ISA`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Neon => "neon",
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn is_here(self) -> bool {
        // The standard library also checks that the operating system saves the wide registers.
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
            Self::Avx512 => cfg!(not(broadaxe_without_avx512)) && avx2() && avx512(),
            Self::Neon => false,
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn is_here(self) -> bool {
        Self::ALL.contains(&self)
    }
}

/// A level that this CPU supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isa(Level);

impl Isa {
    /// Lists the levels of this CPU, lowest first.
    pub fn available() -> Vec<Self> {
        #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
        constants::look();
        Level::ALL.iter().copied().filter(|level| level.is_here()).map(Self).collect()
    }

    /// Returns this level if the CPU supports it.
    pub fn of(level: Level) -> Option<Self> {
        level.is_here().then_some(Self(level))
    }

    /// Returns the level that the environment variable `BROADAXE_ISA` names, or else the best one. The answer is
    /// computed once.
    ///
    /// # Errors
    /// Lists the available names if the variable names no level of this CPU.
    pub fn current() -> Result<Self, &'static str> {
        static CURRENT: OnceBox<Result<Isa, String>> = OnceBox::new();
        CURRENT
            .get_or_init(|| Box::new(Self::choose(std::env::var("BROADAXE_ISA").ok().as_deref())))
            .as_ref()
            .copied()
            .map_err(String::as_str)
    }

    fn choose(name: Option<&str>) -> Result<Self, String> {
        if cfg!(target_endian = "big") {
            return Err("the kernels support little-endian CPUs only".to_owned());
        }
        let here = Self::available();
        match name {
            None | Some("") => Ok(*here.last().unwrap_or(&Self(Level::Baseline))),
            Some(name) => here.iter().copied().find(|isa| isa.0.name() == name).ok_or_else(|| {
                let names: Vec<_> = here.iter().map(|isa| isa.0.name()).collect();
                format!("BROADAXE_ISA={name} is not supported by this CPU (available: {})", names.join(", "))
            }),
        }
    }

    /// Returns the level.
    pub fn level(self) -> Level {
        self.0
    }

    /// Returns the place of the level in [`Level::ALL`].
    pub(crate) fn index(self) -> usize {
        match self.0 {
            Level::Baseline => 0,
            Level::Avx2 | Level::Neon => 1,
            Level::Avx512 => 2,
        }
    }

    /// Ensures that the constants of the loops are in memory. Call it before work of about `nanos` nanoseconds.
    #[inline]
    pub(crate) fn prepare(self, nanos: u64) {
        #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
        if self.0 == Level::Avx512 {
            constants::keep(nanos);
        }
        #[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
        let _ = nanos;
    }
}

// The functions of each level are in a module of their own, because the compiler translates modules in parallel: on two cores
// the crate builds for tests in 100 s instead of 142 s.

mod baseline {
    use super::LoopCode;

    // SAFETY: as for `Loop`.
    pub(super) unsafe fn run<B: LoopCode>(args: &B::Args) -> bool {
        // SAFETY: the caller keeps the promise of `Loop`.
        unsafe { B::run(args) }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{LevelWork, LoopCode, stack};

    // SAFETY: as for `Loop`, on a CPU that has these instructions.
    #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn run<B: LoopCode>(args: &B::Args) -> bool {
        stack::align();
        // SAFETY: the caller keeps the promise of `Loop`; an `Isa` of this level exists only if the CPU supports it.
        unsafe { B::run(args) }
    }

    // SAFETY: only on a CPU that has these instructions.
    #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn perform<W: LevelWork>(work: W) {
        stack::align();
        work.work();
    }
}

/// With `--cfg broadaxe_without_avx512` the third level is never chosen and has the functions of the second: a third less to
/// compile, for tests on a CPU that cannot run it.
#[cfg(all(target_arch = "x86_64", broadaxe_without_avx512))]
use avx2 as avx512;

#[cfg(all(target_arch = "x86_64", not(broadaxe_without_avx512)))]
mod avx512 {
    use super::{LevelWork, LoopCode, stack};

    // SAFETY: as for `Loop`, on a CPU that has these instructions.
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn run<B: LoopCode>(args: &B::Args) -> bool {
        stack::align();
        // SAFETY: the caller keeps the promise of `Loop`; an `Isa` of this level exists only if the CPU supports it.
        unsafe { B::run(args) }
    }

    // SAFETY: only on a CPU that has these instructions.
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn perform<W: LevelWork>(work: W) {
        stack::align();
        work.work_wide();
    }
}

/// Returns a body compiled for every level, in order.
#[cfg(target_arch = "x86_64")]
pub(crate) const fn versions<B: LoopCode>() -> [Loop<B::Args>; LEVELS] {
    [baseline::run::<B>, avx2::run::<B>, avx512::run::<B>]
}

/// Returns a body compiled for every level, in order.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) const fn versions<B: LoopCode>() -> [Loop<B::Args>; LEVELS] {
    [baseline::run::<B>; LEVELS]
}

/// Returns a separate body for the first level and for the second; the third has the loop of the second.
#[cfg(target_arch = "x86_64")]
pub(crate) const fn narrow<B: LoopCode, M: LoopCode<Args = B::Args>>() -> [Loop<B::Args>; LEVELS] {
    [baseline::run::<B>, avx2::run::<M>, avx2::run::<M>]
}

/// Returns a separate body for the first level and for the second, if the architecture has one.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) const fn narrow<B: LoopCode, M: LoopCode<Args = B::Args>>() -> [Loop<B::Args>; LEVELS] {
    each::<B, M, M>()
}

/// Returns a separate body for each level, in order: `M` for the second, `L` for the third.
#[cfg(target_arch = "x86_64")]
pub(crate) const fn each<B: LoopCode, M: LoopCode<Args = B::Args>, L: LoopCode<Args = B::Args>>()
-> [Loop<B::Args>; LEVELS] {
    [baseline::run::<B>, avx2::run::<M>, widest::<M, L>()]
}

/// Returns a separate body for each level, in order: `M` for the second, if the architecture has one.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) const fn each<B: LoopCode, M: LoopCode<Args = B::Args>, L: LoopCode<Args = B::Args>>()
-> [Loop<B::Args>; LEVELS] {
    let mut all = [baseline::run::<B> as Loop<B::Args>; LEVELS];
    let mut i = 1;
    while i < LEVELS {
        all[i] = baseline::run::<M>;
        i += 1;
    }
    all
}

/// Returns bodies that exist only for the wider levels, in the order of all levels.
#[cfg(target_arch = "x86_64")]
pub(crate) const fn wide<M: LoopCode, L: LoopCode<Args = M::Args>>() -> [Option<Loop<M::Args>>; LEVELS] {
    [None, Some(avx2::run::<M>), Some(widest::<M, L>())]
}

/// Returns the body of the third level, `L`, where it is compiled, and else that of the second.
#[cfg(target_arch = "x86_64")]
const fn widest<M: LoopCode, L: LoopCode<Args = M::Args>>() -> Loop<M::Args> {
    if cfg!(broadaxe_without_avx512) { avx2::run::<M> } else { avx512::run::<L> }
}

/// Returns a body compiled for the wider levels, in the order of all levels. The widest level has the vectors of AVX2
/// here.
#[cfg(target_arch = "x86_64")]
pub(crate) const fn half_wide<B: LoopCode>() -> [Option<Loop<B::Args>>; LEVELS] {
    [None, Some(avx2::run::<B>), Some(avx2::run::<B>)]
}

/// Returns no body: there are no wider levels.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) const fn half_wide<B: LoopCode>() -> [Option<Loop<B::Args>>; LEVELS] {
    [None; LEVELS]
}

/// Work in safe loops, always inlined, that is compiled for every level.
pub(crate) trait LevelWork: Sized {
    /// Does the work.
    fn work(self);
    /// Does the work with the widest instructions, which may not be worth using for all of it.
    #[cfg(target_arch = "x86_64")]
    #[cfg_attr(broadaxe_without_avx512, allow(dead_code, reason = "the level that calls it is not compiled"))]
    #[inline(always)]
    fn work_wide(self) {
        self.work();
    }
}

impl Isa {
    /// Does work with the instructions of this level.
    pub(crate) fn perform<W: LevelWork>(self, work: W) {
        match self.0 {
            // SAFETY: an `Isa` of this level exists only where the CPU has these instructions.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { avx2::perform(work) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { avx512::perform(work) },
            _ => work.work(),
        }
    }
}

/// The bytes of a page of memory; where pages are larger, of a part of one.
pub(crate) const PAGE_BYTES: usize = 4096;

/// The largest number of file mappings that can exist at once.
pub(crate) const MAX_MAPPINGS: usize = 64;

#[cfg(target_os = "linux")]
pub(crate) mod pages;

/// Files are not mapped on other systems.
#[cfg(not(target_os = "linux"))]
pub(crate) mod pages {
    #[derive(Debug)]
    pub(crate) enum NoPages {}
    pub(crate) use NoPages as Pages;

    pub(crate) fn reserve(_: &std::fs::File, _: u64) -> std::io::Result<bool> {
        Ok(false)
    }

    impl NoPages {
        pub(crate) fn map(_: &std::fs::File, _: u64, _: usize) -> Option<Self> {
            None
        }
        pub(crate) fn map_mut(_: &std::fs::File, _: u64, _: usize) -> Option<Self> {
            None
        }
        pub(crate) fn base(&self) -> *const u8 {
            match *self {}
        }
        pub(crate) fn len(&self) -> usize {
            match *self {}
        }
        pub(crate) fn are_cut(&self) -> bool {
            match *self {}
        }
    }
}

/// Signals that tests raise. They are here because unsafe code is allowed in this module.
#[cfg(all(test, target_os = "linux"))]
pub(crate) mod faults;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_choose_levels() {
        assert_eq!(Isa::choose(Some("baseline")), Ok(Isa(Level::Baseline)));
        assert_eq!(Isa::choose(None).ok(), Isa::available().last().copied());
        let rejected = Isa::choose(Some("mmx")).unwrap_err();
        assert!(rejected.contains("=mmx ") && rejected.contains("baseline"), "{rejected}");
    }
}
