//! The stack of the loops.
//!
//! What a loop has no registers for is kept on the stack, a vector at a time, and the compiler aligns the stack to vectors only where
//! it knows of such a need before it hands out registers. Else every second vector lies on two lines of the cache, all of
//! them with AVX-512, and where the system put the stack so that one lies on two pages, a loop was seen to take five times as long.

#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]

use std::{hint::black_box, mem::MaybeUninit};

/// As many bytes as the widest vector has, aligned like it.
#[repr(align(64))]
struct Vector(#[allow(dead_code)] [u8; 64]);

/// Lets the compiler know that the stack of the function that this becomes part of is to be aligned to vectors.
#[inline(always)]
pub(super) fn align() {
    black_box(MaybeUninit::<Vector>::uninit().as_mut_ptr());
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::{
        super::{Block, Body, Isa, LEVELS, Level, versions},
        *,
    };

    /// Says whether the stack of a loop is aligned otherwise than to the widest vector.
    struct Skewed;

    impl Body for Skewed {
        #[inline(always)]
        unsafe fn run(_: &Block) -> bool {
            let place: usize;
            // SAFETY: nothing is done but looking where the stack is.
            unsafe { std::arch::asm!("mov {place}, rsp", place = out(reg) place, options(nomem, nostack)) };
            !place.is_multiple_of(size_of::<Vector>())
        }
    }

    /// Calls this at so many depths of the stack.
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
                // SAFETY: the loop touches no operand, and its level is here.
                assert!(unsafe { !loops[isa.index()](&Block::EMPTY) }, "{isa:?}");
            });
        }
    }
}
