//! Answers questions of the atlas in plain Rust: `add` and `sub` under NumPy's rule. Build: `rustc -O --edition 2024`.
//!
//! Replace `broadcast` with a call to your own engine. The rest is the protocol.

/// Holds a shape and values, row-major.
struct Array {
    shape: Vec<usize>,
    values: Vec<f32>,
}

/// Returns `a + b` or `a - b`, or nothing if the shapes do not fit.
fn broadcast(op: &str, a: &Array, b: &Array) -> Option<Array> {
    // Align the shapes at the last axis: the shorter one gets 1s in front.
    let rank = a.shape.len().max(b.shape.len());
    let pad = |shape: &[usize]| [&vec![1; rank - shape.len()][..], shape].concat();
    let (m, n) = (pad(&a.shape), pad(&b.shape));
    if (0..rank).any(|axis| m[axis] != n[axis] && m[axis] != 1 && n[axis] != 1) {
        return None;
    }
    let shape: Vec<usize> = m.iter().zip(&n).map(|(&m, &n)| if m == 1 { n } else { m }).collect();
    let mut values = Vec::new();
    for k in 0..shape.iter().product() {
        let (mut rest, mut x, mut y, mut x_step, mut y_step) = (k, 0, 0, 1, 1);
        for axis in (0..rank).rev() {
            // An axis of 1 repeats: rest % 1 is 0.
            (x, x_step) = (x + rest % m[axis] * x_step, x_step * m[axis]);
            (y, y_step) = (y + rest % n[axis] * y_step, y_step * n[axis]);
            rest /= shape[axis];
        }
        values.push(if op == "add" { a.values[x] + b.values[y] } else { a.values[x] - b.values[y] });
    }
    Some(Array { shape, values })
}

/// Returns the text of the first field with this name, between `open` and `close`.
fn field<'a>(json: &'a str, name: &str, open: char, close: char) -> Option<&'a str> {
    Some(json.split_once(&format!("\"{name}\":"))?.1.split_once(open)?.1.split_once(close)?.0)
}

fn array(json: &str) -> Option<Array> {
    let numbers = |name| Some(field(json, name, '[', ']')?.split(',').flat_map(|number| number.trim().parse::<f32>()));
    Some(Array { shape: numbers("shape")?.map(|dim| dim as usize).collect(), values: numbers("values")?.collect() })
}

fn main() {
    println!(r#"{{"engine":"plain Rust","version":"2024","device":"cpu"}}"#);
    for line in std::io::stdin().lines().map_while(Result::ok) {
        let text = |name| field(&line, name, '"', '"').unwrap_or_default();
        let operands: Vec<Array> = line.split('{').skip(2).flat_map(array).collect();
        let answer = match (text("op"), text("rule"), &operands[..]) {
            (op @ ("add" | "sub"), "numpy", [a, b]) => match broadcast(op, a, b) {
                Some(Array { shape, values }) => format!(r#""shape":{shape:?},"values":{values:?}"#),
                None => r#""reject":"the shapes do not fit""#.to_owned(),
            },
            _ => r#""skip":"only add and sub under NumPy's rule""#.to_owned(),
        };
        println!(r#"{{"id":"{}",{answer}}}"#, text("id"));
    }
}
