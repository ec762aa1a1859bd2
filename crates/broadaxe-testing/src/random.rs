//! Draws random numbers, shapes, views and elements; the same seed gives the same ones everywhere.

use crate::{
    oracle::{Ty, Value, edge_values, round, round_integer},
    strided::Layout,
};

/// A small random generator, `SplitMix64`.
///
/// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Starts a generator.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Draws 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Draws a number below `end`.
    ///
    /// # Panics
    /// When `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        assert!(end > 0, "there is no number below 0");
        ((u128::from(self.bits()) * end as u128) >> 64) as usize
    }

    /// Says yes once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Draws one of a list.
    ///
    /// # Panics
    /// When the list is empty.
    pub fn one_of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    /// Draws a shape of at most this rank, its dims at most this long; one dim in twenty is 0, one in four is 1.
    pub fn shape(&mut self, rank: usize, longest: usize) -> Vec<usize> {
        let rank = self.below(rank + 1);
        (0..rank).map(|_| self.dim(longest)).collect()
    }

    fn dim(&mut self, longest: usize) -> usize {
        match self.below(20) {
            0 => 0,
            1..=5 => 1,
            _ => 1 + self.below(longest),
        }
    }

    /// Draws shapes that broadcast with one another under the rule of NumPy, and their result.
    ///
    /// Each is the result with some leading axes dropped and some dims set to 1.
    pub fn broadcastable(&mut self, count: usize, rank: usize, longest: usize) -> (Vec<Vec<usize>>, Vec<usize>) {
        let full = self.shape(rank, longest);
        let shapes: Vec<Vec<usize>> = (0..count)
            .map(|_| {
                let dropped = if self.once_in(2) { self.below(full.len() + 1) } else { 0 };
                full[dropped..].iter().map(|&dim| if self.once_in(4) { 1 } else { dim }).collect()
            })
            .collect();
        // An axis that every operand dropped or set to 1 is gone from the result, or 1.
        let rank = shapes.iter().map(Vec::len).max().unwrap_or(0);
        let full = &full[full.len() - rank..];
        let fed =
            |axis: usize| shapes.iter().any(|s| (axis + s.len()).checked_sub(rank).is_some_and(|i| s[i] == full[axis]));
        let result = (0..rank).map(|axis| if fed(axis) { full[axis] } else { 1 }).collect();
        (shapes, result)
    }

    /// Draws a layout for a shape: any order of axes, negative and zero strides, gaps, and an offset that keeps every
    /// address at 0 or above.
    pub fn layout(&mut self, shape: &[usize]) -> Layout {
        let mut order: Vec<usize> = (0..shape.len()).collect();
        if self.once_in(2) {
            for i in (1..order.len()).rev() {
                order.swap(i, self.below(i + 1));
            }
        }
        let mut strides = vec![0isize; shape.len()];
        let mut step: isize = if self.once_in(3) { 1 + self.below(3) as isize } else { 1 };
        let mut offset = if self.once_in(3) { self.below(8) } else { 0 };
        for &axis in order.iter().rev() {
            if self.once_in(8) {
                continue;
            }
            let dim = shape[axis].max(1);
            if self.once_in(4) {
                strides[axis] = -step;
                offset += (dim - 1) * step as usize;
            } else {
                strides[axis] = step;
            }
            step = step * dim as isize + if self.once_in(4) { self.below(3) as isize } else { 0 };
        }
        Layout { shape: shape.to_vec(), strides, offset }
    }

    /// Draws an element: an edge value once in four times, a small number, or any bits.
    pub fn value(&mut self, ty: Ty) -> Value {
        if self.once_in(4) {
            return *self.one_of(&edge_values(ty));
        }
        let small = self.once_in(2);
        let bits = self.bits();
        match ty {
            Ty::Bool => Value::Bool(bits & 1 == 1),
            _ if !ty.is_float() => {
                let number = if small { i128::from(bits as i64 % 20) } else { i128::from(bits as i64) };
                Value::Int(ty.wrap(number))
            }
            _ if small => Value::Float(round_integer(ty, i128::from(bits as i64 % 2000)) / 8.0),
            // An exponent around that of 1, so that narrow dtypes are not all zeros and infinities.
            _ => Value::Float(round(
                ty,
                f64::from_bits((bits & !(0x7ff << 52)) | ((1023 - 20 + (bits >> 52) % 40) << 52)),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_what_they_say() {
        let mut random = Random::new(1);
        assert_eq!(Random::new(1_234_567).bits(), 6_457_827_717_110_365_317);
        let (mut zeros, mut negative, mut flat) = (0, 0, 0);
        for _ in 0..2000 {
            let (shapes, result) = random.broadcastable(3, 4, 5);
            let views: Vec<&[usize]> = shapes.iter().map(Vec::as_slice).collect();
            let alignment = broadaxe_shape::Rule::numpy().align(&views);
            assert_eq!(alignment.map(|a| a.shape().to_vec()), Ok(result), "{shapes:?}");
            let layout = random.layout(&shapes[0]);
            zeros += usize::from(shapes[0].contains(&0));
            negative += usize::from(layout.strides.iter().any(|&s| s < 0));
            flat += usize::from(layout.strides.contains(&0));
            assert!(layout.addresses().all(|at| at < layout.length()), "{layout:?}");
        }
        assert!(zeros > 50 && negative > 50 && flat > 50, "{zeros} {negative} {flat}");
    }

    #[test]
    fn elements_are_of_their_dtype() {
        let mut random = Random::new(2);
        for ty in Ty::ALL {
            for _ in 0..500 {
                match random.value(ty) {
                    Value::Bool(_) => assert_eq!(ty, Ty::Bool),
                    Value::Int(n) => assert_eq!(ty.wrap(n), n),
                    Value::Float(x) => assert!(x.is_nan() || round(ty, x) == x, "{x:e} is no {}", ty.name()),
                }
            }
        }
    }
}
