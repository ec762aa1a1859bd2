//! Compares the rules with every alignment in `cases/`.
#![allow(clippy::print_stdout)]

use broadaxe_shape::{Params, Rule};
use broadaxe_testing::cases::{AlignCase, Aligned, CaseFile, Cases, Rewrite, RewriteCase, folder, read_folder};

fn files() -> Vec<CaseFile> {
    read_folder(&folder()).unwrap_or_else(|e| panic!("{e}"))
}

fn views(shapes: &[Vec<usize>]) -> Vec<&[usize]> {
    shapes.iter().map(Vec::as_slice).collect()
}

/// Aligns shapes under a rule; a rule that is not to be had is a failure of its own.
fn align(rule: &Rule, shapes: &[Vec<usize>]) -> Option<Aligned> {
    let alignment = rule.align(&views(shapes)).ok()?;
    let strides = (0..shapes.len()).map(|k| alignment.strides(k)).collect();
    let split = alignment.is_tiled().then(|| alignment.loop_shape().to_vec());
    Some(Aligned { shape: alignment.shape().to_vec(), split, strides })
}

fn align_fault(case: &AlignCase) -> Option<String> {
    let negative = case.rule.target.iter().flatten().any(|&dim| dim < 0);
    let got = match case.rule.rule() {
        Ok(rule) => align(&rule, &case.shapes),
        Err(_) if negative => None,
        Err(message) => return Some(format!("{}: {message}", case.id)),
    };
    let named = format!("{}: {:?} of {:?}", case.id, case.rule, case.shapes);
    (got != case.want).then(|| format!("{named}\n  want {:?}\n  got  {got:?}", case.want))
}

/// Says whether the rewritten broadcast is the same as the first, element by element.
fn rewrite_fault(case: &RewriteCase) -> Option<String> {
    let rules = case.from.rule().and_then(|from| {
        let to = Rule::new(&case.to, Params::default()).map_err(|e| e.to_string())?;
        Ok((from, to))
    });
    let (from, to) = match rules {
        Ok(rules) => rules,
        Err(message) => return Some(format!("{}: {message}", case.id)),
    };
    let swapped: Vec<_> = case.shapes.iter().rev().cloned().collect();
    let (direct, swap) = (align(&to, &case.shapes), align(&to, &swapped));
    let back = swap.clone().map(|a| Aligned { strides: a.strides.into_iter().rev().collect(), ..a });
    let want = align(&from, &case.shapes);
    let right = match &case.how {
        Rewrite::Reshape(shapes) => align(&to, shapes) == want,
        Rewrite::Direct => direct == want,
        Rewrite::Swap => direct.is_none() && back == want,
        Rewrite::Expand => direct.is_none() && swap.is_none(),
    };
    let result = want.as_ref().map(|a| &a.shape) == Some(&case.result);
    (!right || !result).then(|| format!("{}: {:?} of {:?}, {:?}", case.id, case.from, case.shapes, case.how))
}

#[test]
fn every_case_aligns_as_it_says() {
    let mut faults = Vec::new();
    let mut count = 0;
    for file in files() {
        let before = faults.len();
        let read = match &file.cases {
            Cases::Align(list) => {
                faults.extend(list.iter().filter_map(align_fault));
                list.len()
            }
            Cases::Rewrite(list) => {
                faults.extend(list.iter().filter_map(rewrite_fault));
                list.len()
            }
            // Dims that are not known and elements are asked elsewhere.
            Cases::Symbolic(_) | Cases::Arithmetic(_) => continue,
        };
        println!("{}: {read} cases, {} faults", file.name, faults.len() - before);
        assert!(read > 0, "{} is empty", file.name);
        count += read;
    }
    assert!(count > 2000, "only {count} cases were read");
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

/// The families that must be there; a file that goes missing must not pass for a file that holds.
#[test]
fn every_rule_and_operator_family_has_cases() {
    let files = files();
    for rule in broadaxe_shape::RULES {
        let asked = |file: &CaseFile| match &file.cases {
            Cases::Align(list) => list.iter().any(|case| case.rule.name == rule.name),
            _ => false,
        };
        assert!(files.iter().any(asked), "no case asks the rule {}", rule.name);
    }
    let kinds = [
        files.iter().any(|f| matches!(f.cases, Cases::Symbolic(_))),
        files.iter().any(|f| matches!(f.cases, Cases::Rewrite(_))),
        files.iter().any(|f| matches!(f.cases, Cases::Arithmetic(_))),
    ];
    assert_eq!(kinds, [true; 3], "symbolic, rewrite, arithmetic");
}
