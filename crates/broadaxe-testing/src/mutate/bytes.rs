//! Changes bytes without knowing what they mean.

use crate::random::Random;

/// Numbers at which readers may go wrong: the ends of the ranges of integers, and small ones.
const HOSTILE: &[u64] = &[
    0,
    1,
    2,
    3,
    4,
    8,
    16,
    64,
    65,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fffe,
    0xffff_ffff,
    1 << 32,
    1 << 40,
    i64::MAX as u64,
    1 << 63,
    u64::MAX - 1,
    u64::MAX,
];

/// Draws a number at which readers may go wrong; `len` is the length of the file.
pub(super) fn hostile(random: &mut Random, len: usize) -> u64 {
    let len = len as u64;
    match random.below(8) {
        0 => *random.one_of(&[len, len.wrapping_sub(1), len + 1, len / 4, len.wrapping_neg()]),
        1 => random.bits() >> random.below(64),
        _ => *random.one_of(HOSTILE),
    }
}

/// Makes one change: flips, sets, inserts, deletes, copies, cuts, or continues with the bytes of another file.
pub(super) fn change(random: &mut Random, bytes: &[u8], others: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes.is_empty() {
        return random.one_of(others).clone();
    }
    let at = random.below(bytes.len());
    let run = |random: &mut Random, most: usize| *random.one_of(&[1, 1, 2, 4, 8, 16, 64, 256]).min(&most);
    match random.below(12) {
        0 | 1 => bytes[at] ^= 1 << random.below(8),
        2 => bytes[at] = hostile(random, bytes.len()) as u8,
        3 => {
            let added: Vec<u8> = (0..run(random, 64)).map(|_| random.bits() as u8).collect();
            bytes.splice(at..at, added);
        }
        4 => {
            let end = at + run(random, bytes.len() - at);
            bytes.drain(at..end);
        }
        5 => {
            let end = at + run(random, bytes.len() - at);
            let copy = bytes[at..end].to_vec();
            let to = random.below(bytes.len());
            bytes.splice(to..to, copy);
        }
        6 => bytes.truncate(at),
        7 => {
            let other = random.one_of(others);
            bytes.truncate(at);
            bytes.extend(&other[random.below(other.len() + 1)..]);
        }
        _ => integer(random, &mut bytes, at),
    }
    bytes
}

/// Writes a hostile number of 1, 2, 4 or 8 bytes, in either order.
fn integer(random: &mut Random, bytes: &mut [u8], at: usize) {
    let size = *random.one_of(&[1, 2, 4, 8]);
    let at = if random.once_in(4) { at } else { at / size * size };
    let number = hostile(random, bytes.len());
    let Some(field) = bytes.get_mut(at..at + size) else { return };
    field.copy_from_slice(&number.to_le_bytes()[..size]);
    if random.once_in(4) {
        field.reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Is = fn(&[u8]) -> bool;

    fn differing(bytes: &[u8]) -> usize {
        bytes.iter().filter(|&&byte| byte != 7).count()
    }

    #[test]
    fn every_change_of_bytes_happens() {
        let (base, others) = ([7; 40], [vec![9; 40]]);
        let mut random = Random::new(3);
        let changed: Vec<Vec<u8>> = (0..2000).map(|_| change(&mut random, &base, &others)).collect();
        let count = |is: Is| changed.iter().filter(|bytes| is(bytes)).count();
        let cases: [(&str, Is); 6] = [
            ("one byte set", |bytes| bytes.len() == 40 && differing(bytes) == 1),
            ("eight bytes set", |bytes| bytes.len() == 40 && differing(bytes) == 8),
            ("shorter", |bytes| bytes.len() < 40 && differing(bytes) == 0),
            ("longer by what was drawn", |bytes| bytes.len() > 40 && differing(bytes) > 0),
            ("longer by a copy", |bytes| bytes.len() > 40 && differing(bytes) == 0),
            ("another file behind", |bytes| bytes.ends_with(&[9, 9]) && bytes.starts_with(&[7, 7])),
        ];
        let missing: Vec<&str> = cases.iter().filter(|(_, is)| count(*is) < 10).map(|(name, _)| *name).collect();
        assert!(missing.is_empty(), "{missing:?}");
        assert!(!change(&mut random, &[], &others).is_empty());
    }
}
