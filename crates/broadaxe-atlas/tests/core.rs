//! Checks that the core has every feature of the rules that a kernel can get wrong, and chooses the cases that do.
//!
//! `BROADAXE_WRITE=1 cargo test -p broadaxe-atlas --test core` adds cases for the features that the list lacks. It removes none.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    sync::LazyLock,
};

use broadaxe_shape::Rule;

use broadaxe_atlas::{Case, Expected, Id, LANES, Level, Pattern, Subject, Theme, tuples};

/// What a case shows; all texts start with the subject.
fn features(case: &Case) -> BTreeSet<String> {
    let Case { id, operands, expected, .. } = case;
    let subject = format!("{}-{}", id.subject.family().name, id.subject.label());
    let (ranks, widest) = (id.pattern.ranks(), is_widest(id.subject));
    let mut found = BTreeSet::new();
    if id.theme != Theme::Small {
        let theme = id.theme.to_string();
        let theme = theme.split('.').next().unwrap_or_default();
        let shown = match expected {
            Expected::Result { shape, .. } => {
                let kinds = kinds(case, shape.len());
                match theme {
                    "pack4" | "pack8" | "zero" => kinds[0].clone(),
                    "wide" => kinds[kinds.len() - 1].clone(),
                    _ => "accepted".into(),
                }
            }
            Expected::Rejected(_) => "rejected".into(),
        };
        found.insert(format!("{subject} sizes {theme} {shown}"));
        if id.subject.label() == "ggml" {
            found.extend(unlike(case).map(|(other, how)| format!("{subject} sizes {theme} unlike {other}: {how}")));
        }
        return found;
    }
    let rank = operands.iter().map(Vec::len).max().unwrap_or(0);
    if rank > 4 {
        let broadcasts = matches!(expected, Expected::Result { .. });
        found.insert(format!("{subject} rank {rank} {broadcasts}"));
        found.extend(broadcasts.then(|| format!("{subject} rank {rank} {}", ranks[0].cmp(&ranks[1]) as i8)));
        return found;
    }
    found.extend(unlike(case).map(|(other, how)| format!("{subject} unlike {other}: {how}")));
    let Expected::Result { shape, .. } = expected else {
        let shapes: Vec<&[usize]> = operands.iter().map(Vec::as_slice).collect();
        let error = case.rule.align(&shapes).unwrap_err();
        let place = if widest { format!(" rank {rank} at {:?}", error.axis()) } else { String::new() };
        found.insert(format!("{subject} {}{place}", error.kind().name()));
        return found;
    };
    let kinds = kinds(case, shape.len());
    if rank <= 4 && ranks.len() == 2 {
        let exact = if widest { format!("{ranks:?}") } else { format!("{:?}", ranks[0].cmp(&ranks[1])) };
        found.insert(format!("{subject} ranks {exact}"));
    }
    if widest && rank <= 3 && kinds.iter().all(|kind| kind.contains('n')) {
        found.insert(format!("{subject} {kinds:?}"));
    }
    for (axis, kind) in kinds.iter().enumerate() {
        let from_the_right = shape.len() - axis;
        if ranks.len() == 2 {
            found.insert(format!("{subject} axis -{from_the_right} {kind}"));
        } else {
            for two in [[0, 1], [0, 2], [1, 2]] {
                let own: String = two.iter().filter_map(|&k| kind.chars().nth(k)).collect();
                found.insert(format!("{subject} axis -{from_the_right} {own} of {two:?}"));
            }
        }
        if let (true, Some(next)) = (widest, kinds.get(axis + 1)) {
            found.insert(format!("{subject} axis -{from_the_right} {kind} {next}"));
        }
    }
    for axis in 0..shape.len() {
        for other in axis + 1..shape.len() {
            if shape[axis] == shape[other] && shape[axis] != 1 {
                if widest && rank <= 3 {
                    found.insert(format!("{subject} rank {rank} equal sizes {} {}", kinds[axis], kinds[other]));
                }
                let exact = if widest {
                    format!("rank {rank} -{} -{}", shape.len() - axis, shape.len() - other)
                } else {
                    String::new()
                };
                found.insert(format!("{subject} equal sizes {exact}"));
            }
        }
    }
    found
}

/// Rules that a kernel may confuse with the right one.
static OTHERS: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let mut others = vec![
        Rule::numpy(),
        Rule::none(),
        Rule::unidirectional(),
        Rule::onnx_legacy(None),
        Rule::ncnn(),
        Rule::ggml(),
        Rule::openvino_prelu(),
    ];
    others.extend([-1, 0, 1].map(Rule::pdpd));
    others
});

/// Returns the rules under which the same shapes mean something else, and how.
fn unlike(case: &Case) -> impl Iterator<Item = (String, &'static str)> {
    let mut shapes = case.operands.clone();
    shapes.extend(case.rule.params().target.as_ref().map(|target| target.dims().to_vec()));
    let steps = |rule: &Rule, shapes: &[Vec<usize>]| {
        let shapes: Vec<&[usize]> = shapes.iter().map(Vec::as_slice).collect();
        let found = rule.align(&shapes).ok()?;
        Some((found.shape().dims().to_vec(), (0..case.operands.len()).map(|k| found.steps(k)).collect::<Vec<_>>()))
    };
    let own = steps(&case.rule, &case.operands);
    let two = shapes.len() == 2;
    OTHERS.iter().filter(move |_| two).filter_map(move |other| {
        let how = match (&own, steps(other, &shapes)) {
            (Some(own), Some(other)) if *own == other => return None,
            (Some(_), Some(_)) => "other elements",
            (Some(_), None) => "only the right rule accepts",
            (None, Some(_)) => "only the right rule rejects",
            (None, None) => return None,
        };
        Some((other.to_string(), how))
    })
}

/// The subject of which the core has most: every framework has it.
fn is_widest(subject: &Subject) -> bool {
    (subject.family().name, subject.label()) == ("add", "numpy")
}

/// Says whether the core leaves a subject out: it has the same rule with another axis.
fn in_full_only(subject: &Subject) -> bool {
    let label = subject.label();
    let explicit = label.strip_prefix("explicit.").is_some_and(|axes| !["", "1", "02"].contains(&axes));
    let order = (subject.family().name, label) == ("sub", "ncnn");
    explicit
        || order
        || [
            "pdpd0",
            "pdpd2",
            "pdpd3",
            "paddle0",
            "paddle2",
            "paddle3",
            "onnx-legacy0",
            "onnx-legacy1",
            "onnx-legacy2",
            "onnx-legacy3",
            "openvino-select.pdpd0",
        ]
        .contains(&label)
}

/// Returns for each axis of the result what the operands have there: `-` for no axis, `1`, or `n`.
fn kinds(case: &Case, rank: usize) -> Vec<String> {
    let shapes: Vec<&[usize]> = case.operands.iter().map(Vec::as_slice).collect();
    let alignment = case.rule.align(&shapes).unwrap();
    let kind = |axis: usize, k: usize| {
        let placed = &alignment.operands()[k];
        match placed.axes().iter().position(|&at| at == axis) {
            None => '-',
            Some(own) if placed.shape()[own] == 1 => '1',
            Some(_) => 'n',
        }
    };
    (0..rank).map(|axis| (0..shapes.len()).map(|k| kind(axis, k)).collect()).collect()
}

/// The cases of ranks 5 to 8 whose results have few elements.
static DEEP: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let mut found = Vec::new();
    let few = |case: &Case| matches!(&case.expected, Expected::Result { shape, .. } if shape.iter().product::<usize>() <= 256);
    let keep = |case: Case| {
        if few(&case) || matches!(case.expected, Expected::Rejected(_)) {
            found.push(case);
        }
        Ok::<_, ()>(())
    };
    Level::Deep.try_each(keep).unwrap();
    found
});

/// Lists the cases that the core is chosen from: patterns of few letters, and some of them with other sizes.
fn candidates(subject: &'static Subject) -> Vec<Case> {
    let highest = match (is_widest(subject), subject.operands()) {
        (true, _) => 4,
        (_, 3) => 2,
        _ => 3,
    };
    let ranks = (0..=highest).flat_map(|rank| tuples(subject.operands(), rank));
    let mut found = Vec::new();
    for ranks in ranks.filter(|ranks| subject.has_ranks(ranks)) {
        for pattern in Pattern::all(&ranks).filter(|pattern| pattern.letters() <= 3.max(highest)) {
            let small = Case::new(Id { subject, pattern, theme: Theme::Small }).unwrap();
            let few = small.id.pattern.letters() <= 2;
            if few
                || is_widest(subject) && matches!(small.expected, Expected::Result { .. })
                || subject.operands() == 2 && highest < 4
            {
                found.push(small);
            }
        }
    }
    let mut themes = vec![Theme::Divide, Theme::Count];
    if subject.label() != "ggml" {
        themes.push(Theme::Wide);
        themes.extend(LANES.map(|lanes| Theme::Pack(lanes, 0)));
    }
    if is_widest(subject) {
        themes.push(Theme::Zero(0));
    }
    let themed: Vec<Case> = if ["numpy", "ncnn", "ggml"].contains(&subject.label()) && subject.family().name == "add" {
        let full = |case: &&Case| case.id.pattern.ranks().iter().min() >= Some(&2);
        let of = |case: &Case| {
            let make = |&theme: &Theme| Case::new(Id { theme, ..case.id.clone() }).ok();
            themes.iter().filter_map(make).collect::<Vec<_>>()
        };
        found.iter().filter(full).flat_map(of).collect()
    } else {
        Vec::new()
    };
    found.extend(themed);
    if is_widest(subject) {
        found.extend(DEEP.iter().filter(|case| std::ptr::eq(case.id.subject, subject)).cloned());
    }
    found
}

#[test]
fn has_every_feature() {
    let mut missing: BTreeMap<String, Case> = BTreeMap::new();
    let mut have: BTreeSet<String> = BTreeSet::new();
    let mut ids: Vec<String> = Vec::new();
    Level::Core
        .try_each(|case| {
            have.extend(features(&case));
            ids.push(case.id.to_string());
            Ok::<_, ()>(())
        })
        .unwrap();
    for subject in Subject::all().iter().filter(|subject| !in_full_only(subject)) {
        // Each feature by the case that shows most others which are missing: cases of many letters come first.
        let mut all: Vec<(BTreeSet<String>, Case)> =
            candidates(subject).into_iter().map(|case| (features(&case), case)).collect();
        loop {
            for (features, _) in &mut all {
                features.retain(|feature| !have.contains(feature));
            }
            all.retain(|(features, _)| !features.is_empty());
            let Some((features, case)) = all.iter().rev().max_by_key(|(features, _)| features.len()) else { break };
            have.extend(features.iter().cloned());
            ids.push(case.id.to_string());
            missing.extend(features.iter().map(|feature| (feature.clone(), case.clone())));
        }
    }
    if env::var_os("BROADAXE_WRITE").is_some() {
        let place = |id: &String| {
            let id: Id = id.parse().unwrap();
            let subject = Subject::all().iter().position(|subject| std::ptr::eq(subject, id.subject));
            (subject, id.pattern.ranks().into_iter().max(), id.pattern.number(), id.to_string())
        };
        ids.sort_by_key(place);
        let text = ids.iter().fold(String::new(), |text, id| text + id + "\n");
        fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/core.txt"), text).unwrap();
        return;
    }
    let few: Vec<_> = missing.iter().take(20).map(|(feature, case)| format!("{feature}: {}", case.id)).collect();
    assert!(missing.is_empty(), "{} features are missing, such as {few:#?}", missing.len());
}

/// The data that others copy has the cases of the list.
#[test]
fn data_is_current() {
    let mut text = String::new();
    Level::Core
        .try_each(|case| {
            text += &case.json().to_string();
            text.push('\n');
            Ok::<_, ()>(())
        })
        .unwrap();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../atlas/core.jsonl");
    if env::var_os("BROADAXE_WRITE").is_some() {
        fs::write(path, &text).unwrap();
    }
    assert!(fs::read_to_string(path).unwrap() == text, "atlas/core.jsonl is not current; BROADAXE_WRITE=1 writes it");
}
