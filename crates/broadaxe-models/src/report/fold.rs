//! Folds names that differ in numbers: `/blocks.{0..11}/attn/Add`.

use std::collections::{BTreeMap, BTreeSet};

/// Splits a name into texts and the numbers between them; a number with leading zeros is text.
fn split(name: &str) -> (Vec<&str>, Vec<u64>) {
    let (mut texts, mut numbers) = (Vec::new(), Vec::new());
    let bytes = name.as_bytes();
    let (mut start, mut at) = (0, 0);
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let end = bytes[at..].iter().position(|byte| !byte.is_ascii_digit()).map_or(bytes.len(), |n| at + n);
        let digits = &name[at..end];
        if let Some(number) = digits.parse().ok().filter(|_| digits.len() == 1 || !digits.starts_with('0')) {
            texts.push(&name[start..at]);
            numbers.push(number);
            start = end;
        }
        at = end;
    }
    texts.push(&name[start..]);
    (texts, numbers)
}

/// Writes numbers as a range, `{0..11}`, or as a list, `{1,3,7}`.
fn set(numbers: &BTreeSet<u64>) -> String {
    let list: Vec<u64> = numbers.iter().copied().collect();
    match list[..] {
        [one] => one.to_string(),
        [first, .., last] if last - first == list.len() as u64 - 1 && list.len() > 2 => format!("{{{first}..{last}}}"),
        _ => format!("{{{}}}", list.iter().map(u64::to_string).collect::<Vec<_>>().join(",")),
    }
}

/// Folds names into patterns, in the order of their first names; each with the number of names that it holds.
///
/// Names of one pattern have the same texts and all combinations of their numbers, so that a pattern holds no other name.
pub fn fold<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<(String, usize)> {
    let mut groups: BTreeMap<Vec<&str>, (usize, BTreeSet<Vec<u64>>)> = BTreeMap::new();
    for (at, name) in names.into_iter().enumerate() {
        let (texts, numbers) = split(name);
        groups.entry(texts).or_insert_with(|| (at, BTreeSet::new())).1.insert(numbers);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, (at, _))| *at);
    groups.iter().flat_map(|(texts, (_, rows))| patterns(texts, rows)).collect()
}

/// Writes the patterns of names with the same texts.
fn patterns(texts: &[&str], rows: &BTreeSet<Vec<u64>>) -> Vec<(String, usize)> {
    let count = texts.len() - 1;
    let sets = |rows: &BTreeSet<Vec<u64>>| -> Vec<BTreeSet<u64>> {
        (0..count).map(|k| rows.iter().map(|row| row[k]).collect()).collect()
    };
    let all = sets(rows);
    let is_full = |sets: &[BTreeSet<u64>], rows: &BTreeSet<Vec<u64>>| {
        sets.iter().try_fold(1_usize, |n, set| n.checked_mul(set.len())) == Some(rows.len())
    };
    if is_full(&all, rows) {
        return vec![(write(texts, &all), rows.len())];
    }
    // The first number that differs splits them; each part has one number that is the same in all, so this ends.
    let Some(k) = (0..count).find(|&k| all[k].len() > 1) else { return Vec::new() };
    let mut parts: BTreeMap<u64, BTreeSet<Vec<u64>>> = BTreeMap::new();
    for row in rows {
        parts.entry(row[k]).or_default().insert(row.clone());
    }
    parts.values().flat_map(|part| patterns(texts, part)).collect()
}

fn write(texts: &[&str], sets: &[BTreeSet<u64>]) -> String {
    let mut out = String::new();
    for (k, text) in texts.iter().enumerate() {
        out += text;
        out += &sets.get(k).map(set).unwrap_or_default();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[test]
    fn names_fold() {
        type Case = (&'static [&'static str], &'static [(&'static str, usize)]);
        let cases: [Case; 7] = [
            (&["a", "b"], &[("a", 1), ("b", 1)]),
            (&["/b.0/Add", "/b.1/Add", "/b.2/Add"], &[("/b.{0..2}/Add", 3)]),
            (&["/b.0/Add", "/b.2/Add"], &[("/b.{0,2}/Add", 2)]),
            (&["x0y0", "x0y1", "x1y0", "x1y1"], &[("x{0,1}y{0,1}", 4)]),
            (&["x0y0", "x0y1", "x1y0"], &[("x0y{0,1}", 2), ("x1y0", 1)]),
            (&["a01", "a02"], &[("a01", 1), ("a02", 1)]),
            (&["z9", "a1", "z10"], &[("z{9,10}", 2), ("a1", 1)]),
        ];
        for (names, want) in cases {
            let want: Vec<(String, usize)> = want.iter().map(|(text, n)| ((*text).to_owned(), *n)).collect();
            assert_eq!(fold(names.iter().copied()), want, "{names:?}");
        }
    }
}
