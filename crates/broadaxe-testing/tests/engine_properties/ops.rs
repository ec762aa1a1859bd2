//! Every operator and dtype on edges, at every instruction set, in vectors and in their tails, dense and constant.

use std::collections::BTreeMap;

use broadaxe_kernels::{DType, Failure, HasKernels, Isa, Kernel, OPS, Op, Program};
use broadaxe_testing::{
    oracle::{Outcome, Ty, Value, distance, edge_values, from_bytes, output, to_bytes},
    random::Random,
};

use crate::drive::{Operand, ask, column, operand, other_nans, report, run_columns, run_loop, single, ty};

/// The operators that move bits and compute nothing: they keep whatever NaN they are given, but for the sign.
const MOVERS: &[&str] = &["neg", "abs", "fabs", "copysign", "where", "copy", "positive", "conjugate"];

/// The operators that look at the sign of a NaN.
const SIGNED: &[&str] = &["copysign", "signbit"];

/// Returns which byte of a float of this size holds the sign.
fn sign_byte(size: usize) -> usize {
    if cfg!(target_endian = "little") { size - 1 } else { 0 }
}

/// An operator for a dtype, with what it is asked and what the oracle answers.
struct Exam {
    op: &'static Op,
    dtype: DType,
    kernel: &'static Kernel,
    program: Program,
    tuples: Vec<Vec<Value>>,
    outcomes: Vec<Outcome>,
    /// How many of the tuples are all combinations of edges; the rest are random.
    edges: usize,
    refused: Vec<Vec<Value>>,
}

/// Returns the elements tried for one operand: every pattern of 16 bits for one operand, edges for more.
fn elements(ty: Ty, arity: usize) -> Vec<Value> {
    let mut list = edge_values(ty);
    match (ty.bits(), arity) {
        (16, 1) => list = from_bytes(ty, &(0..=u16::MAX).flat_map(u16::to_ne_bytes).collect::<Vec<_>>()),
        (8, 1 | 2) if ty != Ty::Bool => list = from_bytes(ty, &(0..=u8::MAX).collect::<Vec<_>>()),
        (_, 3) => list = list.iter().copied().step_by(list.len().div_ceil(12)).collect(),
        _ => {}
    }
    if arity == 3 && ty.is_float() {
        list.push(Value::Float(f64::NAN));
    }
    list
}

impl Exam {
    /// Sets the questions.
    fn new(op: &'static Op, dtype: DType, random: &mut Random) -> Self {
        let kernel = op.kernel(dtype).expect("its own");
        let tys: Vec<Ty> = (0..op.arity()).map(|k| ty(operand(op, k, dtype))).collect();
        let mut tuples: Vec<Vec<Value>> = vec![vec![]];
        for &ty in &tys {
            let list = elements(ty, op.arity());
            tuples = tuples
                .iter()
                .flat_map(|tuple| list.iter().map(move |&value| [&tuple[..], &[value]].concat()))
                .collect();
        }
        let is_refused = |tuple: &Vec<Value>| ask(op, dtype, tuple) == Outcome::Refused;
        let (refused, mut tuples): (Vec<_>, Vec<_>) =
            if kernel.guard().is_some() { tuples.into_iter().partition(is_refused) } else { (Vec::new(), tuples) };
        let edges = tuples.len();
        let more = (0..250).map(|_| tys.iter().map(|&ty| random.value(ty)).collect());
        tuples.extend(more.filter(|tuple| kernel.guard().is_none() || !is_refused(tuple)));
        let outcomes: Vec<_> = tuples.iter().map(|tuple| ask(op, dtype, tuple)).collect();
        Self { op, dtype, kernel, program: single(kernel), tuples, outcomes, edges, refused }
    }

    /// Says whether the oracle knows the operator for the dtype.
    fn is_known(&self) -> bool {
        !self.outcomes.contains(&Outcome::Unsupported)
    }

    fn named(&self) -> String {
        format!("{} {}", self.op.name(), self.dtype)
    }

    fn columns(&self) -> Vec<Vec<u8>> {
        (0..self.op.arity()).map(|k| column(self.op, k, self.dtype, &self.tuples)).collect()
    }

    /// Holds answers against the oracle, and NaN against its canonical form.
    fn compare(&self, got: &[u8], faults: &mut Vec<String>) {
        if !self.is_known() {
            return;
        }
        let to = output(self.op.name(), ty(self.dtype));
        let claimed = self.op.ulp().map(|(f32, f64)| if to == Ty::F64 { f64 } else { f32 });
        let nan = if to.is_float() { to_bytes(to, &[Value::Float(f64::NAN)]) } else { Vec::new() };
        let size = self.kernel.output().size();
        for (i, value) in from_bytes(to, got).into_iter().enumerate() {
            let outcome = self.outcomes[i];
            let near = match (outcome, value, claimed) {
                (Outcome::Near { value: Value::Float(want), .. }, Value::Float(got), Some(claimed)) => {
                    distance(to, want, got).is_none_or(|far| far as f64 <= claimed)
                }
                _ => true,
            };
            if !outcome.accepts(to, value) || !near {
                faults.push(format!("{} of {:?}: {value:?}, want {outcome:?}", self.named(), self.tuples[i]));
            }
            let is_nan = matches!(value, Value::Float(x) if x.is_nan());
            if is_nan && got[i * size..][..size] != nan && !MOVERS.contains(&self.op.name()) {
                faults.push(format!("{} NaN of {:?}: {:x?}", self.named(), self.tuples[i], &got[i * size..][..size]));
            }
        }
    }

    fn same(&self, what: &str, isa: Isa, want: &[u8], got: Result<Vec<u8>, Failure>, faults: &mut Vec<String>) {
        match got {
            Err(failure) => faults.push(format!("{} of {what} at {:?}: {failure:?}", self.named(), isa.level())),
            Ok(got) if got != want => {
                let at = got.iter().zip(want).position(|(a, b)| a != b).unwrap_or(0) / self.kernel.output().size();
                let named = self.named();
                faults.push(format!("{named} of {what} at {:?}: differs first at {at}", isa.level()));
            }
            Ok(_) => {}
        }
    }

    /// Runs all questions in one loop, one byte off their alignment, and three at a time, where no vector has room.
    fn levels_and_places(&self, columns: &[Vec<u8>], want: &[u8], faults: &mut Vec<String>) {
        let shifted: Vec<Vec<u8>> = columns.iter().map(|column| [&[0x5a], &column[..]].concat()).collect();
        let count = self.tuples.len();
        let size = self.kernel.output().size();
        for isa in Isa::available() {
            self.same("a whole loop", isa, want, run_columns(isa, &self.program, columns), faults);
            let operands: Vec<Operand> =
                shifted.iter().map(|bytes| Operand { bytes, offset: 1, repeats: false }).collect();
            let mut out = vec![0; want.len()];
            let got = run_loop(isa, &self.program, count, &operands, &mut out).map(|()| out.clone());
            self.same("misaligned operands", isa, want, got, faults);
            out.fill(0);
            let few = count.min(6000);
            let mut result = Ok(());
            for from in (0..few).step_by(3) {
                let to = few.min(from + 3);
                let piece = |(k, column): (usize, &'_ Vec<u8>)| {
                    let size = self.kernel.inputs()[k].size();
                    column[from * size..to * size].to_vec()
                };
                let pieces: Vec<Vec<u8>> = columns.iter().enumerate().map(piece).collect();
                let operands: Vec<Operand> = pieces.iter().map(|bytes| Operand::dense(bytes)).collect();
                let place = &mut out[from * size..to * size];
                result = result.and(run_loop(isa, &self.program, to - from, &operands, place));
            }
            out.truncate(few * size);
            self.same("three at a time", isa, &want[..few * size], result.map(|()| out), faults);
        }
    }

    /// Runs the questions again in groups that share some operands, with these constant.
    fn constants(&self, columns: &[Vec<u8>], want: &[u8], faults: &mut Vec<String>) {
        let element = |k: usize, i: usize| {
            let size = self.kernel.inputs()[k].size();
            &columns[k][i * size..(i + 1) * size]
        };
        let size = self.kernel.output().size();
        for mask in 1..1_usize << self.op.arity() {
            let kept = |k: usize| mask >> k & 1 == 1;
            let mut groups: BTreeMap<Vec<u8>, Vec<usize>> = BTreeMap::new();
            for i in 0..self.edges.min(6000) {
                let key = (0..self.op.arity()).filter(|&k| kept(k)).flat_map(|k| element(k, i)).copied().collect();
                groups.entry(key).or_default().push(i);
            }
            for group in groups.values().step_by(groups.len().div_ceil(100).max(1)) {
                let take = |k: usize| if kept(k) { &group[..1] } else { &group[..] };
                let bytes: Vec<Vec<u8>> = (0..self.op.arity())
                    .map(|k| take(k).iter().flat_map(|&i| element(k, i)).copied().collect())
                    .collect();
                let operands: Vec<Operand> =
                    bytes.iter().enumerate().map(|(k, b)| Operand { bytes: b, offset: 0, repeats: kept(k) }).collect();
                let wanted: Vec<u8> = group.iter().flat_map(|&i| &want[i * size..(i + 1) * size]).copied().collect();
                for isa in Isa::available() {
                    let mut out = vec![0; wanted.len()];
                    let got = run_loop(isa, &self.program, group.len(), &operands, &mut out).map(|()| out);
                    self.same(&format!("constants {mask:b}"), isa, &wanted, got, faults);
                }
            }
        }
    }

    /// Gives NaN other bits: the answers stay what they are.
    fn nans(&self, columns: &[Vec<u8>], want: &[u8], faults: &mut Vec<String>) {
        for nan in other_nans(self.dtype) {
            let size = self.dtype.size();
            if SIGNED.contains(&self.op.name()) && nan[sign_byte(size)] & 0x80 != 0 {
                continue;
            }
            let mut columns = columns.to_vec();
            for (k, column) in
                columns.iter_mut().enumerate().filter(|&(k, _)| operand(self.op, k, self.dtype).is_float())
            {
                for (place, tuple) in column.chunks_mut(size).zip(&self.tuples) {
                    if tuple[k].float().is_nan() {
                        place.copy_from_slice(&nan);
                    }
                }
            }
            for isa in Isa::available() {
                let got = run_columns(isa, &self.program, &columns);
                if MOVERS.contains(&self.op.name()) {
                    match got {
                        Ok(got) => self.compare(&got, faults),
                        Err(failure) => faults.push(format!("{} of NaN {nan:x?}: {failure:?}", self.named())),
                    }
                } else {
                    self.same(&format!("NaN {nan:x?}"), isa, want, got, faults);
                }
            }
        }
    }

    /// Puts each rejected tuple somewhere between answered ones: the first of all is named.
    fn refusals(&self, faults: &mut Vec<String>) {
        let Some(guard) = self.kernel.guard() else { return };
        for (n, tuple) in self.refused.iter().enumerate().step_by(self.refused.len().div_ceil(150).max(1)) {
            let at = [0, 1, 31, 63, 64, 98, 99][n % 7];
            let mut tuples: Vec<Vec<Value>> = self.tuples.iter().cycle().skip(n).take(100).cloned().collect();
            tuples[99].clone_from(tuple);
            tuples[at].clone_from(tuple);
            let columns: Vec<_> = (0..self.op.arity()).map(|k| column(self.op, k, self.dtype, &tuples)).collect();
            let want = Err(Failure::Rejected { step: 0, what: guard.what(), element: at as u64 });
            for isa in Isa::available() {
                let got = run_columns(isa, &self.program, &columns);
                if got != want {
                    faults.push(format!("{} refusal of {tuple:?} at {at}: {got:?}", self.named()));
                }
            }
        }
    }
}

#[test]
fn every_operator_and_dtype_at_every_level() {
    let mut random = Random::new(77);
    let (mut faults, mut unknown) = (Vec::new(), BTreeMap::new());
    let (mut pairs, mut answers, mut refusals) = (0, 0, 0);
    for op in OPS {
        for dtype in op.dtypes() {
            let exam = Exam::new(op, dtype, &mut random);
            if !exam.is_known() {
                unknown.entry(op.name()).or_insert_with(Vec::new).push(dtype.name());
            }
            let columns = exam.columns();
            let base = match run_columns(Isa::available()[0], &exam.program, &columns) {
                Ok(base) => base,
                // What an operator rejects that the oracle does not know, cannot be told beforehand.
                Err(Failure::Rejected { .. }) if !exam.is_known() => continue,
                Err(failure) => {
                    faults.push(format!("{} of answered elements: {failure:?}", exam.named()));
                    continue;
                }
            };
            exam.compare(&base, &mut faults);
            exam.levels_and_places(&columns, &base, &mut faults);
            exam.constants(&columns, &base, &mut faults);
            exam.nans(&columns, &base, &mut faults);
            exam.refusals(&mut faults);
            pairs += 1;
            answers += exam.tuples.len();
            refusals += exam.refused.len();
        }
    }
    let levels: Vec<_> = Isa::available().into_iter().map(|isa| isa.level().name()).collect();
    println!(
        "{pairs} pairs of operator and dtype: {answers} answers and {refusals} refusals, at {}; without an oracle: {unknown:?}",
        levels.join(", ")
    );
    // An operator that is new to the oracle is held against itself only; one that it knows, it knows for every dtype.
    for (name, dtypes) in unknown {
        let op = broadaxe_kernels::find(name).expect("from the table");
        if dtypes.len() < op.dtypes().count() {
            faults.push(format!("{name} of {dtypes:?}: the oracle knows it for other dtypes only"));
        }
    }
    assert!(faults.is_empty(), "{}", report(&faults));
    assert!(pairs > 400 && answers > 1_000_000 && refusals > 1000, "{pairs} {answers} {refusals}");
}

#[test]
fn movers_keep_the_bits_of_nan() {
    for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64] {
        for nan in other_nans(dtype) {
            let minus = to_bytes(ty(dtype), &[Value::Float(-1.0)]);
            // What becomes of the byte with the sign.
            type Case<'a> = (&'static str, Vec<&'a [u8]>, fn(u8) -> u8);
            let cases: [Case; 9] = [
                ("neg", vec![&nan], |top| top ^ 0x80),
                ("abs", vec![&nan], |top| top & 0x7f),
                ("fabs", vec![&nan], |top| top & 0x7f),
                ("copy", vec![&nan], |top| top),
                ("positive", vec![&nan], |top| top),
                ("conjugate", vec![&nan], |top| top),
                ("copysign", vec![&nan, &minus], |top| top | 0x80),
                ("where", vec![&[2], &nan, &minus], |top| top),
                ("where", vec![&[0], &minus, &nan], |top| top),
            ];
            for (name, operands, signed) in cases {
                let kernel = broadaxe_kernels::find(name).and_then(|op| op.kernel(dtype)).expect("in the table");
                let columns: Vec<Vec<u8>> = operands.into_iter().map(<[u8]>::to_vec).collect();
                let mut want = nan.clone();
                want[sign_byte(nan.len())] = signed(want[sign_byte(nan.len())]);
                for isa in Isa::available() {
                    let got = run_columns(isa, &single(kernel), &columns);
                    assert_eq!(got.as_ref(), Ok(&want), "{name} {dtype} of {nan:x?} at {:?}", isa.level());
                }
            }
        }
    }
}
