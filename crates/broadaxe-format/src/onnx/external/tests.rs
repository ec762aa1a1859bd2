//! Names of files that lead out of the folder of the model.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use super::super::sample::{Message, graph, model, value};
use crate::{
    error::{Error, ErrorKind},
    graph::{Data, Model},
    source::Source,
};

/// A folder that is removed again.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn folder(name: &str) -> Folder {
    let path = broadaxe_testing::temporary::path(&format!("external-{name}"));
    fs::create_dir_all(path.join("model/deep")).unwrap();
    fs::write(path.join("outside.bin"), [7; 64]).unwrap();
    fs::write(path.join("model/weights.bin"), (0..64).collect::<Vec<u8>>()).unwrap();
    fs::write(path.join("model/deep/more.bin"), [1; 8]).unwrap();
    Folder(path)
}

/// Reads a model in the folder whose only constant, of 8 bytes, is in another file.
fn read(folder: &Path, location: &str, offset: &str) -> Result<Model, Error> {
    let pair = |key: &str, value: &str| Message::default().text(1, key).text(2, value);
    let pairs = [pair("location", location), pair("offset", offset), pair("checksum", "none")];
    let tensor = Message::default().int(1, 2).int(2, 1).text(8, "w").all(13, &pairs).int(14, 1);
    let message = model(8, 17, &graph(&["Add x w -> y"], &["x"], &["y"]).inner(5, &tensor));
    let path = folder.join("model/model.onnx");
    fs::write(&path, message.0).unwrap();
    super::super::read(&Source::open(&path)?)
}

#[test]
fn files_of_the_folder() {
    let folder = folder("good");
    for (location, offset, want) in [
        ("weights.bin", "0", [0, 1, 2, 3, 4, 5, 6, 7]),
        ("./weights.bin", "56", [56, 57, 58, 59, 60, 61, 62, 63]),
        ("deep/more.bin", "0", [1; 8]),
    ] {
        let model = read(&folder.0, location, offset).unwrap();
        let constant = model.value(value(&model, "w")).constant.clone().unwrap();
        assert_eq!(model.elements(&constant, 8).unwrap().as_deref(), Some(&want[..]), "{location}");
    }
    let missing = read(&folder.0, "none.bin", "0").unwrap();
    let constant = missing.value(value(&missing, "w")).constant.clone().unwrap();
    assert!(matches!(&constant.data, Data::Absent(why) if why.contains("none.bin")), "{constant:?}");
}

#[test]
fn names_that_lead_elsewhere() {
    let folder = folder("bad");
    let inside = folder.0.join("model");
    symlink("../outside.bin", inside.join("link.bin")).unwrap();
    symlink("weights.bin", inside.join("own_link.bin")).unwrap();
    symlink("..", inside.join("up")).unwrap();
    symlink("nowhere", inside.join("dangling.bin")).unwrap();
    fs::hard_link(folder.0.join("outside.bin"), inside.join("second.bin")).unwrap();
    let pipe = inside.join("pipe.bin");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR).unwrap();
    let absolute = folder.0.join("outside.bin");
    let cases = [
        ("../outside.bin", "0", "goes up a folder"),
        ("deep/../../outside.bin", "0", "goes up a folder"),
        (absolute.to_str().unwrap(), "0", "does not begin in the folder"),
        ("/dev/zero", "0", "does not begin in the folder"),
        ("", "0", "has no name"),
        (".", "0", "has no name"),
        ("a\0b", "0", "no name may have"),
        ("link.bin", "0", "is a link"),
        ("own_link.bin", "0", "is a link"),
        ("dangling.bin", "0", "is a link"),
        ("up/outside.bin", "0", "is a link or goes through one"),
        ("second.bin", "0", "has another name too"),
        ("pipe.bin", "0", "is a folder, a pipe or a device"),
        ("deep", "0", "is a folder, a pipe or a device"),
        ("weights.bin/x", "0", "is a link or goes through one"),
        ("weights.bin", "57", "the file has 64"),
        ("weights.bin", "18446744073709551615", "the file has 64"),
    ];
    for (location, offset, want) in cases {
        match read(&folder.0, location, offset) {
            Ok(_) => panic!("{location:?} should be rejected: {want}"),
            Err(error) => {
                assert!(error.to_string().contains(want), "{location:?}: {error}");
                assert!(matches!(error.kind(), ErrorKind::File | ErrorKind::Format), "{error}");
            }
        }
    }
}

/// The same holds for what a `Constant` node holds, and in bodies: there is one way to a file.
#[test]
fn constants_of_nodes() {
    let folder = folder("nodes");
    let pair = |key: &str, value: &str| Message::default().text(1, key).text(2, value);
    let tensor = Message::default().int(1, 2).int(2, 1).inner(13, &pair("location", "../outside.bin")).int(14, 1);
    let held =
        super::super::sample::node("Constant -> w").inner(5, &super::super::sample::tensor_attribute("value", &tensor));
    let body = graph(&["Neg w -> v"], &[], &["v"]);
    let body = Message(Message::default().inner(1, &held).0.into_iter().chain(body.0).collect());
    let outer =
        super::super::sample::node("If x -> y").inner(5, &super::super::sample::graph_attribute("then_branch", &body));
    let whole = graph(&[], &["x"], &["y"]).inner(1, &outer);
    let path = folder.0.join("model/model.onnx");
    fs::write(&path, model(8, 17, &whole).0).unwrap();
    let error = super::super::read(&Source::open(&path).unwrap()).unwrap_err();
    assert!(error.to_string().contains("goes up a folder"), "{error}");
}
