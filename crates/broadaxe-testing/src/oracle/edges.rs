//! Lists the edge values of every dtype.

use super::{
    round::{power_of_two, round},
    value::{Format, Ty, Value},
};

/// Returns elements of a dtype that are worth trying: ends, neighbours of powers of two, halves, special numbers.
pub fn edge_values(ty: Ty) -> Vec<Value> {
    match ty {
        Ty::Bool => vec![Value::Bool(false), Value::Bool(true)],
        _ if ty.is_float() => floats(ty).into_iter().map(Value::Float).collect(),
        _ => integers(ty).into_iter().map(Value::Int).collect(),
    }
}

#[rustfmt::skip]
fn integers(ty: Ty) -> Vec<i128> {
    let (least, greatest) = ty.range();
    let half = 1i128 << (ty.bits() / 2);
    let width = i128::from(ty.bits());
    let mut list = vec![
        0, 1, 2, 3, 5, 7, 10, 100, width - 1, width, width + 1, half - 1, half, half + 1,
        greatest / 2, greatest / 2 + 1, greatest - 1, greatest,
        -1, -2, -3, -7, -100, -width, -half, least / 2, least + 1, least,
    ];
    list.retain(|n| (least..=greatest).contains(n));
    list.sort_unstable();
    list.dedup();
    list
}

#[rustfmt::skip]
fn floats(ty: Ty) -> Vec<f64> {
    let Format { precision, least, greatest } = ty.format();
    let epsilon = power_of_two(1 - precision);
    let largest = (2.0 - epsilon) * power_of_two(greatest);
    let (normal, whole) = (power_of_two(least), power_of_two(precision));
    let smallest = normal * epsilon;
    let positive = [
        0.0, smallest, 3.0 * smallest, normal - smallest, normal, power_of_two(least / 2), 0.1, 1.0 / 3.0, 0.5,
        1.0 - epsilon / 2.0, 1.0, 1.0 + epsilon, 1.5, 2.0, 2.5, std::f64::consts::PI, 7.0, 10.0, 88.5, 127.5, 255.0, 256.0,
        whole - 1.0, whole, power_of_two(greatest / 2 + 1), largest / 2.0, largest, f64::INFINITY,
    ];
    let mut list: Vec<f64> = positive.iter().flat_map(|&x| [x, -x]).map(|x| round(ty, x)).collect();
    list.push(f64::NAN);
    let mut seen = std::collections::HashSet::new();
    list.retain(|x| seen.insert(x.to_bits()));
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_there() {
        for ty in Ty::ALL {
            let list = edge_values(ty);
            assert!(list.len() >= if ty == Ty::Bool { 2 } else { 15 }, "{}: {}", ty.name(), list.len());
            if ty.is_integer() {
                let (least, greatest) = ty.range();
                assert!(list.contains(&Value::Int(least)) && list.contains(&Value::Int(greatest)), "{}", ty.name());
            }
        }
        let f32s = edge_values(Ty::F32);
        for x in [f32::MAX, f32::MIN_POSITIVE, f32::from_bits(1), 1.0 + f32::EPSILON, f32::NEG_INFINITY] {
            assert!(f32s.contains(&Value::Float(f64::from(x))), "{x}");
        }
        let f64s = edge_values(Ty::F64);
        for x in [f64::MAX, f64::MIN_POSITIVE, f64::from_bits(1), 1.0 + f64::EPSILON] {
            assert!(f64s.contains(&Value::Float(x)), "{x}");
        }
        assert!(edge_values(Ty::F16).contains(&Value::Float(65504.0)));
    }
}
