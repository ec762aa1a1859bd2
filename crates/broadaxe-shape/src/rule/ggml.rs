//! ggml's rule: the second operand is tiled to the shape of the first.
//!
//! Shapes align to the right, and have ranks up to 4. On each axis the dim of the first operand is a multiple of that
//! of the second, and the result has the dim of the first. Element `i` of an axis reads element `i % d` of a second
//! operand of dim `d`: (4,) with (2,) repeats both elements, where NumPy's rule rejects the shapes. The first operand
//! never repeats. A second operand without elements is valid only if the first has no elements either. ggml's own
//! order of axes is the reverse of the one here.
//!
//! A tensor of ggml always has four axes, so leading dims of 1 have no meaning there. The result here has the rank of
//! the operand with more axes.
//!
//! If an operand does not fit, ggml aborts the process (`GGML_ASSERT`).
//!
//! Source: `ggml_can_repeat` and `ggml_add` in ggml.c; ggml 0.13.1, which agrees on every case.

use core::fmt;

use super::{Call, RuleDef, numpy};
use crate::{
    align::{Placement, RuleCall, Stretch},
    error::{Error, ErrorKind},
};

/// The number of axes of every tensor, `GGML_MAX_DIMS`.
const MAX_GGML_RANK: usize = 4;

pub(super) static GGML: RuleDef = RuleDef {
    name: "ggml",
    title: "ggml",
    summary: "aligns to the right; the second operand is tiled to the shape of the first",
    source: "ggml.c, ggml_can_repeat",
    operands: (2, 2),
    ..RuleDef::new(place)
};

fn place(call: &Call<'_>) -> Result<Placement, Error> {
    let placed = numpy::right_aligned(call, Stretch::Tile(0));
    if let Some(k) = (0..call.extents.count()).find(|&k| call.extents.rank(k) > MAX_GGML_RANK) {
        let rank = call.extents.rank(k);
        let text = move |asked: &RuleCall, f: &mut fmt::Formatter<'_>| {
            write!(
                f,
                "{} has rank {rank}; ggml has ranks up to {MAX_GGML_RANK}, merge neighbouring axes",
                asked.name(k)
            )
        };
        return Err(call.fail(ErrorKind::Rank, text).operand_at(k));
    }
    Ok(placed)
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use crate::{Rule, rule::table::check};

    #[test]
    fn shapes() {
        check(
            &Rule::ggml(),
            &[
                ("() ; ()", "() ; () ; ()"),
                ("2,3 ; 3", "2,3 ; 3,1 ; 0,1"),
                ("2,3 ; 2,1", "2,3 ; 3,1 ; 1,0"),
                ("3 ; 1,1", "1,3 ; 0,1 ; 0,0"),
                // Axes along which b is tiled are split in two.
                ("4 ; 2", "4 ; 2,1 ; 0,1"),
                ("4,3 ; 2,1", "4,3 ; 6,3,1 ; 0,1,0"),
                ("4,6 ; 2,3", "4,6 ; 12,6,3,1 ; 0,3,0,1"),
                ("2,6 ; 2,3", "2,6 ; 6,3,1 ; 3,0,1"),
                ("0,4 ; 2", "0,4 ; 4,2,1 ; 0,0,1"),
                ("0 ; 3", "0 ; 1 ; 1"),
                ("0,3 ; 3,0", "0,3 ; 3,1 ; 0,1"),
                ("4 ; 3", "mismatch at 0 of b"),
                ("2 ; 4", "mismatch at 0 of b"),
                ("1 ; 2", "direction at 0 of b"),
                ("2 ; 3,1", "direction at 0 of b"),
                ("2 ; 0", "mismatch at 0 of b"),
                ("1,1,1,1,2 ; 2", "rank of a"),
                ("2 ; 1,1,1,1,2", "rank of b"),
                ("2", "operands"),
                ("2 ; 2 ; 2", "operands"),
            ],
        );
    }

    #[test]
    fn sentences() {
        let text = |a: &[usize], b: &[usize]| Rule::ggml().align(&[a, b]).unwrap_err().to_string();
        assert_eq!(
            text(&[2, 4], &[3]),
            "broadcast of a (2, 4) with b (3,) under ggml: axis 1 is 4 in a and 3 in b; 4 must be a multiple of the size of b there"
        );
        assert_eq!(
            text(&[1], &[3]),
            "broadcast of a (1,) with b (3,) under ggml: axis 0 is 1 in a and 3 in b; a may not stretch, so b must be 1 there"
        );
    }

    #[test]
    fn open_dims() {
        let infer = |a: &str, b: &str| {
            let inferred = Rule::ggml().infer(&[a.parse().unwrap(), b.parse().unwrap()]);
            inferred
                .map(|inferred| alloc::format!("{} {}", inferred.shape(), inferred.guard()))
                .map_err(|e| e.to_string())
        };
        assert_eq!(infer("n,4", "1,4").as_deref(), Ok("(n, 4) True"));
        assert_eq!(infer("n,4", "n,2").as_deref(), Ok("(n, 4) True"));
        assert_eq!(infer("n,4", "n,1").as_deref(), Ok("(n, 4) True"));
        assert!(infer("n,4", "3,4").unwrap_err().contains("multiple"));
        assert!(infer("6", "n").unwrap_err().contains("multiple"));
        assert_eq!(infer("n,4", "n,3").as_deref(), Ok("(0, 4) n == 0"));
        assert!(infer("n:1..,4", "n,3").unwrap_err().contains("multiple"));
    }
}
