//! Broken IRs: each is rejected with a sentence that names the place, and nothing panics.

use std::{fmt::Write, fs, path::Path, time::Instant};

use broadaxe_format::{self as format, Attribute, ErrorKind, Model, Source, graph::Data};
use broadaxe_testing::{limit, random::Random};

const SMALL: &str = "openvino_small.xml";
const BODIES: &str = "openvino_bodies.xml";

fn text(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name)).unwrap()
}

fn read(text: impl Into<Vec<u8>>) -> Result<Model, broadaxe_format::Error> {
    format::read(&Source::memory(text.into(), Some("model.xml".into())))
}

/// The small model with a `Const` in front of `bias` that is as given.
fn bias_with(data: &str) -> String {
    let old = "<data element_type=\"f32\" shape=\"3, 1, 1\" offset=\"0\" size=\"12\" />";
    let small = text(SMALL);
    assert!(small.contains(old));
    small.replace(old, data)
}

#[test]
fn broken_models_are_rejected_by_place() {
    let small = text(SMALL);
    let change = |from: &str, to: &str| {
        assert!(small.contains(from), "the small model has no {from}");
        small.replacen(from, to, 1)
    };
    let cases = [
        (change("version=\"11\"", "version=\"7\""), "an IR of version 7 is not supported; versions 10 and 11 are"),
        (change("<net name=\"small\" version=\"11\">", "<net name=\"small\">"), "an IR of version (none)"),
        (
            change("<layers>", "<layers><layer name=\"a\" type=\"ReLU\" version=\"opset1\" />"),
            "line 3: <layer> has no id",
        ),
        (change("<layers>", "<layers><layer id=\"-1\" name=\"a\" type=\"ReLU\" />"), "line 3: id of <layer> is '-1'"),
        (
            change("<layers>", "<layers><layer id=\"0\" name=\"a\" type=\"ReLU\" />"),
            "layer 0 (x): its id is also that of layer 0 (a)",
        ),
        (
            change("auto_broadcast=\"numpy\"", "auto_broadcast=\"bogus\""),
            "layer 2 (add_bias): auto_broadcast is 'bogus'",
        ),
        (change("auto_broadcast=\"numpy\"", "auto_broadcast=\"numpy\" auto_broadcast=\"none\""), "the XML is broken"),
        (change("to-layer=\"2\"", "to-layer=\"99\""), "edge 0:0 to 99:0: there is no layer 99"),
        (change("from-layer=\"0\"", "from-layer=\"99\""), "edge 99:0 to 2:0: there is no layer 99"),
        (
            change("to-layer=\"2\" to-port=\"0\"", "to-layer=\"2\" to-port=\"7\""),
            "edge 0:0 to 2:7: there is no input port 7",
        ),
        (change("from-layer=\"0\" from-port=\"0\"", "from-layer=\"0\" from-port=\"3\""), "there is no output port 3"),
        (
            change("to-layer=\"2\" to-port=\"0\"", "to-layer=\"2\" to-port=\"1\""),
            "edge 1:0 to 2:1: another edge ends there too",
        ),
        (
            change("<edge from-layer=\"0\" from-port=\"0\" to-layer=\"2\" to-port=\"0\" />", ""),
            "layer 2 (add_bias): no edge ends at its input port 0",
        ),
        (
            change(
                "<edge from-layer=\"0\" from-port=\"0\" to-layer=\"2\" to-port=\"0\" />",
                "<edge from-layer=\"4\" from-port=\"2\" to-layer=\"2\" to-port=\"0\" />",
            ),
            "it reads its own output",
        ),
        (change("<dim>4</dim>", "<dim>-2</dim>"), "layer 0 (x): port 0 has the dim '-2'"),
        (change("<dim>4</dim>", "<dim>99999999999999999999</dim>"), "layer 0 (x): port 0 has the dim '9999"),
        (change("<data shape=\"2,3,4,4\"", "<data shape=\"2,-3,4,4\""), "layer 0 (x): '-3'"),
        (change("<data shape=\"2,3,4,4\"", "<data shape=\"4294967296,4294967296,4\""), "layer 0 (x)"),
        (change("<data shape=\"2,3,4,4\"", "<data shape=\"9..2\""), "layer 0 (x)"),
        (
            bias_with("<data element_type=\"f32\" shape=\"3, 1, 1\" offset=\"-4\" size=\"12\" />"),
            "layer 1 (bias): its offset is '-4'",
        ),
        (
            bias_with("<data element_type=\"f32\" shape=\"3, 1, 1\" offset=\"18446744073709551610\" size=\"12\" />"),
            "layer 1 (bias): its 12 bytes",
        ),
        (
            bias_with("<data element_type=\"f32\" shape=\"3, 1, 2\" offset=\"0\" size=\"12\" />"),
            "layer 1 (bias): it has 12 bytes, but f32 of shape (3, 1, 2) needs 24",
        ),
        (
            bias_with("<data element_type=\"f32\" shape=\"3, 1, 1\" offset=\"0\" size=\"16\" />"),
            "layer 1 (bias): it has 16 bytes",
        ),
        (
            bias_with("<data element_type=\"f32\" shape=\"3, -1, -1\" offset=\"0\" size=\"12\" />"),
            "layer 1 (bias): its shape is '3, -1, -1'",
        ),
        (
            bias_with("<data element_type=\"f32\" shape=\"4294967296, 4294967296\" offset=\"0\" size=\"12\" />"),
            "layer 1 (bias)",
        ),
        (
            bias_with("<data element_type=\"u4\" shape=\"100\" offset=\"0\" size=\"12\" />"),
            "layer 1 (bias): it has 12 bytes, but u4 of shape (100,) needs 50",
        ),
        (
            bias_with("<data shape=\"3, 1, 1\" offset=\"0\" size=\"12\" />"),
            "layer 1 (bias): its data has no element_type",
        ),
        (bias_with(""), "layer 1 (bias): its data has no element_type"),
        ("<net".to_string(), "the XML is broken"),
        ("<net version=\"11\"><layers></net>".to_string(), "the XML is broken"),
        ("<nets/>".to_string(), "not a model file Broadaxe can read"),
        ("<!-- --><a><net version=\"11\"/></a>".to_string(), "the outermost element is <a>"),
    ];
    let mut wrong = Vec::new();
    for (text, want) in cases {
        match read(text) {
            Err(error) if error.to_string().contains(want) => {}
            other => {
                wrong.push(format!("{:?} is not: {want}", other.map(|_| "read").map_err(|error| error.to_string())));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn bombs_are_rejected_at_once() {
    let start = Instant::now();
    let laughs = "<!DOCTYPE net [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]><net version=\"11\">&b;</net>";
    let outside = "<!DOCTYPE net [<!ENTITY a SYSTEM \"file:///etc/hostname\">]><net version=\"11\">&a;</net>";
    let deep = format!("<net version=\"11\">{}{}</net>", "<a>".repeat(200_000), "</a>".repeat(200_000));
    let wide = (0..100_000).fold(String::new(), |wide, k| wide + " a" + &k.to_string() + "=\"1\"");
    let wide = format!("<net version=\"11\"{wide}></net>");
    let body = "<layers><layer id=\"0\" name=\"l\" type=\"Loop\" version=\"opset5\"><body>";
    let nested =
        format!("<net version=\"11\">{}<layers/>{}</net>", body.repeat(80), "</body></layer></layers>".repeat(80));
    let cases = [
        (laughs.to_string(), ErrorKind::Format, "a document type is not supported"),
        (outside.to_string(), ErrorKind::Format, "a document type is not supported"),
        (deep, ErrorKind::Limit, "more than 256 elements inside each other"),
        (wide, ErrorKind::Limit, "more than 1024 attributes"),
        (nested, ErrorKind::Limit, "bodies are nested more than 64 deep"),
    ];
    for (text, kind, want) in cases {
        let error = read(text).unwrap_err();
        assert!(error.kind() == kind && error.to_string().contains(want), "{error}, not {want}");
    }
    assert!(start.elapsed() < limit::seconds(10), "{:?}", start.elapsed());
}

#[test]
fn a_long_chain_is_read() {
    let count = 50_000;
    let mut text = String::from("<net name=\"chain\" version=\"10\"><layers>");
    let port = |id: usize| format!("<port id=\"{id}\" precision=\"FP32\"><dim>3</dim></port>");
    _ = write!(
        text,
        "<layer id=\"0\" name=\"x\" type=\"Parameter\" version=\"opset1\"><data element_type=\"f32\" shape=\"3\"/><output>{}</output></layer>",
        port(0)
    );
    // The layers stand in reverse order.
    for k in (1..count).rev() {
        _ = write!(
            text,
            "<layer id=\"{k}\" name=\"n{k}\" type=\"ReLU\" version=\"opset1\"><input>{}</input><output>{}</output></layer>",
            port(0),
            port(1)
        );
    }
    text += "</layers><edges>";
    for k in 1..count {
        let from = usize::from(k > 1);
        _ = write!(text, "<edge from-layer=\"{}\" from-port=\"{from}\" to-layer=\"{k}\" to-port=\"0\"/>", k - 1);
    }
    text += "</edges></net>";
    let model = read(text).unwrap();
    assert_eq!(model.nodes.len(), count - 1);
    assert_eq!(model.nodes[0].name, "n1");
}

#[test]
fn weights_that_are_not_there_are_absent_and_short_ones_rejected() {
    let model = read(text(SMALL)).unwrap();
    let bias = model.values.iter().find(|value| value.name == "bias").unwrap();
    assert!(
        matches!(&bias.constant.as_ref().unwrap().data, Data::Absent(why) if why == "the file model.bin is not there")
    );
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("openvino_short");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("m.xml"), text(SMALL)).unwrap();
    fs::write(folder.join("m.bin"), [0; 40]).unwrap();
    let error = format::open(&folder.join("m.xml")).unwrap_err().to_string();
    assert!(error.contains("but the file of weights at 40"), "{error}");
}

#[test]
fn the_axis_of_pdpd_is_0_where_it_is_not_there() {
    let cases = [
        ("auto_broadcast=\"pdpd\"", Some(0), 0),
        ("auto_broadcast=\"PDPD\" auto_broadcast.auto_broadcast_axis=\"1\"", Some(1), 0),
        ("auto_broadcast=\"pdpd\" axis=\"1\"", Some(0), 1),
        ("auto_broadcast=\"numpy\" auto_broadcast.auto_broadcast_axis=\"1\"", None, 0),
    ];
    for (data, axis, remarks) in cases {
        let model = read(text(SMALL).replacen("auto_broadcast=\"numpy\"", data, 1)).unwrap();
        let node = model.nodes.iter().find(|node| node.name == "add_bias").unwrap();
        assert_eq!(node.attribute("axis").and_then(Attribute::int), axis, "{data}");
        assert_eq!(model.remarks.len(), remarks, "{data}");
    }
}

#[test]
fn bodies_are_graphs_with_an_owner() {
    let model = read(text(BODIES)).unwrap();
    assert_eq!(model.graphs.len(), 4);
    for (index, graph) in model.graphs.iter().enumerate().skip(1) {
        let owner = model.node(graph.owner.unwrap());
        assert!(owner.bodies.iter().any(|body| body.0 as usize == index));
        assert_eq!((graph.outputs.len(), graph.nodes.len()), (1, 1));
    }
    let parameter = model.values.iter().find(|value| value.name == "x").unwrap();
    assert_eq!(parameter.declared.as_ref().unwrap().to_string(), "(1..8, 3)");
    assert_eq!(model.walk().len(), model.nodes.len());
}

#[test]
fn no_cut_and_no_flip_panics() {
    for name in [SMALL, BODIES] {
        let whole = text(name).into_bytes();
        for len in 0..whole.len() {
            let read = read(&whole[..len]);
            assert!(read.is_err() || len + 2 > whole.len(), "{name} cut to {len} bytes was read");
        }
        let mut random = Random::new(1);
        let mut errors = 0;
        for _ in 0..3000 {
            let mut bytes = whole.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(bytes.len());
                bytes[at] = [b'0', b'9', b'-', b'"', b'<', b'>', b'/', b' ', 0xff, b'a'][random.below(10)];
            }
            match read(bytes) {
                Ok(model) => _ = format::write(&model, &[]).unwrap(),
                Err(error) => errors += usize::from(!error.to_string().is_empty()),
            }
        }
        assert!(errors > 300, "{name}: {errors}");
    }
}
