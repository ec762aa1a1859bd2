//! The limit: what moving the bytes of a workload costs this machine, whatever is computed on the way.
//!
//! `broadaxe-limit` answers requests as `broadaxe-bench` does, a JSON object a line:
//!
//! | request | answer |
//! |---|---|
//! | `{"do":"load","reads":[..],"write":N}` | `{"ok":true}` once there are operands and an output of these sizes |
//! | `{"do":"run","seconds":S,"mode":M,"threads":T}` | `{"seconds":[..]}`, seconds per pass; modes `ordinary`, `streaming`, `long` |
//! | `{"do":"drop"}`, `{"do":"quit"}` | `{"ok":true}` |
//!
//! It is a program of its own so that it can be built for one CPU, which gives its loops the widest registers there are, and
//! started with its own settings of the C library. Those make `memcpy` store past the caches from 16 KiB on, and back large
//! memory with huge pages: a limit with streaming stores needs no unsafe code. Elsewhere than on Linux with glibc the three
//! modes are still right, but all stores may be ordinary ones.

#![forbid(unsafe_code)]

mod clock;

mod traffic;

use std::{
    io::{self, BufRead, Write},
    process::ExitCode,
    time::Duration,
};

use serde_json::{Value, json};

/// Bytes that begin where a page does, as those of the engine's arrays do at least for cache lines.
struct Bytes {
    held: Vec<u8>,
    from: usize,
    length: usize,
}

const PAGE: usize = 4096;

impl Bytes {
    fn new(length: &Value) -> Option<Self> {
        let length = usize::try_from(length.as_u64()?).ok()?;
        let held = vec![1_u8; length.checked_add(PAGE)?];
        let from = held.as_ptr().align_offset(PAGE).min(PAGE);
        Some(Self { held, from, length })
    }

    fn all(&self) -> &[u8] {
        &self.held[self.from..self.from + self.length]
    }

    fn all_mut(&mut self) -> &mut [u8] {
        &mut self.held[self.from..self.from + self.length]
    }
}

/// The memory of one workload.
struct Memory {
    reads: Vec<Bytes>,
    write: Bytes,
}

impl Memory {
    fn new(request: &Value) -> Option<Self> {
        let reads = request["reads"].as_array()?.iter().map(Bytes::new).collect::<Option<_>>()?;
        Some(Self { reads, write: Bytes::new(&request["write"])? })
    }
}

fn answer(memory: &mut Option<Memory>, request: &Value) -> Result<Value, String> {
    let done = Ok(json!({ "ok": true }));
    match request["do"].as_str() {
        Some("load") => {
            *memory = Some(Memory::new(request).ok_or("load needs reads and write, in bytes")?);
            done
        }
        Some("run") => {
            let Memory { reads, write } = memory.as_mut().ok_or("no workload is loaded")?;
            let seconds = Duration::try_from_secs_f64(request["seconds"].as_f64().unwrap_or(0.0));
            let threads = request["threads"].as_u64().map_or(1, |threads| threads.clamp(1, 64) as usize);
            let pass = traffic::pass(request["mode"].as_str().unwrap_or_default())?;
            let reads: Vec<&[u8]> = reads.iter().map(Bytes::all).collect();
            let budget = seconds.map_err(|error| error.to_string())?;
            let seconds = traffic::read(pass, budget, &reads, write.all_mut(), threads)?;
            Ok(json!({ "seconds": seconds }))
        }
        Some("drop" | "quit") => {
            *memory = None;
            done
        }
        other => Err(format!("{} is no request", other.unwrap_or("nothing"))),
    }
}

fn serve(requests: impl BufRead, mut answers: impl Write) -> io::Result<()> {
    let mut memory = None;
    for line in requests.lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let answer = answer(&mut memory, &request).unwrap_or_else(|why| json!({ "skip": why }));
        writeln!(answers, "{answer}")?;
        answers.flush()?;
        if request["do"] == "quit" {
            break;
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    match serve(io::stdin().lock(), io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_request_gets_one_answer() {
        let requests = [
            r#"{"do":"run","seconds":0,"mode":"ordinary"}"#,
            r#"{"do":"load","reads":[12]}"#,
            r#"{"do":"load","reads":[100000,12],"write":100000}"#,
            r#"{"do":"run","seconds":0,"mode":"ordinary"}"#,
            r#"{"do":"run","seconds":0,"mode":"streaming","threads":2}"#,
            r#"{"do":"run","seconds":0,"mode":"long"}"#,
            r#"{"do":"run","seconds":0,"mode":"sideways"}"#,
            r#"{"do":"drop"}"#,
            r#"{"do":"fly"}"#,
            r#"{"do":"quit"}"#,
        ];
        let mut written = Vec::new();
        serve(requests.join("\n").as_bytes(), &mut written).expect("memory accepts everything");
        let text = String::from_utf8(written).expect("text");
        let kinds: Vec<&str> = text.lines().filter_map(|line| line.split('"').nth(1)).collect();
        let want = ["skip", "skip", "ok", "seconds", "seconds", "seconds", "skip", "ok", "skip", "ok"];
        assert_eq!(kinds, want);
    }
}
