//! Explains a broadcast of known dims: its alignment, the loops that compute it, and the bytes that they move.

use broadaxe::{
    Decisions, Plan,
    promote::{self, Typed},
};
use broadaxe_draw::{Drawing, Order, repeated};
use broadaxe_op::{DType, Promotion};
use broadaxe_shape::{Alignment, Rule, Shape, contiguous_strides};
use serde_json::{Value, json};

use crate::{
    error::{Error, ErrorKind},
    rule::Rejection,
};

/// A broadcast of contiguous arrays.
#[derive(Debug)]
pub struct KnownBroadcast {
    /// The rule.
    pub rule: Rule,
    /// Where the axes of the operands go.
    pub alignment: Alignment,
    /// The dtype of each operand.
    pub dtypes: Vec<DType>,
    /// The dtype that they are computed in, and that of the result.
    pub dtype: DType,
    /// The loops.
    pub plan: Plan,
    /// How the loops are run.
    pub decisions: Decisions,
}

/// Finds the dtype of every operand, given how many there are.
///
/// # Errors
/// When there is none of a name, or neither one for all operands nor one for each.
pub(super) fn dtypes(names: &[String], operands: usize) -> Result<Vec<DType>, Error> {
    let dtypes = names.iter().map(|name| dtype(name)).collect::<Result<Vec<_>, _>>()?;
    match dtypes.as_slice() {
        [] => Ok(vec![DType::F32; operands]),
        [one] => Ok(vec![*one; operands]),
        each if each.len() == operands => Ok(dtypes),
        each => {
            let text = format!(
                "--dtype names {} dtypes and there are {operands} operands; give one for all or one for each",
                each.len()
            );
            Err(Error::usage(text))
        }
    }
}

fn dtype(name: &str) -> Result<DType, Error> {
    DType::from_name(name).ok_or_else(|| {
        let names = DType::ALL.map(DType::name).join(", ");
        Error::usage(format!("unknown dtype '{name}'; the dtypes are {names}"))
    })
}

/// Plans contiguous operands of these dtypes.
fn plan(alignment: &Alignment, dtypes: &[DType], dtype: DType) -> Result<Plan, Error> {
    let shape = alignment.shape();
    let bytes = shape.iter().filter(|&&dim| dim != 0).try_fold(dtype.size(), |n, &dim| n.checked_mul(dim));
    if bytes.is_none_or(|bytes| isize::try_from(bytes).is_err()) {
        let text = format!("a result of shape {shape} and dtype {} is too large to address", dtype.name());
        return Err(Error::new(ErrorKind::Memory, text));
    }
    let in_bytes = |strides: Vec<isize>, dtype: DType| -> Vec<isize> {
        strides.into_iter().map(|stride| stride * dtype.size() as isize).collect()
    };
    let inputs = dtypes.iter().enumerate().map(|(k, &dtype)| in_bytes(alignment.strides(k), dtype));
    let (output, inputs) = (in_bytes(contiguous_strides(shape), dtype), inputs.collect::<Vec<_>>());
    Ok(if alignment.is_tiled() { Plan::tiled(alignment, &output, &inputs) } else { Plan::new(shape, &output, &inputs) })
}

impl KnownBroadcast {
    /// Aligns shapes, and plans the loops.
    pub(super) fn new(rule: Rule, shapes: &[Shape], dtypes: Vec<DType>) -> Result<Self, Box<Rejection>> {
        let dims: Vec<&[usize]> = shapes.iter().map(Shape::dims).collect();
        let alignment = rule.align(&dims).map_err(|error| {
            let drawing = Drawing::failed(&rule, &dims, Order::ROW_MAJOR);
            Box::new(Rejection { error: error.into(), drawing })
        })?;
        let operands: Vec<Typed> = dtypes.iter().copied().map(Typed::Strong).collect();
        let dtype = promote::dtype(Promotion::Common, &operands).unwrap_or(DType::F32);
        let plan = plan(&alignment, &dtypes, dtype)?;
        let decisions = plan.decisions(dtype).map_err(Error::from)?;
        Ok(Self { rule, alignment, dtypes, dtype, plan, decisions })
    }

    /// Returns the bytes that are read of each operand.
    pub fn read(&self) -> Vec<u128> {
        let operands = self.alignment.operands().iter().zip(&self.dtypes);
        operands.map(|(operand, &dtype)| bytes_of(operand.shape(), dtype)).collect()
    }

    /// Returns the bytes that are written.
    pub fn written(&self) -> u128 {
        bytes_of(self.alignment.shape(), self.dtype)
    }

    /// Returns the elements of the result per element of the operands.
    pub fn blow_up(&self) -> Option<f64> {
        let read: u128 = self.alignment.operands().iter().map(|operand| count(operand.shape())).sum();
        (read > 0).then(|| count(self.alignment.shape()) as f64 / read as f64)
    }

    pub(super) fn record(&self) -> Value {
        let nest = self.plan.nest();
        let operands = self.alignment.operands().iter().enumerate().map(|(k, operand)| {
            let along = repeated(&self.alignment, k).into_iter();
            let along = along.map(|(axis, times)| json!({ "axis": axis, "times": times }));
            let along = along.collect::<Vec<_>>();
            let mut json = json!({ "shape": operand.shape().dims(), "axes": operand.axes(), "repeats": along });
            if self.dtypes[k] != self.dtype {
                json["dtype"] = self.dtypes[k].name().into();
            }
            json
        });
        let loops = self.plan.axes().into_iter().enumerate().map(|(i, axes)| {
            let inputs: Vec<isize> = nest.inputs.iter().map(|strides| strides[i]).collect();
            json!({ "times": nest.dims[i], "axes": axes, "result": nest.output[i], "operands": inputs })
        });
        json!({
            "rule": self.rule.to_string(),
            "dtype": self.dtype.name(),
            "shape": self.alignment.shape().dims(),
            "operands": operands.collect::<Vec<_>>(),
            "loops": loops.collect::<Vec<_>>(),
            "unit": { "rows": self.decisions.rows, "row": self.decisions.row, "turns": self.decisions.turns },
            "packed": self.decisions.packed,
            "constant": self.decisions.constant,
            "bytes_read": self.read().iter().sum::<u128>() as u64,
            "bytes_written": self.written() as u64,
            "blow_up": self.blow_up(),
        })
    }
}

fn count(shape: &[usize]) -> u128 {
    shape.iter().map(|&dim| dim as u128).product()
}

fn bytes_of(shape: &[usize], dtype: DType) -> u128 {
    count(shape) * dtype.size() as u128
}
