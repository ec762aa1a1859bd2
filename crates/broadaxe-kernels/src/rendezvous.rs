//! Rendezvous: lets threads join work that another thread owns, and tells the owner when all have left.
//!
//! An owner claims the rendezvous, opens it with a number of seats, and finally closes it and waits until every
//! participant has left. The whole state is one word: entering removes a seat and adds a participant in one step, and
//! closing removes all seats in one step. So a thread that comes late finds no seat, and one that has entered is waited
//! for. The word does not distinguish jobs, and need not: a thread that enters joins the job that is open at that
//! moment.
//!
//! Participants see what the owner wrote before it opened, because they enter by reading its word or one derived from
//! it. For the same reason the owner sees what participants wrote, when it reads that none is left. A model checks all
//! interleavings: `RUSTFLAGS="--cfg loom" cargo test -p broadaxe-kernels --lib --release rendezvous`.

use std::sync::PoisonError;

#[cfg(all(loom, test))]
use loom::{
    hint::spin_loop,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread::{Thread, current, park, yield_now},
};
#[cfg(not(all(loom, test)))]
use std::{
    hint::spin_loop,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread::{Thread, current, park, yield_now},
};

use crate::measured::SPINS_BEFORE_SLEEP;

/// An owner exists.
const OWNED: u64 = 1 << 63;
/// The owner sleeps until the last participant wakes it.
const ASLEEP: u64 = 1 << 62;
/// One seat; there is room for 2¹⁶ of them.
const SEAT: u64 = 1 << 32;
const SEATS: u64 = 0xffff << 32;
/// The bits that count participants.
const PARTICIPANTS: u64 = 0xffff_ffff;

/// A point where threads join the work of one owner at a time.
pub(crate) struct Rendezvous {
    state: AtomicU64,
    /// The thread that the last participant wakes; waking a former owner is harmless.
    lender: Mutex<Option<Thread>>,
}

impl Rendezvous {
    pub(crate) fn new() -> Self {
        Self { state: AtomicU64::new(0), lender: Mutex::new(None) }
    }

    /// Becomes the owner, unless there is one.
    pub(crate) fn claim(&self) -> Option<Owner<'_>> {
        let claimed = self.state.compare_exchange(0, OWNED, Ordering::Acquire, Ordering::Relaxed);
        // Made only on success: dropping it releases the rendezvous.
        claimed.is_ok().then(|| Owner(self))
    }

    /// Enters if a seat is left.
    pub(crate) fn enter(&self) -> Option<Participant<'_>> {
        let seated = |state: u64| (state & SEATS != 0).then(|| state - SEAT + 1);
        self.state.fetch_update(Ordering::Acquire, Ordering::Relaxed, seated).is_ok().then(|| Participant(self))
    }

    /// Counts the participants, which may change at any time.
    pub(crate) fn guests(&self) -> usize {
        (self.state.load(Ordering::Relaxed) & PARTICIPANTS) as usize
    }
}

/// The right of an owner. Dropping it closes the rendezvous, waits until no participant is left, and releases it.
pub(crate) struct Owner<'a>(&'a Rendezvous);

impl Owner<'_> {
    /// Lets this many threads enter.
    pub(crate) fn open(&self, seats: usize) {
        // No other thread changes the word while the rendezvous is owned and has neither seats nor participants.
        self.0.state.store(OWNED | (SEAT * (seats as u64).min(SEATS / SEAT)), Ordering::Release);
    }

    /// Waits until the last participant has left a closed rendezvous.
    fn wait(&self) {
        let inside = || self.0.state.load(Ordering::Acquire) & PARTICIPANTS != 0;
        for round in 0..SPINS_BEFORE_SLEEP {
            if !inside() {
                return;
            }
            // The participant may be on this CPU.
            if round % 32 == 31 { yield_now() } else { spin_loop() }
        }
        *self.0.lender.lock().unwrap_or_else(PoisonError::into_inner) = Some(current());
        // A participant that leaves after this sees that it has to wake the owner; one that left before is not counted.
        self.0.state.fetch_or(ASLEEP, Ordering::AcqRel);
        while inside() {
            park();
        }
    }
}

impl Drop for Owner<'_> {
    fn drop(&mut self) {
        let before = self.0.state.fetch_and(!SEATS, Ordering::Acquire);
        if before & PARTICIPANTS != 0 {
            self.wait();
        }
        self.0.state.store(0, Ordering::Release);
    }
}

/// The right of a participant, until it is dropped.
pub(crate) struct Participant<'a>(&'a Rendezvous);

impl Drop for Participant<'_> {
    fn drop(&mut self) {
        // Releases what the participant wrote; and a thread that reads `ASLEEP` must find the handle that was stored
        // before.
        let before = self.0.state.fetch_sub(1, Ordering::AcqRel);
        if before & PARTICIPANTS == 1 && before & ASLEEP != 0 {
            // By now there may be another owner: it is woken needlessly, and checks again.
            let lender = self.0.lender.lock().unwrap_or_else(PoisonError::into_inner).clone();
            if let Some(lender) = lender {
                lender.unpark();
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn seats_are_counted() {
        let gate = Rendezvous::new();
        assert!(gate.enter().is_none(), "there is no lender");
        let claim = gate.claim().expect("free");
        assert!(gate.enter().is_none() && gate.claim().is_none(), "not open yet, and claimed");
        claim.open(2);
        let guests = [gate.enter().expect("a seat"), gate.enter().expect("a seat")];
        assert!(gate.enter().is_none() && gate.guests() == 2, "full");
        drop(guests);
        assert!(gate.enter().is_none() && gate.guests() == 0, "a seat is taken once");
        drop(claim);
        assert!(gate.claim().is_some(), "free again");
    }

    #[test]
    fn a_lender_sleeps_until_the_last_guest_leaves() {
        let gate = Rendezvous::new();
        for _ in 0..20 {
            let claim = gate.claim().expect("free");
            claim.open(2);
            std::thread::scope(|scope| {
                let guests = [gate.enter().expect("a seat"), gate.enter().expect("a seat")];
                for (i, guest) in guests.into_iter().enumerate() {
                    scope.spawn(move || {
                        std::thread::sleep(std::time::Duration::from_millis(1 + i as u64));
                        drop(guest);
                    });
                }
                drop(claim);
                assert_eq!(gate.guests(), 0);
            });
        }
    }
}

/// Checks every interleaving of owners and participants, as far as the model bounds them.
#[cfg(all(test, loom))]
mod models {
    use super::*;
    use loom::{
        sync::{Arc, atomic::AtomicUsize},
        thread,
    };

    /// A rendezvous, and the number of the job.
    struct Shared {
        gate: Rendezvous,
        job: AtomicUsize,
        /// For each job, whether a participant has begun and ended its work, and whether the owner is done.
        begun: [AtomicUsize; 3],
        ended: [AtomicUsize; 3],
        over: [AtomicUsize; 3],
    }

    impl Shared {
        fn new() -> Arc<Self> {
            let [begun, ended, over] = [(); 3].map(|()| [0; 3].map(AtomicUsize::new));
            Arc::new(Self { gate: Rendezvous::new(), job: AtomicUsize::new(0), begun, ended, over })
        }

        /// Offers job `at`, unless another thread owns the rendezvous.
        fn lend(&self, at: usize, seats: usize) {
            let Some(claim) = self.gate.claim() else { return };
            self.job.store(at, Ordering::Relaxed);
            claim.open(seats);
            drop(claim);
            self.over[at].store(1, Ordering::Relaxed);
            let begun = self.begun[at].load(Ordering::Relaxed);
            assert!(self.ended[at].load(Ordering::Relaxed) >= begun, "work that the lender does not see the end of");
        }

        fn visit(&self) {
            let Some(guest) = self.gate.enter() else { return };
            let job = self.job.load(Ordering::Relaxed);
            assert_ne!(job, 0, "inside, and no job");
            self.begun[job].store(1, Ordering::Relaxed);
            self.ended[job].store(1, Ordering::Relaxed);
            assert_eq!(self.over[job].load(Ordering::Relaxed), 0, "the job went away under a guest");
            drop(guest);
        }
    }

    fn explore(model: impl Fn() + Sync + Send + 'static) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(4);
        builder.check(model);
    }

    #[test]
    fn a_late_guest_never_sees_a_job_that_is_over() {
        explore(|| {
            let lent = Shared::new();
            let guest = thread::spawn({
                let lent = lent.clone();
                move || (0..2).for_each(|_| lent.visit())
            });
            lent.lend(1, 1);
            lent.lend(2, 1);
            guest.join().expect("no guest fails");
        });
    }

    #[test]
    fn the_last_of_two_guests_wakes_the_lender() {
        explore(|| {
            let lent = Shared::new();
            let visit = || {
                let lent = lent.clone();
                thread::spawn(move || {
                    let guest = lent.gate.enter();
                    assert!(guest.is_none() || lent.job.load(Ordering::Relaxed) == 1);
                })
            };
            let guests = [visit(), visit()];
            lent.lend(1, 2);
            guests.into_iter().for_each(|guest| guest.join().expect("no guest fails"));
        });
    }

    #[test]
    fn of_two_lenders_one_at_a_time_lends() {
        explore(|| {
            let lent = Shared::new();
            let run = |work: fn(&Shared)| {
                let lent = lent.clone();
                thread::spawn(move || work(&lent))
            };
            let others = [run(|lent| lent.lend(2, 1)), run(Shared::visit)];
            lent.lend(1, 1);
            others.into_iter().for_each(|other| other.join().expect("no thread fails"));
        });
    }
}
