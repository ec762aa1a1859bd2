//! Fuses two steps of a program into one where a kernel computes both.

use broadaxe_op::{OpId, constants as ops};

use crate::{
    dtype::DType,
    family::pairs,
    loops::Kernel,
    step::{Slot, Step},
    table::HasKernels,
};

/// The operators that can be part of a pair, by the number that [`pairs`] gives them.
const FUSED_OPERATORS: [OpId; 3] = [ops::ADD, ops::SUB, ops::MUL];

/// Returns the number of the operator that a kernel belongs to, if it can be part of a pair.
fn part(kernel: &'static Kernel) -> Option<usize> {
    let dtype = kernel.output();
    let is = |op: &OpId| op.kernel(dtype).is_some_and(|own| std::ptr::eq(own, kernel));
    matches!(dtype, DType::F32 | DType::F64).then(|| FUSED_OPERATORS.iter().position(is))?
}

/// Returns the kernel of both steps, if the first is operand `k` of the second.
fn fused(first: &Step, second: &Step, k: usize) -> Option<&'static Kernel> {
    let (one, two) = (part(first.kernel)?, part(second.kernel)?);
    // The third operand minus the first result: a difference whose second operand is the first step.
    let two = if k == 1 && two == 1 { 3 } else { two };
    Some(&pairs(second.kernel.output())?[one][two])
}

/// Fuses all pairs. Returns the steps, and for each the number that it, or its second part, had before.
pub(crate) fn fuse(steps: Vec<Step>) -> (Vec<Step>, Vec<usize>) {
    let mut uses = vec![0; steps.len()];
    for arg in steps.iter().flat_map(|step| &step.args) {
        if let Slot::Step(s) = *arg {
            uses[s] += 1;
        }
    }
    let mut steps: Vec<Option<Step>> = steps.into_iter().map(Some).collect();
    for at in 0..steps.len() {
        let Some(second) = &steps[at] else { continue };
        let found = second.args.iter().enumerate().find_map(|(k, arg)| {
            let Slot::Step(s) = *arg else { return None };
            let first = steps[s].as_ref().filter(|_| uses[s] == 1)?;
            let kernel = fused(first, second, k)?;
            Some((s, Step::new(kernel, [first.args[0], first.args[1], second.args[1 - k]])))
        });
        if let Some((s, both)) = found {
            steps[s] = None;
            steps[at] = Some(both);
        }
    }
    renumber(steps)
}

/// Removes fused steps and renumbers the others.
fn renumber(steps: Vec<Option<Step>>) -> (Vec<Step>, Vec<usize>) {
    let mut now = vec![0; steps.len()];
    let (mut left, mut before) = (Vec::new(), Vec::new());
    for (at, step) in steps.into_iter().enumerate() {
        let Some(mut step) = step else { continue };
        for arg in &mut step.args {
            if let Slot::Step(s) = arg {
                *s = now[*s];
            }
        }
        now[at] = left.len();
        left.push(step);
        before.push(at);
    }
    (left, before)
}

#[cfg(test)]
mod tests {
    use broadaxe_op::find;

    use super::*;
    use Slot::{Input as I, Step as S};

    fn step(name: &str, dtype: DType, args: &[Slot]) -> Step {
        Step::new(find(name).and_then(|op| op.kernel(dtype)).expect("in the table"), args)
    }

    #[test]
    fn chains_become_pairs() {
        struct Case {
            about: &'static str,
            steps: &'static [(&'static str, &'static [Slot])],
            want: &'static [usize],
        }
        let cases = [
            Case {
                about: "a chain of four",
                steps: &[
                    ("sub", &[I(0), I(1)]),
                    ("mul", &[S(0), I(2)]),
                    ("mul", &[S(1), I(3)]),
                    ("add", &[S(2), I(4)]),
                ],
                want: &[1, 3],
            },
            Case {
                about: "two products and their sum",
                steps: &[("mul", &[I(0), I(0)]), ("mul", &[I(1), I(1)]), ("add", &[S(0), S(1)]), ("sqrt", &[S(2)])],
                want: &[1, 2, 3],
            },
            Case {
                about: "a result used twice",
                steps: &[("mul", &[I(0), I(0)]), ("add", &[S(0), I(1)]), ("sub", &[S(1), S(0)])],
                want: &[0, 2],
            },
            Case { about: "a square", steps: &[("add", &[I(0), I(1)]), ("mul", &[S(0), S(0)])], want: &[0, 1] },
        ];
        for Case { about, steps, want } in cases {
            let steps = steps.iter().map(|(name, args)| step(name, DType::F32, args)).collect();
            assert_eq!(fuse(steps).1, want, "{about}");
        }
        let halves = vec![step("mul", DType::F16, &[I(0), I(1)]), step("add", DType::F16, &[S(0), I(2)])];
        assert_eq!(fuse(halves).1, [0, 1], "halves round twice");
    }
}
