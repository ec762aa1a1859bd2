//! Runs the layers whose sums of products are left to the engine.

use std::collections::BTreeSet;

use super::{
    Examination,
    bench::{NodeSet, Ran},
    own,
};
use crate::{ask::run::Tensor, error::Error, graph::ValueId};

impl Examination<'_, '_> {
    /// Runs the layers of products with zeros in place of what they add.
    pub(super) fn products(&mut self, groups: &[NodeSet], cuts: &BTreeSet<ValueId>) -> Result<(), Error> {
        let added = |group: &NodeSet| own::added(&self.bench, group.nodes[0]);
        let biases: BTreeSet<ValueId> = groups.iter().filter_map(added).collect();
        let layers: Vec<NodeSet> = groups.iter().filter(|group| added(group).is_some()).cloned().collect();
        // A constant keeps its place: engines read it otherwise than an input.
        let is_held = |id: &ValueId| {
            let value = self.bench.model.value(*id);
            value.constant.is_some() && value.producer.is_none()
        };
        let (held, fed): (BTreeSet<ValueId>, BTreeSet<ValueId>) = biases.into_iter().partition(is_held);
        let before: Vec<(ValueId, Option<Tensor>)> =
            fed.iter().map(|&id| (id, self.bench.value(id).cloned())).collect();
        for &id in &fed {
            if let Some(Tensor { dtype, shape, data }) = self.bench.tensor(id) {
                self.bench.keep(id, Tensor { dtype, shape, data: vec![0; data.len()] });
            }
        }
        let cuts = cuts.iter().chain(&fed).copied().collect();
        self.bench.zeros = held;
        let all = self.bench.run_groups(&layers, &cuts)?;
        self.bench.zeros.clear();
        for (layer, ran) in layers.iter().zip(all) {
            if let (Ran::Values(values), Some(&value)) = (ran, layer.outputs.first())
                && let Some(product) = values.into_iter().next()
            {
                // At an output of the model the shape is the result's; between nodes an axis too many may belong to the engine.
                let is_output = self.bench.model.main().outputs.contains(&value);
                let product = if is_output { self.bench.in_known_shape(value, &product) } else { product };
                self.bench.keep_product(value, product);
            }
        }
        for (id, tensor) in before {
            match tensor {
                Some(tensor) => self.bench.keep(id, tensor),
                None => self.bench.forget(id),
            }
        }
        Ok(())
    }
}
