//! Runs a model with drawn numbers: with sizes of open dims that fit, other numbers, and integers far from 0.

use std::time::Instant;

use super::{
    super::run::{Runner, Tensor},
    Examination, Examined, FAR_WINDOWS, Settings, WINDOWS,
    bench::PartRunner,
    feeds::{self, Integers, SizeTrial},
};
use crate::{
    error::Error,
    graph::{Model, ValueId},
    infer::Shapes,
};

/// What is said where no sizes of open dims are found that fit the nodes.
const NO_SIZES: &str = "no sizes of its open dims were found that fit; --input-shape gives others";
/// A model is run with other numbers if the first ones took less than this part of the time.
const QUICK_PARTS: u32 = 10;
/// How often a model in which nothing was found is run with other numbers: few elements may all be such that an engine rounds them rightly.
const MORE_DRAWS: u64 = 3;

/// A model that is asked about, and how.
struct Draws<'a> {
    model: &'a Model,
    shapes: &'a Shapes,
    settings: &'a Settings,
    started: Instant,
    until: Instant,
}

/// Asks with the first sizes of open dims that the model accepts.
///
/// # Errors
/// When the engine does not start.
pub(super) fn examine_trials(
    (model, shapes): (&Model, &Shapes),
    runner: &mut dyn Runner,
    (settings, until): (&Settings, Instant),
    report: &mut dyn FnMut(&str, usize),
) -> Result<Examined, Error> {
    let draws = Draws { model, shapes, settings, started: Instant::now(), until };
    let mut examined = Examined::default();
    let trials = feeds::trials(model, shapes);
    let mut last = None;
    for trial in &trials {
        let small = match draws.feeds(trial, (settings.seed, Integers::Small)) {
            Ok(feeds) => feeds,
            Err(why) => {
                last = Some(why);
                continue;
            }
        };
        let (found, is_whole) = draws.examine(runner, (trial, small), &WINDOWS, report)?;
        examined = found;
        // With lengths that the model does not take, nothing is learned.
        if !is_whole && examined.faults.iter().all(|fault| fault.gap.is_none()) {
            continue;
        }
        if is_whole {
            draws.again(trial, runner, &mut examined, report)?;
        }
        return Ok(examined);
    }
    if trials.iter().all(|trial| trial.misfits > 0) && examined.faults.iter().all(|fault| fault.gap.is_none()) {
        // What is refused may be the sizes.
        examined.faults.clear();
        last = last.or_else(|| Some(NO_SIZES.to_owned()));
    }
    examined.left.extend(last);
    Ok(examined)
}

impl Draws<'_> {
    fn feeds(&self, trial: &SizeTrial, drawn: (u64, Integers)) -> Result<Vec<(ValueId, Tensor)>, String> {
        feeds::draw(self.model, &trial.shapes, &self.settings.inputs, drawn)
    }

    /// Examines the model with these inputs; says also whether the engine accepts it.
    fn examine(
        &self,
        runner: &mut dyn Runner,
        (trial, feeds): (&SizeTrial, Vec<(ValueId, Tensor)>),
        windows: &[usize],
        report: &mut dyn FnMut(&str, usize),
    ) -> Result<(Examined, bool), Error> {
        let is_known = |(id, fed): &(ValueId, Tensor)| {
            let known = trial.shapes.of.get(id.0 as usize).and_then(|known| known.shape.known());
            known.is_none_or(|shape| shape.dims() == fed.shape)
        };
        // What a user gives may have other sizes.
        let shapes = if feeds.iter().all(is_known) { &trial.shapes } else { self.shapes };
        let bench = PartRunner::new(self.model, (self.shapes, shapes), runner, self.until, feeds);
        let mut examination = Examination::new(bench, report);
        let is_whole = examination.whole(windows)?;
        Ok((examination.done(), is_whole))
    }

    /// Adds what other numbers show, such as a slope of data that are not negative, and integers far from 0.
    fn again(
        &self,
        trial: &SizeTrial,
        runner: &mut dyn Runner,
        examined: &mut Examined,
        report: &mut dyn FnMut(&str, usize),
    ) -> Result<(), Error> {
        let (seed, given) = (self.settings.seed, &self.settings.inputs);
        let is_quick = self.started.elapsed() * QUICK_PARTS < self.settings.time;
        let is_clean = examined.faults.is_empty() && is_quick && feeds::has_drawn(self.model, given);
        let is_far = feeds::has_far(self.model, &trial.shapes, given);
        let others = (1..=MORE_DRAWS).map(|more| (is_clean, (seed + more, Integers::Small)));
        for (wanted, drawn) in others.chain([(is_far, (seed, Integers::Far))]) {
            if wanted && let Ok(feeds) = self.feeds(trial, drawn) {
                let (found, _) = self.examine(runner, (trial, feeds), &FAR_WINDOWS, report)?;
                examined.extend(found, drawn.1 == Integers::Far);
            }
        }
        Ok(())
    }
}
