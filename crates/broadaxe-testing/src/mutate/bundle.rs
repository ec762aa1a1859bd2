//! Writes and changes `.litertlm` files: a list of sections, which is a FlatBuffer, and the sections.

use super::{bytes, flatbuffer};
use crate::random::Random;

/// Where the list of sections begins, and where its end is written.
const LIST: usize = 32;
const LIST_END: usize = 24;
/// What a section is.
const MODEL: u8 = 3;
const WEIGHTS: u8 = 7;

/// Writes a file with this model `count` times, and a section of weights.
pub(super) fn written(model: &[u8], count: usize) -> Vec<u8> {
    let sections = count + 1;
    let fields = (40 + 4 * sections).next_multiple_of(8);
    let objects = fields + 16;
    let end = LIST + objects + 24 * sections;
    let mut out = b"LITERTLM".to_vec();
    let words = |out: &mut Vec<u8>, list: &[u32]| out.extend(list.iter().flat_map(|word| word.to_le_bytes()));
    let shorts = |out: &mut Vec<u8>, list: &[u16]| out.extend(list.iter().flat_map(|short| short.to_le_bytes()));
    words(&mut out, &[1, 0, 0, 0, end as u32, 0, 12]);
    shorts(&mut out, &[8, 8, 0, 4]);
    words(&mut out, &[8, 12]);
    shorts(&mut out, &[6, 8, 4, 0]);
    words(&mut out, &[8, 4, sections as u32]);
    (0..sections).for_each(|k| words(&mut out, &[(objects + 24 * k - (40 + 4 * k)) as u32]));
    out.resize(LIST + fields, 0);
    shorts(&mut out, &[12, 24, 0, 8, 16, 4, 0, 0]);
    for k in 0..sections {
        let (from, kind) = ((end + k * model.len()) as u64, if k < count { MODEL } else { WEIGHTS });
        words(&mut out, &[(16 + 24 * k) as u32, u32::from(kind)]);
        out.extend([from.to_le_bytes(), (from + model.len() as u64).to_le_bytes()].concat());
    }
    (0..sections).for_each(|_| out.extend(model));
    out
}

/// Makes one change: of the list, of the sections, or of the numbers in front of both.
pub(super) fn change(random: &mut Random, base: &[u8], others: &[Vec<u8>]) -> Vec<u8> {
    let end = base.get(LIST_END..LIST).and_then(<[u8]>::first_chunk).map_or(0, |end| u64::from_le_bytes(*end) as usize);
    if end <= LIST || end >= base.len() {
        return bytes::change(random, base, others);
    }
    let (head, list, sections) = (&base[..LIST], &base[LIST..end], &base[end..]);
    match random.below(8) {
        0 => [&bytes::change(random, head, &[vec![0; 8]]), list, sections].concat(),
        1..=3 => [head, &flatbuffer::change(random, list, &[vec![0; 8]]), sections].concat(),
        _ => [head, list, &flatbuffer::change(random, sections, &[vec![0; 8]])].concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_bundle_changes() {
        let (base, mut random) = (written(&[9; 64], 2), Random::new(8));
        let end = u64::from_le_bytes(*base[LIST_END..].first_chunk().unwrap()) as usize;
        assert_eq!((base.len() - end, base.len() % 8), (3 * 64, 0));
        let mut changed = [0; 3];
        for _ in 0..500 {
            let bytes = change(&mut random, &base, &[vec![1]]);
            changed[0] += usize::from(bytes.len() < LIST || bytes[..LIST] != base[..LIST]);
            changed[1] += usize::from(bytes.len() == base.len() && bytes[LIST..end] != base[LIST..end]);
            changed[2] += usize::from(bytes.get(end..) != base.get(end..));
        }
        assert!(changed.iter().all(|&count| count > 30), "{changed:?}");
    }
}
