//! Draws workloads: expressions, shapes, how operands repeat, and their layouts, all from a seed.

use broadaxe_testing::random::Random;

use super::super::table::{LAYOUTS, Operand, Workload};

/// The most operators of an expression.
const MOST_OPERATORS: usize = 6;
/// The smallest and the largest result, as powers of two.
const POWERS: [f64; 2] = [6.0, 26.0];
/// The most bytes of all operands and the result.
const BYTES: u64 = 512 << 20;
/// The bytes of each operand that stays in the first-level cache with the others.
const IN_CACHE: u64 = 4096;
/// The values of operands.
const SIGNED: &str = "signed";
const POSITIVE: &str = "positive";
/// The names of operands.
const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// What an operator does with its dtypes, and what it costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OperatorKind {
    /// For every number; memory binds it.
    Light,
    /// For floats; memory binds it.
    LightFloat,
    /// For floats; its arithmetic binds it.
    Costly,
    /// For integers, with a divisor.
    Divides,
    /// A condition of two numbers that selects one of two others.
    Selects,
}

/// An operator: how it is written, with a brace for each operand.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Operator {
    text: &'static str,
    kind: OperatorKind,
}

impl Operator {
    fn arity(&self) -> usize {
        self.text.matches("{}").count()
    }
}

/// The operators, as Broadaxe and `bench/peers.py` both know them.
static DRAWN_OPERATORS: &[Operator] = &[
    Operator { text: "{} + {}", kind: OperatorKind::Light },
    Operator { text: "{} - {}", kind: OperatorKind::Light },
    Operator { text: "{} * {}", kind: OperatorKind::Light },
    Operator { text: "max({}, {})", kind: OperatorKind::Light },
    Operator { text: "{} * 2.5", kind: OperatorKind::LightFloat },
    Operator { text: "{} / {}", kind: OperatorKind::LightFloat },
    Operator { text: "sqrt({})", kind: OperatorKind::LightFloat },
    Operator { text: "where({} > {}, {}, {})", kind: OperatorKind::Selects },
    Operator { text: "exp({})", kind: OperatorKind::Costly },
    Operator { text: "log({})", kind: OperatorKind::Costly },
    Operator { text: "sin({})", kind: OperatorKind::Costly },
    Operator { text: "cos({})", kind: OperatorKind::Costly },
    Operator { text: "tan({})", kind: OperatorKind::Costly },
    Operator { text: "atan({})", kind: OperatorKind::Costly },
    Operator { text: "tanh({})", kind: OperatorKind::Costly },
    Operator { text: "erf({})", kind: OperatorKind::Costly },
    Operator { text: "sigmoid({})", kind: OperatorKind::Costly },
    Operator { text: "gelu({})", kind: OperatorKind::Costly },
    Operator { text: "gelu_tanh({})", kind: OperatorKind::Costly },
    Operator { text: "{} ** 2.7", kind: OperatorKind::Costly },
    Operator { text: "{} // {}", kind: OperatorKind::Divides },
    Operator { text: "{} % {}", kind: OperatorKind::Divides },
];

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    /// The operand of this number.
    Leaf(usize),
    Call(&'static Operator, Vec<Node>),
}

impl Node {
    /// Writes it in Broadaxe's notation, which is Python's too.
    fn text(&self) -> String {
        let Self::Call(operator, args) = self else { return self.bracketed() };
        let mut pieces = operator.text.split("{}");
        let mut text = pieces.next().unwrap_or_default().to_owned();
        for (arg, piece) in args.iter().zip(pieces) {
            text += &if operator.text.contains('(') { arg.text() } else { arg.bracketed() };
            text += piece;
        }
        text
    }

    fn bracketed(&self) -> String {
        match self {
            Self::Leaf(number) => NAMES[*number].to_owned(),
            Self::Call(operator, _) if operator.text.contains('(') => self.text(),
            Self::Call(..) => format!("({})", self.text()),
        }
    }

    /// Lists the calls, operands before what uses them.
    fn calls(&self) -> Vec<&Self> {
        let Self::Call(_, args) = self else { return Vec::new() };
        args.iter().flat_map(Self::calls).chain([self]).collect()
    }

    fn leaves(&self) -> Vec<usize> {
        match self {
            Self::Leaf(number) => vec![*number],
            Self::Call(_, args) => args.iter().flat_map(Self::leaves).collect(),
        }
    }
}

/// A workload whose parts are known, so that it can be taken apart and made smaller.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Case {
    pub(super) root: Node,
    /// The dims of the result, and for each operand the axes along which it has them, aligned at the end.
    pub(super) dims: Vec<u64>,
    pub(super) operands: Vec<Drawn>,
    pub(super) dtype: &'static str,
}

/// An operand: the axes along which it does not repeat, whether leading axes of length 1 are written, its layout, its values where
/// they are not those that suit the expression, and the case that computes it if one does.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Drawn {
    keeps: Vec<bool>,
    is_short: bool,
    layout: &'static str,
    values: Option<&'static str>,
    of: Option<Box<Case>>,
}

impl Drawn {
    fn dense(rank: usize) -> Self {
        Self { keeps: vec![true; rank], is_short: false, layout: LAYOUTS[0], values: None, of: None }
    }

    fn shape(&self, dims: &[u64]) -> Vec<u64> {
        let all = dims.iter().zip(&self.keeps).map(|(&dim, &keeps)| if keeps { dim } else { 1 });
        let skipped = if self.is_short { self.keeps.iter().take_while(|&&keeps| !keeps).count() } else { 0 };
        all.skip(skipped.min(dims.len() - 1)).collect()
    }
}

/// The dtypes, each as often as its weight.
const DTYPES: [(&str, usize); 8] =
    [("f32", 50), ("f64", 12), ("f16", 10), ("bf16", 6), ("i32", 8), ("i64", 6), ("u8", 5), ("i16", 3)];

fn is_float(dtype: &str) -> bool {
    dtype.contains('f')
}

fn bytes_of(dtype: &str) -> u64 {
    match dtype {
        "f64" | "i64" => 8,
        "f32" | "i32" => 4,
        "u8" => 1,
        _ => 2,
    }
}

/// Draws a number from 0 to 1.
fn fraction(random: &mut Random) -> f64 {
    random.below(1 << 30) as f64 / f64::from(1 << 30)
}

/// Draws one of several choices by their weights.
fn weighted<T: Copy>(random: &mut Random, choices: &[(T, usize)]) -> T {
    let mut left = random.below(choices.iter().map(|(_, weight)| weight).sum());
    for &(choice, weight) in choices {
        if left < weight {
            return choice;
        }
        left -= weight;
    }
    choices[0].0
}

impl Case {
    /// Draws a case of at most [`BYTES`] bytes.
    pub(super) fn draw(random: &mut Random) -> Self {
        loop {
            let dtype = weighted(random, &DTYPES);
            let calls = weighted(random, &[(1, 40), (2, 20), (3, 15), (4, 10), (5, 8), (MOST_OPERATORS, 7)]);
            let mut count = 0;
            let root = draw_node(random, dtype, calls, &mut count);
            let dims = draw_dims(random);
            let mut operands: Vec<Drawn> = (0..count).map(|_| draw_operand(random, dims.len())).collect();
            // Some operand has every axis of the result.
            for axis in 0..dims.len() {
                if operands.iter().all(|own| !own.keeps[axis]) {
                    let owner = random.below(count);
                    operands[owner].keeps[axis] = true;
                }
            }
            let case = Self { root, dims, operands, dtype };
            if case.bytes() <= BYTES {
                return case;
            }
        }
    }

    /// Counts the elements of the result.
    pub(super) fn elements(&self) -> u64 {
        self.dims.iter().product()
    }

    fn bytes(&self) -> u64 {
        let shapes = self.operands.iter().map(|own| own.shape(&self.dims).iter().product::<u64>());
        (shapes.sum::<u64>() + self.elements()) * bytes_of(self.dtype) * 2
    }

    /// Says whether memory binds all operators where data comes from it.
    pub(super) fn is_light(&self) -> bool {
        let light = |node: &Node| matches!(node, Node::Call(own, _) if [OperatorKind::Light, OperatorKind::LightFloat, OperatorKind::Selects].contains(&own.kind));
        let calls = self.root.calls();
        calls.len() <= 2 && calls.into_iter().all(light)
    }

    /// Says whether an operator is a function of many instructions, of which engines have versions of different accuracy.
    pub(super) fn is_approximate(&self) -> bool {
        self.root.calls().into_iter().any(|node| matches!(node, Node::Call(own, _) if own.kind == OperatorKind::Costly))
    }

    /// Names the values that suit the expression.
    fn values(&self) -> &'static str {
        let text = self.root.text();
        match is_float(self.dtype) {
            true if ["sqrt", "log", "**", "/"].iter().any(|word| text.contains(word)) => POSITIVE,
            false if text.contains(['/', '%']) => "divisors",
            _ => SIGNED,
        }
    }

    /// Returns the workload.
    pub(super) fn workload(&self, name: &str) -> Workload {
        let values = self.values();
        let operand = |(own, &name): (&Drawn, &&str)| Operand {
            name: name.to_owned(),
            dtype: self.dtype.to_owned(),
            shape: own.shape(&self.dims),
            layout: own.layout.to_owned(),
            values: own.values.unwrap_or(values).to_owned(),
            of: own.of.as_ref().map(|case| Box::new(case.workload("operand"))),
        };
        let tolerance = match self.dtype {
            "f64" => 1e-5,
            "f32" => 2e-2,
            "f16" | "bf16" => 0.5,
            _ => 0.0,
        };
        Workload {
            name: name.to_owned(),
            expression: self.root.text(),
            operands: self.operands.iter().zip(&NAMES).map(operand).collect(),
            result: self.dtype.to_owned(),
            limit: 0.0,
            tolerance,
        }
    }

    /// Makes the case of an expression over some of the operands, and drops the others.
    fn with(&self, root: &Node, operands: &[Drawn]) -> Self {
        let mut used = root.leaves();
        used.sort_unstable();
        used.dedup();
        let operands: Vec<Drawn> = used.iter().map(|&number| operands[number].clone()).collect();
        let root = renumbered(root, &used);
        let mut case = Self { root, operands, ..self.clone() };
        // Axes that no operand has any more have length 1.
        for axis in 0..case.dims.len() {
            if case.operands.iter().all(|own| !own.keeps[axis]) {
                case.dims[axis] = 1;
            }
        }
        case
    }

    /// Lists the operators as cases of their own, each with dense results of those before it; their times together are what
    /// separate calls would take.
    pub(super) fn parts(&self) -> Vec<Self> {
        let values = Some(self.values());
        let given: Vec<Drawn> = self.operands.iter().map(|own| Drawn { values, ..own.clone() }).collect();
        let part = |node: &&Node| {
            let Node::Call(operator, args) = node else { return self.clone() };
            let mut operands = Vec::new();
            let leaves = args.iter().map(|arg| {
                let own = match arg {
                    Node::Leaf(number) => given[*number].clone(),
                    Node::Call(..) => {
                        let leaves = arg.leaves();
                        let keeps = (0..self.dims.len()).map(|axis| leaves.iter().any(|&leaf| given[leaf].keeps[axis]));
                        let of = Some(Box::new(self.with(arg, &given)));
                        Drawn { keeps: keeps.collect(), of, ..Drawn::dense(self.dims.len()) }
                    }
                };
                let known =
                    if let Node::Leaf(_) = arg { operands.iter().position(|other| *other == own) } else { None };
                Node::Leaf(known.unwrap_or_else(|| {
                    operands.push(own);
                    operands.len() - 1
                }))
            });
            let root = Node::Call(operator, leaves.collect());
            self.with(&root, &operands)
        };
        let calls = self.root.calls();
        calls.iter().map(part).collect()
    }

    /// Returns the case over a few contiguous elements, which stay in the first-level cache.
    pub(super) fn in_cache(&self) -> Self {
        let operands = self.operands.iter().map(|_| Drawn::dense(1)).collect();
        Self { dims: vec![IN_CACHE / bytes_of(self.dtype)], operands, ..self.clone() }
    }

    /// Returns the case over shapes of one element, which needs what a call costs.
    pub(super) fn of_one_element(&self) -> Self {
        Self { dims: vec![1; self.dims.len()], ..self.clone() }
    }

    /// Lists cases of nearly the same shape: each dim longer or shorter by one, or twice as long.
    pub(super) fn neighbours(&self) -> Vec<Self> {
        let mut all = Vec::new();
        for axis in (0..self.dims.len()).filter(|&axis| self.dims[axis] > 1) {
            let dim = self.dims[axis];
            for dim in [dim + 1, dim - 1, 2 * dim].into_iter().filter(|&dim| dim > 1) {
                let mut case = self.clone();
                case.dims[axis] = dim;
                all.push(case);
            }
        }
        all.into_iter().filter(|case| case.bytes() <= BYTES).collect()
    }

    /// Lists simpler cases, the simplest first: of fewer operators, of f32, of contiguous operands, of fewer elements.
    pub(super) fn simpler(&self) -> Vec<Self> {
        let mut all = self.of_fewer_operators();
        if self.dtype != "f32" && is_float(self.dtype) {
            all.push(Self { dtype: "f32", ..self.clone() });
        }
        for number in (0..self.operands.len()).filter(|&number| self.operands[number].layout != LAYOUTS[0]) {
            let mut case = self.clone();
            case.operands[number].layout = LAYOUTS[0];
            all.push(case);
        }
        for axis in 0..self.dims.len() {
            let mut halved = self.clone();
            halved.dims[axis] /= 2;
            if self.dims.len() > 1 {
                let mut case = self.clone();
                case.dims.remove(axis);
                for own in &mut case.operands {
                    own.keeps.remove(axis);
                }
                all.push(case);
            }
            if self.dims[axis] > 3 {
                all.push(halved);
            }
        }
        all.retain(|case| case.elements() >= 1 << 6 && matches!(case.root, Node::Call(..)));
        all
    }

    fn of_fewer_operators(&self) -> Vec<Self> {
        let mut all = Vec::new();
        for node in self.root.calls() {
            if *node != self.root {
                all.push(self.with(node, &self.operands));
            }
            let Node::Call(_, args) = node else { continue };
            let calls = args.iter().filter(|arg| matches!(arg, Node::Call(..)));
            all.extend(calls.map(|arg| self.with(&replaced(&self.root, node, arg), &self.operands)));
        }
        all
    }
}

fn renumbered(node: &Node, used: &[usize]) -> Node {
    match node {
        Node::Leaf(number) => Node::Leaf(used.iter().position(|own| own == number).unwrap_or(0)),
        Node::Call(operator, args) => Node::Call(operator, args.iter().map(|arg| renumbered(arg, used)).collect()),
    }
}

fn replaced(node: &Node, from: &Node, to: &Node) -> Node {
    match node {
        _ if std::ptr::eq(node, from) => to.clone(),
        Node::Leaf(_) => node.clone(),
        Node::Call(operator, args) => Node::Call(operator, args.iter().map(|arg| replaced(arg, from, to)).collect()),
    }
}

/// Draws an expression of `calls` operators, over at most as many operands as there are names.
fn draw_node(random: &mut Random, dtype: &str, calls: usize, count: &mut usize) -> Node {
    if calls == 0 {
        let is_new = *count == 0 || *count < NAMES.len() && random.below(4) > 0;
        if is_new {
            *count += 1;
        }
        return Node::Leaf(if is_new { *count - 1 } else { random.below(*count) });
    }
    let fits = |own: &&'static Operator| match own.kind {
        OperatorKind::Light | OperatorKind::Selects => true,
        OperatorKind::LightFloat | OperatorKind::Costly => is_float(dtype),
        // A divisor is an operand, which is never 0.
        OperatorKind::Divides => !is_float(dtype) && calls == 1 && *count == 0,
    };
    // With a number, NumPy makes f32 of bf16, which is a dtype from outside to it, and of no other.
    let keeps = |own: &&'static Operator| dtype != "bf16" || !own.text.contains('.');
    let weight = |own: &'static Operator| (own, if own.kind == OperatorKind::Light { 4 } else { 1 });
    let fitting: Vec<_> = DRAWN_OPERATORS.iter().filter(fits).filter(keeps).map(weight).collect();
    let operator = weighted(random, &fitting);
    let mut left = calls - 1;
    let mut args = Vec::new();
    for at in 0..operator.arity() {
        let own = if at + 1 == operator.arity() { left } else { random.below(left + 1) };
        left -= own;
        args.push(draw_node(random, dtype, own, count));
    }
    Node::Call(operator, args)
}

/// Draws dims of up to six axes whose product has a size drawn on a logarithmic scale.
fn draw_dims(random: &mut Random) -> Vec<u64> {
    let rank = 1 + random.below(6);
    let power = POWERS[0] + fraction(random) * (POWERS[1] - POWERS[0]);
    let shares: Vec<f64> = (0..rank).map(|_| 0.1 + fraction(random)).collect();
    let whole: f64 = shares.iter().sum();
    let is_round = random.below(2) == 0;
    let dim = |share: &f64| {
        let exact = (power * share / whole).exp2();
        if is_round { exact.log2().round().exp2() } else { exact.round() }.max(1.0) as u64
    };
    shares.iter().map(dim).collect()
}

/// Draws how an operand repeats, and its layout.
fn draw_operand(random: &mut Random, rank: usize) -> Drawn {
    let last = rank - 1;
    let one = random.below(rank);
    let keeps = match weighted(random, &[(0, 45), (1, 15), (2, 15), (3, 10), (4, 5), (5, 10)]) {
        0 => vec![true; rank],
        // A row, a column, one axis, one number, any axes.
        1 => (0..rank).map(|axis| axis == last).collect(),
        2 => (0..rank).map(|axis| axis != last).collect(),
        3 => (0..rank).map(|axis| axis == one).collect(),
        4 => vec![false; rank],
        _ => (0..rank).map(|_| random.below(2) == 0).collect(),
    };
    let layout = if random.below(7) == 0 { LAYOUTS[random.below(LAYOUTS.len())] } else { LAYOUTS[0] };
    // The last two axes can be exchanged only where two are written.
    let layout = if layout == "swapped" && rank < 2 { LAYOUTS[0] } else { layout };
    Drawn { keeps, is_short: layout == LAYOUTS[0] && random.below(2) == 0, layout, values: None, of: None }
}

#[cfg(test)]
mod tests {
    use super::{super::super::table, *};

    #[test]
    fn cases_are_workloads_of_every_kind() {
        let mut random = Random::new(1);
        let mut texts = String::new();
        for number in 0..2000 {
            let case = Case::draw(&mut random);
            let workload = case.workload(&format!("case{number}"));
            assert_eq!(table::parse(&workload.line()), Ok(vec![workload.clone()]));
            assert!(case.elements() <= 1 << 27 && case.bytes() <= BYTES, "{}", workload.line());
            assert!(case.dtype != "bf16" || !workload.expression.contains('.'), "{}", workload.line());
            texts += &workload.line();
        }
        let words = LAYOUTS[1..].iter().copied().chain(DTYPES.map(|(name, _)| name));
        for word in words.chain(["exp(", "where(", " ** ", " // ", " % ", "max("]) {
            assert!(texts.contains(word), "{word}");
        }
    }

    #[test]
    fn the_same_seed_draws_the_same_cases() {
        let draw = |seed| {
            let mut random = Random::new(seed);
            (0..20).map(|_| Case::draw(&mut random)).collect::<Vec<_>>()
        };
        assert!(draw(3) == draw(3) && draw(3) != draw(4));
    }

    #[test]
    fn parts_have_one_operator_and_simpler_cases_are_sound() {
        let mut random = Random::new(2);
        for _ in 0..500 {
            let case = Case::draw(&mut random);
            let parts = case.parts();
            assert_eq!(parts.len(), case.root.calls().len());
            for part in parts.iter().chain(&case.simpler()).chain(&case.neighbours()) {
                let line = part.workload("part").line();
                assert!(table::parse(&line).is_ok(), "{line}");
                assert!(part.root.leaves().iter().all(|&leaf| leaf < part.operands.len()), "{line}");
            }
            assert!(parts.iter().all(|part| part.root.calls().len() == 1));
        }
    }

    #[test]
    fn expressions_are_bracketed() {
        let find = |text: &str| DRAWN_OPERATORS.iter().find(|own| own.text == text).expect("known");
        let sum = Node::Call(find("{} + {}"), vec![Node::Leaf(0), Node::Leaf(1)]);
        let root = Node::Call(find("exp({})"), vec![Node::Call(find("{} * 2.5"), vec![sum])]);
        assert_eq!(root.text(), "exp((a + b) * 2.5)");
    }
}
