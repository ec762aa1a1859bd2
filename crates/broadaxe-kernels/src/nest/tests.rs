use super::*;
use crate::measured::LONG_ROW_BYTES;

#[test]
fn operands_lie_as_their_strides_say() {
    let cases: &[(&[usize], &[isize], AccessPattern)] = &[
        (&[2, 3], &[12, 4], AccessPattern::Dense),
        (&[2, 3], &[0, 0], AccessPattern::Constant),
        (&[2, 3], &[0, 4], AccessPattern::Irregular),
        (&[2, 3], &[4, 0], AccessPattern::Irregular),
        (&[1, 3], &[99, 4], AccessPattern::Dense),
        (&[2, 1], &[4, 99], AccessPattern::Dense),
        (&[1, 1], &[7, 7], AccessPattern::Constant),
        (&[3], &[-4], AccessPattern::Irregular),
    ];
    for &(dims, strides, want) in cases {
        assert_eq!(access_pattern(dims.iter().copied().zip(strides.iter().copied()), 4), want, "{dims:?} {strides:?}");
    }
}

#[test]
fn loose_operands_lie_as_their_strides_say() {
    let cases: &[(&[usize], &[isize], AccessPattern)] = &[
        (&[2, 3], &[12, 4], AccessPattern::Dense),
        (&[2, 3], &[0, 0], AccessPattern::Constant),
        (&[2, 3], &[4, 0], AccessPattern::Repeated(3)),
        (&[2, 300], &[4, 0], AccessPattern::Repeated(300)),
        (&[2, 5000], &[4, 0], AccessPattern::Irregular),
        (&[2, 3], &[0, 4], AccessPattern::Irregular),
        (&[3], &[8], AccessPattern::Strided(2)),
        (&[2, 3], &[24, 8], AccessPattern::Strided(2)),
        (&[2, 3], &[28, 8], AccessPattern::Irregular),
        (&[2, 1, 3], &[-12, 99, -4], AccessPattern::Strided(-1)),
        (&[2, 3], &[12, -4], AccessPattern::Irregular),
        (&[3], &[-16], AccessPattern::Strided(-4)),
        (&[3], &[20], AccessPattern::Irregular),
        (&[3], &[36], AccessPattern::Irregular),
        (&[3], &[6], AccessPattern::Irregular),
    ];
    for &(dims, strides, want) in cases {
        let access = |direct| direct_access_pattern(dims.iter().copied().zip(strides.iter().copied()), 4, direct);
        assert_eq!(access(DirectAccess::RepeatedOrStrided), want, "{dims:?} {strides:?}");
        let kept = if matches!(want, AccessPattern::Strided(_)) { AccessPattern::Irregular } else { want };
        assert_eq!(access(DirectAccess::Repeated), kept, "{dims:?} {strides:?}");
        let kept = if matches!(want, AccessPattern::Repeated(_)) { AccessPattern::Irregular } else { want };
        let kept = if strides == [20] { AccessPattern::Strided(5) } else { kept };
        assert_eq!(access(DirectAccess::Strided), kept, "{dims:?} {strides:?}");
    }
}

const TERMS: Terms = Terms {
    unit: 15.0,
    several: 0.0,
    several_in_place: 0.0,
    row: 3.0,
    single: 0.0,
    row_of_groups: 3.0,
    narrowest: 4,
    lane_blocks: 0,
    turns: false,
    least: 1,
    longest: MAX_UNIT_ELEMENTS,
    past: false,
    edged_bytes: LONG_ROW_BYTES,
    reused_bytes: PACKED_BYTES,
    reread: 0.0,
    ordered: false,
};

fn cut(dims: &[usize], operands: &[Layout], terms: Terms) -> Blocking {
    priced(dims, operands, terms).1
}

#[test]
fn units_fit_their_operands() {
    struct Case {
        about: &'static str,
        dims: &'static [usize],
        inputs: &'static [&'static [isize]],
        want: Blocking,
    }
    let cut_of = |axis, chunk, inner, across, rows| Blocking { axis, chunk, inner, across, rows };
    let cases = [
        Case { about: "equal shapes", dims: &[100_000], inputs: &[&[4]], want: cut_of(0, MAX_UNIT_ELEMENTS, 1, 0, 1) },
        Case {
            about: "a bias per row",
            dims: &[100, 1000],
            inputs: &[&[4000, 4], &[4, 0]],
            want: cut_of(1, 1000, 1, 0, 32),
        },
        Case {
            about: "a short pattern",
            dims: &[100_000, 3],
            inputs: &[&[12, 4], &[0, 4]],
            want: cut_of(0, 1664, 3, 0, 1),
        },
        Case { about: "short rows", dims: &[100_000, 3], inputs: &[&[12, 4], &[4, 0]], want: cut_of(0, 1664, 3, 0, 1) },
        Case {
            about: "transposed",
            dims: &[4096, 4096],
            inputs: &[&[16384, 4], &[4, 16384]],
            want: cut_of(1, 64, 1, 0, 64),
        },
        Case {
            about: "transposed, with rows of which several fit",
            dims: &[1000, 1000],
            inputs: &[&[4000, 4], &[4, 4000]],
            want: cut_of(1, 64, 1, 0, 64),
        },
        Case { about: "no loops to speak of", dims: &[1], inputs: &[&[0]], want: cut_of(0, 1, 1, 0, 1) },
    ];
    for Case { about, dims, inputs, want } in cases {
        let mut dense = vec![4_isize; dims.len()];
        for axis in (1..dims.len()).rev() {
            dense[axis - 1] = dense[axis] * dims[axis] as isize;
        }
        let operand = |strides, is_output| Layout { strides, size: 4, is_output, direct: DirectAccess::No };
        let operands: Vec<_> =
            inputs.iter().map(|strides| operand(strides, false)).chain([operand(&dense, true)]).collect();
        assert_eq!(cut(dims, &operands, TERMS), want, "{about}");
    }
}

#[test]
fn columns_of_short_rows_are_packed() {
    for (size, columns, is_packed) in [(1, 2, true), (1, 9, true), (1, 15, true), (1, 64, false), (8, 16, false)] {
        let strides = [[columns * size, size], [size, 0]].map(|strides| strides.map(|stride| stride as isize));
        let operand =
            |at: usize, is_output| Layout { strides: &strides[at], size, is_output, direct: DirectAccess::No };
        let operands = [operand(0, false), operand(1, false), operand(0, true)];
        let groups = Terms { row: 1.0, single: 0.5, row_of_groups: 0.8, narrowest: size, ..TERMS };
        let found = cut(&[50_000, columns], &operands, groups);
        let access = operands[1].access_pattern(&[50_000, columns], &found);
        assert_eq!(access == AccessPattern::Irregular, is_packed, "{size} bytes in rows of {columns}");
    }
}

#[test]
fn blocks_have_rows_enough_for_squares() {
    for (size, dims) in [(1, [29, 1711]), (2, [29, 1711]), (2, [17, 999]), (4, [12, 1711]), (8, [9, 3000])] {
        let strides = [[dims[1] * size, size], [size, dims[0] * size]];
        let strides = strides.map(|strides| strides.map(|stride| stride as isize));
        let operand =
            |at: usize, is_output| Layout { strides: &strides[at], size, is_output, direct: DirectAccess::No };
        let operands = [operand(0, true), operand(1, false)];
        let found = cut(&dims, &operands, Terms { narrowest: size, ..TERMS });
        let column = if found.axis == 0 { found.chunk } else { found.rows };
        assert!(found.across == 0 && column * size >= 16 && column >= 8, "{size} bytes of {dims:?}: {found:?}");
    }
}

#[test]
fn short_rows_of_a_transposed_operand_are_packed_as_long_ones() {
    for (size, columns) in [(1, 3), (2, 3), (4, 2), (4, 3), (4, 7), (8, 2)] {
        let dims = [11_533, columns];
        let strides = [[0, size], [size, dims[0] * size], [columns * size, size]];
        let strides = strides.map(|strides| strides.map(|stride| stride as isize));
        let operand = |at: usize| Layout { strides: &strides[at], size, is_output: at == 2, direct: DirectAccess::No };
        let groups = Terms { row: 1.0, single: 0.5, row_of_groups: 0.8, narrowest: size, ..TERMS };
        let found = cut(&dims, &[operand(0), operand(1), operand(2)], groups);
        assert!(found.axis == 0 && found.chunk >= 256, "{size} bytes of {dims:?}: {found:?}");
    }
}

#[test]
fn units_of_what_comes_from_memory_are_larger() {
    for (size, rows, chunk) in [(1, 128, 256), (2, 128, 128), (4, 64, 128), (8, 64, 64)] {
        let strides = [[4096 * size as isize, size as isize], [size as isize, 4096 * size as isize]];
        let operand =
            |at: usize, is_output| Layout { strides: &strides[at], size, is_output, direct: DirectAccess::No };
        let operands = [operand(0, false), operand(1, false), operand(0, true)];
        let found = cut(&[4096, 4096], &operands, Terms { past: true, ..TERMS });
        assert_eq!(found, Blocking { axis: 1, chunk, inner: 1, across: 0, rows }, "{size} bytes");
    }
}

#[test]
fn units_of_costly_programs_are_shorter() {
    for (dims, strides) in [(&[100_000][..], &[4][..]), (&[1000, 100], &[400, 4])] {
        let dense = |is_output| Layout { strides, size: 4, is_output, direct: DirectAccess::No };
        for longest in [MAX_UNIT_ELEMENTS, 4096] {
            let elements = cut(dims, &[dense(false), dense(true)], Terms { longest, ..TERMS }).elements();
            assert!(elements <= longest && 10 * elements > 9 * longest, "{elements} of {dims:?}");
        }
        let elements = cut(dims, &[dense(false), dense(true)], Terms { longest: 3, ..TERMS }).elements();
        assert!(elements <= 24, "{elements} of {dims:?}");
    }
}

#[test]
fn shared_bytes_are_seen() {
    assert!(apart(&[2, 3], &[12, 4], 4) && apart(&[2, 3], &[4, -8], 4) && apart(&[1, 5], &[0, 4], 4));
    assert!(!apart(&[2], &[0], 4) && !apart(&[2], &[2], 4) && !apart(&[2, 3], &[8, 4], 4));
}

#[test]
fn reach_counts_both_ends() {
    assert_eq!(reach(&[3, 2], &[-8, 4], 4), Some((-16, 8)));
    assert_eq!(reach(&[2, usize::MAX], &[1, isize::MAX], 1), None);
}
