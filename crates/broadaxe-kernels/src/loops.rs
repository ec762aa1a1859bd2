//! The contract between operators, kernels and schedules.
//!
//! An operator is a unit struct with one pure function of single elements: [`Unary`], [`Binary`] or [`Ternary`]. A
//! [`Kernel`] is that function for given dtypes, compiled into plain loops, once per instruction set. A loop receives a
//! count and, per operand, a pointer that is *dense* (contiguous elements) or *constant* (one element for the whole
//! row). It knows nothing of rank, strides, rules, threads or files.

use crate::{
    dtype::{DType, Element},
    isa::{Isa, LEVELS, Level, Loop, SearchLoop, StridedBlock},
    math::float_n::Fma,
    measured::{MEMORY_BOUND_PICOS, REPEATED_OPERAND_PICOS, REPEATED_PICOS},
    number::{Function, Function2, Real},
};

/// A function of one element.
pub(crate) trait Unary<T: Element>: 'static {
    /// The type of the result.
    type Out: Element;
    /// Says whether `apply_usual` differs from `apply`: it is faster, and correct for most elements only.
    const SPLIT: bool = false;
    /// Says whether `apply_near` differs from `apply`: it is faster, and for elements near zero only.
    const NEARER: bool = false;
    /// Computes one element.
    fn apply(x: T) -> Self::Out;
    /// Computes one element for which `is_near` holds, with the same bits.
    #[inline(always)]
    fn apply_near(x: T) -> Self::Out {
        Self::apply(x)
    }
    /// Says whether an element is near zero.
    #[inline(always)]
    fn is_near(_: T) -> bool {
        false
    }
    /// Computes one element for which `is_rare` does not hold.
    #[inline(always)]
    fn apply_usual(x: T) -> Self::Out {
        Self::apply(x)
    }
    /// Says whether `apply_usual` is wrong for this element.
    #[inline(always)]
    fn is_rare(_: T) -> bool {
        false
    }
}

/// Returns the largest magnitude of elements that are near zero for a function, if it has a path for those.
const fn near<T: Real, F: Function>() -> Option<f64> {
    if T::WIDE { F::NEAR_WIDE } else { F::NEAR }
}

impl<T: Real, F: Function> Unary<T> for F {
    type Out = T;
    const SPLIT: bool = F::USUAL < f64::INFINITY;
    const NEARER: bool = near::<T, F>().is_some();
    #[inline(always)]
    fn apply(x: T) -> T {
        x.map::<F>()
    }
    #[inline(always)]
    fn apply_near(x: T) -> T {
        x.map_near::<F>()
    }
    #[inline(always)]
    fn is_near(x: T) -> bool {
        near::<T, F>().is_some_and(|near| x.is_within(near))
    }
    #[inline(always)]
    fn apply_usual(x: T) -> T {
        x.map_usual::<F>()
    }
    #[inline(always)]
    fn is_rare(x: T) -> bool {
        x.is_beyond(F::USUAL)
    }
}

/// A function of two elements.
pub(crate) trait Binary<T: Element>: 'static {
    /// The type of the result.
    type Out: Element;
    /// Says whether `apply_usual` differs from `apply`: it is faster, and correct for most elements only.
    const SPLIT: bool = false;
    /// Says whether `apply_near` differs from `apply`: it is faster, and for two elements near zero only.
    const NEARER: bool = false;
    /// Says whether exchanged operands give the same bits. Then the loop for a constant second operand is also that for a
    /// constant first one.
    const COMMUTES: bool = false;
    /// Computes one element.
    fn apply(a: T, b: T) -> Self::Out;
    /// Computes one element, unless `is_open` holds for the result.
    #[inline(always)]
    fn apply_usual(a: T, b: T) -> Self::Out {
        Self::apply(a, b)
    }
    /// Says whether a result of `apply_usual` may be wrong.
    #[inline(always)]
    fn is_open(_: T, _: T, _: Self::Out) -> bool {
        false
    }
    /// Says whether an element is near zero.
    #[inline(always)]
    fn is_near(_: T) -> bool {
        false
    }
    /// Computes one element from two that are near zero, with the same bits.
    #[inline(always)]
    fn apply_near(a: T, b: T) -> Self::Out {
        Self::apply(a, b)
    }
}

impl<T: Real, F: Function2> Binary<T> for F {
    type Out = T;
    const SPLIT: bool = F::SPLIT;
    #[inline(always)]
    fn apply(a: T, b: T) -> T {
        a.map2::<F>(b)
    }
    #[inline(always)]
    fn apply_usual(a: T, b: T) -> T {
        a.map2_usual::<F>(b)
    }
    #[inline(always)]
    fn is_open(a: T, b: T, result: T) -> bool {
        // Lazy operators would be branches, which do not vectorise.
        result.is_nan() & !(a.is_nan() | b.is_nan())
    }
}

/// A function of two elements that can precompute part of its work for a constant second element.
///
/// Products and sums on the way are computed as `M` does them best.
pub(crate) trait ByPrecomputed<T: Element>: Binary<T> {
    /// The precomputed second element.
    type By: Copy;
    /// A precomputed second element near zero, for elements near zero.
    type NearBy: Copy;
    /// Precomputes a second element; for a zero the result is arbitrary.
    fn prepare(b: T) -> Self::By;
    /// Precomputes a second element near zero, for elements near zero.
    fn prepare_near(b: T) -> Self::NearBy;
    /// Computes one element, with the same result as `apply`.
    fn apply_by<M: Fma>(a: T, by: Self::By) -> Self::Out;
    /// Computes one element near zero, with the same result as `apply`.
    fn apply_near_by<M: Fma>(a: T, by: Self::NearBy) -> Self::Out;
}

/// A function of three elements, the first possibly of a type of its own.
pub(crate) trait Ternary<A: Element, T: Element = A>: 'static {
    /// The type of the result.
    type Out: Element;
    /// Computes one element.
    fn apply(a: A, b: T, c: T) -> Self::Out;
}

/// The pairs of elements that an operator must reject.
pub(crate) trait Rejects<T: Element>: 'static {
    /// What is rejected, for an error: `a zero divisor`.
    const WHAT: &'static str;
    /// Says whether this pair is rejected.
    fn rejects(a: T, b: T) -> bool;
}

/// The loop of a kernel that reads certain operands as constants, for every instruction set that has one.
#[derive(Clone, Copy)]
pub(crate) struct Variant {
    /// Bit `k` is set if operand `k` is constant.
    pub(crate) constants: u8,
    pub(crate) versions: [Option<Loop>; LEVELS],
    /// Loops with streaming stores that compute whole groups, for memory-bound operators at levels that have them.
    pub(crate) past: [Option<Loop>; LEVELS],
}

impl Variant {
    /// Makes a variant without streaming stores. The lowest of several levels, for CPUs of before 2013, has loops over dense
    /// operands only: constants are repeated for it.
    pub(crate) const fn new(constants: u8, loops: [Loop; LEVELS]) -> Self {
        let mut versions = [None; LEVELS];
        let mut level = if constants != 0 && cfg!(target_arch = "x86_64") { 1 } else { 0 };
        while level < LEVELS {
            versions[level] = Some(loops[level]);
            level += 1;
        }
        Self { constants, versions, past: [None; LEVELS] }
    }
}

/// The loops of a variant at one level.
#[derive(Clone, Copy)]
pub(crate) struct Loops {
    /// Bit `k` is set if operand `k` is read as a constant.
    pub(crate) constants: u8,
    pub(crate) plain: Loop,
    /// The loop with streaming stores, if there is one.
    pub(crate) past: Option<Loop>,
}

/// Describes the elements that an operator rejects, and finds the first of a row.
#[derive(Clone, Copy)]
pub struct Guard {
    pub(crate) what: &'static str,
    pub(crate) first: SearchLoop,
}

impl Guard {
    /// Returns what is rejected: `a zero divisor`.
    pub fn what(&self) -> &'static str {
        self.what
    }
}

/// An operator for given dtypes: its loops for every instruction set.
#[derive(Clone, Copy)]
pub struct Kernel {
    pub(crate) inputs: [DType; 3],
    pub(crate) arity: usize,
    pub(crate) output: DType,
    /// The first variant reads every operand as dense.
    pub(crate) variants: &'static [Variant],
    /// The loops with any element stride, of operands and result.
    pub(crate) apart: [Option<Loop<StridedBlock>>; LEVELS],
    pub(crate) guard: Option<Guard>,
    /// Whether the loops expect the two operands in the opposite order.
    pub(crate) exchanged: bool,
    /// Whether exchanged operands give the same bits.
    pub(crate) commutes: bool,
    /// The picoseconds per element, with operands in the first-level cache and the widest instructions; rather an
    /// underestimate.
    pub(crate) picos: u32,
}

impl Kernel {
    /// Returns the dtypes of the operands.
    pub fn inputs(&self) -> &[DType] {
        &self.inputs[..self.arity]
    }

    /// Says whether computing `elements` elements costs less than a call of its own, and none of them can be rejected.
    pub fn is_brief(&self, elements: u64) -> bool {
        let each = u64::from(self.picos) + self.arity as u64 * REPEATED_OPERAND_PICOS;
        self.guard.is_none() && elements.saturating_mul(each) <= REPEATED_PICOS
    }

    /// Returns the dtype of the result.
    pub fn output(&self) -> DType {
        self.output
    }

    /// Says whether its loops compute short rows by groups: loops of memory-bound operators with several operands do,
    /// except on the lowest of several levels.
    pub(crate) fn uses_groups(&self, isa: Isa) -> bool {
        let has_level = isa.level() != Level::Baseline || cfg!(not(target_arch = "x86_64"));
        has_level && self.arity > 1 && self.picos <= MEMORY_BOUND_PICOS * self.output.size() as u32
    }

    /// Says whether its loops compute rows of f16 or bf16 by lane blocks.
    pub(crate) fn uses_lane_blocks(&self, isa: Isa) -> bool {
        let has_level = isa.level() != Level::Baseline && self.arity < 3;
        let halves = self.output.is_half() && self.inputs().iter().all(|dtype| dtype.is_half());
        has_level && halves && self.picos <= MEMORY_BOUND_PICOS * self.output.size() as u32
    }

    /// Returns what finds rejected elements, if the operator rejects any.
    pub fn guard(&self) -> Option<&Guard> {
        self.guard.as_ref()
    }

    /// Returns the loops of a level that use the most of these constants. The others must be repeated into a tile.
    pub(crate) fn choose(&self, constants: u8, isa: Isa) -> Loops {
        let level = isa.index();
        let loops = |variant: &Variant| {
            let plain = variant.versions[level]?;
            Some(Loops { constants: variant.constants, plain, past: variant.past[level] })
        };
        let fitting = self.variants.iter().filter(|variant| variant.constants & !constants == 0).filter_map(loops);
        fitting.max_by_key(|loops| loops.constants.count_ones()).expect("every level has a loop over dense operands")
    }
}
