//! The limit: what moving the same bytes costs this machine, whatever is computed on the way.
//!
//! Every byte of every operand is read once and every byte of the output is written once, over the very memory that the
//! workload uses. Two orders are timed and the faster is the limit. *In blocks*: for 4 KiB of output, the share of each operand
//! is copied to a page that stays in the first-level cache (or to the output, where it has its size), so that stores are
//! plain. *Whole*: one operand is copied to the output in one piece and the others are folded by exclusive or; a copy of that
//! size is what the platform does best, with streaming stores beyond the cache.
//!
//! This is a floor for the memory's part only. Where work is not bound by memory, a good kernel stays above it; where the output
//! is large and the caches keep a part of it from call to call, one may come out below.

use std::{
    hint::black_box,
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};

use crate::clock;

/// The output's share of one block, in bytes.
const BLOCK: usize = 4096;
/// The fewest bytes that more than one thread moves.
const SHARED: usize = 1 << 19;

type Pass = fn(&[&[u8]], &mut [u8]);

/// Times both orders within `budget` and returns the readings of the faster.
pub(crate) fn read(budget: Duration, reads: &[&[u8]], write: &mut [u8], threads: usize) -> Result<Vec<f64>, String> {
    let bytes = write.len() + reads.iter().map(|operand| operand.len()).sum::<usize>();
    let threads = if bytes < SHARED { 1 } else { threads };
    let mut best: Option<Vec<f64>> = None;
    for pass in [in_blocks as Pass, whole] {
        let seconds = clock::read(budget / 2, |times| Ok(time(pass, times, reads, write, threads)))?;
        if best.as_ref().is_none_or(|best| clock::median(&seconds) < clock::median(best)) {
            best = Some(seconds);
        }
    }
    Ok(best.unwrap_or_default())
}

/// Times passes over parts of all memory, one part a thread.
fn time(pass: Pass, times: u32, reads: &[&[u8]], write: &mut [u8], threads: usize) -> Duration {
    let gate = Barrier::new(threads);
    let work = |reads: &[&[u8]], write: &mut [u8]| {
        gate.wait();
        let start = Instant::now();
        for _ in 0..times {
            pass(black_box(reads), black_box(&mut *write));
        }
        gate.wait();
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

fn in_blocks(reads: &[&[u8]], write: &mut [u8]) {
    let mut page = [0_u8; BLOCK];
    let blocks = write.len().div_ceil(BLOCK);
    for (k, out) in write.chunks_mut(BLOCK).enumerate() {
        let mut written = false;
        for operand in reads {
            let own = slice(operand, k, blocks);
            if !written && own.len() == out.len() {
                out.copy_from_slice(own);
                written = true;
            } else {
                for piece in own.chunks(BLOCK) {
                    page[..piece.len()].copy_from_slice(piece);
                    black_box(&mut page);
                }
            }
        }
        if !written {
            out.fill(page[0]);
        }
    }
}

fn whole(reads: &[&[u8]], write: &mut [u8]) {
    let largest = (0..reads.len()).max_by_key(|&k| reads[k].len());
    let mut sum = 0;
    let mut copied = 0;
    for (k, operand) in reads.iter().enumerate() {
        let mut left = *operand;
        if Some(k) == largest {
            copied = left.len().min(write.len());
            write[..copied].copy_from_slice(&left[..copied]);
            left = &left[copied..];
        }
        sum ^= fold(left);
    }
    write[copied..].fill(sum as u8);
    black_box(sum);
}

/// Folds all bytes into eight by exclusive or, which reads each once.
fn fold(bytes: &[u8]) -> u64 {
    let mut lanes = [0_u64; 16];
    let (chunks, rest) = bytes.as_chunks::<128>();
    for chunk in chunks {
        for (lane, word) in lanes.iter_mut().zip(chunk.as_chunks::<8>().0) {
            *lane ^= u64::from_ne_bytes(*word);
        }
    }
    let rest = rest.iter().enumerate().fold(0, |sum, (i, &byte)| sum ^ (u64::from(byte) << (i % 8 * 8)));
    lanes.iter().fold(rest, |sum, lane| sum ^ lane)
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
        for length in [1, 7, 8, 127, 128, 300] {
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
        let (long, same, short) = (vec![1_u8; 20_001], vec![1_u8; 10_000], vec![1_u8; 12]);
        for reads in [&[&long[..], &short][..], &[&same, &long], &[&short], &[&same]] {
            for pass in [in_blocks as Pass, whole] {
                for threads in [1, 2, 3] {
                    // Where nothing has the output's size it is filled, with the fold of ones or the page's first byte.
                    let mut write = vec![77_u8; 10_000];
                    time(pass, 1, reads, &mut write, threads);
                    assert!(write.iter().all(|&byte| byte < 2), "{} reads, {threads} threads", reads.len());
                }
            }
        }
    }
}
