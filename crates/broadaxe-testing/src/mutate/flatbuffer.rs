//! Changes FlatBuffers: offsets, tables of fields, and lengths, which are found by what the words at aligned places would point to.

use super::bytes;
use crate::random::Random;

/// A buffer, and what its words may mean.
struct FlatWords {
    bytes: Vec<u8>,
    /// Where offsets are that point forward.
    offsets: Vec<usize>,
    /// Where tables begin, with their tables of fields.
    tables: Vec<(usize, usize)>,
    /// Where lengths of vectors are.
    lengths: Vec<usize>,
}

impl FlatWords {
    fn new(bytes: &[u8]) -> Self {
        let mut words = Self { bytes: bytes.to_vec(), offsets: Vec::new(), tables: Vec::new(), lengths: Vec::new() };
        for at in (0..bytes.len().saturating_sub(3)).step_by(4) {
            let word = words.word(at);
            let target = at + word as usize;
            if word >= 4 && target + 4 <= bytes.len() {
                words.offsets.push(at);
                let count = words.word(target) as usize;
                if count > 0 && target + 4 + count <= bytes.len() {
                    words.lengths.push(target);
                }
            }
            let Ok(fields) = usize::try_from(at as i64 - i64::from(word as i32)) else { continue };
            if word != 0 && fields + 4 <= bytes.len() && fields.is_multiple_of(2) {
                let size = words.short(fields);
                if size >= 4 && size.is_multiple_of(2) && fields + size <= bytes.len() && words.short(fields + 2) >= 4 {
                    words.tables.push((at, fields));
                }
            }
        }
        words
    }

    fn word(&self, at: usize) -> u32 {
        self.bytes[at..].first_chunk().map_or(0, |word| u32::from_le_bytes(*word))
    }

    fn short(&self, at: usize) -> usize {
        self.bytes[at..].first_chunk().map_or(0, |short| usize::from(u16::from_le_bytes(*short)))
    }

    fn set(&mut self, at: usize, word: u32) {
        if let Some(field) = self.bytes.get_mut(at..at + 4) {
            field.copy_from_slice(&word.to_le_bytes());
        }
    }

    fn target(&self, offset: usize) -> usize {
        offset + self.word(offset) as usize
    }
}

/// Makes one change; a file that has no offsets is changed as bytes.
pub(super) fn change(random: &mut Random, base: &[u8], others: &[Vec<u8>]) -> Vec<u8> {
    let mut words = FlatWords::new(base);
    if words.offsets.is_empty() || words.tables.is_empty() || words.lengths.is_empty() {
        return bytes::change(random, base, others);
    }
    match random.below(10) {
        0..=2 => offset(random, &mut words),
        3 => shared(random, &mut words),
        4..=6 => fields(random, &mut words),
        7 => {
            let at = *random.one_of(&words.lengths);
            let length = words.word(at);
            let near = length.wrapping_add(*random.one_of(&[u32::MAX, 1, 2, 100]));
            let far = bytes::hostile(random, base.len()) as u32;
            words.set(at, if random.once_in(2) { near } else { far });
        }
        8 => {
            let (at, _) = *random.one_of(&words.tables);
            let (other, fields) = *random.one_of(&words.tables);
            let word = if random.once_in(2) { at.wrapping_sub(fields) } else { at.wrapping_sub(other) };
            words.set(at, word as u32);
        }
        _ => {
            let at = *random.one_of(&words.lengths) + 4 * random.below(6);
            let value = bytes::hostile(random, base.len()) as u32;
            words.set(at, value);
        }
    }
    words.bytes
}

/// Changes an offset: to what another one points to, a little, or to an end.
fn offset(random: &mut Random, words: &mut FlatWords) {
    let at = *random.one_of(&words.offsets);
    let old = words.word(at);
    let other = words.target(*random.one_of(&words.offsets)).wrapping_sub(at) as u32;
    let len = words.bytes.len();
    let end = (len - at) as u32;
    let drawn = bytes::hostile(random, len) as u32;
    let value = *random.one_of(&[
        other,
        other,
        other,
        old.wrapping_add(1),
        old.wrapping_sub(1),
        old.wrapping_add(4),
        old.wrapping_sub(4),
        0,
        u32::MAX,
        i32::MAX as u32,
        end,
        end.wrapping_sub(4),
        drawn,
    ]);
    words.set(at, value);
}

/// Makes offsets in front of a target point to it.
fn shared(random: &mut Random, words: &mut FlatWords) {
    let target = words.target(*random.one_of(&words.offsets));
    let before: Vec<usize> = words.offsets.iter().copied().filter(|&at| at + 4 <= target).collect();
    let start = random.below(before.len().max(1));
    for &at in before.iter().skip(start).take(*random.one_of(&[1, 2, 8, 64])) {
        words.set(at, (target - at) as u32);
    }
}

/// Changes the place of a field in its table, or a size in front of these places.
fn fields(random: &mut Random, words: &mut FlatWords) {
    let (_, fields) = *random.one_of(&words.tables);
    let at = fields + 2 * random.below(words.short(fields) / 2);
    let old = words.short(at) as u16;
    let other = words.short(fields + 2 * random.below(words.short(fields) / 2)) as u16;
    let drawn = bytes::hostile(random, words.bytes.len()) as u16;
    let near = old.wrapping_add(*random.one_of(&[1, 2, 4, u16::MAX, u16::MAX - 3]));
    let value = *random.one_of(&[0, other, other, near, near, drawn]);
    words.bytes[at..at + 2].copy_from_slice(&value.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The root at 12, whose field 0 is a vector of two offsets to empty tables.
    fn small() -> Vec<u8> {
        let mut bytes = Vec::new();
        let shorts =
            |bytes: &mut Vec<u8>, list: &[u16]| bytes.extend(list.iter().flat_map(|short| short.to_le_bytes()));
        let words = |bytes: &mut Vec<u8>, list: &[u32]| bytes.extend(list.iter().flat_map(|word| word.to_le_bytes()));
        words(&mut bytes, &[12]);
        shorts(&mut bytes, &[6, 8, 4, 0]);
        words(&mut bytes, &[8, 4, 2, 12, 8]);
        shorts(&mut bytes, &[4, 4]);
        words(&mut bytes, &[4, 8]);
        bytes
    }

    #[test]
    fn offsets_tables_and_lengths_are_found() {
        let words = FlatWords::new(&small());
        assert!([0, 16, 24, 28].iter().all(|at| words.offsets.contains(at)), "{:?}", words.offsets);
        assert!([(12, 4), (36, 32), (40, 32)].iter().all(|table| words.tables.contains(table)), "{:?}", words.tables);
        assert!(words.lengths.contains(&20), "{:?}", words.lengths);
    }

    #[test]
    fn every_kind_of_word_is_changed() {
        let (base, mut random) = (small(), Random::new(2));
        let mut changed = vec![0; base.len()];
        for _ in 0..2000 {
            let bytes = change(&mut random, &base, &[]);
            assert_eq!(bytes.len(), base.len());
            (0..base.len()).filter(|&at| bytes[at] != base[at]).for_each(|at| changed[at] += 1);
        }
        for (what, at) in [("root", 0), ("size", 4), ("field", 8), ("table", 12), ("offset", 24), ("length", 20)] {
            assert!(changed[at] > 10, "{what}: {}", changed[at]);
        }
        assert!(!change(&mut random, b"no offsets", &[vec![1]]).is_empty());
    }
}
