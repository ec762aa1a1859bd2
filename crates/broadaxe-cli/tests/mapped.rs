//! Array files that are large enough to be mapped: their values, and what happens when they change.

#![cfg(target_os = "linux")]

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

use broadaxe::{Array, DType};
use broadaxe_cli::{
    error::ErrorKind,
    file::{Place, read, write},
};

const BIN: &str = env!("CARGO_BIN_EXE_broadaxe");
const LARGE: usize = (1 << 20) + 24;

/// A folder of its own for each test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("broadaxe-mapped-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn place(&self, name: &str) -> Place {
        Place::new(self.path(name).to_str().unwrap())
    }

    /// Writes a `.npy` file whose elements begin `shift` bytes later than they need to.
    fn npy(&self, name: &str, head: (&str, &str), shape: &str, shift: usize, data: &[u8]) {
        let (descr, fortran) = head;
        let blanks = " ".repeat(shift);
        let text = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}}}{blanks}\n");
        let bytes = [b"\x93NUMPY\x01\0", &(text.len() as u16).to_le_bytes()[..], text.as_bytes(), data].concat();
        fs::write(self.path(name), bytes).unwrap();
    }

    fn floats(&self, name: &str, values: &[f32]) {
        let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.npy(name, ("<f4", "False"), &format!("({},)", values.len()), 0, &data);
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(BIN);
        command.args(args).current_dir(&self.0).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn is_mapped(process: &str, path: &Path) -> bool {
    fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default().contains(path.to_str().unwrap())
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Makes bytes whose period is no power of 2.
fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i % 251) as u8).collect()
}

#[test]
fn every_dtype_at_every_offset() {
    let folder = Folder::new("dtypes");
    let data = pattern(LARGE);
    let mut tried = 0;
    for dtype in DType::ALL {
        let shape = [LARGE / 8, 8 / dtype.size()];
        let plain = write::Plain { dtype, shape: &shape, bytes: &data };
        for name in ["a.npy", "a.npz:k", "a.npz:ke", "a.npz:key", "a.safetensors:k", "a.safetensors:key"] {
            let place = folder.place(name);
            write::Output::create(&place).unwrap().save(&plain).unwrap();
            let stored = read(&place, 1 << 21).unwrap();
            assert!(is_mapped("self", place.path()), "{place} {dtype}");
            assert_eq!((stored.dtype(), stored.shape(), stored.byte_count()), (dtype, &shape[..], LARGE));
            // A byte of a bool that is not 0 is true.
            let want: Vec<u8> = if dtype == DType::Bool {
                data.iter().map(|&byte| u8::from(byte != 0)).collect()
            } else {
                data.clone()
            };
            let array = Array::from_view(&stored.view().unwrap()).unwrap();
            let got: Vec<u8> = if dtype == DType::Bool {
                array.as_bytes().iter().map(|&byte| u8::from(byte != 0)).collect()
            } else {
                array.as_bytes().to_vec()
            };
            assert!(got == want, "{place} {dtype}");
            stored.check().unwrap();
            assert!(stored.into_bytes().unwrap() == data, "{place} {dtype}");
            assert!(!is_mapped("self", place.path()), "{place} {dtype}");
            tried += 1;
        }
    }
    assert_eq!(tried, 13 * 6);
}

#[test]
fn offsets_orders_and_sizes() {
    let folder = Folder::new("offsets");
    let (place, data) = (folder.place("a.npy"), pattern(LARGE));
    let (rows, columns) = (LARGE / 8, 2);
    for shift in 0..8 {
        for (descr, fortran, mapped) in [("<f4", "False", true), ("<i4", "True", true), (">i4", "True", false)] {
            folder.npy("a.npy", (descr, fortran), &format!("({rows}, {columns})"), shift, &data);
            let stored = read(&place, 1 << 21).unwrap();
            assert_eq!(is_mapped("self", place.path()), mapped, "{descr} {shift}");
            let array = Array::from_view(&stored.view().unwrap()).unwrap();
            let (row, column) = (777, 1);
            let at = 4 * if fortran == "True" { column * rows + row } else { row * columns + column };
            let mut want = data[at..at + 4].to_vec();
            if descr.starts_with('>') {
                want.reverse();
            }
            let here = 4 * (row * columns + column);
            assert_eq!(array.as_bytes()[here..here + 4], want, "{descr} {fortran} {shift}");
        }
    }
    folder.npy("a.npy", ("<f4", "False"), "(100,)", 0, &data[..400]);
    let stored = read(&place, 1 << 21).unwrap();
    assert!(!is_mapped("self", place.path()), "too small");
    assert_eq!(stored.into_bytes().unwrap(), data[..400]);
}

#[test]
fn a_change_is_an_error_of_the_file() {
    let folder = Folder::new("change");
    let (place, data) = (folder.place("a.npy"), pattern(LARGE));
    for keep in [4096, LARGE as u64] {
        folder.npy("a.npy", ("|u1", "False"), &format!("({LARGE},)"), 0, &data);
        let (one, other) = (read(&place, 1 << 21).unwrap(), read(&place, 1 << 21).unwrap());
        File::options().write(true).open(place.path()).unwrap().set_len(keep).unwrap();
        let array = Array::from_view(&one.view().unwrap()).unwrap();
        assert_eq!(array.as_bytes().last(), Some(&0));
        for error in [one.check().unwrap_err(), other.into_bytes().unwrap_err()] {
            assert_eq!(error.kind(), ErrorKind::File);
            assert!(error.to_string().contains("the file changed while it was read"), "{error}");
        }
    }
}

#[test]
fn damage_in_a_mapped_member_is_found() {
    let folder = Folder::new("damage");
    let (place, data) = (folder.place("a.npz:k"), pattern(LARGE));
    let plain = write::Plain { dtype: DType::U8, shape: &[LARGE], bytes: &data };
    write::Output::create(&place).unwrap().save(&plain).unwrap();
    let mut bytes = fs::read(place.path()).unwrap();
    bytes[LARGE / 2] ^= 1;
    fs::write(place.path(), bytes).unwrap();
    let error = read(&place, 1 << 21).unwrap_err().to_string();
    assert!(error.contains("the data is damaged"), "{error}");
}

/// Waits until the run has mapped the file, or has ended.
fn mapped(child: &mut Child, path: &Path) {
    let (start, process) = (Instant::now(), child.id().to_string());
    while !is_mapped(&process, path) {
        assert!(child.try_wait().unwrap().is_none(), "the run ended before it could be seen to map the file");
        assert!(start.elapsed() < Duration::from_secs(20), "the run maps nothing");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_file_cut_while_four_threads_evaluate() {
    let folder = Folder::new("cut");
    // Keeps the processors busy for long enough that the file is cut meanwhile.
    let slow = format!("{}a{}", "tan(sin(".repeat(25), "))".repeat(25));
    // Zeros of a cut file are no divisors to complain about.
    let divided = format!("cast(a * 2, 'i32') // cast(a * 2, 'i32') + cast({slow}, 'i32')");
    for (expression, keep) in [(slow.as_str(), 5000), (divided.as_str(), 0)] {
        folder.floats("a.npy", &vec![0.5; 4 << 20]);
        fs::write(folder.path("out.npy"), "previous").unwrap();
        let args = ["eval", expression, "a=a.npy", "--threads", "4", "-o", "out.npy"];
        let mut child = folder.command(&args).spawn().unwrap();
        mapped(&mut child, &folder.path("a.npy"));
        File::options().write(true).open(folder.path("a.npy")).unwrap().set_len(keep).unwrap();
        let output = child.wait_with_output().unwrap();
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{:?} {text}", output.status);
        assert!(text.contains("a.npy: the file changed while it was read"), "{text}");
        assert_eq!(fs::read(folder.path("out.npy")).unwrap(), b"previous");
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 2, "nothing is left behind");
    }
}

#[test]
fn output_may_be_a_mapped_input() {
    let folder = Folder::new("same");
    let values: Vec<f32> = (0..300_000).map(|i| i as f32).collect();
    folder.floats("a.npy", &values);
    let output = folder.command(&["eval", "a * 2 + a", "a=a.npy", "-o", "a.npy"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let want: Vec<u8> = values.iter().flat_map(|value| (value * 3.0).to_le_bytes()).collect();
    assert!(read(&folder.place("a.npy"), 1 << 21).unwrap().into_bytes().unwrap() == want);
}

#[test]
fn more_files_than_can_be_mapped_are_read() {
    let folder = Folder::new("many");
    let count = broadaxe_kernels::Mapping::MAX + 6;
    folder.floats("a.npy", &vec![1.0; 1 << 18]);
    let names: Vec<String> = (0..count).map(|i| format!("a{i}")).collect();
    let given: Vec<String> = names.iter().map(|name| format!("{name}=a.npy")).collect();
    let expression = names.join(" + ");
    let mut args = vec!["eval", &expression, "-o", "out.npy", "--max-bytes", "1G"];
    args.extend(given.iter().map(String::as_str));
    let output = folder.command(&args).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let bytes = read(&folder.place("out.npy"), 1 << 21).unwrap().into_bytes().unwrap();
    assert!(bytes.chunks_exact(4).all(|value| value == (count as f32).to_le_bytes()));
}

#[test]
fn what_is_no_file_is_refused_at_once() {
    let folder = Folder::new("none");
    fs::write(folder.path("empty.npy"), "").unwrap();
    fs::create_dir(folder.path("folder.npy")).unwrap();
    assert!(Command::new("mkfifo").arg(folder.path("pipe.npy")).status().unwrap().success());
    for (name, words) in [
        ("empty.npy", "the file is empty"),
        ("folder.npy", "is not a regular file"),
        ("pipe.npy", "is not a regular file"),
    ] {
        let output = folder.command(&["eval", "a", &format!("a={name}")]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(stderr(&output).contains(words), "{name}: {}", stderr(&output));
    }
}

/// The rows and columns of a result that is large enough to be computed into its file.
const TABLE: (usize, usize) = (16384, 1024);

/// Writes two small files whose broadcast sum is [`TABLE`] floats.
fn two_axes(folder: &Folder) {
    let numbers = |count: usize| (0..count).map(|i| i as f32).collect::<Vec<_>>();
    let data: Vec<u8> = numbers(TABLE.0).iter().flat_map(|value| value.to_le_bytes()).collect();
    folder.npy("a.npy", ("<f4", "False"), &format!("({}, 1)", TABLE.0), 0, &data);
    folder.floats("b.npy", &numbers(TABLE.1));
}

const SUM: [&str; 6] = ["eval", "a + b", "a=a.npy", "b=b.npy", "--max-bytes", "100KiB"];

#[test]
fn results_beyond_the_limit_are_computed_into_their_files() {
    let folder = Folder::new("into");
    two_axes(&folder);
    for (name, most) in [("out.npy", 128), ("out.safetensors", 128), ("out.safetensors:key", 128)] {
        // A file whose arrays cannot be read is not replaced where it may hold several.
        fs::write(folder.place(name).path(), if name == "out.npy" { "previous" } else { "" }).unwrap();
        let output = folder.command(&SUM).args(["-o", name, "--stats"]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{name}: {}", stderr(&output));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains("f32 (16384, 1024)") && text.contains("64.0 MiB"), "{text}");
        let place = folder.place(name);
        let length = fs::metadata(place.path()).unwrap().len() as usize;
        assert!((1..=most).contains(&(length - 4 * TABLE.0 * TABLE.1)), "{name}: {length}");
        let bytes = read(&place, 0).unwrap().into_bytes().unwrap();
        let numbers = bytes.chunks_exact(4).map(|value| f32::from_le_bytes(value.try_into().unwrap()));
        assert!(numbers.enumerate().all(|(i, value)| value == (i / TABLE.1 + i % TABLE.1) as f32), "{name}");
        fs::remove_file(place.path()).unwrap();
    }
    for out in ["out.npz", "-"] {
        let output = folder.command(&SUM).args(["-o", out]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{out}");
        assert!(stderr(&output).contains("the budget is"), "{out}: {}", stderr(&output));
    }
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 2, "nothing is left behind");
}

#[test]
fn a_result_that_cannot_be_finished_leaves_the_previous_file() {
    let folder = Folder::new("full");
    two_axes(&folder);
    fs::write(folder.path("out.npy"), "previous").unwrap();
    let unfinished = |output: &Output, code: i32, words: &str| {
        assert_eq!(output.status.code(), Some(code), "{:?} {}", output.status, stderr(output));
        assert!(stderr(output).contains(words), "{}", stderr(output));
        assert_eq!(fs::read(folder.path("out.npy")).unwrap(), b"previous");
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 3, "nothing is left behind");
    };
    // No file may be longer than 10 MB, as if the disk were full.
    let script = format!("ulimit -f 20000; exec {BIN} eval 'a + b' a=a.npy b=b.npy -o out.npy");
    let output = Command::new("sh").args(["-c", &script]).current_dir(&folder.0).output().unwrap();
    unfinished(&output, 2, "out.npy: cannot write the file");
    let divided = "cast(a + b, 'i32') // cast(b + a * 0, 'i32')";
    let output = folder.command(&["eval", divided, "a=a.npy", "b=b.npy", "-o", "out.npy"]).output().unwrap();
    unfinished(&output, 1, "zero divisor");
}

#[test]
fn a_run_that_is_killed_leaves_the_previous_file() {
    let folder = Folder::new("killed");
    two_axes(&folder);
    fs::write(folder.path("out.npy"), "previous").unwrap();
    let slow = format!("{}a + b{}", "tan(sin(".repeat(25), "))".repeat(25));
    let temporary = || {
        let names = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().path());
        names.into_iter().find(|path| path.to_string_lossy().ends_with(".broadaxe-tmp"))
    };
    for signal in ["-KILL", "-TERM"] {
        let mut child = folder.command(&["eval", &slow, "a=a.npy", "b=b.npy", "-o", "out.npy"]).spawn().unwrap();
        let start = Instant::now();
        while !temporary().is_some_and(|path| is_mapped(&child.id().to_string(), &path)) {
            assert!(start.elapsed() < Duration::from_secs(20), "the run maps nothing");
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        assert_ne!(child.wait().unwrap().code(), Some(0));
        assert_eq!(fs::read(folder.path("out.npy")).unwrap(), b"previous", "{signal}");
        assert_eq!(temporary().is_some(), signal == "-KILL", "{signal}");
    }
}

#[test]
fn mapped_operands_do_not_count() {
    let folder = Folder::new("operands");
    folder.floats("a.npy", &vec![1.5; 1 << 19]);
    let data: Vec<u8> = (0..1 << 19).flat_map(|_| 1.5_f32.to_be_bytes()).collect();
    folder.npy("big.npy", (">f4", "False"), "(524288,)", 0, &data);
    let mean = |name: &str| folder.command(&["eval", "mean(a)", name, "--max-bytes", "1MiB"]).output().unwrap();
    let output = mean("a=a.npy");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1.5"));
    // Its bytes have to be turned round, in memory.
    let output = mean("a=big.npy");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("needs 2097152 bytes, and 1048576 are left of the limit"), "{}", stderr(&output));
}
