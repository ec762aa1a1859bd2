//! Binds steps and chains to their loops and operands.

use super::{BoundChain, BoundLink, BoundStep, Finish, Operand, Schedule, Source};
use crate::{
    chain::Part,
    dtype::DType,
    nest::AccessPattern,
    program::Slot,
    tile::{
        Call,
        chain::{CHAIN_GROUP_ELEMENTS, OperandMode},
        chained,
    },
};

impl Schedule {
    /// Binds all steps to one loop, which needs no tiles.
    pub(super) fn bind_chain(&mut self) {
        (self.tile, self.fetched) = (None, Vec::new());
        let parts = self.program.chain.as_deref().unwrap_or_default();
        let links = parts.iter().map(|part| self.bind_link(part)).collect();
        self.chain = chained(self.isa, self.program.output(), self.streams).map(|call| BoundChain { call, links });
    }

    /// Binds a link to the access pattern of its operand along a row.
    fn bind_link(&self, part: &Part) -> BoundLink {
        let mut link = BoundLink {
            act: part.act,
            feed: OperandMode::Kept,
            rounds: part.rounds,
            input: part.input,
            size: 4,
            times: 1,
            table: vec![],
            apart: 1,
            ahead: false,
        };
        let Some(i) = part.input else { return link };
        let operand = &self.operands[i];
        link.size = operand.size;
        if let AccessPattern::Repeated(times) = operand.access {
            link.times = times;
            // Elements that are repeated for a whole group or more need no table.
            let looked_up = if times < CHAIN_GROUP_ELEMENTS { times + CHAIN_GROUP_ELEMENTS } else { 0 };
            link.table = (0..looked_up).map(|at| (at / times) as u32).collect();
        }
        if let AccessPattern::Strided(apart) = operand.access {
            link.apart = apart;
        }
        link.feed = match (operand.access, self.program.inputs[i]) {
            (AccessPattern::Constant, DType::F32) => OperandMode::Constant,
            (AccessPattern::Constant, narrow) => OperandMode::ConstantCast(narrow),
            (AccessPattern::Repeated(_), DType::F32) => OperandMode::Repeated,
            (AccessPattern::Repeated(_), narrow) => OperandMode::RepeatedCast(narrow),
            (AccessPattern::Strided(_), _) => OperandMode::Strided,
            (AccessPattern::Dense | AccessPattern::Irregular, DType::F32) => OperandMode::Dense,
            (AccessPattern::Dense | AccessPattern::Irregular, narrow) => OperandMode::Cast(narrow),
        };
        link.ahead = matches!(operand.access, AccessPattern::Dense | AccessPattern::Strided(_)) && self.is_far(operand);
        link
    }

    /// Binds the one step to the loop over strided elements.
    pub(super) fn bind_strided(&mut self) {
        let step = &self.program.steps[0];
        let Some(plain) = step.kernel.apart[self.isa.index()] else { return };
        let moves = |own: &Operand| match own.access {
            AccessPattern::Constant => 0,
            AccessPattern::Strided(apart) => apart * own.size as isize,
            _ => own.size as isize,
        };
        let (mut args, mut apart) = ([Source::Absent; 3], [0; 3]);
        for (k, &arg) in step.args.iter().enumerate() {
            if let Slot::Input(i) = arg {
                (args[k], apart[k]) = (Source::Input(i), moves(&self.operands[i]));
            }
        }
        let out_size = step.kernel.output().size();
        let call = Call { plain, past: None, sizes: [0; 3], out_size };
        let apart = Some((apart, moves(&self.operands[self.program.inputs.len()])));
        self.steps.push(BoundStep { call, guard: None, args, out: None, apart });
    }

    pub(super) fn bind_steps(&mut self) {
        let widest = self.widest();
        let tile = self.tile.unwrap_or(self.cut.elements());
        let tiles = self.take_scratch(self.program.tile_count * (tile * widest).next_multiple_of(64));
        let tile_at = |slot: usize| tiles + slot * (tile * widest).next_multiple_of(64);
        for (at, step) in self.program.steps.clone().iter().enumerate() {
            let last = at + 1 == self.program.steps.len();
            let variant = step.kernel.choose(self.constants(step));
            let constants = variant.constants;
            let (mut args, mut sizes) = ([Source::Absent; 3], [0; 3]);
            for (k, &arg) in step.args.iter().enumerate() {
                let constant = constants & 1 << k != 0;
                sizes[k] = if constant { 0 } else { step.kernel.inputs()[k].size() };
                args[k] = match arg {
                    Slot::Step(s) => Source::Tile(tile_at(self.program.tiles[s])),
                    Slot::Input(i) if self.operands[i].access == AccessPattern::Constant && !constant => {
                        self.splat(i, tile * widest)
                    }
                    Slot::Input(i) => Source::Input(i),
                };
            }
            let out = match self.finish {
                _ if !last => Some(tile_at(self.program.tiles[at])),
                Finish::Direct => None,
                Finish::Copy(at) | Finish::Scatter(at) => Some(at),
            };
            let out_size = step.kernel.output().size();
            let (plain, past) = (variant.versions[self.isa.index()], variant.past[self.isa.index()]);
            let call = Call { plain, past: past.filter(|_| last && self.streams), sizes, out_size };
            self.steps.push(BoundStep { call, guard: step.kernel.guard().copied(), args, out, apart: None });
        }
    }
}

#[cfg(test)]
mod tests;
