//! ncnn: a text with a layer per line, and the numbers of the constants one after another.
//!
//! `BinaryOp` has the rule `ncnn`, and `Eltwise` adds operands of equal shapes. Shapes are written fastest axis first.
//!
//! Source: ncnn, "param and model file structure" and the layers `Input`, `MemoryData`, `BinaryOp` and `Eltwise`.

use super::{Call, File, RESULT, Unsupported};

/// Writes the model.
pub(super) fn write(call: &Call<'_>) -> Result<Vec<File>, Unsupported> {
    let (layer, number) = match call.key() {
        ("add", "ncnn") => ("BinaryOp", 0),
        ("sub", "ncnn") => ("BinaryOp", 1),
        ("add", "none") => ("Eltwise", 1),
        _ => return Err(call.unsupported("ncnn")),
    };
    let mut lines = Vec::new();
    let mut bin = Vec::new();
    for (name, operand) in call.named() {
        let kind = if operand.constant { "MemoryData" } else { "Input" };
        lines.push(format!("{kind} {name} 0 1 {name} {}", sizes(&operand.shape)?));
        if operand.constant {
            bin.extend(call.bytes(name, operand));
        }
    }
    let names = call.names();
    lines.push(format!("{layer} {RESULT} {} 1 {} {RESULT} 0={number}", names.len(), names.join(" ")));
    let text = format!("7767517\n{} {}\n{}\n", lines.len(), names.len() + 1, lines.join("\n"));
    Ok(vec![File { extension: ".param", bytes: text.into_bytes() }, File { extension: ".bin", bytes: bin }])
}

/// Writes a shape as the parameters w, h, d and c.
fn sizes(shape: &[usize]) -> Result<String, Unsupported> {
    // An array of four axes has the parameter 11, its second slowest.
    let numbers: &[u32] = match shape.len() {
        0 => return Err(Unsupported("ncnn has no arrays of rank 0".to_owned())),
        1 => &[0],
        2 => &[1, 0],
        3 => &[2, 1, 0],
        4 => &[2, 11, 1, 0],
        rank => return Err(Unsupported(format!("ncnn has no arrays of rank {rank}"))),
    };
    if shape.contains(&0) {
        return Err(Unsupported("ncnn has no arrays without elements".to_owned()));
    }
    let mut all: Vec<(u32, usize)> = numbers.iter().copied().zip(shape.iter().copied()).collect();
    all.sort_unstable();
    Ok(all.iter().map(|(number, dim)| format!("{number}={dim}")).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::sizes;

    #[test]
    fn shapes() {
        let table: [(&[usize], Option<&str>); 6] = [
            (&[5], Some("0=5")),
            (&[2, 5], Some("0=5 1=2")),
            (&[3, 2, 5], Some("0=5 1=2 2=3")),
            (&[3, 7, 2, 5], Some("0=5 1=2 2=3 11=7")),
            (&[], None),
            (&[2, 0], None),
        ];
        for (shape, want) in table {
            assert_eq!(sizes(shape).ok().as_deref(), want, "{shape:?}");
        }
    }
}
