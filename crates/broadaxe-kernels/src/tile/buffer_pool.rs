//! A pool of freed buffers, reused for later results of about the same size.
//!
//! The system clears every page before it hands it out, which is about as slow as filling it with results. So a
//! large block that is freed is kept for a while: up to a limit in bytes, dropping the oldest first, and at most for
//! [`AGE`]. No thread checks the clock: blocks are aged whenever one is taken or returned.
//!
//! - A reused block has its old contents. It is used only for results of which every element is written before any is
//!   read (`Buffer::uninit`); callers that need zeros get new pages.
//! - No thread waits here: a thread that does not get the lock after a few tries frees the block, or allocates one. So
//!   a child process that was forked while another thread held the lock continues, without a pool.
//! - A child also finds its parent's blocks, whose pages would be copied one by one when written. It drops them.

use std::{
    hint,
    sync::{
        Mutex, MutexGuard, TryLockError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use super::block::Allocation;
use crate::{isa, measured::MIN_POOLED_BYTES};

/// The most blocks in the pool.
const MAX_BLOCKS: usize = 64;

/// The time after which an unused block is dropped.
const AGE: Duration = Duration::from_secs(10);

/// The number of tries to lock the pool.
const TRIES: usize = 200;

/// Marks a limit that is not set.
const UNSET: usize = usize::MAX;

static LIMIT_BYTES: AtomicUsize = AtomicUsize::new(UNSET);
static POOL: Mutex<PooledBlocks> = Mutex::new(PooledBlocks { blocks: Vec::new(), process: 0 });

/// A block, and the time at which it was returned.
struct PooledBlock {
    allocation: Allocation,
    since: Instant,
}

/// The blocks, oldest first.
struct PooledBlocks {
    blocks: Vec<PooledBlock>,
    process: u32,
}

/// Sets the limit of the pool in bytes; blocks beyond it are freed now.
pub fn set_pool_limit(bytes: usize) {
    LIMIT_BYTES.store(bytes.min(UNSET - 1), Ordering::Relaxed);
    drop(lock().map(|mut kept| kept.trim(0, bytes)));
}

/// Sets the limit of the pool unless one is set. Without a limit, nothing is pooled.
pub fn set_default_pool_limit(bytes: usize) {
    let _ = LIMIT_BYTES.compare_exchange(UNSET, bytes.min(UNSET - 1), Ordering::Relaxed, Ordering::Relaxed);
}

/// Returns the limit of the pool, if one is set.
pub fn pool_limit() -> Option<usize> {
    Some(LIMIT_BYTES.load(Ordering::Relaxed)).filter(|&most| most != UNSET)
}

/// Frees all pooled memory. Returns the number of bytes.
pub fn release() -> usize {
    let blocks = lock().map_or_else(Vec::new, |mut kept| std::mem::take(&mut kept.blocks));
    blocks.iter().map(|block| block.allocation.room()).sum()
}

/// Pools a block, or frees it and others.
pub(super) fn put(allocation: Allocation) {
    let (room, most) = (allocation.room(), pool_limit().unwrap_or(0));
    if room < MIN_POOLED_BYTES || room > most {
        return;
    }
    let Some(mut kept) = lock() else { return };
    let leaving = kept.trim(room, most);
    kept.blocks.push(PooledBlock { allocation, since: Instant::now() });
    drop(kept);
    // Freeing can be slow, so it happens without the lock.
    drop(leaving);
}

/// Returns a block for `len` bytes, if there is one.
pub(super) fn take(len: usize) -> Option<Allocation> {
    let most = pool_limit().unwrap_or(0);
    if len < MIN_POOLED_BYTES || len > most {
        return None;
    }
    let mut kept = lock()?;
    let found = kept.find(len);
    let leaving = kept.trim(0, most);
    drop(kept);
    drop(leaving);
    found
}

impl PooledBlocks {
    /// Removes the newest block that has room for `len` bytes and wastes at most a fifth.
    fn find(&mut self, len: usize) -> Option<Allocation> {
        let fits = |block: &PooledBlock| (len..=len.saturating_add(len / 4)).contains(&block.allocation.room());
        self.blocks.iter().rposition(fits).map(|at| self.blocks.remove(at).allocation)
    }

    /// Removes the blocks that are too old, and then the oldest of the others until the rest and the new block are
    /// within the limit.
    fn trim(&mut self, coming: usize, most: usize) -> Vec<PooledBlock> {
        let mut bytes: usize = self.blocks.iter().map(|block| block.allocation.room()).sum();
        let most = most.saturating_sub(coming);
        let mut leave = 0;
        for block in &self.blocks {
            let stays = block.since.elapsed() < AGE && self.blocks.len() - leave < MAX_BLOCKS && bytes <= most;
            if stays {
                break;
            }
            bytes -= block.allocation.room();
            leave += 1;
        }
        self.blocks.drain(..leave).collect()
    }
}

/// Locks the pool, unless others hold the lock for long, or there is no clock to age blocks by. Drops the blocks of the parent process.
fn lock() -> Option<MutexGuard<'static, PooledBlocks>> {
    if !isa::HAS_PROCESSES {
        return None;
    }
    for round in 0..TRIES {
        let mut kept = match POOL.try_lock() {
            Ok(kept) => kept,
            Err(TryLockError::Poisoned(kept)) => kept.into_inner(),
            Err(TryLockError::WouldBlock) => {
                // The owner of the lock may be waiting for this CPU.
                let wait = if round % 32 == 31 { thread::yield_now } else { hint::spin_loop };
                wait();
                continue;
            }
        };
        let process = isa::process();
        if kept.process != process {
            kept.process = process;
            kept.blocks.clear();
        }
        return Some(kept);
    }
    None
}

#[cfg(test)]
mod tests;
