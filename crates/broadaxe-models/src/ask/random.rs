//! Draws numbers that look random: the low bits of a product and a sum, mixed.

use broadaxe::DType;

use crate::{
    error::{Error, ErrorKind},
    format::single::number_bytes,
};

use super::numbers;

/// Up to how many elements a tensor gets both signs, or both truth values.
const MOST_SPREAD: usize = 64;

/// The most bytes of one tensor.
pub(crate) const MOST_DRAWN_BYTES: usize = 256 << 20;

/// A generator of numbers, which begins with a seed.
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed ^ mixed >> 31
    }

    /// Draws a number from 0 to 1.
    pub(crate) fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1_u64 << 24) as f32
    }

    /// Draws integers of which most are far from 0: near the limits of the type, and anywhere between. Those of 64 bits stay where f64
    /// holds them exactly, and none is the least number, which has no quotient with -1.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] above 256 MiB.
    pub(crate) fn draw_far(&mut self, dtype: DType, shape: &[usize]) -> Result<Vec<u8>, Error> {
        let mut data = self.draw(dtype, shape, None)?;
        let high =
            2_u64.pow(if is_signed(dtype) { dtype.size() as u32 * 8 - 1 } else { dtype.size() as u32 * 8 }.min(52)) - 1;
        for element in data.chunks_exact_mut(dtype.size()) {
            let size = match self.next() % 4 {
                0 => continue,
                1 => self.next() % high,
                _ => high - self.next() % 3,
            } as f64;
            let value = if is_signed(dtype) && self.next().is_multiple_of(2) { -size } else { size };
            element.copy_from_slice(&number_bytes(dtype, value));
        }
        Ok(data)
    }

    /// Draws the elements of a tensor: multiples of 1/16 from -4 to 4, which every type of floating-point numbers holds exactly, and 1
    /// to 7 for whole numbers, so that nothing divides by zero, or 0 to `entries - 1`.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] above 256 MiB.
    pub(crate) fn draw(&mut self, dtype: DType, shape: &[usize], entries: Option<usize>) -> Result<Vec<u8>, Error> {
        let count = broadaxe_shape::elements(shape).ok();
        let size = count.and_then(|count| count.checked_mul(dtype.size())).filter(|&size| size <= MOST_DRAWN_BYTES);
        let large = || {
            let message = format!("an input of shape {shape:?} has more than {MOST_DRAWN_BYTES} bytes");
            Error::new(ErrorKind::Limit, message)
        };
        let size = size.ok_or_else(large)?;
        let mut data = Vec::with_capacity(size);
        while data.len() < size {
            let value = match (dtype, entries) {
                (DType::Bool, _) => (self.next() % 2) as f64,
                _ if dtype.is_float() => (self.next() % 129) as f64 / 16.0 - 4.0,
                (_, Some(entries)) => (self.next() % (entries.max(1) as u64)) as f64,
                _ => (1 + self.next() % 7) as f64,
            };
            data.extend(number_bytes(dtype, value));
        }
        // Truth values that are all alike, and numbers of one sign, hide which of them is read.
        let values = if size <= MOST_SPREAD * dtype.size() { numbers::values(dtype, &data) } else { vec![] };
        let is_alike = |side: fn(f64) -> bool| values.iter().all(|value| side(*value));
        let mut set = |at: usize, value: f64| {
            let bytes = number_bytes(dtype, value);
            data[at * dtype.size()..][..bytes.len()].copy_from_slice(&bytes);
        };
        if dtype == DType::Bool && values.len() > 1 && is_alike(|value| value == 0.0) | is_alike(|value| value != 0.0) {
            set(values.len() - 1, 1.0 - values[0]);
        }
        if dtype.is_float() && is_alike(|value| value <= 0.0) | is_alike(|value| value >= 0.0) {
            (1..values.len()).step_by(2).for_each(|at| set(at, -values[at]));
        }
        Ok(data)
    }
}

fn is_signed(dtype: DType) -> bool {
    matches!(dtype, DType::I8 | DType::I16 | DType::I32 | DType::I64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let mut random = Random::new(3);
        let cases = [
            (DType::U8, None, 1, 7),
            (DType::Bool, None, 0, 1),
            (DType::I8, None, 1, 7),
            (DType::U8, Some(3), 0, 2),
            (DType::I8, Some(0), 0, 0),
        ];
        for (dtype, entries, low, high) in cases {
            let drawn = random.draw(dtype, &[100], entries).unwrap();
            assert_eq!((drawn.iter().min(), drawn.iter().max()), (Some(&low), Some(&high)), "{dtype:?} {entries:?}");
        }
        for (dtype, bytes) in [(DType::U8, vec![255]), (DType::I16, vec![0xff, 0x7f]), (DType::I16, vec![1, 0x80])] {
            let drawn = random.draw_far(dtype, &[100]).unwrap();
            assert!(drawn.chunks_exact(dtype.size()).any(|element| element == bytes), "{dtype:?} {bytes:?}");
        }
        assert_eq!(random.draw(DType::F64, &[2, 3], None).unwrap().len(), 48);
        for _ in 0..50 {
            let drawn = random.draw(DType::Bool, &[2], None).unwrap();
            assert_ne!(drawn[0], drawn[1]);
            let drawn = numbers::values(DType::F32, &random.draw(DType::F32, &[3], None).unwrap());
            assert!(drawn.iter().any(|value| *value >= 0.0) && drawn.iter().any(|value| *value <= 0.0), "{drawn:?}");
        }
        assert_eq!(random.draw(DType::F32, &[1 << 40], None).unwrap_err().kind(), ErrorKind::Limit);
    }
}
