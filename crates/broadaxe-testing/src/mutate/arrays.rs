//! Array files to start from, and changes of their headers, whose lengths are corrected.

use super::{bytes, text};
use crate::random::Random;

/// The dtypes of `.npy` files, and some that readers reject, with the bytes of an element.
const NPY: &[(&str, usize)] = &[
    ("|b1", 1),
    ("|i1", 1),
    ("|u1", 1),
    ("<i2", 2),
    (">i2", 2),
    ("<u2", 2),
    ("<i4", 4),
    (">u4", 4),
    ("<i8", 8),
    (">u8", 8),
    ("<f2", 2),
    ("<V2", 2),
    ("|V2", 2),
    ("<f4", 4),
    (">f4", 4),
    ("<f8", 8),
    ("<c8", 8),
    ("|O", 8),
    ("<U2", 8),
    ("<M8[ns]", 8),
];
/// The dtypes of `.safetensors` files, and some that readers reject.
const SAFETENSORS: &[(&str, usize)] = &[
    ("BOOL", 1),
    ("U8", 1),
    ("I8", 1),
    ("F8_E4M3", 1),
    ("U16", 2),
    ("I16", 2),
    ("F16", 2),
    ("BF16", 2),
    ("U32", 4),
    ("I32", 4),
    ("F32", 4),
    ("U64", 8),
    ("I64", 8),
    ("F64", 8),
    ("C64", 8),
];
/// Shapes as Python and JSON write them, and their elements.
const SHAPES: &[(&str, &str, usize)] = &[
    ("(2, 3)", "[2,3]", 6),
    ("()", "[]", 1),
    ("(0,)", "[0]", 0),
    ("(1, 2, 1, 2)", "[1,2,1,2]", 4),
    ("(3, 0, 2)", "[3,0,2]", 0),
];

/// Returns `count` bytes, among them 0 and 1.
fn data(count: usize) -> Vec<u8> {
    (0..count).map(|k| (k % 7) as u8).collect()
}

/// Writes a `.npy` file of a version; a dtype that is a list is not quoted.
pub(super) fn npy(version: u8, descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let descr = if descr.starts_with('[') { descr.to_owned() } else { format!("'{descr}'") };
    let literal = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n");
    with_literal(version, literal.as_bytes(), data)
}

fn with_literal(version: u8, literal: &[u8], data: &[u8]) -> Vec<u8> {
    let length = (literal.len() as u32).to_le_bytes();
    [b"\x93NUMPY", &[version, 0][..], &length[..if version == 1 { 2 } else { 4 }], literal, data].concat()
}

/// Writes arrays of every dtype, version, order and shape.
pub(super) fn npy_seeds() -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    for (k, (descr, size)) in NPY.iter().enumerate() {
        for (n, (shape, _, count)) in SHAPES.iter().enumerate() {
            found.push(npy(1 + ((k + n) % 3) as u8, descr, (k + n) % 2 == 1, shape, &data(size * count)));
        }
    }
    found.push(npy(1, "[('a', '<f4'), ('b', '<i2')]", false, "(2,)", &data(12)));
    found
}

/// Writes files of one tensor for every dtype and shape, of several tensors, and with texts.
pub(super) fn safetensors_seeds() -> Vec<Vec<u8>> {
    let mut found = vec![safetensors("{}", &[]), safetensors(r#"{"__metadata__":{"format":"pt"}}"#, &[])];
    for (k, (dtype, size)) in SAFETENSORS.iter().enumerate() {
        for (_, shape, count) in SHAPES {
            let (end, other) = (size * count, size * count + 8);
            let one = format!(r#""a":{{"dtype":"{dtype}","shape":{shape},"data_offsets":[0,{end}]}}"#);
            let two = format!(r#""b":{{"dtype":"F64","shape":[1],"data_offsets":[{end},{other}]}}"#);
            found.push(match k % 3 {
                0 => safetensors(&format!("{{{one}}}"), &data(end)),
                1 => safetensors(&format!("{{{one},{two}}}   "), &data(other)),
                _ => safetensors(&format!(r#"{{"__metadata__":{{"a":"b","c":"d"}},{two},{one}}}"#), &data(other)),
            });
        }
    }
    found
}

fn safetensors(header: &str, data: &[u8]) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), data].concat()
}

/// Changes the literal of a `.npy` file or the elements.
pub(super) fn change_npy(random: &mut Random, base: &[u8], others: &[Vec<u8>]) -> Vec<u8> {
    let version = base.get(6).copied().unwrap_or(0);
    let (start, length) = match (version, base.get(8..12)) {
        (1, Some(field)) => (10, usize::from(u16::from_le_bytes([field[0], field[1]]))),
        (_, Some(field)) => (12, u32::from_le_bytes([field[0], field[1], field[2], field[3]]) as usize),
        _ => return bytes::change(random, base, others),
    };
    let Some((head, data)) = base.split_at_checked(start + length) else {
        return bytes::change(random, base, others);
    };
    let literal = &head[start..];
    match random.below(8) {
        0 => with_literal(version, literal, &bytes::change(random, data, &[vec![0; 4]])),
        1 => with_literal(version % 3 + 1, literal, data),
        2 => with_literal(version, &[literal, &[b' '].repeat(*random.one_of(&[1, 100, 70_000]))].concat(), data),
        _ => with_literal(version, &text::change(random, literal, &[vec![b'{']]), data),
    }
}

/// Changes the header of a `.safetensors` file or the elements.
pub(super) fn change_safetensors(random: &mut Random, base: &[u8], others: &[Vec<u8>]) -> Vec<u8> {
    let length = base.first_chunk().map_or(usize::MAX, |length| u64::from_le_bytes(*length) as usize);
    let Some((head, data)) = length.checked_add(8).and_then(|end| base.split_at_checked(end)) else {
        return bytes::change(random, base, others);
    };
    let header = &head[8..];
    let (header, data) = match random.below(8) {
        0 => (header.to_vec(), bytes::change(random, data, &[vec![0; 4]])),
        1 => ([header, &[b' '].repeat(100)].concat(), data.to_vec()),
        _ => (text::change(random, header, &[vec![b'{']]), data.to_vec()),
    };
    let length = if random.once_in(16) { bytes::hostile(random, base.len()) } else { header.len() as u64 };
    [&length.to_le_bytes()[..], &header, &data].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_headers_are_corrected() {
        let (mut random, mut sound) = (Random::new(6), [0; 2]);
        let (array, tensors) = (npy_seeds(), safetensors_seeds());
        for _ in 0..500 {
            let changed = change_npy(&mut random, &array[0], &array);
            let length = changed.get(8..10).map(|field| usize::from(u16::from_le_bytes([field[0], field[1]])));
            sound[0] +=
                usize::from(length.is_some_and(|length| changed[10..].get(length.wrapping_sub(1)) == Some(&b'\n')));
            let changed = change_safetensors(&mut random, &tensors[2], &tensors);
            let length = changed.first_chunk().map_or(0, |length| u64::from_le_bytes(*length) as usize);
            sound[1] += usize::from(changed.get(length.wrapping_add(7)) == Some(&b'}'));
        }
        assert!(sound.iter().all(|count| (250..500).contains(count)), "{sound:?}");
    }
}
