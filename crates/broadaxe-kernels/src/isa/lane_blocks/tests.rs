use half::{bf16, f16};

use super::{Convert16, PackedHalf, Wide, portable::Portable};
use crate::{
    isa::{Isa, LEVELS},
    number::Half,
};

const ALL: [Wide; 16] = [
    Wide::Sum,
    Wide::Difference,
    Wide::Product,
    Wide::Quotient,
    Wide::Max,
    Wide::Min,
    Wide::Fmax,
    Wide::Fmin,
    Wide::Square,
    Wide::Reciprocal,
    Wide::Root,
    Wide::InverseRoot,
    Wide::Floor,
    Wide::Ceil,
    Wide::Round,
    Wide::Trunc,
];

/// Applies an operation to a lane block, or to one that is repeated.
fn applied<M: Convert16>(wide: Wide, a: &[u16; 32], b: &[u16; 32], repeated: bool) -> [u16; 32] {
    let mut out = [0; 32];
    // SAFETY: each array is a lane block, and the caller has checked the level.
    unsafe {
        let x = if repeated { M::repeated(a[0]) } else { M::widened(a.as_ptr()) };
        M::narrow(&M::computed(wide, &x, &M::widened(b.as_ptr())), out.as_mut_ptr());
    }
    out
}

/// Compares all numbers with a few others, at the edges and between.
fn check<H: PackedHalf, M: Convert16>() {
    let others = [0, 0x8000, 1, 0x3c00, 0xbc01, 0x3f80, 0x7bff, 0x7c00, 0xfc00, 0x7f80, 0xff80, 0x7c01, 0x7f81, 0xffff];
    for wide in ALL {
        for start in (0..=u16::MAX).step_by(32) {
            let a: [u16; 32] = std::array::from_fn(|i| start + i as u16);
            let b: [u16; 32] =
                std::array::from_fn(|i| others[(usize::from(start / 32) + i) % others.len()] ^ (start >> 9));
            for repeated in [false, true] {
                let want = applied::<Portable<H>>(wide, &a, &b, repeated);
                assert_eq!(applied::<M>(wide, &a, &b, repeated), want, "{wide:?} from {start:#x}, {repeated}");
            }
        }
    }
}

#[test]
fn levels_convert_and_compute_as_one_number_at_a_time() {
    let best = Isa::available().last().map_or(0, |isa| isa.index());
    if LEVELS > 1 && best >= 1 {
        check::<f16, <f16 as PackedHalf>::Second>();
        check::<bf16, <bf16 as PackedHalf>::Second>();
    }
    if LEVELS > 2 && best >= 2 {
        check::<f16, <f16 as PackedHalf>::Third>();
        check::<bf16, <bf16 as PackedHalf>::Third>();
    }
    assert_eq!(<f16 as Half>::NAN.to_bits(), 0x7e00);
}
