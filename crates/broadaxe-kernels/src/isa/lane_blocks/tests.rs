use half::{bf16, f16};

use super::{
    super::{
        Isa, LEVELS, Opcode,
        vector::portable,
        vector::{Second, Third, Vector},
    },
    computed, narrow, repeated, widened,
};
use crate::number::Half;

/// Applies an operation to a lane block, or to one that is repeated.
fn applied<H: Half, V: Vector>(opcode: Opcode, a: &[u16; 32], b: &[u16; 32], repeats: bool) -> [u16; 32] {
    let mut out = [0; 32];
    // SAFETY: each array is a lane block, and the caller has checked the level.
    unsafe {
        let x = if repeats { repeated::<H, V>(a[0]) } else { widened::<H, V>(a.as_ptr()) };
        let y = computed::<V>(opcode, &x, &widened::<H, V>(b.as_ptr()));
        narrow::<H, V>(&y, out.as_mut_ptr());
    }
    out
}

/// Compares all numbers with a few others, at the edges and between.
fn check<H: Half, V: Vector>() {
    let others = [0, 0x8000, 1, 0x3c00, 0xbc01, 0x3f80, 0x7bff, 0x7c00, 0xfc00, 0x7f80, 0xff80, 0x7c01, 0x7f81, 0xffff];
    for opcode in Opcode::ALL {
        for start in (0..=u16::MAX).step_by(32) {
            let a: [u16; 32] = std::array::from_fn(|i| start + i as u16);
            let b: [u16; 32] =
                std::array::from_fn(|i| others[(usize::from(start / 32) + i) % others.len()] ^ (start >> 9));
            for repeats in [false, true] {
                let want = applied::<H, portable::EightF32>(opcode, &a, &b, repeats);
                assert_eq!(applied::<H, V>(opcode, &a, &b, repeats), want, "{opcode:?} from {start:#x}, {repeats}");
            }
        }
    }
}

#[test]
fn levels_convert_and_compute_as_one_number_at_a_time() {
    let best = Isa::available().last().map_or(0, |isa| isa.index());
    if LEVELS > 1 && best >= 1 {
        check::<f16, Second>();
        check::<bf16, Second>();
    }
    if LEVELS > 2 && best >= 2 {
        check::<f16, Third>();
        check::<bf16, Third>();
    }
    assert_eq!(<f16 as Half>::NAN.to_bits(), 0x7e00);
}
