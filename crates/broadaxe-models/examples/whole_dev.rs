#![allow(missing_docs, clippy::all, clippy::pedantic)]
use std::{io::{BufRead, BufReader, Read, Write}, process::{Child, Command, Stdio}, time::{Duration, Instant}};
use broadaxe::DType;
use broadaxe_models::{ask::{ModelAnswer, ModelRun, Runner, Tensor, whole::{Settings, examine}}, error::Error, format, infer::infer};
struct Py { args: Vec<String>, child: Child, out: BufReader<std::process::ChildStdout>, time: Duration }
impl Py { fn start(args: &[String]) -> Self { let mut child = Command::new(&args[1]).arg("/root/q/runner.py").arg(&args[2]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let out = BufReader::new(child.stdout.take().unwrap()); Py { args: args.to_vec(), child, out, time: Duration::ZERO } } }
impl Runner for Py {
    fn run(&mut self, run: &ModelRun) -> Result<ModelAnswer, Error> {
        let t = Instant::now();
        let inputs: Vec<_> = run.inputs.iter().map(|(n, t)| serde_json::json!({"name": n, "dtype": t.dtype.name(), "shape": t.shape, "bytes": t.data.len()})).collect();
        let line = serde_json::json!({"model": run.model.len(), "inputs": inputs, "outputs": run.outputs}).to_string() + "\n";
        let to = self.child.stdin.as_mut().unwrap();
        to.write_all(line.as_bytes()).unwrap(); to.write_all(&run.model).unwrap();
        for (_, t) in &run.inputs { to.write_all(&t.data).unwrap(); }
        to.flush().unwrap();
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        if line.is_empty() { let time = self.time + t.elapsed(); *self = Py::start(&self.args.clone()); self.time = time; if std::env::var("VERBOSE").is_ok() { eprintln!("ended"); } return Ok(ModelAnswer::Ended("it ended".into())); }
        let v: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
        let mut outs = vec![];
        if let Some(list) = v["outputs"].as_array() {
            for o in list {
                let mut data = vec![0; o["bytes"].as_u64().unwrap() as usize];
                self.out.read_exact(&mut data).unwrap();
                let name = o["dtype"].as_str().unwrap();
                let dtype = DType::ALL.iter().copied().find(|d| d.name() == name).expect(name);
                outs.push(Tensor { dtype, shape: o["shape"].as_array().unwrap().iter().map(|d| d.as_u64().unwrap() as usize).collect(), data });
            }
        }
        self.time += t.elapsed();
        if std::env::var("VERBOSE").is_ok() { eprintln!("run {} B, {} inputs, {} outputs: {:?} {}", run.model.len(), run.inputs.len(), run.outputs.len(), t.elapsed(), v["refused"]); }
        if let Some(why) = v["refused"].as_str() { return Ok(ModelAnswer::Refused(why.to_owned())); }
        Ok(ModelAnswer::Values(outs))
    }
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let mut py = Py::start(&args);
    for path in &args[3..] {
        let t = Instant::now(); py.time = Duration::ZERO;
        let model = match format::open(std::path::Path::new(path)) { Ok(m) => m, Err(e) => { println!("{path}: {e}"); continue } };
        let shapes = infer(&model, &[]).unwrap();
        let settings = Settings { inputs: vec![], seed: 1, time: Duration::from_secs(300) };
        let e = examine(&model, &shapes, &mut py, &settings, &mut |_, _| ()).unwrap();
        println!("{path}: {} nodes, {} runs, {} compared, {} uncomputed, {:?} (engine {:?})", model.main().nodes.len(), e.runs, e.compared.len(), e.uncomputed.len(), t.elapsed(), py.time);
        for (word, list) in [("FAULT", &e.faults), ("rounded", &e.rounded)] { for (k, f) in list.iter().enumerate() {
            let names: Vec<_> = f.nodes.iter().map(|n| format!("{}:{}", model.node(*n).op, model.node(*n).output(0).map_or("", |v| &model.value(v).name))).collect();
            println!("  {word} {} -> {} {:?} {:?} {:?}", names.join(" "), model.value(f.value).name, f.gap.as_ref().map(|g| (g.wrong, g.count, g.largest, g.here, g.there)), f.reading, f.refused);
            if let Ok(d) = std::env::var("SAVE") { std::fs::write(format!("{d}/{word}{k}.onnx"), &f.model).unwrap(); }
        } }
        for (n, why) in &e.uncomputed { if std::env::var("UNC").is_ok() { println!("  uncomputed {}: {why}", model.node(*n).op); } }
        for l in &e.left { println!("  left {l}"); }
    }
}
