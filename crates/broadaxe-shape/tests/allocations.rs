//! Counts what `Rule::align` and `Rule::place` allocate: nothing where they succeed up to rank 8 with four operands.

use std::hash::{BuildHasher, RandomState};

use broadaxe_shape::{AxisParam, ErrorKind, Params, RULES, Rule, RuleDef, Shape};

/// Returns what `run` returns, and how often it allocated.
fn counted<T>(run: impl FnOnce() -> T) -> (T, u64) {
    let mut result = None;
    let info = allocation_counter::measure(|| result = Some(run()));
    (result.unwrap(), info.count_total)
}

/// All shapes of up to `rank` axes of 1 or 3.
fn shapes(rank: usize) -> Vec<Vec<usize>> {
    (0..=rank)
        .flat_map(|rank| (0..1usize << rank).map(move |set| (0..rank).map(|k| 1 + 2 * (set >> k & 1)).collect()))
        .collect()
}

/// The rule with every choice of parameters that may suit results of rank 8, or of two lower ranks.
fn rules(def: &RuleDef) -> Vec<Rule> {
    let axes: Vec<Option<i64>> = match def.axis {
        AxisParam::None => vec![None],
        _ => (-1..8).map(Some).chain([None]).collect(),
    };
    let lists: Vec<Option<Vec<i64>>> = if def.axes {
        (0..1 << 8).map(|set| Some((0..8).filter(|k| set >> k & 1 == 1).collect())).collect()
    } else {
        vec![None]
    };
    let targets: Vec<Option<Shape>> =
        if def.target { [8, 4, 1].map(|rank| Some(vec![3; rank].into())).to_vec() } else { vec![None] };
    let modes = def.modes.iter().copied().map(Some).chain(def.modes.is_empty().then_some(None));
    let mut rules = Vec::new();
    for mode in modes {
        for &axis in &axes {
            for list in &lists {
                for target in &targets {
                    let params = Params { axis, axes: list.clone(), target: target.clone(), mode };
                    rules.push(Rule::new(def.name, params).unwrap());
                }
            }
        }
    }
    rules
}

/// Every rule over shapes of all ranks to 8: no call that succeeds allocates, whether the answer is dropped or kept.
#[test]
fn success_allocates_nothing() {
    let (small, large) = (shapes(3), [vec![3; 8], vec![1; 8], vec![3, 1, 3, 1, 3, 1, 3, 1], vec![3; 5], vec![3; 2]]);
    for def in RULES {
        let (count, mut accepted) = (def.operands.0.max(2).min(def.operands.1), [0; 2]);
        for rule in rules(def) {
            for first in small.iter().chain(&large) {
                for last in small.iter().chain(&large) {
                    let mut operands = [&first[..]; 5];
                    operands[1..].fill(if def.name == "onnx-clip" { &[] } else { last });
                    let operands = &operands[..count];
                    let (answer, times) = counted(|| rule.align(operands));
                    if answer.is_ok() {
                        accepted[usize::from(first.len() == 8)] += 1;
                        assert!(times == 0 || count > 4, "{times} for {operands:?} under {rule}");
                    }
                    let all: Vec<&[usize]> = operands.iter().copied().chain(rule.params().target.as_deref()).collect();
                    let (placed, times) = counted(|| rule.place(&all.as_slice()));
                    assert!(times == 0 || placed.is_err() || count > 4, "{times} to place {operands:?} under {rule}");
                    assert!(placed.is_ok() || answer.is_err(), "{operands:?} under {rule}");
                }
            }
        }
        // Some rules limit the rank.
        let few = rules(def)
            .iter()
            .all(|rule| rule.align(&vec![&[1; 8][..]; count]).is_err_and(|error| error.kind() == ErrorKind::Rank));
        assert!(accepted[0] > 0 && (few || accepted[1] > 0), "{}: {accepted:?}", def.name);
    }
}

/// Where there are more operands or axes than an alignment holds in itself, it allocates: the counter works.
#[test]
fn large_calls_allocate() {
    for (rank, operands, none) in [(8, 4, true), (9, 1, false), (8, 5, false), (64, 2, false)] {
        let shape = vec![1; rank];
        let shapes = vec![&shape[..]; operands];
        let (answer, times) = counted(|| Rule::numpy().align(&shapes));
        assert!(answer.is_ok());
        assert_eq!(times == 0, none, "{rank} {operands}: {times}");
    }
}

/// An error keeps data only; the sentence is written when it is displayed.
#[test]
fn failure_writes_no_sentence() {
    let cases: [(Rule, &[&[usize]]); 5] = [
        (Rule::numpy(), &[&[2, 3, 4], &[2, 3]]),
        (Rule::pdpd(2), &[&[2, 3, 4], &[3, 4]]),
        (Rule::none(), &[&[2], &[2, 3]]),
        (Rule::numpy(), &[]),
        (Rule::numpy(), &[&[usize::MAX, 2]]),
    ];
    for (rule, shapes) in cases {
        let (answer, made) = counted(|| rule.align(shapes));
        let (text, written) = counted(|| answer.unwrap_err().to_string());
        assert_eq!(made, 1, "{text}");
        assert!(written > 0, "{text}");
    }
}

#[test]
fn alignments_hash_by_value() {
    let hasher = RandomState::new();
    let align = |a: &[usize], b: &[usize]| Rule::numpy().align(&[a, b]).unwrap();
    let (one, same, other) = (align(&[2, 3], &[3]), align(&[2, 3], &[3]), align(&[2, 3], &[1, 3]));
    assert_eq!((&one, hasher.hash_one(&one)), (&same, hasher.hash_one(&same)));
    assert_ne!(one, other);
    assert_ne!(hasher.hash_one(&one), hasher.hash_one(&other));
}
