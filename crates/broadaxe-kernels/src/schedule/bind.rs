//! Binds the steps of a program to their loops and operands.

use super::{
    Body, BoundLink, BoundStep, ChainBody, ChainCall, Finish, LoopBody, Manner, Operand, Outer, PackedInput, Quick,
    Source, Store, StridedBody, TileBody, footprint, is_far, is_large, units::Method,
};
use crate::{
    chain::{Part, groups},
    dtype::DType,
    executor::parts,
    isa::Isa,
    measured::{
        COSTLY_PICOS, LONG_ROW_BYTES, MAX_UNIT_ELEMENTS, MIN_FETCHED_BYTES, MORE_CHAIN_STREAMS, NEAR_TILE_BYTES,
        QUICK_SCRATCH_BYTES, TILE_BYTES,
    },
    nest::{AccessPattern, Blocking, WHOLE},
    pack::{Axis, CopyPlan},
    program::{Cost, Program, Slot, Step},
    tile::{
        Call,
        chain::{Ahead, CHAIN_GROUP_ELEMENTS, LINKS, LinkAction, OperandMode},
        chained,
    },
};

/// A schedule whose units are chosen, and whose body is not.
pub(super) struct Draft<'a> {
    pub(super) isa: Isa,
    pub(super) program: &'a Program,
    pub(super) dims: &'a [usize],
    /// The inputs, then the output.
    pub(super) operands: &'a [Operand],
    /// The loops outside the units.
    pub(super) outer: &'a [Outer],
    pub(super) total: u64,
    pub(super) cut: Blocking,
    pub(super) manner: Manner,
    /// The bytes that operands and result occupy together.
    pub(super) reached: usize,
    pub(super) work: Cost,
    /// The bytes of scratch memory that are taken.
    pub(super) scratch: usize,
}

/// The operands of a step as its loops read them, with a bit for each that is constant along a row.
struct StepArgs {
    args: [Option<Slot>; 3],
    constants: u8,
}

/// What binding decides.
pub(super) struct Bound {
    pub(super) body: Body,
    pub(super) store: Store,
    pub(super) packs: Vec<PackedInput>,
    /// Inputs whose rows are prefetched for the next unit.
    pub(super) next_rows: Vec<usize>,
    pub(super) scratch: usize,
    pub(super) quick: Option<Quick>,
}

impl Draft<'_> {
    pub(super) fn bind(mut self, method: Method) -> Bound {
        let shifts = method == Method::Loops && self.shifts();
        let store = self.store(method, shifts);
        let body = match method {
            Method::Chain => self.chain(store),
            Method::Strided => self.strided(),
            Method::Loops => None,
        };
        let body = body.unwrap_or_else(|| {
            if self.needs_tiles() { Body::Tiles(self.tiles(store)) } else { Body::Loop(self.only_loop(store, shifts)) }
        });
        let packs = self.packs(if let Body::Loop(own) = &body { own.margin } else { 0 });
        let next_rows = if self.is_in_pieces() { self.far_inputs(&[AccessPattern::Dense]) } else { Vec::new() };
        let is_one_row = self.is_one_row(store, &packs) && matches!(body, Body::Loop(_) | Body::Chain(_));
        let has_quick_path = is_one_row || self.has_quick_path(&body, &packs);
        let quick = has_quick_path.then(|| self.quick(&body, &packs, is_one_row));
        Bound { body, store, packs, next_rows, scratch: self.scratch, quick }
    }

    fn output(&self) -> &Operand {
        &self.operands[self.program.inputs.len()]
    }

    /// Says whether the result is written along every loop of a unit, from a tile.
    fn scatters(&self) -> bool {
        self.output().access == AccessPattern::Irregular
    }

    /// Says whether units are blocks of pieces of rows.
    fn is_in_pieces(&self) -> bool {
        self.cut.across != self.cut.axis && self.cut.chunk < self.dims[self.cut.axis]
    }

    /// Returns the bytes of a row of the result.
    fn row_bytes(&self) -> usize {
        self.cut.chunk * self.cut.inner * self.output().size
    }

    /// Says whether the result, a scattered or overlapping one, or results of steps, or repeated constants, need tiles.
    fn needs_tiles(&self) -> bool {
        let splats = |step: &Step| {
            let StepArgs { constants, .. } = self.args(step);
            step.kernel.choose(constants, self.isa).constants != constants
        };
        let steps = &self.program.steps;
        self.manner == Manner::InPlace || self.scatters() || steps.len() > 1 || steps.iter().any(splats)
    }

    /// Says whether the pieces of rows that one loop computes can start and end at cache lines of the result.
    fn shifts(&self) -> bool {
        let is_plain = matches!(&self.program.steps[..], [step] if step.kernel.guard().is_none());
        let blocks = is_plain && !self.needs_tiles() && self.cut.across != self.cut.axis;
        blocks && self.cut.inner == 1 && self.row_bytes().is_multiple_of(64)
    }

    /// Decides how results are written.
    fn store(&self, method: Method, shifts: bool) -> Store {
        let bytes = self.row_bytes();
        let fits =
            if self.is_in_pieces() { shifts || self.output().across(&self.cut) % 64 == 0 } else { bytes >= 2 * WHOLE };
        let is_long = bytes >= LONG_ROW_BYTES && (bytes.is_multiple_of(64) || self.program.picos() < COSTLY_PICOS);
        let rows_fit = is_long || bytes.is_multiple_of(WHOLE) && fits;
        let can = method != Method::Strided && self.manner != Manner::InPlace && !self.scatters() && rows_fit;
        let streams = |manner| can && is_large(self.dims, self.operands, manner);
        match (streams(self.manner), streams(Manner::Together)) {
            (false, _) => Store::Cached,
            (true, true) => Store::Streamed,
            (true, false) => Store::StreamedAlone,
        }
    }

    /// Says whether an operand comes from memory and is worth prefetching: elements in a cache arrive as fast, or
    /// faster, without a prefetch.
    fn is_far(&self, operand: &Operand) -> bool {
        is_far(self.reached) && footprint(self.dims, operand) >= MIN_FETCHED_BYTES
    }

    /// Lists the inputs with one of these access patterns that are worth prefetching.
    fn far_inputs(&self, accesses: &[AccessPattern]) -> Vec<usize> {
        let is_far = |&i: &usize| accesses.contains(&self.operands[i].access) && self.is_far(&self.operands[i]);
        (0..self.program.inputs.len()).filter(is_far).collect()
    }

    /// Lists the packed inputs that are prefetched tile by tile. The CPU fetches dense ones by itself: `where(a > b, a, c)` of ten
    /// million f32 needed 6.4 ms with prefetches 4096 bytes ahead and 4.0 without, `max(a - b, c)` of i32 6.1 and 3.9 (the
    /// runner, AMD EPYC, Zen 4, AVX2); and all of them while a costly program computes.
    fn fetched(&self) -> Vec<usize> {
        let is_costly = self.program.picos() >= COSTLY_PICOS;
        if is_costly { Vec::new() } else { self.far_inputs(&[AccessPattern::Irregular]) }
    }

    fn take_scratch(&mut self, bytes: usize) -> usize {
        let at = self.scratch;
        self.scratch += bytes.next_multiple_of(64);
        at
    }

    /// Makes room for inputs that loops cannot read, with `margin` elements before each row.
    fn packs(&mut self, margin: usize) -> Vec<PackedInput> {
        let elements = self.cut.elements() + self.cut.rows * margin;
        let mut packs = Vec::new();
        for input in (0..self.program.inputs.len()).filter(|&i| self.operands[i].access == AccessPattern::Irregular) {
            let (low, high) = self.operands[input].reach;
            let at = self.take_scratch(elements * self.operands[input].size);
            packs.push(PackedInput { input, at, ahead: is_far(high.abs_diff(low)) });
        }
        packs
    }

    /// Returns the operands of a step as its loops read them: a loop that may exchange them reads the first as a constant only if
    /// the second is one.
    fn args(&self, step: &Step) -> StepArgs {
        let mut args = [None; 3];
        for (own, &given) in args.iter_mut().zip(&step.args) {
            *own = Some(given);
        }
        let is_constant = |arg: Option<Slot>| matches!(arg, Some(Slot::Input(i)) if self.operands[i].access == AccessPattern::Constant);
        if step.kernel.commutes && is_constant(args[0]) && !is_constant(args[1]) {
            args.swap(0, 1);
        }
        let constants = args.iter().enumerate().map(|(k, &arg)| u8::from(is_constant(arg)) << k).sum();
        StepArgs { args, constants }
    }

    /// Binds all steps to one loop, which needs no tiles, if the level has it. It is called several times for many links.
    fn chain(&mut self, store: Store) -> Option<Body> {
        let parts = self.program.chain.as_deref()?;
        let mut links: Vec<BoundLink> = parts.iter().map(|part| self.link(part)).collect();
        let is_first = |at: usize| links[..at].iter().all(|other| other.input != links[at].input);
        let (mut far, mut near) = (0, 0);
        for link in (0..links.len()).filter(|&at| is_first(at)).map(|at| &links[at]) {
            far += usize::from(link.ahead != Ahead::No);
            near +=
                usize::from(link.ahead == Ahead::No && matches!(link.feed, OperandMode::Dense | OperandMode::Cast(_)));
        }
        // The CPU fetches lines of strided elements by itself: `a + b` of ten million f32, both every second element, needed 9.0 ms with
        // prefetches into the first level, 6.1 with those into the second, and 5.8 without (the runner, AMD EPYC, Zen 4, AVX-512).
        let is_strided = links.iter().any(|link| link.feed == OperandMode::Strided);
        let ahead = match (far, near) {
            _ if is_strided => Ahead::No,
            (MORE_CHAIN_STREAMS.., _) => Ahead::No,
            (_, 0) => Ahead::First,
            _ => Ahead::Second,
        };
        links.iter_mut().filter(|link| link.ahead != Ahead::No).for_each(|link| link.ahead = ahead);
        let calls = self.calls(parts, &mut links, store)?;
        Some(Body::Chain(ChainBody { links, calls }))
    }

    /// Divides links among calls, and adds links that begin with what the call before has left.
    fn calls(&mut self, parts: &[Part], links: &mut Vec<BoundLink>, store: Store) -> Option<Vec<ChainCall>> {
        let last = chained(self.isa, self.program.output(), store.streams())?;
        let first = chained(self.isa, DType::F32, false)?;
        let ends = if links.len() > LINKS { groups(parts)? } else { vec![links.len()] };
        let (mut calls, bytes) = (Vec::<ChainCall>::with_capacity(ends.len()), 4 * self.cut.elements());
        for (number, end) in ends.iter().enumerate() {
            let is_last = number + 1 == ends.len();
            // A call reads what the one before it has left, so two places are enough.
            let out = match number {
                _ if is_last => None,
                0 | 1 => Some(self.take_scratch(bytes)),
                _ => calls[number - 2].out,
            };
            calls.push(ChainCall { call: if is_last { last } else { first }, end: end + number, out });
            if let Some(at) = out {
                let begin = Part { act: LinkAction::Begin, input: None, rounds: false };
                let begin = BoundLink { feed: OperandMode::Dense, left: Some(at), ..self.link(&begin) };
                links.insert(end + number, begin);
            }
        }
        Some(calls)
    }

    /// Binds a link to the access pattern of its operand along a row.
    fn link(&self, part: &Part) -> BoundLink {
        let mut link = BoundLink {
            act: part.act,
            feed: OperandMode::Kept,
            rounds: part.rounds,
            input: part.input,
            left: None,
            size: 4,
            times: 1,
            table: vec![],
            apart: 1,
            ahead: Ahead::No,
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
        if operand.access == AccessPattern::Dense && self.is_far(operand) {
            link.ahead = Ahead::First;
        }
        link
    }

    /// Binds the only step to the loop over strided elements, if the level has it.
    fn strided(&self) -> Option<Body> {
        let [step] = &self.program.steps[..] else { return None };
        let call = step.kernel.apart[self.isa.index()]?;
        let apart_of = |own: &Operand| match own.access {
            AccessPattern::Constant => 0,
            AccessPattern::Strided(apart) => apart * own.size as isize,
            _ => own.size as isize,
        };
        let input = |arg: &Slot| if let Slot::Input(i) = *arg { Some(i) } else { None };
        let inputs: Vec<usize> = step.args.iter().filter_map(input).collect();
        let mut apart = [0; 3];
        for (apart, &input) in apart.iter_mut().zip(&inputs) {
            *apart = apart_of(&self.operands[input]);
        }
        Some(Body::Strided(StridedBody { call, inputs, apart, out_apart: apart_of(self.output()) }))
    }

    /// Binds the only step to its loop, whose operands and result are used in place.
    fn only_loop(&self, store: Store, shifts: bool) -> LoopBody {
        let step = &self.program.steps[0];
        let streams = store.streams();
        let StepArgs { args, constants } = self.args(step);
        let constants = step.kernel.choose(constants, self.isa).constants;
        let args = args.map(|arg| if let Some(Slot::Input(i)) = arg { Source::Input(i) } else { Source::Absent });
        let margin = if shifts && self.is_in_pieces() && streams { 64 / self.output().size } else { 0 };
        LoopBody {
            step: BoundStep {
                call: self.call(step, constants, streams),
                guard: step.kernel.guard().copied(),
                args,
                out: None,
            },
            turning: self.turning(step),
            margin,
        }
    }

    /// Chooses the loop outside the units whose rounds one call computes: possible if nothing is done before a call, and
    /// whole rounds of the loop follow one another.
    fn turning(&self, step: &Step) -> Option<usize> {
        let at = self.outer.iter().rposition(|outer| outer.count > 1)?;
        let pieces = if self.cut.across == self.cut.axis { 1 } else { 2 };
        let packs = self.operands[..self.program.inputs.len()].iter().any(|own| own.access == AccessPattern::Irregular);
        (step.kernel.guard().is_none() && !packs && at + pieces < self.outer.len()).then_some(at)
    }

    /// Returns the call of a step whose operands with a bit in `constants` are constant.
    fn call(&self, step: &Step, constants: u8, streams: bool) -> Call {
        let loops = step.kernel.choose(constants, self.isa);
        let mut sizes = [0; 3];
        for (k, dtype) in step.kernel.inputs().iter().enumerate() {
            sizes[k] = if constants & 1 << k != 0 { 0 } else { dtype.size() };
        }
        Call { plain: loops.plain, past: loops.past.filter(|_| streams), sizes, out_size: step.kernel.output().size() }
    }

    /// Returns the size of the widest element that the program reads or writes.
    fn widest(&self) -> usize {
        let results = self.program.steps.iter().map(|step| step.kernel.output());
        results.chain(self.program.inputs.iter().copied()).map(DType::size).max().unwrap_or(8)
    }

    /// Returns the bytes of a tile.
    fn tile_bytes(&self, widest: usize) -> usize {
        let row = self.cut.chunk * self.cut.inner * widest;
        let is_row = self.cut.rows > 1 && (TILE_BYTES..=NEAR_TILE_BYTES).contains(&row);
        if !is_far(self.reached) || is_row && self.program.picos() >= COSTLY_PICOS {
            return NEAR_TILE_BYTES;
        }
        let is_stream = |own: &&Operand| own.access != AccessPattern::Constant;
        let streams = self.operands[..self.program.inputs.len()].iter().filter(is_stream).count().max(1);
        TILE_BYTES.max(NEAR_TILE_BYTES / streams)
    }

    /// Binds every step to its loop and its tiles.
    fn tiles(&mut self, store: Store) -> TileBody {
        let program = self.program;
        let widest = self.widest();
        let (all, scatters) = (self.cut.elements(), self.scatters());
        let elements = if scatters { all } else { (self.tile_bytes(widest) / widest).min(all) };
        let tile_bytes = (elements * widest).next_multiple_of(64);
        let finish = match (scatters, self.manner) {
            (true, _) => Finish::Scatter(self.take_scratch(tile_bytes)),
            (_, Manner::InPlace) => Finish::Copy(self.take_scratch(tile_bytes)),
            _ => Finish::Direct,
        };
        let first = self.take_scratch(program.tile_count * tile_bytes);
        let tile_at = |slot: usize| first + slot * tile_bytes;
        let (mut steps, mut splats) = (Vec::with_capacity(program.steps.len()), Vec::<PackedInput>::new());
        for (at, step) in program.steps.iter().enumerate() {
            let last = at + 1 == program.steps.len();
            let StepArgs { args: slots, constants } = self.args(step);
            let constants = step.kernel.choose(constants, self.isa).constants;
            let mut args = [Source::Absent; 3];
            for (k, slot) in slots.into_iter().enumerate() {
                let constant = constants & 1 << k != 0;
                args[k] = match slot {
                    None => Source::Absent,
                    Some(Slot::Step(s)) => Source::Tile(tile_at(program.tiles[s])),
                    Some(Slot::Input(i)) if self.operands[i].access == AccessPattern::Constant && !constant => {
                        let known = splats.iter().position(|splat| splat.input == i);
                        Source::Splat(known.unwrap_or_else(|| {
                            splats.push(PackedInput { input: i, at: self.take_scratch(tile_bytes), ahead: false });
                            splats.len() - 1
                        }))
                    }
                    Some(Slot::Input(i)) => Source::Input(i),
                };
            }
            let own = if last { finish.tile() } else { Some(tile_at(program.tiles[at])) };
            let call = self.call(step, constants, last && store.streams());
            steps.push(BoundStep { call, guard: step.kernel.guard().copied(), args, out: own });
        }
        TileBody { steps, elements, splats, finish, fetched: self.fetched() }
    }

    /// Says whether the work is too little for two threads.
    fn is_short(&self) -> bool {
        parts(self.work.nanos(), 2) == 1
    }

    /// Says whether the loops of one unit compute the whole nest, with little scratch memory.
    fn has_quick_path(&self, body: &Body, packs: &[PackedInput]) -> bool {
        let turns = body.turns(self.outer);
        let is_small = self.total <= MAX_UNIT_ELEMENTS as u64;
        let fits = match body {
            Body::Loop(_) => turns == 1 || is_small,
            Body::Tiles(own) => {
                let is_one = self.cut.elements() <= own.elements;
                let several =
                    own.splats.is_empty() && own.fetched.is_empty() && !self.is_in_pieces() && self.is_short();
                own.finish == Finish::Direct && (is_one || several)
            }
            Body::Chain(own) => is_small && own.calls.len() == 1,
            Body::Strided(_) => false,
        };
        let has_room = self.scratch <= QUICK_SCRATCH_BYTES && (packs.is_empty() || self.is_short());
        fits && has_room && (self.cut.elements() * turns) as u64 == self.total
    }

    /// Says whether units are pieces of one row whose operands are used in place, and in the caches.
    fn is_one_row(&self, store: Store, packs: &[PackedInput]) -> bool {
        let [others @ .., pieces] = self.outer else { return false };
        let alone = self.cut.across == self.cut.axis && others.iter().all(|outer| outer.count == 1);
        alone && pieces.count > 1 && packs.is_empty() && self.scratch == 0 && !store.streams() && !is_far(self.reached)
    }

    /// Plans the strided copies of the quick path.
    fn quick(&self, body: &Body, packs: &[PackedInput], is_one_row: bool) -> Quick {
        let (rows, n) = (self.cut.rows, self.cut.chunk * self.cut.inner);
        let pack = |&PackedInput { input, .. }: &PackedInput| {
            let operand = &self.operands[input];
            let (rows, _) = operand.packed(&self.cut, [rows, n]);
            let axes: Vec<Axis> = operand.axes(self.dims, &self.cut, [rows, n]).collect();
            CopyPlan::pack(operand.size, &axes)
        };
        let splat = |&PackedInput { input, .. }: &PackedInput| {
            let operand = &self.operands[input];
            let axes = [Axis { count: rows, stride: operand.across(&self.cut) }, Axis { count: n, stride: 0 }];
            CopyPlan::pack(operand.size, &axes)
        };
        let splats = if let Body::Tiles(own) = body { own.splats.iter().map(splat).collect() } else { Vec::new() };
        Quick { is_one_row, packs: packs.iter().map(pack).collect(), splats }
    }
}

#[cfg(test)]
mod tests;
