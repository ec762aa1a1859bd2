//! Shares work on a list of items among threads.

use std::{
    cmp::Reverse,
    sync::{Mutex, PoisonError},
    thread,
};

/// The stack of a thread; readers recurse as deep as they do on that of the main thread.
const STACK_BYTES: usize = 8 << 20;

/// Does the same work on every item, at most `jobs` at a time and the large ones first; the results are in the order of the items.
pub(crate) fn each<T: Send, R: Send>(
    items: Vec<T>,
    jobs: usize,
    size: impl Fn(&T) -> u64,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let (count, done) = (items.len(), Mutex::new(Vec::with_capacity(items.len())));
    let mut left: Vec<(usize, T)> = items.into_iter().enumerate().collect();
    // The next one is the last.
    left.sort_by_cached_key(|(at, item)| (size(item), Reverse(*at)));
    let left = Mutex::new(left);
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let share = || {
        while let Some((at, item)) = next() {
            let result = work(item);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
        }
    };
    thread::scope(|scope| {
        for _ in 1..jobs.min(count) {
            // The others do the share of a thread that cannot be started.
            let _ = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, share);
        }
        share();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for count in [0, 1, 2, 3, 100] {
            let items: Vec<u64> = (0..count).map(|at| at * 7919 % 101).collect();
            for jobs in [1, 2, 5, 1000] {
                let (begun, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
                let got = each(
                    items.clone(),
                    jobs,
                    |&item| item,
                    |item| {
                        most.fetch_max(1 + begun.fetch_add(1, Ordering::SeqCst), Ordering::SeqCst);
                        thread::yield_now();
                        begun.fetch_sub(1, Ordering::SeqCst);
                        item + 1
                    },
                );
                assert_eq!(got, items.iter().map(|item| item + 1).collect::<Vec<_>>(), "{count} by {jobs}");
                assert!(most.into_inner() <= jobs, "{count} by {jobs}");
            }
        }
    }

    #[test]
    fn large_items_are_first() {
        let seen = Mutex::new(Vec::new());
        each(vec![3, 9, 1, 9, 4], 1, |&item| item, |item| seen.lock().unwrap().push(item));
        assert_eq!(seen.into_inner().unwrap(), [9, 9, 4, 3, 1]);
    }
}
