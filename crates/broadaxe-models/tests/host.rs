//! Models whose bytes a host supplies are checked as those that are opened are.

use std::{collections::BTreeMap, fs, io, path::Path, sync::Arc};

use broadaxe_models::{
    Error, Source, Target, check_model,
    format::{open, read},
    graph::{Data, Model},
    infer::infer,
    report::CheckRecord,
    source::ReadAt,
};

const FOLDER: &str = "../broadaxe-format/tests/models";

#[derive(Debug)]
struct Host(Vec<u8>);

impl ReadAt for Host {
    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<()> {
        let bytes = self.0.get(at as usize..).and_then(|rest| rest.get(..buffer.len()));
        buffer.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

/// Makes a source in a folder that does not exist.
fn host(name: &str, bytes: Vec<u8>) -> Source {
    let len = bytes.len() as u64;
    Source::host(Arc::new(Host(bytes)), len, Some(Path::new("nowhere").join(name)))
}

/// Writes the path of a file in that folder.
fn nowhere(file: &str) -> String {
    Path::new("nowhere").join(file).display().to_string()
}

fn given(name: &str, files: &[&str]) -> Source {
    let read = |name: &str| fs::read(Path::new(FOLDER).join(name)).unwrap();
    let files = files.iter().map(|file| ((*file).to_owned(), host("other", read(file))));
    host(name, read(name)).with_files(files.collect::<BTreeMap<_, _>>())
}

fn record(name: &str, model: &Model) -> CheckRecord {
    let targets: Vec<Target> = ["onnx", "openvino", "ncnn"].iter().map(|name| name.parse().unwrap()).collect();
    check_model(Path::new(name), model, &infer(model, &[]).unwrap(), &targets).unwrap()
}

/// Lists the bytes of the constants that have some.
fn constants(model: &Model) -> Vec<Result<Option<Vec<u8>>, ()>> {
    let constants = model.values.iter().filter_map(|value| value.constant.as_ref());
    constants.map(|constant| model.elements(constant, 1 << 20).map_err(drop)).collect()
}

#[test]
fn records_are_the_same() {
    let cases: [(&str, &[&str]); 6] = [
        ("onnx_external.onnx", &["onnx_external.weights"]),
        ("openvino_small.xml", &["openvino_small.bin"]),
        ("paddle_small.json", &["paddle_small.pdiparams"]),
        ("paddle_old_small.pdmodel", &["paddle_old_small.pdiparams"]),
        ("tokens.ncnn.param", &[]),
        ("tflite_small.tflite", &[]),
    ];
    for (name, files) in cases {
        let disk = open(&Path::new(FOLDER).join(name)).unwrap();
        let hosted = read(&given(name, files)).unwrap();
        assert_eq!(record(name, &hosted), record(name, &disk), "{name}");
        assert_eq!(constants(&hosted), constants(&disk), "{name}");
        // Without its second file, the model is read, and has no elements.
        let alone = read(&given(name, &[])).unwrap();
        let is_absent = |model: &Model| {
            let constants = model.values.iter().filter_map(|value| value.constant.as_ref());
            constants.filter(|constant| matches!(constant.data, Data::Absent(_))).count() > 0
        };
        assert!(files.is_empty() || is_absent(&alone), "{name}");
        let looked: Vec<String> = alone.source.consulted().iter().map(|path| path.display().to_string()).collect();
        assert!(files.iter().all(|file| looked.contains(&nowhere(file))), "{name}: {looked:?}");
    }
}

#[test]
fn ncnn_weights_are_given() {
    let text = b"7767517\n3 3\nInput x 0 1 x 0=4 1=4 2=2\nMemoryData c 0 1 c 0=4\nBinaryOp y 2 1 x c y 0=0\n";
    let weights: Vec<u8> = [1.0_f32, 2.0, 3.0, 4.0].iter().flat_map(|number| number.to_le_bytes()).collect();
    let folder = broadaxe_testing::temporary::path("ncnn-host");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("net.param"), text).unwrap();
    fs::write(folder.join("net.bin"), &weights).unwrap();
    let disk = open(&folder.join("net.param")).unwrap();
    let files = BTreeMap::from([("net.bin".to_owned(), host("net.bin", weights.clone()))]);
    let hosted = read(&host("net.param", text.to_vec()).with_files(files)).unwrap();
    assert_eq!(record("net.param", &hosted), record("net.param", &disk));
    assert!(constants(&hosted).contains(&Ok(Some(weights))) && constants(&hosted) == constants(&disk));
    // Some systems do not remove what is open.
    drop(disk);
    fs::remove_dir_all(&folder).unwrap();
}

/// A file that is given under a name that no model may use is rejected with the same error as on disk.
#[test]
fn names_that_lead_elsewhere() {
    let plain = "onnx_external.weights";
    let bytes = fs::read(Path::new(FOLDER).join("onnx_external.onnx")).unwrap();
    let folder = broadaxe_testing::temporary::path("host-names");
    fs::create_dir_all(&folder).unwrap();
    for name in ["../x_external.weights", "/nnx_external.weights", "a/../x_ternal.weights", "ab\\x_external.weights"] {
        assert_eq!(name.len(), plain.len());
        let mut changed = bytes.clone();
        let at = changed.windows(plain.len()).position(|bytes| bytes == plain.as_bytes()).unwrap();
        changed[at..at + name.len()].copy_from_slice(name.as_bytes());
        let path = folder.join("onnx_external.onnx");
        fs::write(&path, &changed).unwrap();
        let files = BTreeMap::from([(name.to_owned(), host("x", vec![0; 160]))]);
        let said = |result: Result<Model, Error>| result.map(|_| ()).map_err(|error| (error.kind(), error.to_string()));
        let disk = said(open(&path));
        assert!(disk.is_err(), "{name}");
        assert_eq!(said(read(&host("onnx_external.onnx", changed).with_files(files))), disk, "{name}");
    }
    fs::remove_dir_all(&folder).unwrap();
}
