//! Memory that results gave back, kept for the next ones of about their size.
//!
//! The system clears every page before it hands it out, which takes about as long as to fill it with results. So a large block that
//! is given back is kept for a while: up to a limit in bytes, the oldest being dropped first, and none longer than [`AGE`]. There is no
//! thread that looks at the clock: blocks are aged whenever one comes or goes.
//!
//! - What is handed out again is as it was left. It goes to results of which every element is written before anybody reads one
//!   (`Buffer::stale`); whoever wants zeros gets new pages.
//! - Nobody waits here: who does not get the lock after a few tries gives the block to the system, or takes one from it. So a child
//!   process that was forked while another thread held the lock goes on, without keeping anything.
//! - A child also finds its parent's blocks, whose pages would be copied one by one when written. It drops them.

use std::{
    hint, process,
    sync::{
        Mutex, MutexGuard, TryLockError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use super::block::Allocation;

/// The bytes from which a block is kept; below that it is cheap to clear.
pub(super) const LEAST: usize = 256 << 10;

/// The blocks that are kept at most.
const BLOCKS: usize = 64;

/// The time after which a block that nobody wanted is dropped.
const AGE: Duration = Duration::from_secs(10);

/// The times that a lock is tried.
const TRIES: usize = 200;

/// Stands for a limit that nobody has set.
const UNSET: usize = usize::MAX;

static LIMIT_BYTES: AtomicUsize = AtomicUsize::new(UNSET);
static KEPT: Mutex<Kept> = Mutex::new(Kept { blocks: Vec::new(), process: 0 });

/// A block, and since when it is here.
struct PooledBlock {
    allocation: Allocation,
    since: Instant,
}

/// The blocks, the oldest first.
struct Kept {
    blocks: Vec<PooledBlock>,
    process: u32,
}

/// Sets how many bytes of results' memory are kept for later ones; those beyond are given back to the system now.
pub fn set_pool_limit(bytes: usize) {
    LIMIT_BYTES.store(bytes.min(UNSET - 1), Ordering::Relaxed);
    drop(lock().map(|mut kept| kept.trim(0, bytes)));
}

/// Sets how many bytes are kept unless that was said before; until then none are.
pub fn set_default_pool_limit(bytes: usize) {
    let _ = LIMIT_BYTES.compare_exchange(UNSET, bytes.min(UNSET - 1), Ordering::Relaxed, Ordering::Relaxed);
}

/// Returns how many bytes may be kept, where that was said.
pub fn pool_limit() -> Option<usize> {
    Some(LIMIT_BYTES.load(Ordering::Relaxed)).filter(|&most| most != UNSET)
}

/// Gives all memory that is kept back to the system; returns how many bytes that was.
pub fn release() -> usize {
    let blocks = lock().map_or_else(Vec::new, |mut kept| std::mem::take(&mut kept.blocks));
    blocks.iter().map(|block| block.allocation.room()).sum()
}

/// Keeps a block, or gives it and others back.
pub(super) fn put(allocation: Allocation) {
    let (room, most) = (allocation.room(), pool_limit().unwrap_or(0));
    if room < LEAST || room > most {
        return;
    }
    let Some(mut kept) = lock() else { return };
    let leaving = kept.trim(room, most);
    kept.blocks.push(PooledBlock { allocation, since: Instant::now() });
    drop(kept);
    // The system takes its time over this.
    drop(leaving);
}

/// Takes a block for so many bytes, where there is one.
pub(super) fn take(len: usize) -> Option<Allocation> {
    let most = pool_limit().unwrap_or(0);
    if len < LEAST || len > most {
        return None;
    }
    let mut kept = lock()?;
    let found = kept.find(len);
    let leaving = kept.trim(0, most);
    drop(kept);
    drop(leaving);
    found
}

impl Kept {
    /// Takes out the newest block that has room for so many bytes, of which at most a fifth would be left over.
    fn find(&mut self, len: usize) -> Option<Allocation> {
        let fits = |block: &PooledBlock| (len..=len.saturating_add(len / 4)).contains(&block.allocation.room());
        self.blocks.iter().rposition(fits).map(|at| self.blocks.remove(at).allocation)
    }

    /// Takes out the blocks that are too old, and the oldest of the others until those that are left and the one that comes have
    /// no more bytes than may be kept.
    fn trim(&mut self, coming: usize, most: usize) -> Vec<PooledBlock> {
        let mut bytes: usize = self.blocks.iter().map(|block| block.allocation.room()).sum();
        let most = most.saturating_sub(coming);
        let mut leave = 0;
        for block in &self.blocks {
            let stays = block.since.elapsed() < AGE && self.blocks.len() - leave < BLOCKS && bytes <= most;
            if stays {
                break;
            }
            bytes -= block.allocation.room();
            leave += 1;
        }
        self.blocks.drain(..leave).collect()
    }
}

/// Takes the lock, unless others hold it for long; drops what belongs to the process that this one was forked from.
fn lock() -> Option<MutexGuard<'static, Kept>> {
    for round in 0..TRIES {
        let mut kept = match KEPT.try_lock() {
            Ok(kept) => kept,
            Err(TryLockError::Poisoned(kept)) => kept.into_inner(),
            Err(TryLockError::WouldBlock) => {
                // Who holds the lock may be waiting for this CPU.
                let wait = if round % 32 == 31 { thread::yield_now } else { hint::spin_loop };
                wait();
                continue;
            }
        };
        let process = process::id();
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
