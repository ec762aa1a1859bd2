//! Converts elements to and from bytes in native order.

use super::{
    round::{exponent, power_of_two},
    value::{Format, Ty, Value},
};

/// Writes elements of a dtype one after the other; NaN as the quiet one without a payload.
///
/// # Panics
/// When an element is not of the dtype.
pub fn to_bytes(ty: Ty, values: &[Value]) -> Vec<u8> {
    let width = ty.bits() as usize / 8;
    let mut bytes = Vec::with_capacity(values.len() * width);
    for &value in values {
        let pattern = match ty {
            Ty::Bool => u64::from(value.boolean()),
            _ if ty.is_float() => pattern_of(ty, value.float()),
            _ => value.integer() as u64,
        };
        match width {
            1 => bytes.push(pattern as u8),
            2 => bytes.extend((pattern as u16).to_ne_bytes()),
            4 => bytes.extend((pattern as u32).to_ne_bytes()),
            _ => bytes.extend(pattern.to_ne_bytes()),
        }
    }
    bytes
}

/// Reads elements of a dtype; a bool is any byte that is not 0.
///
/// # Panics
/// When the bytes are no whole number of elements.
pub fn from_bytes(ty: Ty, bytes: &[u8]) -> Vec<Value> {
    let width = ty.bits() as usize / 8;
    assert_eq!(bytes.len() % width, 0, "{} bytes are no whole number of {}", bytes.len(), ty.name());
    let read = |chunk: &[u8]| -> u64 {
        match *chunk {
            [a] => a.into(),
            [a, b] => u16::from_ne_bytes([a, b]).into(),
            [a, b, c, d] => u32::from_ne_bytes([a, b, c, d]).into(),
            _ => u64::from_ne_bytes(chunk.try_into().unwrap_or_default()),
        }
    };
    let value = |pattern: u64| match ty {
        Ty::Bool => Value::Bool(pattern != 0),
        _ if ty.is_float() => Value::Float(number_of(ty, pattern)),
        _ => Value::Int(ty.wrap(pattern.into())),
    };
    bytes.chunks(width).map(|chunk| value(read(chunk))).collect()
}

/// Returns the bits of a number: sign, exponent, fraction.
fn pattern_of(ty: Ty, x: f64) -> u64 {
    let Format { precision, least, greatest } = ty.format();
    let sign = u64::from(x.is_sign_negative() && !x.is_nan()) << (ty.bits() - 1);
    let infinity = (2 * greatest as u64 + 1) << (precision - 1);
    let size = x.abs();
    if x.is_nan() {
        return infinity | 1 << (precision - 2);
    }
    if size.is_infinite() || size == 0.0 {
        return sign | if size == 0.0 { 0 } else { infinity };
    }
    let e = exponent(size).max(least);
    let quantum = e - (precision - 1);
    let whole = (size * power_of_two(-(quantum / 2)) * power_of_two(quantum / 2 - quantum)) as u64;
    // A normal number's leading bit adds one to the exponent field, a subnormal one has none to add.
    let size = (((e - least) as u64) << (precision - 1)) + whole;
    sign | size
}

fn number_of(ty: Ty, pattern: u64) -> f64 {
    let Format { precision, least, greatest } = ty.format();
    let fraction = pattern & ((1 << (precision - 1)) - 1);
    let field = (pattern >> (precision - 1) & (2 * greatest as u64 + 1)) as i32;
    let size = if field == 2 * greatest + 1 {
        if fraction == 0 { f64::INFINITY } else { return f64::NAN }
    } else {
        let leading = u64::from(field != 0) << (precision - 1);
        let quantum = least + (field - 1).max(0) - (precision - 1);
        (fraction | leading) as f64 * power_of_two(quantum / 2) * power_of_two(quantum - quantum / 2)
    };
    if pattern >> (ty.bits() - 1) & 1 == 1 { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{edge_values, round};

    #[test]
    fn every_narrow_pattern_there_and_back() {
        for ty in [Ty::F16, Ty::BF16, Ty::I16, Ty::U16] {
            for pattern in 0..=u16::MAX {
                let bytes = pattern.to_ne_bytes();
                let value = from_bytes(ty, &bytes)[0];
                if let Value::Float(x) = value {
                    if x.is_nan() {
                        continue;
                    }
                    assert_eq!(round(ty, x), x, "{pattern:#x}");
                }
                assert_eq!(to_bytes(ty, &[value]), bytes, "{pattern:#x} of {}", ty.name());
            }
        }
    }

    #[test]
    fn wide_patterns_are_those_of_the_machine() {
        for value in edge_values(Ty::F64) {
            let x = value.float();
            assert_eq!(to_bytes(Ty::F64, &[value]), x.to_ne_bytes(), "{x:e}");
            let back = from_bytes(Ty::F64, &x.to_ne_bytes())[0].float();
            assert!(back == x || (back.is_nan() && x.is_nan()), "{x:e} came back as {back:e}");
        }
        for value in edge_values(Ty::F32) {
            let x = value.float() as f32;
            assert_eq!(to_bytes(Ty::F32, &[value]), x.to_ne_bytes(), "{x:e}");
        }
        assert_eq!(to_bytes(Ty::I64, &[Value::Int(-2)]), (-2i64).to_ne_bytes());
        assert_eq!(from_bytes(Ty::I8, &[0xff, 1]), [Value::Int(-1), Value::Int(1)]);
        assert_eq!(from_bytes(Ty::Bool, &[2, 0]), [Value::Bool(true), Value::Bool(false)]);
    }
}
