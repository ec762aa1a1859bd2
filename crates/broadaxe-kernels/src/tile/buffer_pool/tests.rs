use super::*;
#[cfg(unix)]
use crate::run::in_child;
use crate::tile::Buffer;

const MIB: usize = 1 << 20;

fn block(mebibytes: usize, age: u64) -> PooledBlock {
    let since = Instant::now().checked_sub(Duration::from_secs(age)).expect("the machine runs for longer");
    PooledBlock { allocation: Allocation::zeroed(mebibytes * MIB).expect("small"), since }
}

/// Lists the sizes of blocks in MiB.
fn sizes(blocks: &[PooledBlock]) -> Vec<usize> {
    blocks.iter().map(|block| block.allocation.room() / MIB).collect()
}

#[test]
fn the_oldest_leave_first() {
    struct Case {
        /// The size and the age of each block in MiB and seconds.
        blocks: &'static [(usize, u64)],
        most: usize,
        coming: usize,
        stay: &'static [usize],
    }
    let cases = [
        Case { blocks: &[], most: 10, coming: 20, stay: &[] },
        Case { blocks: &[(2, 3), (3, 2), (4, 1)], most: 10, coming: 0, stay: &[2, 3, 4] },
        Case { blocks: &[(2, 3), (3, 2), (4, 1)], most: 10, coming: 1, stay: &[2, 3, 4] },
        Case { blocks: &[(2, 3), (3, 2), (4, 1)], most: 10, coming: 2, stay: &[3, 4] },
        Case { blocks: &[(2, 3), (3, 2), (4, 1)], most: 10, coming: 5, stay: &[4] },
        Case { blocks: &[(2, 3), (3, 2), (4, 1)], most: 10, coming: 20, stay: &[] },
        Case { blocks: &[(2, 99), (3, 11), (4, 1)], most: 100, coming: 0, stay: &[4] },
        Case { blocks: &[(2, 3), (3, 2)], most: 0, coming: 0, stay: &[] },
        Case { blocks: &[(1, 0); MAX_BLOCKS], most: 1000, coming: 0, stay: &[1; MAX_BLOCKS - 1] },
    ];
    for Case { blocks, most, coming, stay } in cases {
        let mut kept =
            PooledBlocks { blocks: blocks.iter().map(|&(size, age)| block(size, age)).collect(), process: 0 };
        // A block has a few bytes more than requested.
        let most = if most == 0 { 0 } else { most * MIB + MAX_BLOCKS * 4096 };
        drop(kept.trim(coming * MIB, most));
        assert_eq!(sizes(&kept.blocks), stay, "{blocks:?} with {coming} of {most} to come");
    }
}

#[test]
fn a_block_is_found_by_its_size() {
    let cases = [(4, Some(4)), (3, None), (5, Some(5)), (6, Some(7)), (8, None), (1, None)];
    for (asked, want) in cases {
        let mut kept = PooledBlocks { blocks: vec![block(4, 3), block(5, 2), block(7, 1)], process: 0 };
        let found = kept.find(asked * MIB).map(|allocation| allocation.room() / MIB);
        assert_eq!(found, want, "{asked} MiB");
        assert_eq!(kept.blocks.len(), if want.is_some() { 2 } else { 3 });
    }
}

/// Everything that needs the blocks of the process is in one test, because the process has one pool.
#[test]
fn what_is_given_back_is_handed_out_again() {
    const LEN: usize = 37 * MIB + 11;
    let dirty = || {
        let mut buffer = Buffer::uninit(LEN).expect("memory");
        buffer.bytes_mut().fill(7);
        buffer.bytes().as_ptr().addr()
    };
    let zero = |buffer: &Buffer| buffer.bytes().iter().all(|&byte| byte == 0);
    set_pool_limit(0);
    dirty();
    assert!(zero(&Buffer::uninit(LEN).expect("memory")), "nothing is kept");
    set_pool_limit(64 * MIB);
    assert_eq!(pool_limit(), Some(64 * MIB));
    dirty();
    assert!(zero(&Buffer::zeroed(LEN).expect("memory")), "new pages");
    // If another test holds the lock all the time, nothing is pooled.
    let reused = || {
        release();
        let place = dirty();
        let again = Buffer::uninit(LEN).expect("memory");
        let same = again.bytes().as_ptr().addr() == place && again.bytes().iter().all(|&byte| byte == 7);
        drop(again);
        let smaller = Buffer::uninit(LEN - 6 * MIB).expect("memory");
        same && smaller.bytes().as_ptr().addr() == place && smaller.bytes().len() == LEN - 6 * MIB
    };
    assert!((0..20).any(|_| reused()));
    assert!(zero(&Buffer::uninit(LEN / 2).expect("memory")), "too small for that block");
    #[cfg(unix)]
    {
        assert!(in_child(|| zero(&Buffer::uninit(LEN).expect("memory"))), "a child has blocks of its own");
        let held = (0..1000).find_map(|_| lock()).expect("tests hold it for moments");
        assert!(in_child(|| zero(&Buffer::uninit(LEN).expect("memory")) && release() == 0), "no thread waits");
        drop(held);
    }
    assert!((0..20).any(|_| reused() && release() >= LEN));
    assert!(zero(&Buffer::uninit(LEN).expect("memory")), "all was given back");
    set_pool_limit(0);
    set_default_pool_limit(MIB);
    assert_eq!(pool_limit(), Some(0), "said before");
}
