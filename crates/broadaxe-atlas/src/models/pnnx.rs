//! pnnx: a text with an operator of torch per line, and an archive with the constants.
//!
//! Expressions and `torch.where` have the rule `numpy`; `Tensor.expand` stretches to its `shape`.
//!
//! Source: pnnx, `ir.cpp` and `storezip.cpp` of version 20261020; ".ZIP File Format Specification" of PKWARE.

use super::{Call, File, RESULT, Unsupported};

/// Writes the model.
pub(super) fn write(call: &Call<'_>) -> Result<Vec<File>, Unsupported> {
    let (op, parameter) = match call.key() {
        ("add", "numpy") => ("pnnx.Expression", "expr=add(@0,@1)".to_owned()),
        ("sub", "numpy") => ("pnnx.Expression", "expr=sub(@0,@1)".to_owned()),
        ("sum", "numpy") => ("pnnx.Expression", "expr=add(add(@0,@1),@2)".to_owned()),
        ("select", "numpy") => ("torch.where", String::new()),
        ("expand", "broadcast-to") => {
            let target: Vec<String> = call.target().iter().map(i64::to_string).collect();
            ("Tensor.expand", format!("shape={}", list(&target)))
        }
        _ => return Err(call.unsupported("pnnx")),
    };
    // The reader of pnnx ends on an empty list of dims, and its writer leaves such a shape out.
    if call.operands.iter().any(|operand| operand.shape.is_empty()) || call.dims().is_empty() {
        return Err(Unsupported("files of pnnx cannot say that an array has rank 0".to_owned()));
    }
    Ok(files(call, op, parameter))
}

/// Writes the text of a node, and the archive of its constants.
fn files(call: &Call<'_>, op: &str, parameter: String) -> Vec<File> {
    let (mut lines, mut shapes, mut members) = (Vec::new(), Vec::new(), Vec::new());
    for (name, operand) in call.named() {
        let dims: Vec<String> = operand.shape.iter().map(usize::to_string).collect();
        let kind = format!("{}{}", list(&dims), if call.is_condition(name) { "bool" } else { "f32" });
        let shape = format!("#{name}={kind}");
        lines.push(if operand.constant {
            members.push((format!("{name}.data"), call.bytes(name, operand)));
            format!("pnnx.Attribute {name} 0 1 {name} @data={kind} {shape}")
        } else {
            format!("pnnx.Input pnnx_input_{} 0 1 {name} {shape}", lines.len() - members.len())
        });
        shapes.push(shape);
    }
    // A shape that is not known is left out.
    let result = call.result.as_ref().map(|shape| {
        let dims: Vec<String> = shape.iter().map(usize::to_string).collect();
        format!("#{RESULT}={}f32", list(&dims))
    });
    shapes.extend(result.clone());
    let names = call.names();
    let words = [vec![parameter], shapes].concat();
    let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| !word.is_empty()).collect();
    lines.push(format!("{op} op {} 1 {} {RESULT} {}", names.len(), names.join(" "), words.join(" ")));
    lines.push(format!("pnnx.Output pnnx_output_0 1 0 {RESULT} {}", result.unwrap_or_default()).trim_end().to_owned());
    let text = format!("7767517\n{} {}\n{}\n", lines.len(), names.len() + 1, lines.join("\n"));
    vec![
        File { extension: ".pnnx.param", bytes: text.into_bytes() },
        File { extension: ".pnnx.bin", bytes: archive(&members) },
    ]
}

/// Writes dims as pnnx does.
fn list(dims: &[String]) -> String {
    format!("({})", dims.join(","))
}

/// Writes a zip whose members are stored as they are.
fn archive(members: &[(String, Vec<u8>)]) -> Vec<u8> {
    let (mut bytes, mut central) = (Vec::new(), Vec::new());
    for (name, data) in members {
        let at = bytes.len() as u32;
        // Flags, method and time are 0: stored, at no time.
        let mut common = vec![0; 8];
        for number in [checksum(data), data.len() as u32, data.len() as u32] {
            common.extend(number.to_le_bytes());
        }
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0, 0]);
        bytes.extend(b"PK\x03\x04\x0a\0");
        bytes.extend(&common);
        bytes.extend(name.bytes());
        bytes.extend(data);
        central.extend(b"PK\x01\x02\x0a\0\x0a\0");
        central.extend(&common);
        central.extend([0; 10]);
        central.extend(at.to_le_bytes());
        central.extend(name.bytes());
    }
    let (start, count) = (bytes.len() as u32, (members.len() as u16).to_le_bytes());
    bytes.extend(&central);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend([count, count].concat());
    bytes.extend((central.len() as u32).to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend([0, 0]);
    bytes
}

/// Computes the CRC-32 of bytes.
fn checksum(bytes: &[u8]) -> u32 {
    let step = |sum: u32, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
    !bytes.iter().fold(!0, |sum, &byte| (0..8).fold(sum ^ u32::from(byte), step))
}

#[cfg(test)]
mod tests {
    use super::checksum;

    #[test]
    fn checksums() {
        assert_eq!(checksum(b"123456789"), 0xcbf4_3926);
        assert_eq!(checksum(b""), 0);
    }
}
