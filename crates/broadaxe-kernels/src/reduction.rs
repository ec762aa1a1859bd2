//! The reductions: their names, their dtypes, and their folds.
//!
//! Results have NumPy's dtypes: sums and products of bool and of integers narrower than 64 bits have 64 bits; means of
//! integers are f64. Halves are folded in f32, and callers cast the result back, which rounds once.

use crate::{
    dtype::{Bool, DType, bf16, f16},
    fold::{
        Folder, Tree,
        kinds::{All, Any, Bounded, Largest, Product, Smallest, Sum, Widen},
        search::Search,
    },
};

/// A way to reduce many elements to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// Sums; no elements give 0.
    Sum,
    /// Sums and divides by the count; no elements give NaN.
    Mean,
    /// Multiplies; no elements give 1.
    Prod,
    /// Keeps the largest; NaN propagates.
    Max,
    /// Keeps the smallest; NaN propagates.
    Min,
    /// Is true if an element is not 0; no elements give false.
    Any,
    /// Is true if no element is 0; no elements give true.
    All,
    /// Finds the first of the largest elements; a NaN is larger than all numbers.
    ArgMax,
    /// Finds the first of the smallest elements; a NaN is smaller than all numbers.
    ArgMin,
}

impl Reduction {
    /// Lists every reduction.
    pub const EVERY: [Self; 9] =
        [Self::Sum, Self::Mean, Self::Prod, Self::Max, Self::Min, Self::Any, Self::All, Self::ArgMax, Self::ArgMin];

    /// Returns the name, as in expressions.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Mean => "mean",
            Self::Prod => "prod",
            Self::Max => "max",
            Self::Min => "min",
            Self::Any => "any",
            Self::All => "all",
            Self::ArgMax => "argmax",
            Self::ArgMin => "argmin",
        }
    }

    /// Says in a few words what the result is.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Sum => "the sum of all elements",
            Self::Mean => "the mean of all elements",
            Self::Prod => "the product of all elements",
            Self::Max => "the largest element; NaN propagates",
            Self::Min => "the smallest element; NaN propagates",
            Self::Any => "whether any element is not 0",
            Self::All => "whether no element is 0",
            Self::ArgMax => "the index of the first largest element, in row-major order; NaN is the largest",
            Self::ArgMin => "the index of the first smallest element, in row-major order; NaN is the smallest",
        }
    }

    /// Finds a reduction by its name.
    ///
    /// ```
    /// use broadaxe_kernels::Reduction;
    /// assert_eq!(Reduction::from_name("argmax"), Some(Reduction::ArgMax));
    /// assert_eq!(Reduction::from_name("median"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        Self::EVERY.into_iter().find(|reduction| reduction.name() == name)
    }

    /// Says whether a reduction of no elements has a result.
    pub fn takes_none(self) -> bool {
        !matches!(self, Self::Max | Self::Min | Self::ArgMax | Self::ArgMin)
    }

    /// Says whether the result is the position of an element.
    pub fn is_search(self) -> bool {
        matches!(self, Self::ArgMax | Self::ArgMin)
    }

    /// Returns the dtype that elements of this dtype must be cast to before they are folded.
    pub fn operand(self, dtype: DType) -> DType {
        let half = matches!(dtype, DType::F16 | DType::BF16);
        match self {
            Self::Any | Self::All => DType::Bool,
            Self::Sum => dtype,
            Self::Mean if dtype.is_float() => dtype,
            Self::Mean => DType::F64,
            _ if half => DType::F32,
            Self::Prod => self.result(dtype),
            Self::ArgMax | Self::ArgMin if dtype.size() < 4 => DType::I32,
            _ if dtype == DType::Bool => DType::U8,
            _ => dtype,
        }
    }

    /// Returns the dtype of a fold of elements of this dtype, one that [`Reduction::operand`] returned.
    ///
    /// The mean's fold is that of the sum.
    pub fn folded(self, operand: DType) -> DType {
        match self {
            Self::Sum | Self::Mean if matches!(operand, DType::F16 | DType::BF16) => DType::F32,
            Self::Sum | Self::Mean | Self::Prod => Self::Sum.result(operand),
            Self::ArgMax | Self::ArgMin => DType::I64,
            _ => operand,
        }
    }

    /// Returns the dtype of the result for elements of this dtype.
    ///
    /// ```
    /// use broadaxe_kernels::{DType, Reduction};
    /// assert_eq!(Reduction::Sum.result(DType::U8), DType::U64);
    /// assert_eq!(Reduction::Mean.result(DType::I32), DType::F64);
    /// assert_eq!(Reduction::Max.result(DType::F16), DType::F16);
    /// ```
    pub fn result(self, dtype: DType) -> DType {
        match self {
            Self::Any | Self::All => DType::Bool,
            Self::ArgMax | Self::ArgMin => DType::I64,
            Self::Mean if !dtype.is_float() => DType::F64,
            Self::Sum | Self::Prod if dtype.is_unsigned() => DType::U64,
            Self::Sum | Self::Prod if !dtype.is_float() => DType::I64,
            _ => dtype,
        }
    }

    /// Makes the state of a fold of elements of this dtype; `None` for one that [`Reduction::operand`] does not return.
    pub(crate) fn folder(self, operand: DType) -> Option<Box<dyn Folder>> {
        match self {
            Self::Sum | Self::Mean => sum(operand),
            Self::Prod => match operand {
                // Products and sums that wrap have the same bits, signed or not.
                DType::I64 | DType::U64 => Some(Box::new(Tree::<Product<u64>, 16>::new())),
                DType::F32 => Some(Box::new(Tree::<Product<f32>, 32>::new())),
                DType::F64 => Some(Box::new(Tree::<Product<f64>, 16>::new())),
                _ => None,
            },
            Self::Any => (operand == DType::Bool).then(|| Box::new(Tree::<Any, 64>::new()) as Box<dyn Folder>),
            Self::All => (operand == DType::Bool).then(|| Box::new(Tree::<All, 64>::new()) as Box<dyn Folder>),
            Self::Max | Self::Min | Self::ArgMax | Self::ArgMin => self.pick(operand),
        }
    }

    fn pick(self, operand: DType) -> Option<Box<dyn Folder>> {
        match operand {
            DType::I8 => Some(self.keep::<i8, 32>()),
            DType::I16 => Some(self.keep::<i16, 32>()),
            DType::I32 => Some(self.find::<i32, 32>()),
            DType::I64 => Some(self.find::<i64, 16>()),
            DType::U8 => Some(self.keep::<u8, 32>()),
            DType::U16 => Some(self.keep::<u16, 32>()),
            DType::U32 => Some(self.find::<u32, 32>()),
            DType::U64 => Some(self.find::<u64, 16>()),
            DType::F32 => Some(self.find::<f32, 32>()),
            DType::F64 => Some(self.find::<f64, 16>()),
            DType::Bool | DType::F16 | DType::BF16 => None,
        }
    }

    fn keep<T: Bounded, const L: usize>(self) -> Box<dyn Folder> {
        if self == Self::Max { Box::new(Tree::<Largest<T>, L>::new()) } else { Box::new(Tree::<Smallest<T>, L>::new()) }
    }

    fn find<T: Bounded, const L: usize>(self) -> Box<dyn Folder> {
        match self {
            Self::ArgMax => Box::new(Search::<Largest<T>, L>::new()),
            Self::ArgMin => Box::new(Search::<Smallest<T>, L>::new()),
            _ => self.keep::<T, L>(),
        }
    }
}

fn sum(operand: DType) -> Option<Box<dyn Folder>> {
    fn of<T: Widen<A>, A: Bounded, const L: usize>() -> Box<dyn Folder> {
        Box::new(Tree::<Sum<T, A>, L>::new())
    }
    Some(match operand {
        DType::Bool => of::<Bool, i64, 32>(),
        DType::I8 => of::<i8, i64, 32>(),
        DType::I16 => of::<i16, i64, 16>(),
        DType::I32 => of::<i32, i64, 16>(),
        DType::U8 => of::<u8, u64, 32>(),
        DType::U16 => of::<u16, u64, 16>(),
        DType::U32 => of::<u32, u64, 16>(),
        DType::I64 | DType::U64 => of::<u64, u64, 16>(),
        DType::F16 => of::<f16, f32, 32>(),
        DType::BF16 => of::<bf16, f32, 32>(),
        DType::F32 => of::<f32, f32, 32>(),
        DType::F64 => of::<f64, f64, 16>(),
    })
}
