//! Mappings of files that stay, shrink, grow or do not exist, and signals that are not for their handler.

use std::{
    io::{Seek, SeekFrom, Write},
    os::unix::process::ExitStatusExt,
    path::PathBuf,
    process::Command,
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use super::*;
use crate::isa::faults;
use crate::tile::Output;
use crate::{DType, Nest, Program, Scoped, find, program::Slot, program::Step, run, table::HasKernels};

/// Serialises the tests, which share the table of mappings.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Temporary(PathBuf, File);

impl Temporary {
    fn new(name: &str, bytes: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("broadaxe-map-{}-{name}", std::process::id()));
        let mut file = File::options().read(true).write(true).create(true).truncate(true).open(&path).unwrap();
        file.write_all(bytes).unwrap();
        Self(path, file)
    }

    fn map(&self, at: u64, len: usize) -> Option<Mapping> {
        Mapping::new(&self.1, at, len)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Negates `count` bytes of a mapping on `threads` threads, each byte separately.
fn negated(mapping: &Mapping, count: usize, threads: usize) -> Vec<u8> {
    let kernel = find("neg").unwrap().kernel(DType::I8).unwrap();
    let program = Program::new(vec![DType::I8], vec![Step::new(kernel, [Slot::Input(0)])]).unwrap();
    let nest = Nest { dims: vec![count], output: vec![1], inputs: vec![vec![1]] };
    let mut bytes = vec![77; count];
    run(&program, &nest, &[mapping.input(0)], Output::new(&mut bytes, 0), &Scoped(threads), None).unwrap();
    bytes
}

#[test]
fn any_part_of_a_file_is_as_it_was_written() {
    let _alone = alone();
    let bytes: Vec<u8> = (0..20_000u32).map(|i| (i * 31 / 7) as u8).collect();
    let file = Temporary::new("parts", &bytes);
    for (at, len) in [(0, 20_000), (0, 1), (1, 19_999), (4095, 2), (4096, 4096), (8191, 8194), (19_999, 1)] {
        let mapping = file.map(at as u64, len).unwrap();
        let mut copy = vec![0; len];
        assert!(mapping.read(0, &mut copy));
        assert_eq!(copy, bytes[at..at + len], "{at} {len}");
        let want: Vec<u8> = copy.iter().map(|byte| byte.wrapping_neg()).collect();
        assert_eq!(negated(&mapping, len, 2), want, "{at} {len}");
        assert_eq!((mapping.len(), mapping.is_empty(), mapping.is_whole()), (len, false, true));
        assert!(!mapping.read(1, &mut copy) && !mapping.read(usize::MAX, &mut copy));
        assert!(mapping.read(len, &mut []));
    }
}

#[test]
fn what_cannot_be_mapped_is_none() {
    let _alone = alone();
    let file = Temporary::new("none", &[1; 5000]);
    for (at, len) in [(0, 0), (5000, 0), (5000, 1), (0, 5001), (4999, 2), (u64::MAX, 1), (1, usize::MAX)] {
        assert!(file.map(at, len).is_none(), "{at} {len}");
    }
    let empty = Temporary::new("empty", &[]);
    assert!(empty.map(0, 0).is_none() && empty.map(0, 1).is_none());
    assert!(Mapping::new(&File::open(std::env::temp_dir()).unwrap(), 0, 1).is_none(), "a folder");
    assert!(Mapping::new(&File::open("/dev/zero").unwrap(), 0, 1).is_none(), "a device");
    let unreadable = File::options().append(true).open(&file.0).unwrap();
    assert!(Mapping::new(&unreadable, 0, 1).is_none(), "a file open for writing alone");
    let pipe = std::env::temp_dir().join(format!("broadaxe-map-{}-pipe", std::process::id()));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let opened = File::options().read(true).write(true).open(&pipe).unwrap();
    std::fs::remove_file(&pipe).unwrap();
    assert!(Mapping::new(&opened, 0, 1).is_none(), "a pipe");
}

#[test]
fn a_full_table_has_none_and_then_one_again() {
    let _alone = alone();
    let file = Temporary::new("full", &[5; 100]);
    let mut all: Vec<Mapping> = (0..Mapping::MAX).map(|i| file.map(i as u64, 1).unwrap()).collect();
    assert!(file.map(0, 1).is_none());
    all.swap_remove(17);
    let again = file.map(0, 3).unwrap();
    assert!(file.map(0, 1).is_none());
    assert_eq!(negated(&again, 3, 1), [251; 3]);
}

#[test]
fn a_cut_file_is_zeros_and_no_longer_whole() {
    let _alone = alone();
    let (size, keep) = (64 << 20, 5000);
    for threads in [1, 4] {
        let file = Temporary::new("cut", &vec![3; size]);
        let (mapping, other) = (file.map(0, size).unwrap(), Temporary::new("other", &[9; 5000]));
        let untouched = other.map(0, 5000).unwrap();
        file.1.set_len(keep as u64).unwrap();
        let bytes = negated(&mapping, size, threads);
        // The rest of the last page is zero already; the handler supplies the pages behind it.
        assert!(bytes[..keep].iter().all(|&byte| byte == 253) && bytes[keep..].iter().all(|&byte| byte == 0));
        assert!(mapping.pages.are_cut() && !mapping.is_whole());
        assert!(untouched.is_whole(), "another mapping");
        assert_eq!(negated(&untouched, 5000, 1), [247; 5000]);
        drop(mapping);
        let again = file.map(0, keep).unwrap();
        assert!(again.is_whole(), "the mark stays with the mapping");
    }
}

#[test]
fn a_file_cut_while_threads_read_it_ends_no_process() {
    let _alone = alone();
    let size = 32 << 20;
    for pause in [0, 1, 2, 4] {
        let file = Temporary::new("race", &vec![1; size]);
        let mapping = file.map(0, size).unwrap();
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(pause));
                file.1.set_len(4096).unwrap();
            });
            for _ in 0..3 {
                let bytes = negated(&mapping, size, 4);
                assert!(bytes.iter().all(|&byte| byte == 255 || byte == 0));
            }
        });
        let bytes = negated(&mapping, size, 4);
        assert!(bytes[..4096].iter().all(|&byte| byte == 255) && bytes[4096..].iter().all(|&byte| byte == 0));
        assert!(mapping.pages.are_cut() && !mapping.is_whole());
    }
}

#[test]
fn changes_without_a_signal_are_seen() {
    let _alone = alone();
    type Change = fn(&mut File);
    let changes: [(&str, Change); 4] = [
        ("cut within a page", |file| file.set_len(4999).unwrap()),
        ("cut and grown", |file| {
            file.set_len(0).unwrap();
            file.set_len(5000).unwrap();
        }),
        ("longer", |file| file.set_len(5001).unwrap()),
        ("written", |file| {
            file.seek(SeekFrom::Start(10)).unwrap();
            file.write_all(&[8]).unwrap();
        }),
    ];
    for (name, change) in changes {
        let mut file = Temporary::new("change", &[7; 5000]);
        // The file system's clock ticks every few milliseconds.
        thread::sleep(Duration::from_millis(30));
        let mapping = file.map(0, 5000).unwrap();
        change(&mut file.1);
        negated(&mapping, 5000, 1);
        assert!(!mapping.is_whole(), "{name}");
    }
}

#[test]
fn a_file_that_loses_its_name_stays_whole() {
    let _alone = alone();
    let file = Temporary::new("named", &[7; 5000]);
    let mapping = file.map(0, 5000).unwrap();
    let other = Temporary::new("renamed", &[0; 10]);
    std::fs::rename(&other.0, &file.0).unwrap();
    assert_eq!(negated(&mapping, 5000, 1), [249; 5000]);
    assert!(mapping.is_whole());
}

/// Writes a negated copy of `count` bytes of 3 into a mapping.
fn written(mapping: &mut MappingMut, count: usize, threads: usize) {
    let kernel = find("neg").unwrap().kernel(DType::I8).unwrap();
    let program = Program::new(vec![DType::I8], vec![Step::new(kernel, [Slot::Input(0)])]).unwrap();
    let nest = Nest { dims: vec![count], output: vec![1], inputs: vec![vec![0]] };
    run(&program, &nest, &[Input::new(&[3], 0)], mapping.output(0), &Scoped(threads), None).unwrap();
}

#[test]
fn what_is_written_becomes_the_file() {
    let _alone = alone();
    for (at, len, threads) in [(0, 1, 1), (128, 5000, 1), (4095, 2, 1), (128, 8 << 20, 4)] {
        let file = Temporary::new("written", &[9; 200]);
        let mut mapping = MappingMut::new(&file.1, at as u64, len).unwrap().unwrap();
        written(&mut mapping, len, threads);
        assert!(mapping.is_whole());
        drop(mapping);
        let bytes = std::fs::read(&file.0).unwrap();
        assert_eq!(bytes.len(), (at + len).max(200), "{at} {len}");
        let before = at.min(200);
        assert!(bytes[..before].iter().all(|&byte| byte == 9) && bytes[before..at].iter().all(|&byte| byte == 0));
        assert!(bytes[at..at + len].iter().all(|&byte| byte == 253), "{at} {len}");
    }
}

#[test]
fn a_file_that_is_cut_while_it_is_written_is_not_whole() {
    let _alone = alone();
    let size = 16 << 20;
    for threads in [1, 4] {
        let file = Temporary::new("lost", &[]);
        let mut mapping = MappingMut::new(&file.1, 0, size).unwrap().unwrap();
        file.1.set_len(5000).unwrap();
        written(&mut mapping, size, threads);
        assert!(!mapping.is_whole());
        drop(mapping);
        let bytes = std::fs::read(&file.0).unwrap();
        assert!(bytes.len() == 5000 && bytes.iter().all(|&byte| byte == 253));
    }
}

#[test]
fn files_that_cannot_have_the_length_are_errors() {
    let _alone = alone();
    let file = Temporary::new("long", &[1; 10]);
    for (at, len) in [(u64::MAX, 1), (u64::MAX - 1, 1), (1 << 62, 1)] {
        assert!(MappingMut::new(&file.1, at, len).is_err(), "{at} {len}");
    }
    assert!(MappingMut::new(&File::open(&file.0).unwrap(), 0, 1).is_err(), "a file that is open for reading alone");
    assert_eq!(std::fs::read(&file.0).unwrap(), [1; 10]);
}

/// Ends itself by signals for other handlers, each in a process of its own.
#[test]
fn foreign_signals_end_the_process_as_before() {
    const ASK: &str = "BROADAXE_TEST_BUS";
    if let Ok(way) = std::env::var(ASK) {
        die(&way);
    }
    let name = "mapping::tests::foreign_signals_end_the_process_as_before";
    for way in ["bare", "std", "default", "ignored", "sent", "handled"] {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", name, "--nocapture", "--test-threads=1"]).env(ASK, way);
        let status = child.output().unwrap().status;
        let want = if way == "handled" { (Some(42), None) } else { (None, Some(libc::SIGBUS)) };
        assert_eq!((status.code(), status.signal()), want, "{way}");
    }
}

/// Reads behind the end of a file that was mapped without this crate, or receives the signal.
fn die(way: &str) -> ! {
    faults::prepare(way);
    let file = Temporary::new("foreign", &[1; 8192]);
    let mapping = (way != "bare").then(|| file.map(0, 8192).unwrap());
    let foreign = faults::map(&file.1, 8192);
    file.1.set_len(0).unwrap();
    std::fs::remove_file(&file.0).unwrap();
    if let Some(mapping) = &mapping {
        assert_eq!(negated(mapping, 8192, 2), [0; 8192], "the handler is installed");
    }
    faults::fault(foreign, way == "sent");
    std::process::exit(7)
}
