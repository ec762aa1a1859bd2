//! Writes a broadcast as code that can be copied: a command, and tests in Python, Rust and C++.

use broadaxe_shape::{Alignment, Rule, Shape, SymbolicShape};

use crate::{
    address::bare,
    words::{join, letter, tuple},
};

/// How many elements of a result a test lists; of larger ones it compares the first, the last and one in between.
const COMPARED_ELEMENTS: usize = 32;

/// A broadcast as code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippets {
    /// The command that shows it.
    pub command: String,
    /// A test for pytest and NumPy.
    pub pytest: String,
    /// A test in Rust.
    pub rust: String,
    /// A test in C++17, without a framework.
    pub cpp: String,
}

/// Writes a broadcast of known shapes under a rule as code. The tests fill every operand with 0, 1, 2, ... and add up. They call a
/// function `add`, which the reader replaces by the one under test.
///
/// ```
/// use broadaxe_draw::snippets;
/// use broadaxe_shape::{Rule, Shape};
/// let code = snippets(&Rule::numpy(), &[Shape::from([2, 1]), Shape::from([3])]);
/// assert_eq!(code.command, "broadaxe explain 2,1 3");
/// assert!(code.pytest.contains("assert got.ravel().tolist() == [0, 1, 2, 1, 2, 3]"), "{}", code.pytest);
/// ```
pub fn snippets(rule: &Rule, shapes: &[Shape]) -> Snippets {
    let dims: Vec<&[usize]> = shapes.iter().map(Shape::dims).collect();
    let expected = rule.align(&dims).ok().map(|alignment| Expected::of(&alignment));
    let expected = expected.as_ref();
    let name = format!("{rule}_{}", shapes.iter().map(|shape| join(shape, "_")).collect::<Vec<_>>().join("_with_"));
    let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    Snippets {
        command: command(rule, shapes),
        pytest: pytest(&name, rule, shapes, expected),
        rust: rust(&name, rule, shapes, expected),
        cpp: cpp(&name, rule, shapes, expected),
    }
}

/// Writes the command that explains shapes under a rule.
pub fn command(rule: &Rule, shapes: &[Shape]) -> String {
    let mut words = vec!["broadaxe explain".to_owned()];
    if *rule != Rule::numpy() {
        let text = rule.to_string();
        let mut parts = text.split(' ');
        words.push(format!("--rule {}", parts.next().unwrap_or_default()));
        // A value may be negative or have brackets.
        words.extend(parts.map(|part| if part.contains('(') { format!("'--{part}'") } else { format!("--{part}") }));
    }
    let shape = |shape: &Shape| if shape.is_empty() { "'()'".to_owned() } else { bare(&SymbolicShape::from(shape)) };
    words.extend(shapes.iter().map(shape));
    words.join(" ")
}

/// What a broadcast gives.
struct Expected {
    shape: Shape,
    /// Positions in the result, row-major, and the sums there.
    elements: Vec<(usize, u128)>,
    is_all: bool,
}

impl Expected {
    fn of(alignment: &Alignment) -> Self {
        let shape = alignment.shape().clone();
        let count: usize = shape.iter().product();
        let is_all = count <= COMPARED_ELEMENTS;
        let mut at: Vec<usize> = if is_all { (0..count).collect() } else { vec![0, count / 2, count - 1] };
        at.dedup();
        let elements = at.into_iter().map(|position| (position, positions(alignment, position).iter().sum())).collect();
        Self { shape, elements, is_all }
    }

    fn values(&self) -> String {
        join(&self.elements.iter().map(|(_, value)| value).collect::<Vec<_>>(), ", ")
    }
}

/// Returns the position in each operand that feeds this element of the result.
pub fn positions(alignment: &Alignment, element: usize) -> Vec<u128> {
    let shape = alignment.shape();
    let mut index = vec![0; shape.len()];
    let mut rest = element;
    for axis in (0..shape.len()).rev() {
        index[axis] = rest % shape[axis];
        rest /= shape[axis];
    }
    let operands = alignment.operands().iter().map(|operand| {
        let own = operand.shape().iter().zip(operand.axes());
        own.fold(0_u128, |position, (&dim, &axis)| position * dim as u128 + (index[axis] % dim.max(1)) as u128)
    });
    operands.collect()
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|k| letter(k).replace(' ', "_")).collect()
}

fn pytest(name: &str, rule: &Rule, shapes: &[Shape], expected: Option<&Expected>) -> String {
    let names = names(shapes.len());
    let mut text = format!(
        "import numpy as np\nimport pytest\n\nfrom mine import add  # the function under test\n\n\ndef test_{name}():\n"
    );
    text += &format!("    # {rule}\n");
    for (name, shape) in names.iter().zip(shapes) {
        text += &format!("    {name} = np.arange({}).reshape({})\n", count(shape), tuple(shape));
    }
    let call = format!("add({})", names.join(", "));
    let Some(expected) = expected else {
        return text + &format!("    with pytest.raises(Exception):\n        {call}\n");
    };
    text += &format!("    got = {call}\n    assert got.shape == {}\n", tuple(&expected.shape));
    if expected.is_all {
        return text + &format!("    assert got.ravel().tolist() == [{}]\n", expected.values());
    }
    let at = join(&expected.elements.iter().map(|(at, _)| at).collect::<Vec<_>>(), ", ");
    text + &format!("    assert got.ravel()[[{at}]].tolist() == [{}]\n", expected.values())
}

fn rust(name: &str, rule: &Rule, shapes: &[Shape], expected: Option<&Expected>) -> String {
    let list = |shape: &Shape| format!("[{}]", join(shape, ", "));
    let operands: Vec<String> = shapes.iter().map(|shape| format!("&{}", list(shape))).collect();
    let mut text =
        format!("#[test]\nfn {name}() {{\n    let rule: broadaxe_shape::Rule = \"{rule}\".parse().unwrap();\n");
    let Some(expected) = expected else {
        text += &format!("    assert!(rule.align(&[{}]).is_err());\n", operands.join(", "));
        text += "    // `add` is the function under test. Its arguments are shapes and elements, row-major.\n";
        let operands = shapes.iter().map(|shape| format!("(&{}, &range({}))", list(shape), count(shape)));
        text += &format!("    assert!(add(&[{}]).is_err());\n}}\n", operands.collect::<Vec<_>>().join(", "));
        return text + RANGE;
    };
    text += &format!(
        "    assert_eq!(rule.align(&[{}]).unwrap().shape().dims(), {});\n",
        operands.join(", "),
        list(&expected.shape)
    );
    text += "    // `add` is the function under test. Its arguments are shapes and elements, row-major.\n";
    let operands = shapes.iter().map(|shape| format!("(&{}, &range({}))", list(shape), count(shape)));
    text += &format!("    let got: Vec<f32> = add(&[{}]).unwrap();\n", operands.collect::<Vec<_>>().join(", "));
    for (at, value) in &expected.elements {
        text += &format!("    assert_eq!(got[{at}], {value}.0);\n");
    }
    text + "}\n" + RANGE
}

const RANGE: &str = "\nfn range(count: usize) -> Vec<f32> {\n    (0..count).map(|at| at as f32).collect()\n}\n";

fn cpp(name: &str, rule: &Rule, shapes: &[Shape], expected: Option<&Expected>) -> String {
    let list = |shape: &Shape| format!("{{{}}}", join(shape, ", "));
    let operands: Vec<String> =
        shapes.iter().map(|shape| format!("{{{}, range({})}}", list(shape), count(shape))).collect();
    let mut text = format!(
        "#include <cassert>\n#include <numeric>\n#include <utility>\n#include <vector>\n\n\
         using Shape = std::vector<std::size_t>;\nusing Values = std::vector<float>;\n\
         // The function under test. It reads shapes and elements, row-major, and returns false for shapes that do not broadcast.\n\
         bool add(const std::vector<std::pair<Shape, Values>> &operands, Shape &shape, Values &values);\n\n\
         static Values range(std::size_t count) {{\n  Values values(count);\n  std::iota(values.begin(), values.end(), 0.0f);\n  return values;\n}}\n\n\
         // {rule}\nvoid {name}() {{\n  Shape shape;\n  Values values;\n"
    );
    let call = format!("add({{{}}}, shape, values)", operands.join(", "));
    let Some(expected) = expected else { return text + &format!("  assert(!{call});\n}}\n") };
    text += &format!("  bool ok = {call};\n  assert(ok);\n  assert((shape == Shape{}));\n", list(&expected.shape));
    for (at, value) in &expected.elements {
        text += &format!("  assert(values[{at}] == {value}.0f);\n");
    }
    text + "}\n"
}

fn count(shape: &Shape) -> usize {
    shape.iter().product()
}
