//! Chooses cases of `cases/` that show what a rule accepts and rejects, and writes them as tables.

use std::{collections::BTreeMap, fmt::Write, path::Path};

use broadaxe_shape::RuleDef;
use broadaxe_testing::cases::{self, AlignCase, Cases, RuleText};

/// How many cases a table has, and how many of them with an axis of size 0.
const MOST: usize = 14;
const MOST_EMPTY: usize = 2;
/// How many cases a table has with the same parameters and ranks.
const MOST_ALIKE: usize = 3;

/// Reads the cases of all rules, those from the documents that define the rules first.
pub(super) fn read(root: &Path) -> Result<Vec<AlignCase>, String> {
    let mut files = cases::read_folder(&root.join("cases")).map_err(|e| e.to_string())?;
    files.sort_by_key(|file| file.name != "seeds.case");
    let lists = files.into_iter().filter_map(|file| match file.cases {
        Cases::Align(list) => Some(list),
        _ => None,
    });
    Ok(lists.flatten().collect())
}

/// Returns the cases of one rule, under any of its names.
pub(super) fn of<'c>(def: &RuleDef, cases: &'c [AlignCase]) -> Vec<&'c AlignCase> {
    let names = |case: &&AlignCase| case.rule.name == def.name || def.aliases.contains(&case.rule.name.as_str());
    cases.iter().filter(names).collect()
}

/// Returns the cases that differ most from each other: one for each combination of parameters, ranks and repeated axes, and of
/// these as many as a table has, in even steps.
pub(super) fn select<'c>(cases: &[&'c AlignCase]) -> Vec<&'c AlignCase> {
    let mut kinds: BTreeMap<_, &AlignCase> = BTreeMap::new();
    for &case in cases {
        let best = kinds.entry(kind(case)).or_insert(case);
        if interest(case) > interest(best) {
            *best = case;
        }
    }
    let mut best: BTreeMap<_, Vec<&AlignCase>> = BTreeMap::new();
    for ((ranks, parameters, _, empty), case) in kinds {
        best.entry((empty, parameters, ranks)).or_default().push(case);
    }
    let (mut full, mut empty) = (Vec::new(), Vec::new());
    for ((is_empty, ..), mut cases) in best {
        cases.sort_by_key(|case| std::cmp::Reverse(interest(case)));
        cases.truncate(MOST_ALIKE);
        if is_empty { empty.extend(cases) } else { full.extend(cases) }
    }
    let empty = spread(&empty, MOST_EMPTY);
    let mut chosen = spread(&full, MOST - empty.len());
    chosen.extend(empty);
    chosen
}

/// Returns the accepted cases that are best drawn: of rank 2 to 4, with different sizes and repeated axes.
pub(super) fn drawn<'c>(cases: &[&'c AlignCase], count: usize) -> Vec<&'c AlignCase> {
    let mut chosen: Vec<&AlignCase> =
        select(cases).into_iter().filter(|case| case.want.is_some() && !is_empty(case)).collect();
    chosen.sort_by_key(|case| std::cmp::Reverse(interest(case)));
    let mut forms = Vec::new();
    chosen.retain(|case| {
        let form = (parameters(&case.rule).map(|(name, _)| name).collect::<Vec<_>>(), ranks(case));
        let new = !forms.contains(&form);
        forms.push(form);
        new
    });
    chosen.truncate(count);
    chosen
}

fn spread<'c>(cases: &[&'c AlignCase], most: usize) -> Vec<&'c AlignCase> {
    let count = most.min(cases.len());
    (0..count).map(|i| cases[i * cases.len() / count]).collect()
}

/// The ranks, the parameters, which axes of which operand are repeated, and whether a size is 0.
type CaseKind = (Vec<usize>, Vec<String>, Vec<Vec<bool>>, bool);

fn kind(case: &AlignCase) -> CaseKind {
    let names = parameters(&case.rule).map(|(name, value)| if name == "target" { name.to_owned() } else { value });
    let strides = case.want.iter().flat_map(|want| &want.strides);
    let repeated = strides.map(|strides| strides.iter().map(|stride| *stride == 0).collect()).collect();
    (ranks(case), names.collect(), repeated, is_empty(case))
}

fn ranks(case: &AlignCase) -> Vec<usize> {
    case.shapes.iter().map(Vec::len).collect()
}

fn is_empty(case: &AlignCase) -> bool {
    case.shapes.iter().any(|shape| shape.contains(&0))
}

/// Says how well a case shows its rule: by repeated axes, different sizes, and ranks that are easy to read.
fn interest(case: &AlignCase) -> usize {
    let shape = case.want.as_ref().map_or(&case.shapes[..], |want| std::slice::from_ref(&want.shape));
    let mut sizes: Vec<usize> = shape.iter().flatten().copied().filter(|size| *size > 1).collect();
    let all = sizes.len();
    sizes.sort_unstable();
    sizes.dedup();
    let repeated = case.want.as_ref().map_or(0, |want| {
        let shape = want.split.as_ref().unwrap_or(&want.shape);
        let axes = want.strides.iter().flat_map(|strides| strides.iter().zip(shape));
        axes.filter(|(stride, size)| **stride == 0 && **size > 1).count()
    });
    // The sizes of the smallest operand that show where its axes are.
    let shown = case.shapes.iter().map(|shape| shape.iter().filter(|size| **size > 1).count()).min().unwrap_or(0);
    let rank = shape.iter().map(Vec::len).max().unwrap_or(0);
    let mut score = 3 * sizes.len().min(4) + 3 * shown.min(2) + 2 * repeated.min(2) + if repeated > 0 { 4 } else { 0 };
    score += if (2..=4).contains(&rank) { 4 } else { 0 };
    // The first operand is usually the larger one.
    score += if case.shapes.iter().all(|other| other.len() <= case.shapes[0].len()) { 2 } else { 0 };
    (score + 8).saturating_sub(all)
}

/// Returns the parameters of a case as the rule's text form writes them.
pub(super) fn parameters(rule: &RuleText) -> impl Iterator<Item = (&'static str, String)> {
    let list = |list: &Vec<i64>| {
        if list.is_empty() { "()".to_owned() } else { list.iter().map(i64::to_string).collect::<Vec<_>>().join(",") }
    };
    let all = [
        ("mode", rule.mode.clone()),
        ("axis", rule.axis.map(|axis| axis.to_string())),
        ("axes", rule.axes.as_ref().map(list)),
        ("target", rule.target.as_ref().map(list)),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name, value?)))
}

/// Writes a shape as Python does.
pub(super) fn tuple<T: ToString>(dims: &[T]) -> String {
    let list = dims.iter().map(T::to_string).collect::<Vec<_>>().join(", ");
    format!("({list}{})", if dims.len() == 1 { "," } else { "" })
}

/// Writes cases that the rule accepts as a table.
pub(super) fn accepted(cases: &[&AlignCase]) -> String {
    let rows = cases.iter().filter_map(|case| {
        let want = case.want.as_ref()?;
        let strides = want.strides.iter().map(|strides| format!("`{strides:?}`")).collect::<Vec<_>>().join(" ");
        let split = want.split.as_ref().map_or_else(String::new, |split| format!(", read as `{}`", tuple(split)));
        Some((*case, vec![format!("`{}`{split}", tuple(&want.shape)), strides]))
    });
    table(rows.collect(), &["result", "strides"])
}

/// Writes cases that the rule rejects as a table, with the reason that the rule gives.
pub(super) fn rejected(cases: &[&AlignCase]) -> String {
    let rows = cases.iter().filter(|case| case.want.is_none()).map(|case| (*case, vec![reason(case)]));
    table(rows.collect(), &["why"])
}

/// Returns what the rule says of a case that it rejects, without the shapes.
fn reason(case: &AlignCase) -> String {
    let shapes: Vec<&[usize]> = case.shapes.iter().map(Vec::as_slice).collect();
    let said = match case.rule.rule() {
        Err(said) => said,
        Ok(rule) => match rule.align(&shapes) {
            Ok(_) => "the rule accepts these shapes, but the case expects an error".to_owned(),
            Err(error) => error.to_string(),
        },
    };
    let under = format!(" under {}: ", case.rule.name);
    let said = said.split_once(&under).map_or(said.as_str(), |(_, why)| why);
    said.replace('|', "\\|")
}

fn table(rows: Vec<(&AlignCase, Vec<String>)>, columns: &[&str]) -> String {
    let has_parameters = rows.iter().any(|(case, _)| parameters(&case.rule).next().is_some());
    let mut heads = vec!["operands"];
    if has_parameters {
        heads.insert(0, "parameters");
    }
    heads.extend(columns);
    heads.push("case");
    let mut text = format!("| {} |\n|{}\n", heads.join(" | "), "---|".repeat(heads.len()));
    for (case, cells) in rows {
        let mut row: Vec<String> = Vec::new();
        if has_parameters {
            row.push(
                parameters(&case.rule).map(|(name, value)| format!("`{name}={value}`")).collect::<Vec<_>>().join(" "),
            );
        }
        row.push(case.shapes.iter().map(|shape| format!("`{}`", tuple(shape))).collect::<Vec<_>>().join(" "));
        row.extend(cells);
        row.push(format!("<small>{}</small>", case.id));
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use broadaxe_testing::cases::{AlignCase, Cases, read_text};

    use super::{MOST, accepted, drawn, rejected, select};

    fn read(lines: &str) -> Vec<AlignCase> {
        match read_text("a.case", &format!("# Written by hand, from nothing.\nkind align\n{lines}")).unwrap().cases {
            Cases::Align(list) => list,
            _ => panic!("other cases"),
        }
    }

    #[test]
    fn tables() {
        let cases = read(
            "a-0 pdpd axis=1 (2,3) (3) -> (2,3) [3,1] [0,1]\n\
             a-1 pdpd axis=0 (2,3) (3) -> error\n\
             a-2 ggml (6) (2) -> (6) (3,2) [2,1] [0,1]\n\
             a-3 broadcast-to target=(-1) (3) -> error\n",
        );
        let all: Vec<_> = cases.iter().collect();
        assert_eq!(
            accepted(&all[2..3]),
            "| operands | result | strides | case |\n|---|---|---|---|\n\
             | `(6,)` `(2,)` | `(6,)`, read as `(3, 2)` | `[2, 1]` `[0, 1]` | <small>a-2</small> |\n"
        );
        let first = accepted(&all[..1]);
        assert!(
            first.ends_with("| `axis=1` | `(2, 3)` `(3,)` | `(2, 3)` | `[3, 1]` `[0, 1]` | <small>a-0</small> |\n"),
            "{first}"
        );
        let errors = rejected(&all);
        assert!(errors.contains("| `axis=0` | `(2, 3)` `(3,)` | axis 0 is 2 in a and 3 in b;"), "{errors}");
        assert!(errors.contains("| `target=-1` | `(3,)` | a target of"), "{errors}");
    }

    #[test]
    fn different_cases_are_chosen() {
        // Fifty cases of one kind, one with other ranks, and some with a size of 0.
        let mut lines = String::new();
        for n in 2..52 {
            let _ = writeln!(lines, "a-{n} numpy ({n},4) (4) -> ({n},4) [4,1] [0,1]");
        }
        lines += "b-0 numpy (5) (4,5) -> (4,5) [0,1] [5,1]\n";
        for n in 0..6 {
            let ones = ",1".repeat(n);
            let _ = writeln!(lines, "c-{n} numpy (0{ones}) -> (0{ones}) [1{}]", ",0".repeat(n));
        }
        let cases = read(&lines);
        let all: Vec<_> = cases.iter().collect();
        let ids = |cases: Vec<&AlignCase>| cases.iter().map(|case| case.id.clone()).collect::<Vec<_>>().join(" ");
        let chosen = select(&all);
        assert!(chosen.len() <= MOST);
        assert_eq!(ids(chosen), "b-0 a-2 c-0 c-3");
        assert_eq!(ids(drawn(&all, 1)), "a-2");
        assert_eq!(ids(select(&[])), "");
    }
}
