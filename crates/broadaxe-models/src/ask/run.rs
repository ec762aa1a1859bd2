//! Describes the run of a model on an engine: what it is given, and what it answers.

use broadaxe::DType;

use super::numbers;
use crate::error::Error;

pub use self::RunTensor as Tensor;

/// A model to run, with its inputs.
#[derive(Clone, Debug)]
pub struct ModelRun {
    /// The name of the format.
    pub format: &'static str,
    /// The file.
    pub model: Vec<u8>,
    /// The file of weights, for formats of two files.
    pub weights: Option<Vec<u8>>,
    /// What its inputs are given, by name.
    pub inputs: Vec<(String, Tensor)>,
    /// The names of the outputs that are wanted, in order.
    pub outputs: Vec<String>,
    /// How often the loaded model runs; the last run is the answer.
    pub times: usize,
}

/// A tensor that is given to an engine, or that it gives: little-endian elements in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub struct RunTensor {
    /// The type of its elements.
    pub dtype: DType,
    /// Its shape, row-major.
    pub shape: Vec<usize>,
    /// Its elements, dense.
    pub data: Vec<u8>,
}

/// What an engine does with a model.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelAnswer {
    /// It gives the outputs, in the order in which they were asked for.
    Values(Vec<Tensor>),
    /// It says why it does not.
    Refused(String),
    /// Its process ended.
    Ended(String),
    /// Nothing was found out.
    Unknown(String),
}

/// Something that runs models.
pub trait Runner {
    /// Runs a model.
    ///
    /// # Errors
    /// When the engine cannot be started.
    fn run(&mut self, run: &ModelRun) -> Result<ModelAnswer, Error>;
}

impl RunTensor {
    /// Reads the elements as f64.
    pub fn values(&self) -> Vec<f64> {
        numbers::values(self.dtype, &self.data)
    }
}
