//! Finds out which faults the unchanged model has: runtimes do otherwise with a part, and with a model whose values are looked at.

use std::collections::BTreeSet;

use super::{
    Examination, Fault, NOT_ALONE,
    bench::Ran,
    gap::{OF_MODEL, gap},
    own,
    reduce::{Reduced, Symptom, reduce},
};
use crate::{
    ask::run::Tensor,
    error::Error,
    graph::{NodeId, ValueId},
};

impl Examination<'_, '_> {
    /// Says whether the model, with the values of nodes at fault fed, gives what it should.
    pub(super) fn agrees(&mut self, first: &Ran) -> Result<bool, Error> {
        let outputs: Vec<ValueId> = self.bench.model.main().outputs.clone();
        let compared: Vec<ValueId> = outputs.iter().copied().filter(|&id| self.bench.producer(id).is_some()).collect();
        let (ran, names) = if self.at_fault.is_empty() {
            (first.clone(), outputs)
        } else {
            let wanted: Vec<ValueId> = compared.iter().copied().filter(|id| !self.at_fault.contains(id)).collect();
            let Some(part) = self.bench.part(&self.nodes, &self.at_fault, &wanted) else { return Ok(true) };
            (self.bench.run(&part)?, wanted)
        };
        let Ran::Values(values) = ran else {
            return Ok(matches!(first, Ran::Refused(_)) && !self.examined.faults.is_empty());
        };
        let differs = names.iter().zip(&values).any(|(&id, got)| {
            compared.contains(&id) && self.bench.value(id).is_some_and(|want| gap(want, got, OF_MODEL).is_some())
        });
        Ok(!differs)
    }

    /// Finds outputs whose shape is not the one that the model gives them. Between nodes, an engine may carry an axis too many; at an
    /// output, it is what a user gets.
    pub(super) fn misshapen(&mut self, first: &Ran) -> Result<(), Error> {
        let Ran::Values(values) = first else { return Ok(()) };
        let outputs: Vec<ValueId> = self.bench.model.main().outputs.clone();
        for (&id, got) in outputs.iter().zip(values) {
            let Some(node) = self.bench.producer(id).filter(|_| !self.at_fault.contains(&id)) else { continue };
            let Some(known) = self.bench.known_shape(id).filter(|known| *known != got.shape) else { continue };
            let right = Tensor { shape: known.clone(), ..got.clone() };
            let Some(gap) = gap(&right, got, OF_MODEL) else { continue };
            if self.bench.value(id).is_some_and(|value| value.shape != known) {
                self.bench.forget(id);
            }
            for value in self.made(&self.nodes) {
                if let Some(known) = self.bench.value(value).map(|known| self.bench.in_known_shape(value, known)) {
                    self.bench.keep(value, known);
                }
            }
            let group = self.up_to(node, id);
            let shown = Symptom::Wrong(gap, got.clone());
            let alone = Reduced { nodes: vec![node], hidden: BTreeSet::new(), value: id, shown };
            let reduced = reduce(&mut self.bench, &group, &self.pins)?;
            self.record(reduced.unwrap_or(alone))?;
        }
        Ok(())
    }

    /// Keeps the faults that the unchanged model has. Where all of its outputs are right, and would not be with a wrong value, it does not
    /// have that fault: looking at the value makes it. A model that runs has no node that is refused.
    pub(super) fn keep_shown(&mut self, first: &Ran) -> Result<(), Error> {
        let Ran::Values(values) = first else { return Ok(()) };
        // Such as nodes of f16 that the engine casts in the model.
        let (kept, alone) =
            std::mem::take(&mut self.examined.faults).into_iter().partition(|fault| fault.refused.is_none());
        self.examined.faults = kept;
        let alone: Vec<Fault> = alone;
        let nodes = alone.into_iter().flat_map(|fault| fault.nodes);
        self.examined.uncomputed.extend(nodes.map(|node| (node, NOT_ALONE.to_owned())));
        let outputs: Vec<ValueId> = self.bench.model.main().outputs.clone();
        if !self.are_right(&outputs, values) {
            return Ok(());
        }
        for fault in std::mem::take(&mut self.examined.faults) {
            if self.hides(&fault, &outputs)? {
                self.examined.faults.push(fault);
            }
        }
        Ok(())
    }

    /// Says whether the outputs of the model hide a fault: they are right with the wrong value, too.
    fn hides(&mut self, fault: &Fault, outputs: &[ValueId]) -> Result<bool, Error> {
        let (Some(got), Some(right)) = (&fault.got, &fault.right) else { return Ok(true) };
        // No other numbers make a shape matter that does not.
        if got.shape != right.shape {
            return Ok(false);
        }
        if gap(right, got, OF_MODEL).is_none() {
            return Ok(true);
        }
        if outputs.contains(&fault.value) {
            return Ok(false);
        }
        self.bench.keep(fault.value, got.clone());
        let part = self.bench.part(&self.nodes, &BTreeSet::from([fault.value]), outputs);
        let ran = part.map(|part| self.bench.run(&part)).transpose();
        self.bench.keep(fault.value, right.clone());
        Ok(match ran? {
            Some(Ran::Values(values)) => self.are_right(outputs, &values),
            _ => true,
        })
    }

    fn are_right(&self, outputs: &[ValueId], values: &[Tensor]) -> bool {
        let is_right = |(&id, got): (&ValueId, &Tensor)| {
            self.bench.known_shape(id).is_none_or(|shape| shape == got.shape)
                && self.bench.value(id).is_none_or(|want| gap(want, got, OF_MODEL).is_none())
        };
        outputs.iter().zip(values).all(is_right)
    }

    /// Says whether the whole model shows a fault that a part shows: runtimes lay out what flows into a model otherwise than what
    /// they compute.
    pub(super) fn is_in_model(&mut self, reduced: &Reduced) -> Result<bool, Error> {
        let last = reduced.nodes.last().map_or(0, |&node| self.bench.place(node));
        let before: Vec<NodeId> = self.nodes.iter().copied().filter(|&node| self.bench.place(node) <= last).collect();
        let Some(part) = self.bench.part(&before, &self.at_fault, &[reduced.value]) else { return Ok(true) };
        Ok(match self.bench.run(&part)? {
            Ran::Values(values) => {
                let want = self.bench.value(reduced.value);
                let tolerance = own::tolerance(&self.bench, &before);
                want.zip(values.first()).is_none_or(|(want, got)| gap(want, got, tolerance).is_some())
            }
            // An engine that writes past the end of a tensor may fall over.
            Ran::Refused(_) | Ran::Unknown(_) => true,
        })
    }
}
