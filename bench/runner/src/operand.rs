//! Operands: numbers that look random and are the same on every machine, and how they lie in memory.

use broadaxe::{Array, Bool, DType, Element, Evaluation, Expr, Options, View, bf16, f16};
use serde::Deserialize;

/// Describes one operand of a workload.
#[derive(Debug, Deserialize)]
pub(crate) struct Operand {
    /// Its name in the expression.
    pub(crate) name: String,
    /// The name of its dtype.
    dtype: String,
    /// Its shape, as the expression sees it.
    shape: Vec<usize>,
    #[serde(default)]
    layout: Layout,
    #[serde(default)]
    values: Values,
    /// What computes it, in place of such values.
    of: Option<Source>,
}

/// An expression over operands of its own.
#[derive(Debug, Deserialize)]
struct Source {
    expression: String,
    operands: Vec<Operand>,
}

/// Describes the memory layout of an operand.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Layout {
    /// Row by row.
    #[default]
    Contiguous,
    /// Every second element of the last axis.
    Strided2,
    /// Every third element of the last axis.
    Strided3,
    /// The last axis backwards.
    Reversed,
    /// The last two axes exchanged.
    Swapped,
    /// All axes reversed.
    Transposed,
}

/// Says what an operand holds.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Values {
    /// From -3 to 3; for integers all they hold, within 2^24; for bool both.
    #[default]
    Signed,
    /// From 0.5 to 1.5.
    Positive,
    /// As `Signed`, with one NaN in 97.
    Nans,
    /// Whole numbers from 1 to 1000.
    Divisors,
}

impl Operand {
    /// Allocates the memory of the operand.
    pub(crate) fn array(&self) -> Result<Array, String> {
        let dtype = DType::from_name(&self.dtype).ok_or_else(|| format!("{} is no dtype", self.dtype))?;
        let shape = self.memory_shape()?;
        if let Some(source) = &self.of {
            let made = source.compute()?;
            let made = Array::from_bytes(dtype, shape, made.as_bytes()).ok().filter(|_| made.dtype() == dtype);
            return made.ok_or_else(|| format!("{} does not make operand {}", source.expression, self.name));
        }
        let seed = self.name.bytes().fold(17_u32, |seed, byte| seed.wrapping_mul(31).wrapping_add(u32::from(byte)));
        let float = |i| self.values.float(i, mix(i, seed));
        let integer = |i| self.values.integer(mix(i, seed));
        match dtype {
            DType::F64 => fill(shape, |i| f64::from(float(i))),
            DType::F32 => fill(shape, float),
            DType::F16 => fill(shape, |i| f16::from_f32(float(i))),
            DType::BF16 => fill(shape, |i| bf16::from_f32(float(i))),
            DType::I64 => fill(shape, |i| i64::from(integer(i))),
            DType::I32 => fill(shape, integer),
            DType::I16 => fill(shape, |i| integer(i) as i16),
            DType::I8 => fill(shape, |i| integer(i) as i8),
            DType::U16 => fill(shape, |i| integer(i) as u16),
            DType::U32 => fill(shape, |i| integer(i) as u32),
            DType::U64 => fill(shape, |i| integer(i) as u64),
            DType::U8 => fill(shape, |i| (mix(i, seed) >> 24) as u8),
            DType::Bool => fill(shape, |i| Bool::from(mix(i, seed) >> 31 == 1)),
        }
    }

    /// Returns how many elements of the last axis lie in memory for each that the expression sees.
    fn step(&self) -> usize {
        match self.layout {
            Layout::Strided2 => 2,
            Layout::Strided3 => 3,
            _ => 1,
        }
    }

    fn memory_shape(&self) -> Result<Vec<usize>, String> {
        let mut shape = self.shape.clone();
        let rank = shape.len();
        match self.layout {
            Layout::Transposed => shape.reverse(),
            Layout::Swapped if rank >= 2 => shape.swap(rank - 2, rank - 1),
            Layout::Swapped => return Err("an operand of one axis has no two to exchange".to_owned()),
            _ => {
                let step = self.step();
                if let Some(last) = shape.last_mut() {
                    *last = last.checked_mul(step).ok_or("the last axis is too long")?;
                }
            }
        }
        Ok(shape)
    }

    /// Returns the view of its memory that the expression reads.
    pub(crate) fn view<'a>(&self, array: &'a Array) -> Result<View<'a>, String> {
        let view = array.view();
        let mut strides = view.strides().to_vec();
        let (rank, mut offset) = (strides.len(), 0);
        match self.layout {
            Layout::Contiguous => return Ok(view),
            Layout::Transposed => return Ok(view.transposed()),
            Layout::Swapped => strides.swap(rank - 2, rank - 1),
            Layout::Strided2 | Layout::Strided3 => {
                let step = self.step() as isize;
                strides.iter_mut().rev().take(1).for_each(|stride| *stride *= step);
            }
            Layout::Reversed => {
                let last = self.shape.last().copied().unwrap_or(1);
                offset = last.saturating_sub(1) * array.dtype().size();
                strides.iter_mut().rev().take(1).for_each(|stride| *stride = -*stride);
            }
        }
        let made = View::new(array.dtype(), array.as_bytes(), &self.shape, &strides, offset);
        made.map_err(|error| error.to_string())
    }
}

impl Source {
    fn compute(&self) -> Result<Array, String> {
        let arrays = self.operands.iter().map(Operand::array).collect::<Result<Vec<_>, _>>()?;
        let expr = Expr::parse(&self.expression).map_err(|error| error.to_string())?;
        plan(&expr, &bound(&self.operands, &arrays)?, 1)?.run().map_err(|error| error.to_string())
    }
}

/// Names each array as its operand is named, in its layout.
pub(crate) fn bound<'a>(operands: &'a [Operand], arrays: &'a [Array]) -> Result<Vec<(&'a str, View<'a>)>, String> {
    let named = |(operand, array): (&'a Operand, &'a Array)| Ok((operand.name.as_str(), operand.view(array)?));
    operands.iter().zip(arrays).map(named).collect()
}

/// Plans an expression over operands for a number of threads.
pub(crate) fn plan<'a>(expr: &Expr, bound: &[(&str, View<'a>)], threads: usize) -> Result<Evaluation<'a>, String> {
    let options = Options { threads: Some(threads), ..Options::default() };
    expr.bind(bound, options).map_err(|error| error.to_string())
}

impl Values {
    fn float(self, i: u32, bits: u32) -> f32 {
        let unit = (bits >> 8) as f32 / (1_u32 << 24) as f32;
        match self {
            Self::Nans if i.is_multiple_of(97) => f32::NAN,
            Self::Signed | Self::Nans => unit.mul_add(6.0, -3.0),
            Self::Positive => unit + 0.5,
            Self::Divisors => self.integer(bits) as f32,
        }
    }

    fn integer(self, bits: u32) -> i32 {
        match self {
            Self::Signed | Self::Nans => (bits >> 7) as i32 - (1 << 24),
            Self::Positive => (bits >> 7) as i32,
            Self::Divisors => ((bits >> 12) % 1000) as i32 + 1,
        }
    }
}

fn fill<T: Element>(shape: Vec<usize>, value: impl Fn(u32) -> T) -> Result<Array, String> {
    let count = shape.iter().try_fold(1_usize, |count, &dim| count.checked_mul(dim)).ok_or("the shape is too large")?;
    let elements = (0..count).map(|i| value(i as u32)).collect();
    Array::from_vec(shape, elements).map_err(|error| error.to_string())
}

/// Mixes an index and a seed into 32 bits that look random.
fn mix(i: u32, seed: u32) -> u32 {
    let mut bits = i.wrapping_add(seed.wrapping_mul(0x9e37_79b9));
    for factor in [0x85eb_ca6b, 0xc2b2_ae35] {
        bits = (bits ^ (bits >> 16)).wrapping_mul(factor);
        bits ^= bits >> 13;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operand(text: &str) -> Operand {
        serde_json::from_str(text).expect("an operand")
    }

    #[test]
    fn layouts_show_the_shape_asked_for() {
        let cases = [
            ("contiguous", [4_isize * 3, 4]),
            ("transposed", [4, 8]),
            ("swapped", [4, 8]),
            ("strided2", [24, 8]),
            ("strided3", [36, 12]),
            ("reversed", [12, -4]),
        ];
        for (layout, strides) in cases {
            let text = format!(r#"{{"name":"a","dtype":"f32","shape":[2,3],"layout":"{layout}"}}"#);
            let operand = operand(&text);
            let array = operand.array().expect("made");
            let view = operand.view(&array).expect("viewed");
            assert_eq!((view.shape(), view.strides()), (&[2, 3][..], &strides[..]), "{layout}");
        }
    }

    #[test]
    fn an_expression_makes_an_operand() {
        let text = |shape: &str, dtype: &str| {
            let one = r#"{"name":"a","dtype":"f32","shape":[3,1],"values":"positive"}"#;
            let source = format!(r#"{{"expression":"a * a","operands":[{one}]}}"#);
            (one, format!(r#"{{"name":"b","dtype":"{dtype}","shape":{shape},"of":{source}}}"#))
        };
        let (one, squares) = text("[1,3]", "f32");
        let (one, squares) = (operand(one).array().expect("made"), operand(&squares).array().expect("computed"));
        let each = one.as_slice::<f32>().expect("floats").iter().map(|x| x * x);
        assert!(squares.as_slice::<f32>().expect("floats").iter().copied().eq(each));
        assert_eq!(squares.view().shape(), [1, 3]);
        for (shape, dtype) in [("[4]", "f32"), ("[3]", "f64")] {
            let why = operand(&text(shape, dtype).1).array().expect_err("another shape or dtype");
            assert!(why.contains("a * a"), "{why}");
        }
    }

    #[test]
    fn values_keep_to_their_ranges() {
        let cases = [("signed", -3.0, 3.0), ("positive", 0.5, 1.5), ("divisors", 1.0, 1000.0), ("nans", -3.0, 3.0)];
        for (values, low, high) in cases {
            let text = format!(r#"{{"name":"a","dtype":"f32","shape":[9700],"values":"{values}"}}"#);
            let array = operand(&text).array().expect("made");
            let elements = array.as_slice::<f32>().expect("floats");
            let numbers: Vec<f32> = elements.iter().copied().filter(|v| !v.is_nan()).collect();
            assert_eq!(elements.len() - numbers.len(), if values == "nans" { 100 } else { 0 }, "{values}");
            assert!(numbers.iter().all(|v| (low..=high).contains(v)), "{values}");
            let middle = numbers.iter().sum::<f32>() / numbers.len() as f32;
            assert!((middle - f32::midpoint(low, high)).abs() < (high - low) / 20.0, "{values}: mean {middle}");
        }
    }
}
