//! Aligns the stack of the loops.
//!
//! Values that do not fit in registers are spilled to the stack, a vector at a time. The compiler aligns the stack to
//! vectors only if it knows of the need before it allocates registers. Otherwise every second vector crosses a cache
//! line, with AVX-512 every vector; where the stack happened to let one cross a page, a loop was measured to be five
//! times slower.

#[cfg(target_arch = "x86_64")]
use std::{hint::black_box, mem::MaybeUninit};

/// A value on the stack of a loop, aligned to the widest vector.
#[repr(C, align(64))]
pub(crate) struct Aligned<T>(pub(crate) T);

/// A value with the size and alignment of the widest vector.
#[cfg(target_arch = "x86_64")]
type WidestVector = Aligned<[u8; 64]>;

/// Tells the compiler to align the stack of the function into which this is inlined.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn align() {
    black_box(MaybeUninit::<WidestVector>::uninit().as_mut_ptr());
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::{
        super::{Block, Isa, LEVELS, Level, LoopCode, versions},
        *,
    };

    /// Reports whether the stack of a loop is not aligned to the widest vector.
    struct Skewed;

    impl LoopCode for Skewed {
        type Args = Block;
        #[inline(always)]
        unsafe fn run(_: &Block) -> bool {
            let place: usize;
            // SAFETY: only reads the stack pointer.
            unsafe { std::arch::asm!("mov {place}, rsp", place = out(reg) place, options(nomem, nostack)) };
            !place.is_multiple_of(size_of::<WidestVector>())
        }
    }

    /// Calls this `depth` frames deeper in the stack.
    fn call_below(depth: usize, call: &dyn Fn()) {
        let place = black_box([depth as u64; 2]);
        call();
        if place[0] > 0 {
            call_below(depth - 1, call);
        }
        black_box(&place);
    }

    #[test]
    fn loops_have_an_aligned_stack() {
        let loops: [_; LEVELS] = versions::<Skewed>();
        for isa in [Level::Avx2, Level::Avx512].into_iter().filter_map(Isa::of) {
            call_below(32, &|| {
                // SAFETY: the loop accesses no operand, and the CPU supports its level.
                assert!(unsafe { !loops[isa.index()](&Block::EMPTY) }, "{isa:?}");
            });
        }
    }
}
