//! Programs: the kernels that run together on every tile.
//!
//! A program is a list of kernels, whose operands are inputs or results of earlier steps. All results but the last are
//! in scratch tiles, which are assigned so that the result of a loop never shares a tile with its operands.

pub use crate::step::{Slot, Step};
use crate::{
    chain::{Part, chain},
    dtype::DType,
    fuse::fuse,
};

/// A list of steps over tiles; the last one's result is the program's.
#[derive(Clone)]
pub struct Program {
    pub(crate) inputs: Vec<DType>,
    pub(crate) steps: Vec<Step>,
    /// The number of each step before steps were fused.
    pub(crate) before: Vec<usize>,
    /// The scratch tile of every step but the last.
    pub(crate) tiles: Vec<usize>,
    pub(crate) tile_count: usize,
    /// The links of one loop that computes all steps, if they are a chain.
    pub(crate) chain: Option<Vec<Part>>,
}

impl Program {
    /// Makes a program of these steps over inputs of these dtypes. Returns `None` if there is no step, or if an operand
    /// has the wrong dtype or is not computed before it is used.
    pub fn new(inputs: Vec<DType>, steps: Vec<Step>) -> Option<Self> {
        for (at, step) in steps.iter().enumerate() {
            let found = step.args.iter().map(|&arg| match arg {
                Slot::Input(i) => inputs.get(i).copied(),
                Slot::Step(s) => steps[..at].get(s).map(|step| step.kernel.output()),
            });
            if !found.eq(step.kernel.inputs().iter().map(|&dtype| Some(dtype))) {
                return None;
            }
        }
        let chain = chain(&inputs, &steps);
        let (steps, before) = fuse(steps);
        let (tiles, tile_count) = assign_tiles(&steps);
        (!steps.is_empty()).then_some(Self { inputs, steps, before, tiles, tile_count, chain })
    }

    /// Returns the dtypes of the inputs.
    pub fn inputs(&self) -> &[DType] {
        &self.inputs
    }

    /// Counts the steps; two fused steps count as one.
    pub fn step_count(&self) -> usize {
        self.steps.len()
    }

    /// Counts the scratch tiles that results of steps need at once.
    pub fn tile_count(&self) -> usize {
        self.tile_count
    }

    /// Estimates the cost of `elements` elements, of which `bytes` bytes come from or go to memory.
    pub(crate) fn work(&self, elements: u64, bytes: u64) -> Cost {
        Cost { computing: elements.saturating_mul(self.picos()) / 1000, ..Cost::of_memory(bytes) }
    }

    /// Estimates the picoseconds of arithmetic per element.
    pub(crate) fn picos(&self) -> u64 {
        self.steps.iter().map(|step| u64::from(step.kernel.picos)).sum()
    }

    /// Returns the dtype of the result.
    pub fn output(&self) -> DType {
        self.steps[self.steps.len() - 1].kernel.output()
    }
}

/// The cost of a job on one thread, in nanoseconds, rather underestimated: splitting a job a little late costs nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cost {
    /// Arithmetic.
    computing: u64,
    /// Memory traffic, which overlaps with arithmetic: the second-level cache moves 100 bytes per nanosecond.
    moving: u64,
}

impl Cost {
    /// Estimates the cost of moving `bytes` bytes.
    pub(crate) fn of_memory(bytes: u64) -> Self {
        Self { computing: 0, moving: bytes / 100 }
    }

    /// Adds `nanos` nanoseconds of arithmetic.
    pub(crate) fn and_computing(self, nanos: u64) -> Self {
        Self { computing: self.computing.saturating_add(nanos), ..self }
    }

    /// Returns the time on one thread.
    pub(crate) fn nanos(self) -> u64 {
        self.computing.max(self.moving)
    }

    /// Returns the cost that extra threads can reduce. Memory traffic counts less, because threads share bandwidth: two
    /// threads reduce it by a tenth to a half.
    pub(crate) fn worth(self) -> u64 {
        self.computing.max(self.moving / 2)
    }
}

/// Assigns a scratch tile to each step but the last; it is free again after the last step that reads it.
fn assign_tiles(steps: &[Step]) -> (Vec<usize>, usize) {
    let mut last_use = vec![0; steps.len()];
    for (at, step) in steps.iter().enumerate() {
        for arg in &step.args {
            if let Slot::Step(s) = *arg {
                last_use[s] = at;
            }
        }
    }
    let (mut tiles, mut free, mut count) = (Vec::with_capacity(steps.len()), Vec::new(), 0);
    for (at, step) in steps.iter().enumerate().take(steps.len().saturating_sub(1)) {
        // A step's own tile is assigned before those of its operands are freed, so that its result overlaps no operand.
        tiles.push(free.pop().unwrap_or_else(|| {
            count += 1;
            count - 1
        }));
        for (k, arg) in step.args.iter().enumerate() {
            if let Slot::Step(s) = *arg
                && last_use[s] == at
                && !step.args[..k].contains(arg)
            {
                free.push(tiles[s]);
            }
        }
        if last_use[at] == 0 {
            free.push(tiles[at]);
        }
    }
    (tiles, count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use broadaxe_op::find;

    use crate::table::HasKernels;

    fn step(name: &str, args: &[Slot]) -> Step {
        Step::new(find(name).and_then(|op| op.kernel(DType::F32)).expect("in the table"), args)
    }

    #[test]
    fn no_result_lies_on_an_operand() {
        use Slot::{Input as I, Step as S};
        let chains: &[&[(&str, &[Slot])]] = &[
            &[("add", &[I(0), I(1)]), ("mul", &[S(0), S(0)]), ("sub", &[S(1), S(0)]), ("neg", &[S(2)])],
            &[
                ("neg", &[I(0)]),
                ("abs", &[I(0)]),
                ("add", &[S(0), S(1)]),
                ("mul", &[S(2), S(0)]),
                ("add", &[S(3), S(1)]),
            ],
            &[("neg", &[I(0)]), ("abs", &[I(0)]), ("sign", &[S(1)])],
        ];
        for chain in chains {
            let steps: Vec<_> = chain.iter().map(|(name, args)| step(name, args)).collect();
            let program = Program::new(vec![DType::F32; 2], steps).expect("sound");
            // Checks that every step finds in the tiles the results that it reads.
            let mut holds = vec![None; program.tile_count];
            for (at, step) in program.steps.iter().enumerate() {
                for arg in &step.args {
                    if let S(s) = *arg {
                        assert_eq!(holds[program.tiles[s]], Some(s), "step {at} of {:?}", chain.len());
                        assert!(program.tiles.get(at) != Some(&program.tiles[s]), "step {at} writes over its operand");
                    }
                }
                if let Some(&tile) = program.tiles.get(at) {
                    holds[tile] = Some(at);
                }
            }
        }
    }

    #[test]
    fn arithmetic_and_memory_go_on_at_the_same_time() {
        let sine = Program::new(vec![DType::F32], vec![step("sin", &[Slot::Input(0)])]).expect("sound");
        let copy = Program::new(vec![DType::F32], vec![step("abs", &[Slot::Input(0)])]).expect("sound");
        let (sine, copy) = (sine.work(1_000_000, 8_000_000), copy.work(1_000_000, 8_000_000));
        assert_eq!((copy.nanos(), copy.worth()), (80_000, 40_000), "8 MB at 100 GB/s; 32 ps each");
        assert!(sine.nanos() > 200_000 && sine.worth() == sine.nanos(), "{sine:?}");
        assert_eq!(Cost::of_memory(8_000_000).and_computing(90_000).nanos(), 90_000);
        assert_eq!(Cost::of_memory(8_000_000).worth(), 40_000);
    }

    #[test]
    fn unsound_programs_are_refused() {
        let rejected = |steps| Program::new(vec![DType::F32, DType::I32], steps).is_none();
        assert!(rejected(vec![]));
        assert!(rejected(vec![step("add", &[Slot::Input(0), Slot::Input(1)])]), "dtypes differ");
        assert!(rejected(vec![step("neg", &[Slot::Input(2)])]), "no such input");
        assert!(rejected(vec![step("neg", &[Slot::Step(0)])]), "feeds itself");
        assert!(rejected(vec![step("add", &[Slot::Input(0)])]), "an operand is missing");
    }
}
