//! Runs a schedule over memory, unit by unit.
//!
//! [`Schedule::run`] checks once that every address is inside its buffer, distributes ranges of units among threads and
//! calls the loops of the body for each unit. Everything else was decided in `schedule.rs`.

mod laid;
mod walk;
mod unit;
mod body;
mod call;
mod scoped_job;
mod quick;
pub mod probe;

use std::ops::Range;

use body::BodyState;
pub(crate) use scoped_job::ScopedJob;
#[cfg(all(test, unix))]
pub(crate) use scoped_job::in_child;
use unit::Unit;
use walk::Walk;

use crate::{
    executor::{Executor, Progress, Watch, look},
    isa::Isa,
    job::{Failure, Job, Worker},
    nest::Nest,
    program::Program,
    schedule::Schedule,
    tile::{Input, Output, fence},
};

/// Computes a program over a nest.
///
/// Results do not depend on the executor, the instruction set or the layout of any operand, to the last bit. An input
/// that shares memory with the output is read as if it had been copied before. To run the same program over the same
/// nest again, keep a [`Schedule`].
///
/// # Errors
/// See [`Failure`]; the output is then partly written.
pub fn run(
    program: &Program,
    nest: &Nest,
    inputs: &[Input],
    output: Output,
    executor: &dyn Executor,
    progress: Option<Progress>,
) -> Result<(), Failure> {
    Schedule::new(program, nest)?.run(inputs, output, executor, progress)
}

/// As [`run`], at a given level of instructions.
///
/// # Errors
/// As for [`run`].
pub fn run_at(
    isa: Isa,
    program: &Program,
    nest: &Nest,
    inputs: &[Input],
    output: Output,
    executor: &dyn Executor,
    progress: Option<Progress>,
) -> Result<(), Failure> {
    Schedule::at(isa, program, nest)?.run(inputs, output, executor, progress)
}

/// A schedule and the memory that it runs over.
struct ProgramJob<'a> {
    plan: &'a Schedule,
    inputs: &'a [Input<'a>],
    output: &'a Output<'a>,
}

impl ProgramJob<'_> {
    fn run(&self, executor: &dyn Executor, progress: Option<Progress>) -> Result<(), Failure> {
        let (plan, watch) = (self.plan, Watch::new(self.plan.total, progress));
        let parts = plan.parts(executor.threads());
        let job = Job { units: plan.units(), parts, worth: plan.estimate.worth, watch: &watch };
        job.run(executor, || ProgramWorker::new(self).ok_or(Failure::Memory))
    }
}

/// The state of one thread. Parts that follow reuse its addresses and packed operands.
struct ProgramWorker<'a> {
    plan: &'a Schedule,
    walk: Walk<'a>,
    unit: Unit<'a>,
    body: BodyState<'a>,
}

// SAFETY: the places lie in operands that threads may share (`Input`, `Output`) and in scratch memory of the worker's own.
unsafe impl Send for ProgramWorker<'_> {}

impl<'a> ProgramWorker<'a> {
    fn new(job: &ProgramJob<'a>) -> Option<Self> {
        let (plan, walk) = (job.plan, Walk::new(job));
        Some(Self { plan, unit: Unit::new(plan, &walk)?, walk, body: BodyState::new(&plan.body) })
    }

    /// Computes the unit of the walk, or `turns` units of which one call computes several.
    fn compute(&mut self, rows: usize, n: usize, turns: usize) -> Result<(), Failure> {
        self.unit.go(&self.walk, rows, n);
        if let BodyState::Loop(own) = &self.body
            && turns > 1
        {
            own.run_turns(&self.unit, rows, n, turns);
            return Ok(());
        }
        self.body.run(&mut self.unit, &self.walk, rows, n).map_err(|(step, element)| Failure::Rejected {
            step: self.plan.program.before[step],
            what: self.plan.steps()[step].guard.map_or("", |guard| guard.what),
            element: self.walk.element + element,
        })
    }
}

impl Worker for ProgramWorker<'_> {
    fn run(&mut self, units: Range<usize>, watch: &Watch) -> Result<(), (usize, Failure)> {
        self.walk.seek(units.start);
        let (look, mut since) = (look(self.plan.program.picos()), 0);
        let mut unit = units.start;
        while unit < units.end {
            let (rows, n) = self.walk.extent();
            let most = (look / (rows * n) as u64).max(1) as usize;
            let turns = self.walk.turns(most.min(units.end - unit));
            // Units ascend, so this is the first failure of the range.
            self.compute(rows, n, turns).map_err(|failure| (unit, failure))?;
            since += (rows * n * turns) as u64;
            if since >= look {
                if !watch.go_on(since) {
                    return Ok(());
                }
                since = 0;
            }
            self.walk.advance(turns);
            unit += turns;
        }
        if self.plan.store.streams() {
            fence();
        }
        watch.go_on(since);
        Ok(())
    }
}

/// Unsafe code that tests need. It is here because unsafe code is allowed in this module.
#[cfg(all(test, unix))]
mod fences;

#[cfg(test)]
mod raw;

#[cfg(test)]
mod tests;
