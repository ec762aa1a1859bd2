//! Chooses units: as one chain, or with a loop for each step, whichever costs less.

use super::{Manner, Operand, is_large, reached};
use crate::{
    dtype::DType,
    executor::look,
    isa::{Isa, Level},
    machine::{CostTerm, Costs},
    measured::{
        FEW_ELEMENTS, LONG_ROW_BYTES, MAX_UNIT_ELEMENTS, MAX_UNIT_PICOS, MIN_UNIT_ELEMENTS, NEAR_BYTES, PACKED_BYTES,
        REUSED_BYTES,
    },
    nest::{AccessPattern, Blocking, DirectAccess, Layout, Terms, direct_access_pattern, priced},
    program::{Program, Step},
    tile::{
        chain::{CHAIN_GROUP_ELEMENTS, LINKS},
        chained,
    },
};

/// Returns the terms of the choice of units that are the same for a chain and for loops.
fn terms(program: &Program, dims: &[usize], operands: &[Operand], manner: Manner) -> Terms {
    let picos = program.picos();
    let longest =
        (MAX_UNIT_PICOS / picos.max(1)).clamp(MIN_UNIT_ELEMENTS.min(look(picos)), MAX_UNIT_ELEMENTS as u64) as usize;
    let past = is_large(dims, operands, manner);
    let row = Costs::here()[CostTerm::Row];
    // Rows that are not streamed pay, but not if several loops start each of many narrow elements.
    let is_narrow = operands.iter().all(|own| own.size < 8);
    let edged_bytes = if program.steps.len() > 1 && is_narrow { 0 } else { LONG_ROW_BYTES };
    let narrowest = program.steps.iter().map(|step| step.kernel.output().size()).min().unwrap_or(1);
    Terms {
        unit: Costs::here()[CostTerm::Unit],
        several: Costs::here()[CostTerm::Several],
        several_in_place: Costs::here()[CostTerm::Several],
        row,
        single: 0.0,
        row_of_groups: row,
        narrowest,
        lane_blocks: 0,
        turns: false,
        least: 1,
        longest,
        past,
        edged_bytes,
        reused_bytes: if program.steps.len() == 1 { REUSED_BYTES } else { PACKED_BYTES },
        reread: if past || reached(dims, operands) <= NEAR_BYTES { 0.0 } else { Costs::here()[CostTerm::Reread] },
        ordered: false,
    }
}

fn elements(dims: &[usize]) -> usize {
    dims.iter().fold(1, |n: usize, &dim| n.saturating_mul(dim))
}

/// Says whether there are so few elements that one call of one loop is best, whatever its rows cost.
fn is_little(dims: &[usize]) -> bool {
    elements(dims) < FEW_ELEMENTS
}

/// Returns the terms of the choice of units for a program with a loop for each step.
fn terms_of_loops(isa: Isa, program: &Program, dims: &[usize], operands: &[Operand], manner: Manner) -> Terms {
    let is_little = is_little(dims);
    let copies = |step: &Step| step.kernel.output().is_half() || step.kernel.inputs().contains(&DType::F16);
    let costs = Costs::here();
    let row = |step| costs[if copies(step) { CostTerm::RowOfHalves } else { CostTerm::Row }];
    let uses_lane_blocks = |step: &&Step| !is_little && step.kernel.uses_lane_blocks(isa);
    let uses_groups = |step: &Step| !is_little && step.kernel.uses_groups(isa) && !copies(step);
    let row_of_lots = |step| match step {
        _ if uses_lane_blocks(&step) => costs[CostTerm::RowOfLaneBlocks],
        _ if uses_groups(step) => costs[CostTerm::RowOfGroups],
        _ => row(step),
    };
    let by_groups = program.steps.iter().all(uses_groups);
    let single = |step: &Step| if is_little || copies(step) { 0.0 } else { costs[CostTerm::Single] };
    Terms {
        // Each step is a call for every tile. `max(max(a, b), c) + d` of f32[9, 18, 2, 9, 7] in tiles of 63 elements needed 29 us, in
        // longer ones with packed operands 9 (the runner, AMD EPYC, Zen 4, AVX-512).
        unit: costs[CostTerm::Unit] * program.steps.len() as f64,
        // One loop computes several units in one call, if it packs nothing.
        several_in_place: if program.steps.len() == 1 { 0.0 } else { costs[CostTerm::Several] },
        row: program.steps.iter().map(row).sum(),
        single: program.steps.iter().map(single).sum(),
        row_of_groups: if by_groups {
            costs[CostTerm::RowOfGroups]
        } else {
            program.steps.iter().map(row_of_lots).sum()
        },
        lane_blocks: program.steps.iter().filter(uses_lane_blocks).count(),
        turns: !is_little
            && manner != Manner::InPlace
            && matches!(&program.steps[..], [step] if step.kernel.guard().is_none()),
        ..terms(program, dims, operands, manner)
    }
}

/// Returns the terms of the choice of units for a program as one chain, which is `calls` calls for each unit.
fn terms_of_chain(program: &Program, dims: &[usize], operands: &[Operand], manner: Manner, calls: usize) -> Terms {
    let row = Costs::here()[CostTerm::RowOfChain] * calls as f64;
    let terms = terms(program, dims, operands, manner);
    let reused_bytes = if terms.past { terms.reused_bytes } else { REUSED_BYTES };
    // Each call computes as much as that of a program with so few links.
    let longest = (terms.longest * calls).min(MAX_UNIT_ELEMENTS);
    Terms { row, row_of_groups: row, unit: terms.unit * calls as f64, longest, reused_bytes, ..terms }
}

/// Describes operands for the choice of units; `direct` returns the direct access to each.
fn layouts(operands: &[Operand], direct: impl Fn(usize) -> DirectAccess) -> Vec<Layout<'_>> {
    let last = operands.len() - 1;
    let layout = |(i, o): (usize, _)| {
        let Operand { strides, size, .. }: &Operand = o;
        Layout { strides, size: *size, is_output: i == last, direct: direct(i) }
    };
    operands.iter().enumerate().map(layout).collect()
}

/// Returns the direct access of a chain to elements of a dtype.
pub(super) fn direct(dtype: DType) -> DirectAccess {
    match dtype {
        DType::F32 => DirectAccess::RepeatedOrStrided,
        _ if dtype.is_half() => DirectAccess::Repeated,
        _ => DirectAccess::No,
    }
}

/// Returns the same for an operand of a chain: none for the result.
fn direct_of_chain(program: &Program, operand: usize) -> DirectAccess {
    program.inputs.get(operand).map_or(DirectAccess::No, |&dtype| direct(dtype))
}

/// Chooses units whose rows have a group: the cheapest ones, or if those have shorter rows, others that cost less than loops.
fn cut_of_chain(
    dims: &[usize],
    operands: &[Layout],
    terms: Terms,
    price_of_loops: impl Fn() -> f64,
) -> Option<(f64, Blocking)> {
    let (price, cut) = priced(dims, operands, terms);
    if cut.chunk * cut.inner >= CHAIN_GROUP_ELEMENTS {
        return Some((price, cut));
    }
    let (price, cut) = priced(dims, operands, Terms { least: CHAIN_GROUP_ELEMENTS, ..terms });
    (price < price_of_loops()).then_some((price, cut))
}

/// Chooses units for a program as one chain, if it is one and that pays: if it has several steps, repeated elements, or
/// strided ones. Also returns the cost of an element.
fn choose_chain(
    isa: Isa,
    program: &Program,
    dims: &[usize],
    operands: &[Operand],
    manner: Manner,
) -> Option<(f64, Blocking)> {
    if elements(dims) < CHAIN_GROUP_ELEMENTS {
        return None;
    }
    let links = program.chain.as_deref().filter(|_| chained(isa, program.output(), false).is_some())?.len();
    let calls = calls(links, dims, &operands[..program.inputs.len()])?;
    let terms = terms_of_chain(program, dims, operands, manner, calls);
    let price_of_loops = || {
        let terms = terms_of_loops(isa, program, dims, operands, manner);
        priced(dims, &layouts(operands, |_| DirectAccess::No), terms).0
    };
    let (price, cut) = cut_of_chain(dims, &layouts(operands, |i| direct_of_chain(program, i)), terms, price_of_loops)?;
    let accesses = |i: usize| {
        direct_access_pattern(cut.row(dims, &operands[i].strides), operands[i].size, direct_of_chain(program, i))
    };
    let lies_so = |so: fn(&AccessPattern) -> bool| (0..program.inputs.len()).map(accesses).any(|access| so(&access));
    let is_repeated = || lies_so(|access| matches!(access, AccessPattern::Repeated(_)));
    let is_apart = || lies_so(|access| matches!(access, AccessPattern::Strided(_)));
    let pays = match program.steps.len() {
        // The loops of steps on halves are as fast, except for f16 if an operator of two operands needs two links.
        1 if program.output().is_half() => {
            let two_links = links > 2 && program.steps[0].args.len() == 2;
            program.output() == DType::F16 && two_links && !is_little(dims)
        }
        2 if program.steps.iter().all(|step| step.kernel.output().is_half()) => {
            let spaced = terms.past && operands.iter().any(|own| is_spaced(cut.row(dims, &own.strides), own.size));
            program.output() == DType::F16 && isa.level() == Level::Avx512 && !is_repeated() && !is_apart() && !spaced
        }
        1 => (is_repeated() || is_apart()) && price < price_of_loops(),
        _ => isa.level() == Level::Avx512 || terms.past || is_repeated() || program.output() == DType::F32,
    };
    let fits = accesses(program.inputs.len()) != AccessPattern::Irregular;
    (fits && pays).then_some((price, cut))
}

/// Counts the calls for a chain. Several pay if more inputs move than one call follows: those are read faster so than by the loops of
/// steps.
fn calls(links: usize, dims: &[usize], inputs: &[Operand]) -> Option<usize> {
    let moves = |own: &&Operand| dims.iter().zip(&own.strides).any(|(&dim, &stride)| dim > 1 && stride != 0);
    let pays = || !is_little(dims) && inputs.iter().filter(moves).count() > LINKS;
    (links <= LINKS || pays()).then(|| links.div_ceil(LINKS))
}

/// Says whether an operand leaves out some of each cache line along a row. Loops prefetch such elements from memory, and the chain
/// does not: `(a * 2.5) * 2.5` of ten million f16, every third element of an array, needed 6.6 to 7.4 ms as a chain and 4.7 as loops
/// (the runner, AMD EPYC, Zen 4, AVX-512).
fn is_spaced(row: impl DoubleEndedIterator<Item = (usize, isize)>, size: usize) -> bool {
    let innermost = row.rev().find(|&(dim, _)| dim > 1);
    innermost.is_some_and(|(_, stride)| stride.unsigned_abs() > size && stride.unsigned_abs() < 64)
}

/// Units that were chosen.
#[derive(Clone, Copy)]
pub(super) struct UnitChoice {
    pub(super) cut: Blocking,
    /// The cost of an element without its arithmetic.
    pub(super) price: f64,
    pub(super) method: Method,
}

/// How the steps of a program are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    /// Each by its own loop.
    Loops,
    /// All by one loop.
    Chain,
    /// The only step by one loop over strided elements.
    Strided,
}

/// Chooses units.
pub(super) fn choose_units(
    isa: Isa,
    program: &Program,
    dims: &[usize],
    operands: &[Operand],
    manner: Manner,
) -> UnitChoice {
    if manner != Manner::InPlace {
        if let Some((price, cut)) = choose_chain(isa, program, dims, operands, manner) {
            return UnitChoice { cut, price, method: Method::Chain };
        }
        if let Some((price, cut)) = choose_strided(isa, program, dims, operands, manner) {
            return UnitChoice { cut, price, method: Method::Strided };
        }
    }
    let guarded = program.steps.iter().any(|step| step.kernel.guard().is_some());
    let terms = Terms { ordered: guarded, ..terms_of_loops(isa, program, dims, operands, manner) };
    let (price, cut) = priced(dims, &layouts(operands, |_| DirectAccess::No), terms);
    UnitChoice { cut, price, method: Method::Loops }
}

/// Chooses units for a program of one step that computes strided elements in place, if that pays.
fn choose_strided(
    isa: Isa,
    program: &Program,
    dims: &[usize],
    operands: &[Operand],
    manner: Manner,
) -> Option<(f64, Blocking)> {
    let [step] = &program.steps[..] else { return None };
    step.kernel.apart[isa.index()]?;
    let terms = Terms { past: false, ..terms(program, dims, operands, manner) };
    let (price, cut) = priced(dims, &layouts(operands, |_| DirectAccess::Strided), terms);
    let accesses = |own: &Operand| direct_access_pattern(cut.row(dims, &own.strides), own.size, DirectAccess::Strided);
    let accesses: Vec<AccessPattern> = operands.iter().map(accesses).collect();
    let fits = accesses.iter().any(|access| matches!(access, AccessPattern::Strided(_)))
        && !accesses.contains(&AccessPattern::Irregular);
    let plain = || {
        priced(dims, &layouts(operands, |_| DirectAccess::No), terms_of_loops(isa, program, dims, operands, manner)).0
    };
    let price = price + Costs::here()[CostTerm::StridedLoop];
    (fits && price < plain()).then_some((price, cut))
}

/// Records the access patterns of the operands along a row of a unit.
pub(super) fn lay_over(choice: UnitChoice, program: &Program, dims: &[usize], operands: &mut [Operand]) {
    for (i, operand) in operands.iter_mut().enumerate() {
        let row = choice.cut.row(dims, &operand.strides);
        let direct = match choice.method {
            Method::Loops => DirectAccess::No,
            Method::Chain => direct_of_chain(program, i),
            Method::Strided => DirectAccess::Strided,
        };
        operand.access = direct_access_pattern(row, operand.size, direct);
    }
}
