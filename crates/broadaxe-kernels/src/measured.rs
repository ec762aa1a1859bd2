//! The constants that were found by measuring, and from which size on one way of computing is used and not another.
//!
//! They change how long a program runs, and no bit of its result. `cargo xtask bench --calibrate` measures most of the costs on
//! a machine; `bench/record/` has what machines measured. A comment gives the figures and the machine behind another constant where
//! they are on record. Most are not: before you change one, time the workloads that it decides about (`cargo xtask bench --only`).

use crate::dtype::DType;

/// A part of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CostTerm {
    /// Setting up a unit and calling its loop.
    Unit,
    /// Advancing to the next unit within a call.
    Turn,
    /// Preparing a nest for several units, unless one loop computes them and packs nothing: `sin(a + b)` of f32\[2, 3, 12\] and \[2,
    /// 1, 12\] needed 0.51 us in two units and 0.2 in one with a packed operand, `max(a, b)` of f32\[4\] and f32\[750, 4\] transposed
    /// 1.5 us in two and 1.0 in one (the runner, AMD EPYC, Zen 4, AVX-512).
    Several,
    /// Starting and ending a row in a loop.
    Row,
    /// Computing an element of a row that is shorter than a group, which is done one by one. While this had no price, bytes in
    /// rows of 9 to 15 and a column of them were left in rows: a sum of 500,000 went from 287 to 27 us (the runner, AMD EPYC,
    /// Zen 4, AVX-512), where 2 to 15 elements needed 0.3 ns and 0.55 ns each.
    Single,
    /// Starting and ending a row in a loop that computes short rows by groups, for a row of at least one group.
    RowOfGroups,
    /// The same in a loop over f16 or bf16, which copies rows shorter than its group.
    RowOfHalves,
    /// The same in a loop that computes lane blocks, for a row of at least one lane block.
    RowOfLaneBlocks,
    /// The same in the loop of a chain.
    RowOfChain,
    /// Starting and ending a row with streaming stores, apart from its partial cache lines.
    Edges,
    /// Computing an element again that the last two lane blocks of a row share.
    Shared,
    /// Widening an element of f16 or bf16.
    Widening,
    /// Starting to pack an operand of a unit.
    Pack,
    /// Starting a run of consecutive or repeated elements in a strided copy.
    Run,
    /// Copying an element of a run.
    Moved,
    /// Writing a byte of an element that is repeated a few times, several such elements at a time.
    InVectors,
    /// Copying a single element.
    Alone,
    /// Copying an element of a square that is transposed in registers. While it counted as one alone, 29 columns of 1711 i16
    /// were cut into units of 5 rows, too few for squares: a sum went from 29 to 5 us, of u8 from 15 to 3.8 (the runner, AMD
    /// EPYC, Zen 4, AVX-512).
    InSquare,
    /// Reading a cache line for each element.
    FarLine,
    /// Repeating an element directly in a loop.
    Repeated,
    /// The same if each element is repeated at least as often as a loop computes elements at a time.
    RepeatedOften,
    /// Reading an element directly in a loop of a chain, per element of stride.
    StridedRead,
    /// Computing strided elements in place, for any number of strided operands; less than gathering those of one.
    StridedLoop,
    /// Copying an element over the innermost loops before all units.
    Spread,
    /// Reading a byte of a packed operand again, which other operands evict from the first-level cache.
    Reread,
}

/// The terms with their names and costs, in the order of the terms. The costs were found by timing nests that differ in one
/// term, on CPUs of about 3.5 GHz with AVX2 and with AVX-512; `bench/record/` has what later machines measured.
pub(crate) static TERMS: [(CostTerm, &str, f64); 25] = [
    (CostTerm::Unit, "unit", 15.0),
    (CostTerm::Turn, "turn", 1.0),
    (CostTerm::Several, "several", 600.0),
    (CostTerm::Row, "row", 1.0),
    (CostTerm::Single, "single", 0.55),
    (CostTerm::RowOfGroups, "row_of_groups", 0.8),
    (CostTerm::RowOfHalves, "row_of_halves", 8.0),
    (CostTerm::RowOfLaneBlocks, "row_of_lane_blocks", 0.5),
    (CostTerm::RowOfChain, "row_of_chain", 12.0),
    (CostTerm::Edges, "edges", 40.0),
    (CostTerm::Shared, "shared", 0.03),
    (CostTerm::Widening, "widening", 0.008),
    (CostTerm::Pack, "pack", 40.0),
    (CostTerm::Run, "run", 2.5),
    (CostTerm::Moved, "moved", 0.06),
    (CostTerm::InVectors, "in_vectors", 0.12),
    (CostTerm::Alone, "alone", 0.35),
    (CostTerm::InSquare, "in_square", 0.12),
    (CostTerm::FarLine, "far_line", 1.2),
    (CostTerm::Repeated, "repeated", 0.06),
    (CostTerm::RepeatedOften, "repeated_often", 0.015),
    (CostTerm::StridedRead, "strided_read", 0.02),
    (CostTerm::StridedLoop, "strided_loop", 0.2),
    (CostTerm::Spread, "spread", 0.7),
    (CostTerm::Reread, "reread", 0.012),
];

// Reductions.

/// The bytes of a slab, which stays in the second-level cache together with the inputs that it is computed from.
pub(crate) const SLAB_BYTES: usize = 128 << 10;

/// The most elements of a slab, or of a piece that is read in place, which bounds the delay after a request to stop.
pub(crate) const MAX_SLAB_ELEMENTS: usize = 1 << 15;

/// Fewer elements than this are folded across, because they would not fill the lanes.
pub(crate) const MIN_ALONG_ELEMENTS: usize = 32;

/// The widest box of results that is folded across.
pub(crate) const MAX_BOX_ELEMENTS: usize = 1024;

/// The rows that are folded across at a time.
pub(crate) const ROWS_FOLDED_ACROSS: usize = 256;

/// The elements of an item if threads share few boxes of results; a power of two.
pub(crate) const CHUNK_ELEMENTS: usize = 1 << 18;

/// The number of boxes of results from which threads share boxes only.
pub(crate) const MIN_SHARED_BOXES: usize = 64;

/// The picoseconds to fold a byte, rather underestimated.
pub(crate) const FOLD_PICOS: u64 = 15;

// Packing.

/// The bytes of operands and result that stay in the first-level cache.
pub(crate) const NEAR_BYTES: usize = 32 << 10;

/// The shortest row for which a kernel of runs is worth using.
pub(crate) const MIN_RUN_ELEMENTS: usize = 8;

/// The most elements of a small block that is put in order by a table: a sum with 8,192 swapped blocks of 3 x 4 f32 went from 158 to
/// 36 us, of 20,000 of 7 x 7 f32 from 1062 to 576 (the runner, AMD EPYC, Zen 4, AVX-512).
pub(crate) const MAX_BLOCK_ELEMENTS: usize = 64;

/// The fewest bytes for which shuffles of small blocks are prepared.
pub(crate) const MIN_PERMUTED_BYTES: usize = 512;

/// The longest row in bytes that is read backwards sixteen bytes at a time. With longer rows it was no faster than element by
/// element: `a + b` of rows of 64 f32 needed 381 us either way, of 100 f32 288 instead of 269 (the runner, AMD EPYC, Zen 4,
/// AVX-512).
pub(crate) const MAX_BACKWARDS_BYTES: usize = 256;

/// The largest column in bytes that counts as a few cache lines.
pub(crate) const MAX_SHORT_COLUMN_BYTES: usize = 256;

// How a nest is cut.

/// The most repeats of an element for which loops repeat it directly.
pub(crate) const MAX_REPEATS: usize = 4096;

/// The largest element stride that the loops of chains gather directly.
pub(crate) const MAX_GATHERED_STRIDE: isize = 4;

/// The largest element stride that loops handle without packing: one cache line of 64-bit elements.
pub(crate) const MAX_STRIDE: isize = 8;

/// The most elements of a unit, which bounds the delay after a request to stop.
pub(crate) const MAX_UNIT_ELEMENTS: usize = 1 << 15;

/// How many times as much as other rows of groups one costs whose vectors begin within cache lines: with rows of 17 f32, in place,
/// `a * b` took 2.3 ns more a row than with a packed operand, with rows of 32 nothing (the runner, AMD EPYC, Zen 4, AVX-512).
pub(crate) const RAGGED_ROWS: f64 = 2.0;

/// How many runs of a copy cost as much as copying all that was copied before it once more, where a run repeats: `c * a` of f32\[7,
/// 14, 3, 9\] and \[7, 14, 1, 9\] needed 1.9 us with 98 such copies twice, and 0.8 in rows of 9 (the runner, AMD EPYC, Zen 4,
/// AVX-512).
pub(crate) const RUNS_OF_DOUBLING: f64 = 3.0;

/// The bytes of packed operands that stay in the first-level cache together with the other operands.
pub(crate) const PACKED_BYTES: usize = 20 << 10;

/// The same for operands that several units use, while other operands come through the first-level cache: `a * b` of f32\[8\] and
/// f32\[8192, 8\] needed 8.4 us with 20 KiB, 7.4 with 4 KiB and 6.5 with 8 KiB (the runner, AMD EPYC, Zen 4, AVX-512). Several loops, which cost more for
/// each unit, were up to 1.16 times slower with 8 KiB. A chain is like one loop, except where the result is streamed past that cache:
/// `max(a, max(b, c))` of f32\[32\], \[32\] and \[32768, 32\] needed 190 us with 20 KiB and 156 with 8, streamed of \[104000, 40\]
/// 820 and 960.
pub(crate) const REUSED_BYTES: usize = 8 << 10;

/// The same for a block whose other operands come from memory: their lines are used once, and need not stay.
pub(crate) const PACKED_BLOCK_BYTES: usize = 32 << 10;

/// The rows of a unit along a transposed operand: a few cache lines of it.
pub(crate) const ROWS_ACROSS: usize = 64;

// The pages with the constants of loops.

/// The shortest duration of a call in nanoseconds, of which a thread adds up its work.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub(crate) const SHORTEST_CALL_NANOS: u64 = 30;

/// The nanoseconds of work of a thread between two reads of the clock, which cost a hundred.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub(crate) const CLOCK_INTERVAL_NANOS: u64 = 100_000;

// Tiles.

/// The groups of the longest row that a brief loop computes by groups.
pub(crate) const MAX_GROUPS: usize = 16;

/// The elements that are computed before the rare ones among them are searched.
pub(crate) const RARE_BLOCK_ELEMENTS: usize = 512;

/// The elements that use the slow path if one of them is not near zero.
///
/// The path pays with AVX-512 and with AVX2, but for `gelu_tanh` of bf16 with AVX2 (0.84). The benchmark's runner took this many
/// times as long for 20,000 elements from -3 to 3 with one NaN in 97 (`nans`) as without (AMD EPYC, Zen 4): with AVX-512 1.2 for
/// `exp`, `sigmoid` and `softplus` of f64 and for `gelu_tanh` of f32, 1.5 for `exp` of f16, 2.5 for `gelu` of f32; with AVX2 1.2 to
/// 3.5.
pub(crate) const NEAR_BLOCK_ELEMENTS: usize = 128;

/// The distance in bytes at which operands are prefetched: a few tiles.
pub(crate) const PREFETCH_BYTES: usize = 4096;

/// The distance in bytes at which the loop of a chain prefetches operands from memory into the second-level cache, while it reads
/// others from there: prefetches into the first one compete with those reads. `((b + d) * b) - a` of f32\[1058, 16870\], of
/// which `d` alone comes from memory, needed 6.5 ms with prefetches into the first level 4096 bytes ahead, 6.8 without any, and 3.9
/// with these; 4.1 to 3.9 for 4096 to 32768 bytes. `relu(x * w + b)` of rows of `x` and constants needed 2.0 and 2.3 ms (the runner,
/// AMD EPYC, Zen 4, AVX-512).
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub(crate) const FAR_PREFETCH_BYTES: usize = 8192;

/// The operands of a chain that come from memory from which on it prefetches none: the CPU follows more of them better by itself.
/// `((a * b) + c) - d` of 8 million f32 needed 6.2 ms with prefetches and 4.7 without, `(a * b) + c` 3.8 either way (as above).
pub(crate) const MORE_CHAIN_STREAMS: usize = 4;

// Threads.

/// The rounds that a thread spins on the bell before it sleeps, some 25 ns each.
pub(crate) const SPINS_BEFORE_IDLE: u32 = 2000;

/// The work, in nanoseconds, for which a sleeping thread is woken: it starts after 30 µs and does half of the rest.
pub(crate) const WORTH_WAKING_NANOS: u64 = 60_000;

/// The work in smaller jobs after which a thread is woken anyway: the up to 30 µs of waking are 2 % of it.
pub(crate) const WORTH_TRYING_NANOS: u64 = 1_500_000;

/// The rounds that an owner spins for its last participants before it sleeps, some 25 ns each.
pub(crate) const SPINS_BEFORE_SLEEP: u32 = if cfg!(all(loom, test)) { 1 } else { 1000 };

// Caches.

/// If the last-level cache has more than this for each CPU that shares it, other CPUs probably share it too: virtual
/// machines report few CPUs of a large machine, but its whole cache.
pub(crate) const MAX_OWN_CACHE_BYTES: usize = 16 << 20;

/// The share of each CPU of a last-level cache that other CPUs probably share.
///
/// On a machine that reports 2 CPUs and 260 MiB, results from 16 MiB on were two to three times slower through the cache than with
/// streaming stores. Shares of 8, 16 or 32 MiB in all were equal within a tenth, but with 32 MiB arrays of some 12 MiB were a quarter
/// slower.
pub(crate) const CACHE_SHARE_BYTES: usize = 8 << 20;

// Strided copies.

/// The distance between columns in bytes from which columns are prefetched.
pub(crate) const MIN_PREFETCH_STRIDE_BYTES: usize = 1024;

/// The distance between columns in bytes from which squares are as wide as a cache line.
pub(crate) const MIN_LINE_SQUARE_STRIDE_BYTES: usize = 512;

/// The columns that are prefetched together.
pub(crate) const PREFETCHED_COLUMNS: usize = 16;

/// The elements that are copied between two prefetches.
pub(crate) const COPY_PIECE_ELEMENTS: usize = 256;

/// The most repeats for which shuffles are used; elements that fill a cache line are written in wider pieces.
pub(crate) const MAX_SHUFFLED_REPEATS: usize = 32;

// Buffers.

/// The smallest block that is pooled, in bytes; smaller ones are cheap to clear.
pub(crate) const MIN_POOLED_BYTES: usize = 256 << 10;

// Copies over the innermost loops.

/// The smallest result, in elements, for which copies are considered.
pub(crate) const MIN_SPREAD_ELEMENTS: u64 = 1 << 14;

/// The nanoseconds per element, without its arithmetic, below which copies cannot help.
pub(crate) const CHEAP_NANOS: f64 = 0.02;

/// The largest price with copies, relative to the price without.
pub(crate) const MAX_SPREAD_PRICE: f64 = 0.8;

/// The part of the result's elements that may be copied over the innermost loops.
pub(crate) const MAX_SPREAD_PART: u64 = 8;

/// The bytes of the result's rows that an operand is copied over if a loop is split.
pub(crate) const SPLIT_BYTES: usize = 32 << 10;

// Tiles and stores of a schedule.

/// The fewest bytes of a tile: the widest element times its number of elements. `max(a * 2.0, b) / c` of five million f64 needed 4.7
/// ms so, and 7.7 with 6144 (the runner, AMD EPYC, Zen 4, AVX2).
pub(crate) const TILE_BYTES: usize = 1536;

/// The bytes of a tile of a program whose data is in the caches, or of a costly one whose rows fit in it: fewer calls and whole rows
/// then count more than the overlap of loads and arithmetic. `exp(x - m)` of rows of 1000 f32 needed 0.65 times as long with it.
/// Inputs from memory share it: `(x > 0.7) & (x < 1.2)` of a million f32 needed 136 us with all of it, 155 with half and 188 with a
/// quarter, `exp(a * b) + c` of ten million 9.9, 6.9 and 6.3 ms (the runner, AMD EPYC, Zen 4, AVX2).
pub(crate) const NEAR_TILE_BYTES: usize = 6144;

/// The picoseconds per element from which a program is costly.
pub(crate) const COSTLY_PICOS: u64 = 100;

/// The bytes of a row from which it is streamed although it has partial cache lines, unless the program is costly: those lines are
/// computed apart, with the same number of instructions as whole vectors.
pub(crate) const LONG_ROW_BYTES: usize = 1024;

/// The bytes of an operand from which elements are prefetched.
pub(crate) const MIN_FETCHED_BYTES: usize = 1 << 20;

// Units.

/// The most picoseconds that a unit computes, so that threads can share a job evenly.
pub(crate) const MAX_UNIT_PICOS: u64 = 4_000_000;

/// The elements that a unit has at least, unless they would delay a stop too much.
pub(crate) const MIN_UNIT_ELEMENTS: u64 = 4096;

/// The picoseconds up to which an intermediate result is computed again wherever it repeats, instead of once by a call of its
/// own, which costs 60 to 100 ns.
pub(crate) const REPEATED_PICOS: u64 = 60_000;

/// The picoseconds per element to read an operand that repeats.
pub(crate) const REPEATED_OPERAND_PICOS: u64 = 200;

/// The elements below which a call costs more than its rows.
pub(crate) const FEW_ELEMENTS: usize = 1 << 10;

/// The most bytes of scratch memory that the quick path uses on the stack.
pub(crate) const QUICK_SCRATCH_BYTES: usize = 24 << 10;

/// The distance in bytes of rows at which inputs from memory are prefetched.
pub(crate) const LEAD_BYTES: usize = 4096;

// Operators.

/// The rows from which a loop over halves widens an operand once that is the same in every row.
pub(crate) const MIN_WIDENING_ROWS: usize = 4;

/// The longest row that such an operand is widened for: as f32 it fits in the first-level cache together with the other
/// operand.
pub(crate) const MAX_WIDENED_ELEMENTS: usize = 4096;

/// The picoseconds per byte of result of a memory-bound operator.
pub(crate) const MEMORY_BOUND_PICOS: u32 = 8;

/// The picoseconds per element of functions that compute many f32 at a time, rather underestimated: of 5,370 elements `tanh`
/// needed 420 each, of 65,536 `sigmoid` 390 (the runner, AMD EPYC, Zen 4, AVX-512), and `exp` half as many.
pub(crate) const LANEWISE_PICOS: u32 = 200;

/// Returns the picoseconds per element of operators of many instructions: transcendental functions, quotients.
pub(crate) const fn costly_picos(dtype: DType) -> u32 {
    if dtype.size() == 8 { 700 } else { 250 }
}

/// Returns the same for operators of two operands: powers, remainders, angles.
pub(crate) const fn heavy_picos(dtype: DType) -> u32 {
    if dtype.size() == 8 { 1800 } else { 700 }
}

/// Returns the picoseconds per element of rarely used operators: more than memory access costs, so that no special loops are
/// chosen.
pub(crate) const fn seldom_picos(dtype: DType) -> u32 {
    2 * MEMORY_BOUND_PICOS * dtype.size() as u32
}

// Parts of a job.

/// The part of the price of units, rows and packing that counts as work of a job: one in this many. Of transposed i32 the whole
/// price was spent, of short rows and reversed elements half or less; without any of it, 21 us of copying 27,600 transposed i32 were
/// left to one thread (the runner, AMD EPYC, Zen 4, AVX-512).
pub(crate) const PRICE_PART: u64 = 2;

/// The minimal work of a part, in nanoseconds, if each thread gets at most one.
///
/// On two cores, handing a part to a spinning thread and waiting for it costs 0.2 to 0.3 µs. If no thread helps,
/// splitting costs 0.13 µs, which must stay below 2 %. Parts of half this size made jobs of 4 µs slower by 8 %.
pub(crate) const PART_NANOS: u64 = 4_000;

/// The minimal work of a part if threads get several, which evens out interruptions of one thread.
pub(crate) const FINE_NANOS: u64 = 5_000;

/// The largest number of parts per thread.
pub(crate) const FINE_PARTS: u64 = 8;

/// The largest number of elements between two calls of the progress function.
pub(crate) const LOOK_ELEMENTS: u64 = 1 << 16;

/// The work between two calls of the progress function, in picoseconds. On a slow machine that is still well below a
/// tenth of a second.
pub(crate) const LOOK_PICOS: u64 = 500_000_000;

// Searches.

/// The elements that are folded before their position is searched.
pub(crate) const SEARCH_BLOCK_ELEMENTS: usize = 1024;
