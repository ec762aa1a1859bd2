//! The case files: every line that a caller with known shapes can ask gets the answer on the line.

use std::fmt::Write as _;

use broadaxe_shape::Rule;
use broadaxe_testing::cases::{
    Cases, Rewrite, RewriteCase, RuleText, SymbolicCase, SymbolicShape, folder, read_folder,
};

use crate::{
    build::{Program, source, with_every_checker},
    instances::{Instance, instances},
};

/// One line of `cases.c`, and its answer.
struct Question {
    id: String,
    line: String,
    want: Want,
}

enum Want {
    Error,
    Line(String),
    /// An error, or a result with dims that this instance of a symbolic case allows.
    Within(Box<Instance>, SymbolicShape),
}

impl Question {
    /// Says what is wrong with an answer.
    fn fault(&self, got: &str) -> Option<String> {
        let (right, want) = match &self.want {
            Want::Error => (got.starts_with("error "), "error".to_owned()),
            Want::Line(line) => (got == line, line.clone()),
            Want::Within(instance, shape) => (allows(instance, shape, got), format!("{shape:?}")),
        };
        (!right).then(|| format!("{}: {}\n  want {want}\n  got  {got}", self.id, self.line))
    }
}

fn allows(instance: &Instance, shape: &SymbolicShape, got: &str) -> bool {
    if got.starts_with("error ") {
        return true;
    }
    let result = got.split(" |").next().unwrap_or_default();
    let dims: Vec<u64> = result.split(' ').skip(1).map(|dim| dim.parse().unwrap()).collect();
    shape.as_ref().is_none_or(|shape| {
        shape.len() == dims.len() && shape.iter().zip(dims).all(|(dim, size)| instance.allows(dim, size))
    })
}

fn list<T: ToString>(values: &[T]) -> String {
    let words: Vec<String> = values.iter().map(T::to_string).collect();
    if words.is_empty() { ".".to_owned() } else { words.join(",") }
}

/// Asks a rule about shapes.
fn question(id: &str, rule: &RuleText, shapes: &[Vec<usize>], want: Want) -> Question {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let mut line = format!(
        "{} {} {} {} {}",
        rule.name,
        or_dash(rule.axis.map(|axis| axis.to_string())),
        or_dash(rule.axes.as_deref().map(list)),
        or_dash(rule.target.as_deref().map(list)),
        or_dash(rule.mode.clone()),
    );
    for shape in shapes {
        write!(line, " {}", list(shape)).unwrap();
    }
    Question { id: id.to_owned(), line, want }
}

/// Writes a result as `cases.c` does. The shape and the strides are those of the case, the feeding axes the rule's.
fn wanted(rule: &Rule, shapes: &[Vec<usize>], shape: &[usize], strides: &[Vec<isize>]) -> String {
    let views: Vec<&[usize]> = shapes.iter().map(Vec::as_slice).collect();
    let alignment = rule.align(&views).unwrap();
    let mut text = shape.len().to_string();
    let mut add = |word: &dyn std::fmt::Display| write!(text, " {word}").unwrap();
    for dim in shape {
        add(dim);
    }
    for (operand, strides) in alignment.operands().iter().zip(strides) {
        add(&"|");
        for at in 0..shape.len() {
            let axis = operand.axes().iter().position(|&axis| axis == at);
            add(&axis.map_or(-1, |axis| axis as i64));
        }
        add(&";");
        for stride in strides {
            add(stride);
        }
    }
    text
}

/// Asks for what a rewrite says: the first rule gives the result, and the other rule gives it for the rewritten operands.
fn rewritten(case: &RewriteCase) -> Vec<Question> {
    let (from, to) = (&case.from, &RuleText { name: case.to.clone(), ..RuleText::default() });
    let ask = |rule: &RuleText, shapes: &[Vec<usize>], accepted: bool| {
        let views: Vec<&[usize]> = shapes.iter().map(Vec::as_slice).collect();
        let own = rule.rule().unwrap();
        let strides = |alignment: &broadaxe_shape::Alignment| (0..views.len()).map(|k| alignment.strides(k)).collect();
        let want = match own.align(&views) {
            Ok(alignment) if accepted => {
                let strides: Vec<_> = strides(&alignment);
                Want::Line(wanted(&own, shapes, &case.result, &strides))
            }
            _ => Want::Error,
        };
        question(&case.id, rule, shapes, want)
    };
    let swapped: Vec<_> = case.shapes.iter().rev().cloned().collect();
    let mut questions = vec![ask(from, &case.shapes, true)];
    match &case.how {
        Rewrite::Reshape(shapes) => questions.push(ask(to, shapes, true)),
        Rewrite::Direct => questions.push(ask(to, &case.shapes, true)),
        Rewrite::Swap => questions.extend([ask(to, &case.shapes, false), ask(to, &swapped, true)]),
        Rewrite::Expand => questions.extend([ask(to, &case.shapes, false), ask(to, &swapped, false)]),
    }
    questions
}

/// Asks about instances of a symbolic case: each result is one that the case allows.
fn instantiated(case: &SymbolicCase) -> Vec<Question> {
    let ask = |instance: Instance| {
        let (rule, shapes) = (instance.rule.clone(), instance.shapes.clone());
        let want = case.want.clone().map_or(Want::Error, |shape| Want::Within(Box::new(instance), shape));
        question(&case.id, &rule, &shapes, want)
    };
    instances(case).into_iter().map(ask).collect()
}

/// Lists what the case files say about shapes. The interface has no elements, so arithmetic is not asked.
fn questions() -> (usize, Vec<Question>) {
    let (mut questions, mut cases) = (Vec::new(), 0);
    for file in read_folder(&folder()).unwrap_or_else(|error| panic!("{error}")) {
        cases += if matches!(file.cases, Cases::Arithmetic(_)) { 0 } else { file.cases.len() };
        match file.cases {
            Cases::Align(list) => questions.extend(list.iter().map(|case| {
                // The interface gives no strides where an operand is tiled.
                let whole = case.want.as_ref().filter(|want| want.split.is_none());
                let line =
                    |rule: &Rule| whole.map(|want| Want::Line(wanted(rule, &case.shapes, &want.shape, &want.strides)));
                let want = case.rule.rule().ok().and_then(|rule| line(&rule)).unwrap_or(Want::Error);
                question(&case.id, &case.rule, &case.shapes, want)
            })),
            Cases::Rewrite(list) => questions.extend(list.iter().flat_map(rewritten)),
            Cases::Symbolic(list) => questions.extend(list.iter().flat_map(instantiated)),
            Cases::Arithmetic(_) => {}
        }
    }
    assert!(cases > 3000, "only {cases} cases were read");
    (cases, questions)
}

#[test]
fn every_case_has_the_same_result_in_c() {
    let (cases, questions) = questions();
    let input: String = questions.iter().map(|question| question.line.clone() + "\n").collect();
    with_every_checker(|compiler, mode| {
        let program = compiler.build("cases", &Program::File(&source("cases.c")), mode);
        let (code, output, errors) = program.run(&[], &input);
        assert_eq!((code, errors.as_str()), (Some(0), ""), "{compiler:?} {mode:?}");
        assert_eq!(output.lines().count(), questions.len(), "{compiler:?} {mode:?}");
        let faults: Vec<String> =
            questions.iter().zip(output.lines()).filter_map(|(question, got)| question.fault(got)).collect();
        assert!(faults.is_empty(), "{} faults, {compiler:?} {mode:?}\n{}", faults.len(), faults.join("\n"));
        let symbolic =
            questions.iter().zip(output.lines()).filter(|(question, _)| matches!(question.want, Want::Within(..)));
        let accepted = symbolic.filter(|(_, got)| !got.starts_with("error ")).count();
        assert!(accepted > 1000, "only {accepted} instances of symbolic cases have a result");
        println!("{compiler:?} {mode:?}: {cases} cases, {} calls, {accepted} symbolic results", questions.len());
    });
}
