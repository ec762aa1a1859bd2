//! Passes over the memory of a workload: every byte of every operand is read once, every byte of the output written once.
//!
//! *Ordinary*: block by block, operands of the output's size are joined by exclusive or and stored by plain stores in one
//! loop, and the share of each other operand is folded. *Streaming*: block by block, one operand of the output's size
//! is copied (or bytes that stay in the cache, if none has that size) and the rest folded; blocks are so large that the C library
//! stores past the caches, if it is told to. *Long*: the same in longer blocks, which the C library copies several pages at a
//! time. A fill with one byte is not among them: no result is made of one byte, and some CPUs have a shortcut for it.
//!
//! This is a floor for the memory's part only. Where work is not bound by memory, a good kernel stays above it.

use std::{
    hint::black_box,
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};

use crate::clock;

/// The output's share of one block, in bytes; a copy of that size is one that the C library may stream.
const BLOCK: usize = 32 << 10;
/// The same for longer blocks.
const LONG: usize = 512 << 10;
/// The fewest bytes that more than one thread moves.
const SHARED: usize = 1 << 19;

/// One pass over all memory.
pub(crate) type Pass = fn(&[&[u8]], &mut [u8]);

/// Returns the pass of this name.
pub(crate) fn pass(name: &str) -> Result<Pass, String> {
    match name {
        "ordinary" => Ok(ordinary),
        "streaming" => Ok(streaming::<BLOCK>),
        "long" => Ok(streaming::<LONG>),
        other => Err(format!("{other} is no pass; ordinary, streaming and long are")),
    }
}

/// Times a pass within `budget` and returns seconds per pass.
pub(crate) fn read(
    pass: Pass,
    budget: Duration,
    reads: &[&[u8]],
    write: &mut [u8],
    threads: usize,
) -> Result<Vec<f64>, String> {
    let bytes = write.len() + reads.iter().map(|operand| operand.len()).sum::<usize>();
    let threads = if bytes < SHARED { 1 } else { threads };
    clock::read(budget, |times| Ok(time(pass, times, reads, write, threads)))
}

/// Times passes over parts of all memory, one part a thread.
fn time(pass: Pass, times: u32, reads: &[&[u8]], write: &mut [u8], threads: usize) -> Duration {
    let gate = Barrier::new(threads);
    let work = |reads: &[&[u8]], write: &mut [u8]| {
        if threads > 1 {
            gate.wait();
        }
        let start = Instant::now();
        for _ in 0..times {
            pass(black_box(reads), black_box(&mut *write));
        }
        if threads > 1 {
            gate.wait();
        }
        start.elapsed()
    };
    let length = write.len();
    let mut rest = write;
    thread::scope(|scope| {
        for part in 1..threads {
            let (own, others) = rest.split_at_mut(share(length, part, threads) - share(length, part - 1, threads));
            rest = others;
            let reads: Vec<&[u8]> = reads.iter().map(|operand| slice(operand, part - 1, threads)).collect();
            let work = &work;
            scope.spawn(move || work(&reads, own));
        }
        let reads: Vec<&[u8]> = reads.iter().map(|operand| slice(operand, threads - 1, threads)).collect();
        work(&reads, rest)
    })
}

/// Returns where part `part` of `parts` begins in `length` bytes.
fn share(length: usize, part: usize, parts: usize) -> usize {
    (length as u128 * part as u128 / parts as u128) as usize
}

/// Returns part `part` of `parts` of some bytes.
fn slice(bytes: &[u8], part: usize, parts: usize) -> &[u8] {
    &bytes[share(bytes.len(), part, parts)..share(bytes.len(), part + 1, parts)]
}

/// Joins what has the output's size and folds the rest, block by block, with plain stores.
fn ordinary(reads: &[&[u8]], write: &mut [u8]) {
    let blocks = write.len().div_ceil(BLOCK);
    let length = write.len();
    let mut sum = 0;
    for (k, out) in write.chunks_mut(BLOCK).enumerate() {
        let from = k * BLOCK;
        let mut same = [None; 2];
        for operand in reads {
            if operand.len() == length
                && let Some(place) = same.iter_mut().find(|place| place.is_none())
            {
                *place = Some(&operand[from..from + out.len()]);
            } else {
                sum ^= fold(slice(operand, k, blocks));
            }
        }
        match same {
            [Some(a), Some(b)] => join(out, a, b),
            [Some(a), None] => join_one(out, a, sum as u8),
            _ => fill(out, sum),
        }
    }
    black_box(sum);
}

fn join(out: &mut [u8], a: &[u8], b: &[u8]) {
    for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
        *out = a ^ b;
    }
}

fn join_one(out: &mut [u8], a: &[u8], mask: u8) {
    for (out, &a) in out.iter_mut().zip(a) {
        *out = a ^ mask;
    }
}

/// Fills with words that are not made of equal bytes, which would become a call into the C library.
fn fill(out: &mut [u8], word: u64) {
    let (words, rest) = out.as_chunks_mut::<8>();
    for (place, out) in words.iter_mut().enumerate() {
        *out = (word ^ (place as u64 & 1)).to_ne_bytes();
    }
    rest.fill(word as u8);
}

/// Copies one operand in blocks of `B` bytes, and folds the others.
fn streaming<const B: usize>(reads: &[&[u8]], write: &mut [u8]) {
    let (blocks, length) = (write.len().div_ceil(B), write.len());
    let direct = reads.iter().position(|operand| operand.len() == length);
    let page = if direct.is_none() { (0..B.min(length)).map(|i| i as u8 & 1).collect() } else { Vec::new() };
    let mut sum = 0;
    for (k, out) in write.chunks_mut(B).enumerate() {
        for (at, operand) in reads.iter().enumerate() {
            if Some(at) != direct {
                sum ^= fold(slice(operand, k, blocks));
            }
        }
        let from = k * B;
        let source = direct.map_or_else(|| &page[..out.len()], |at| &reads[at][from..from + out.len()]);
        out.copy_from_slice(source);
    }
    black_box(sum);
}

/// Folds all bytes into eight by exclusive or, which reads each once.
fn fold(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let words = words.iter().fold(0, |sum, word| sum ^ u64::from_ne_bytes(*word));
    rest.iter().enumerate().fold(words, |sum, (i, &byte)| sum ^ (u64::from(byte) << (i * 8)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_disjoint_and_complete() {
        let bytes: Vec<u8> = (0..=255).collect();
        for length in [0, 1, 2, 3, 17, 256] {
            for parts in 1..=7 {
                let joined: Vec<u8> =
                    (0..parts).flat_map(|part| slice(&bytes[..length], part, parts).to_vec()).collect();
                assert_eq!(joined, &bytes[..length], "{parts} parts of {length}");
            }
        }
    }

    #[test]
    fn folding_reads_every_byte() {
        for length in [1, 7, 8, 127, 128, 300, 600] {
            let zero = vec![0_u8; length];
            for at in 0..length {
                let mut one = zero.clone();
                one[at] = 1;
                assert_ne!(fold(&one), fold(&zero), "byte {at} of {length}");
            }
        }
    }

    #[test]
    fn every_byte_is_written() {
        let (long, same, short) = (vec![1_u8; 2_000_001], vec![1_u8; 1_000_000], vec![1_u8; 12]);
        for reads in [&[&long[..], &short][..], &[&same, &long], &[&same, &same, &same], &[&short], &[&same]] {
            for name in ["ordinary", "streaming", "long"] {
                for threads in [1, 2, 3] {
                    // All operands are ones, so that copies, joins and folds are made of the bits 0 and 1.
                    let mut write = vec![77_u8; 1_000_000];
                    time(pass(name).expect("a pass"), 1, reads, &mut write, threads);
                    assert!(write.iter().all(|&byte| byte < 2), "{name}, {} reads, {threads} threads", reads.len());
                }
            }
        }
        assert!(pass("sideways").is_err());
    }
}
