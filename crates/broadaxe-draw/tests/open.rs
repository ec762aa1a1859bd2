//! What is said about shapes with open dims, compared with the answers of the rules for all small sizes.

use std::collections::BTreeMap;

use broadaxe_draw::{Address, Compared, Fact, OpenCompared, ask::ask, compared, json::Json};
use broadaxe_shape::{Comparison, Dim, ErrorKind, Rule, Shape, SymbolicShape};

type Sizes = BTreeMap<String, usize>;

/// The sizes of each name.
const SIZES: std::ops::RangeInclusive<usize> = 0..=4;

fn read(shapes: &str) -> Vec<SymbolicShape> {
    shapes.split(' ').map(|text| text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))).collect()
}

fn open(shapes: &[SymbolicShape]) -> (Compared, Fact) {
    let found = compared(shapes).unwrap();
    let fact = found.said().fact.clone();
    (found, fact)
}

fn as_open(found: &Compared) -> &OpenCompared {
    let Compared::Open(open) = found else { panic!("{found:?} is known") };
    open
}

#[test]
fn rules_that_never_differ_have_one_meaning() {
    for shapes in ["n m", "foo bar", "n n", "n,4 4,4", "n:2..9 m:2..9"] {
        let (found, fact) = open(&read(shapes));
        assert!(as_open(&found).outcomes().all(|(.., meaning)| meaning.is_none_or(|number| number == 0)), "{shapes}");
        assert!(!matches!(fact, Fact::Differ { .. }) && as_open(&found).sizes().is_none(), "{shapes}");
    }
}

#[test]
fn a_heading_says_for_which_sizes_rules_reject() {
    let cases = [
        (
            "n,4 3,4",
            "All 10 rules that accept these shapes mean the same for n = 3; for n = 1, 6 of 10 reject. The result is (3, 4).",
        ),
        (
            "n m",
            "All 9 rules that accept these shapes mean the same for m = 2, n = 2; for m = 2, n = 1, 5 of 9 reject.",
        ),
        ("n,3 3", "These shapes have three meanings. Which one you get depends on the framework."),
    ];
    for (shapes, want) in cases {
        assert_eq!(compared(&read(shapes)).unwrap().said().heading(), want, "{shapes}");
    }
}

#[test]
fn guards_have_brackets_where_and_meets_or() {
    let text = ask("n+m")["meanings"].to_string();
    assert!(text.contains(r#""guards":["n != 0","m != 0","(n == m or n == 1 or m == 1)"]"#), "{text}");
    assert!(text.contains(r#""result":"(broadcast(n, m),)""#), "the result of the drawing: {text}");
    let sizes = [("n", 1), ("m", 0)];
    assert!(holds("n != 0 and m != 0 and n == m or n == 1 or m == 1", &sizes), "the grammar of this test");
    assert!(!holds("n != 0 and m != 0 and (n == m or n == 1 or m == 1)", &sizes), "the grammar of this test");
}

/// Evaluates a condition as Python does: `and` binds more than `or`.
fn holds(text: &str, sizes: &[(&str, usize)]) -> bool {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    let value = any(&mut rest, sizes);
    assert!(rest.is_empty(), "{text}: {rest:?} is left");
    value
}

fn any(rest: &mut &[&str], sizes: &[(&str, usize)]) -> bool {
    let mut value = all(rest, sizes);
    while rest.first() == Some(&"or") {
        *rest = &rest[1..];
        value |= all(rest, sizes);
    }
    value
}

fn all(rest: &mut &[&str], sizes: &[(&str, usize)]) -> bool {
    let mut value = one(rest, sizes);
    while rest.first() == Some(&"and") {
        *rest = &rest[1..];
        value &= one(rest, sizes);
    }
    value
}

fn one(rest: &mut &[&str], sizes: &[(&str, usize)]) -> bool {
    if rest[0] == "(" {
        *rest = &rest[1..];
        let value = any(rest, sizes);
        assert_eq!(rest[0], ")");
        *rest = &rest[1..];
        return value;
    }
    let size = |word: &str| {
        let known = sizes.iter().find(|(name, _)| *name == word).map(|&(_, size)| size);
        known.unwrap_or_else(|| word.parse().unwrap_or_else(|_| panic!("{word} is no size")))
    };
    let (left, equal, right) = (size(rest[0]), rest[1], size(rest[2]));
    *rest = &rest[3..];
    match equal {
        "==" => left == right,
        "!=" => left != right,
        other => panic!("{other} is no comparison"),
    }
}

/// Draws numbers: the upper bits of a linear congruence.
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count
    }

    /// Draws one to three shapes of rank 0 to 3; one dim at least is open. `n+1` is a name like others.
    fn shapes(&mut self) -> Vec<SymbolicShape> {
        const DIMS: [&str; 12] = ["1", "2", "3", "n", "m", "k", "n", "m", "n+1", "1", "n:2..3", "m:1.."];
        loop {
            let count = [2, 2, 2, 2, 1, 3][self.below(6)];
            let mut dims = |rank: usize| (0..rank).map(|_| DIMS[self.below(12)].parse().unwrap()).collect::<Vec<Dim>>();
            let drawn = dims(3 * count);
            let shapes = drawn.chunks(3).map(|dims| SymbolicShape::new(dims[self.below(4).min(3)..].to_vec()));
            let shapes: Vec<SymbolicShape> = shapes.collect();
            if shapes.iter().any(|shape| shape.known().is_none()) {
                return shapes;
            }
        }
    }
}

/// Lists all small sizes of the names, and the shapes that they make.
fn every(shapes: &[SymbolicShape]) -> Vec<(Sizes, Vec<Shape>)> {
    let dims = shapes.iter().filter_map(SymbolicShape::dims).flatten();
    let mut names: Vec<String> = dims.filter_map(|dim| dim.name().map(ToOwned::to_owned)).collect();
    names.sort_unstable();
    names.dedup();
    let mut all = vec![Sizes::new()];
    for name in &names {
        let longer = |sizes: Sizes| {
            SIZES.map(move |size| sizes.clone().into_iter().chain([(name.clone(), size)]).collect::<Sizes>())
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all.into_iter().filter_map(|sizes| bound(shapes, &sizes).map(|shapes| (sizes, shapes))).collect()
}

fn bound(shapes: &[SymbolicShape], sizes: &Sizes) -> Option<Vec<Shape>> {
    let size = |dim: &Dim| {
        let size = dim.name().map_or(dim.size(), |name| sizes.get(name).copied());
        size.filter(|&size| dim.allows(size))
    };
    let shape = |shape: &SymbolicShape| shape.dims()?.iter().map(size).collect::<Option<Vec<usize>>>().map(Shape::from);
    shapes.iter().map(shape).collect()
}

fn compare(rules: &[&Rule], shapes: &[Shape]) -> Comparison {
    Comparison::of(rules.iter().copied(), &shapes.iter().map(Shape::dims).collect::<Vec<_>>())
}

fn rejecting(comparison: &Comparison) -> usize {
    comparison.outcomes().iter().filter(|one| one.alignment().is_none()).count()
}

/// Everything that is said about some shapes, and the answers of the rules to compare it with.
struct Case {
    shapes: Vec<SymbolicShape>,
    found: Compared,
    every: Vec<(Sizes, Vec<Shape>)>,
    /// For each choice of sizes, the answers of the rules that accept the shapes for some.
    answers: Vec<(Sizes, Comparison)>,
}

impl Case {
    fn new(shapes: Vec<SymbolicShape>) -> Self {
        let found = compared(&shapes).unwrap();
        let mut case = Self { every: every(&shapes), shapes, found, answers: Vec::new() };
        let rules = case.rules();
        case.answers = case.every.iter().map(|(sizes, shapes)| (sizes.clone(), compare(&rules, shapes))).collect();
        case
    }

    fn open(&self) -> &OpenCompared {
        as_open(&self.found)
    }

    /// Returns the rules that accept the shapes for some sizes.
    fn rules(&self) -> Vec<&Rule> {
        self.open().outcomes().filter(|(_, result, _)| result.is_ok()).map(|(rule, ..)| rule).collect()
    }

    /// Returns the answers for sizes that a sentence names, which may be larger than those tried here.
    fn at(&self, sizes: &Sizes) -> Comparison {
        let shapes = bound(&self.shapes, sizes).unwrap_or_else(|| panic!("{:?} has no sizes {sizes:?}", self.shapes));
        compare(&self.rules(), &shapes)
    }

    /// Compares the guards as they are printed with the sizes that the rules accept.
    fn check_guards(&self) {
        let answer = ask(&Address { shapes: self.shapes.clone(), rule: None }.to_string());
        let uses: Vec<&Json> = list(&answer["meanings"]).iter().flat_map(|meaning| list(&meaning["rules"])).collect();
        for (at, rule) in self.rules().iter().enumerate() {
            let own = uses.iter().find(|one| one["rule"].as_str() == Some(&rule.to_string())).expect("it has a card");
            let guard: Vec<&str> = list(&own["guards"]).iter().filter_map(Json::as_str).collect();
            let guard = guard.join(" and ");
            let wrong = self.answers.iter().find(|(sizes, comparison)| {
                let sizes: Vec<(&str, usize)> = sizes.iter().map(|(name, &size)| (name.as_str(), size)).collect();
                (guard.is_empty() || holds(&guard, &sizes)) != comparison.outcomes()[at].alignment().is_some()
            });
            assert!(wrong.is_none(), "{rule} of {:?}: {guard} for {:?}", self.shapes, wrong.map(|one| &one.0));
        }
    }

    /// Compares which rules accept the shapes for some sizes: those that are said to, and no others.
    fn check_accepting(&self) {
        let known = |error: &broadaxe_shape::Error| error.kind() != ErrorKind::Undecided;
        for (rule, result, _) in self.open().outcomes() {
            let mut accepts = self.every.iter().map(|(_, shapes)| rejecting(&compare(&[rule], shapes)) == 0);
            match result {
                Ok(_) => assert!(accepts.any(|one| one), "{rule} rejects {:?}", self.shapes),
                Err(error) if known(error) => assert!(!accepts.any(|one| one), "{rule}, {:?}: {error}", self.shapes),
                Err(_) => {}
            }
        }
    }

    /// Compares the meanings with the sizes for which two rules differ.
    fn check_meanings(&self) {
        let meanings: Vec<usize> = self.open().outcomes().filter_map(|(.., meaning)| meaning).collect();
        for (sizes, comparison) in &self.answers {
            let groups = comparison.meanings();
            let mut seen: Vec<Vec<usize>> =
                groups.iter().map(|group| group.iter().map(|&rule| meanings[rule]).collect()).collect();
            for group in &mut seen {
                group.sort_unstable();
                group.dedup();
            }
            let mut all: Vec<usize> = seen.concat();
            all.sort_unstable();
            let count = all.len();
            all.dedup();
            assert_eq!(all.len(), count, "{:?} for {sizes:?}: rules of one meaning differ: {meanings:?}", self.shapes);
        }
        let count = meanings.iter().max().map_or(0, |most| most + 1);
        match &self.found.said().fact {
            Fact::Differ { meanings, is_least, .. } => {
                assert!((*meanings, *is_least) == (count, false) && count > 1, "{:?}", self.shapes);
            }
            _ => assert!(count < 2, "{:?}", self.shapes),
        }
    }

    /// Compares the heading and its sentence.
    fn check_said(&self) {
        let said = self.found.said();
        let count = self.rules().len();
        let text = format!("{:?}: {said:?}", self.shapes);
        assert_eq!((said.accepting, said.rules), (count, self.open().outcomes().count()), "{text}");
        let anywhere =
            |holds: &dyn Fn(usize) -> bool| self.answers.iter().any(|(_, comparison)| holds(rejecting(comparison)));
        match &said.fact {
            Fact::Rejected { .. } => assert_eq!(count, 0, "{text}"),
            Fact::Only { rejected, .. } | Fact::Same { rejected } => {
                assert_eq!(count == 1, matches!(said.fact, Fact::Only { .. }), "{text}");
                assert!(!anywhere(&|some| some != 0 && some != count), "{text}");
                match rejected {
                    Some(sizes) => assert_eq!(rejecting(&self.at(sizes)), count, "{text}"),
                    None => assert!(!anywhere(&|some| some > 0), "{text}"),
                }
            }
            Fact::SameWhereAccepted { accepted, disputed, rejecting: some } => {
                match accepted {
                    Some(sizes) => assert_eq!(rejecting(&self.at(sizes)), 0, "{text}"),
                    None => assert!(!anywhere(&|some| some == 0), "{text}"),
                }
                assert!(*some > 0 && *some < count && rejecting(&self.at(disputed)) == *some, "{text}");
            }
            Fact::Differ { sizes, .. } => {
                assert!(self.at(sizes.as_ref().unwrap()).meanings().len() > 1, "{text}");
                assert_eq!(sizes.as_ref(), self.open().sizes(), "{text}");
            }
            Fact::Tried { .. } | Fact::Ranks => panic!("{text}"),
        }
    }

    /// Compares the result that a heading names with those of all rules.
    fn check_result(&self) {
        let Some(text) = &self.found.said().result else { return };
        let result: SymbolicShape = text.parse().unwrap();
        let dims = result.dims().unwrap();
        for (sizes, comparison) in &self.answers {
            for alignment in comparison.outcomes().iter().filter_map(|one| one.alignment()) {
                let merged = |dim: &Dim| {
                    let sizes = dim.names().into_iter().map(|name| sizes[name]);
                    sizes.fold(1, |known, size| if known == 1 { size } else { known })
                };
                let fits =
                    |(dim, &size): (&Dim, &usize)| dim.allows(size) && (dim.names().is_empty() || merged(dim) == size);
                let shape = alignment.shape();
                let all = dims.len() == shape.len() && dims.iter().zip(shape.iter()).all(fits);
                assert!(all, "{:?} for {sizes:?}: {text}, not {shape}", self.shapes);
            }
        }
    }
}

fn list(json: &Json) -> &[Json] {
    if let Json::List(items) = json { items } else { &[] }
}

#[test]
fn every_sentence_is_true_for_all_small_sizes() {
    let (mut random, mut kinds) = (Random(20_261_129), BTreeMap::<String, usize>::new());
    for _ in 0..2_000 {
        let case = Case::new(random.shapes());
        case.check_guards();
        case.check_accepting();
        case.check_meanings();
        case.check_said();
        case.check_result();
        let fact = format!("{:?}", case.found.said().fact);
        *kinds.entry(fact.split(' ').next().unwrap_or_default().to_owned()).or_default() += 1;
    }
    let all = ["Differ", "Only", "Rejected", "Same", "SameWhereAccepted"];
    assert!(kinds.keys().eq(&all), "{kinds:?}");
}
