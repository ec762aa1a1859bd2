//! Changes: what each does to a model, and why some are refused.
//!
//! The first model has a binary operator of each kind; a word of a change is explained in `facts`.

use super::{bundle, flat, read};
use crate::{
    facts::{assembled, compare, edits, nodes, value},
    graph::{Data, Model},
    source::Source,
};

/// Three operators: a sum, a comparison and one that is custom, of a constant, a variable and a tensor with an open dim.
const OPERATORS: &str = concat!(
    "{0:3 1[{0.0}{0.58 3:58}{0.32 1'Own'}{0.107 3:107}] 2[{0[{0(1 3) 3'x' 7(-1 3)}{0(3) 2:1 3'w'}{0(1 3) 3'a'}",
    "{0(1 3) 1.6 3'b'}{0(1 3) 3'c'}{0(1 3) 3'v' 5.1}{0(1 1 3) 3'd'}{0(3) 3's' 2:1 6{}}{1.13 3'h'}] 1(0) 2(3 4) 3[",
    "{1(0 1) 2(2) 3.11 4{0.1}}{0:1 1(2 1) 2(3)}{0:2 1(2 5 7 8) 2(4) 5<0102>}{1(2 5) 2(6)}]}] ",
    "4[{}{0<000080400000404000000040>}]}"
);

const CHANGES: &[(&str, &str)] = &[
    ("shape w 1,3", "w = f32[1, 3] a f32 (1, 3) | a = ADD(x, w)"),
    ("copy w 3,1 1.1", "b = LESS(a, w/copy)"),
    ("copy w 3,1 0.1; unsqueeze 1.1 1", "a = ADD(x, w/copy); w/reshape = RESHAPE(w) new_shape=Ints([3, 1])"),
    ("copy w 3,1 0.1; result 0 3", "! operator 0: 9 elements do not fit into the shape 3"),
    ("copy w 1,3 1.1", "b = LESS(a, w/copy)"),
    ("unsqueeze 0.1 0", "w/reshape = RESHAPE(w); a = ADD(x, w/reshape)"),
    ("unsqueeze 1.1 0; unsqueeze 0.1 0", "w/reshape = RESHAPE(w); a = ADD(x, w/reshape); b = LESS(a, w/reshape)"),
    ("expand 0.0 1,3", "x/tile = TILE(x, x/tile/multiples); a = ADD(x/tile, w)"),
    ("expand 0.0 2,3", "! operator 0: TILE needs the sizes of what it repeats; the shape is (2, 3)"),
    (
        "expand 1.1 2,3",
        "w/reshape = RESHAPE(w); w/reshape/tile = TILE(w/reshape, w/reshape/tile/multiples); b = LESS(a, w/reshape/tile)",
    ),
    ("reshape 0.0 0,-1,1", "! operator 0: RESHAPE keeps one open dim at most, but the shape is (?, ?, 1)"),
    ("reshape 0.0 -1,3", "x/reshape = RESHAPE(x); a = ADD(x/reshape, w)"),
    ("swap 1 GREATER", "b = GREATER(w, a)"),
    ("swap 1 MUL", "! operator 1: MUL has other options than LESS"),
    ("swap 1 Greater", "! operator 1: Greater is not a builtin operator of TFLite"),
    ("swap 0 MUL", "! operator 0: MUL has other options than ADD"),
    ("reshape 2.1 3", "! v is a variable, which operators change in place; it keeps its shape"),
    ("reshape 2.2 3", "! s is stored as a sparse tensor, whose layout depends on its shape"),
    ("reshape 2.3 1", "! h is a resource, which has no shape of its own"),
    ("shape s 1,3", "! s is stored as a sparse tensor, whose layout depends on its shape"),
    ("result 2 3", "c/data = Own(a, v, s, h); c = RESHAPE(c/data)"),
    ("set 0 fused_activation_function RELU6", "a = ADD(x, w) fused_activation_function=Text(\"RELU6\")"),
    ("set 0 fused_activation_function SWISH", "! operator 0: fused_activation_function cannot be SWISH"),
    ("set 0 pot_scale_int16 0", "a = ADD(x, w) pot_scale_int16=Int(0)"),
    ("set 0 axis 0", "! operator 0: ADD has no attribute axis"),
    ("set 1 axis 0", "! operator 1: LESS has no attribute axis"),
    ("remove 0 fused_activation_function", "a = ADD(x, w) fused_activation_function=Text(\"NONE\")"),
    ("opset 3", "! a TFLite model has no version for all its operators; each has its own"),
    ("replace 0 NEG SUB", "a/neg = NEG(x); a = SUB(x, a/neg) fused_activation_function=Text(\"NONE\")"),
    ("replace 0 Neg SUB", "! operator 0: Neg is not a builtin operator of TFLite"),
    ("unsqueeze 1.0 0; unsqueeze 1.1 0; result 1 1,3", "b/data = LESS(a/reshape, w/reshape); b = RESHAPE(b/data)"),
];

/// The nodes of the changed model that are not in the old one, or the error; the row names some of their parts.
fn outcome(model: &Model, change: &str) -> String {
    let written = match crate::write(model, &edits(model, change)) {
        Ok(written) => written,
        Err(error) => return format!("! {error}"),
    };
    let again = crate::changed(model, &written).unwrap();
    let lines = |model: &Model| nodes(model).split("; ").map(str::to_owned).collect::<Vec<_>>();
    let old = lines(model);
    let new: Vec<String> = lines(&again).into_iter().filter(|line| !old.contains(line)).collect();
    new.join("; ")
}

/// Says whether all words of a row are in what was found, in their order.
fn holds(found: &str, want: &str) -> bool {
    let mut rest = found;
    want.split([';', ' ']).filter(|word| !word.is_empty()).all(|word| {
        let place = rest.find(word).map(|at| at + word.len());
        rest = place.map_or(rest, |at| &rest[at..]);
        place.is_some()
    })
}

#[test]
fn changes() {
    let source = Source::memory(flat(OPERATORS), None);
    let model = crate::read(&source).unwrap();
    let mut rows = Vec::new();
    for &(change, want) in CHANGES {
        let got = outcome(&model, change);
        let shown = if change.starts_with("shape w") {
            let written = crate::write(&model, &edits(&model, change)).unwrap();
            let again = crate::changed(&model, &written).unwrap();
            let found = value(&again, &again.values[1]);
            assert!(found.starts_with("w = f32[1, 3]"), "{found}");
            want.to_owned()
        } else if !got.starts_with('!') && holds(&got, want) {
            want.to_owned()
        } else {
            got
        };
        rows.push((change, shown, want));
    }
    compare(rows);
}

/// Data behind the FlatBuffer is named by its place in the file, which moves with the file.
#[test]
fn data_behind_the_model_moves() {
    let model = |offset: usize| {
        flat(&format!(
            "{{0:3 1[{{}}] 2[{{0[{{0(1 2) 3'x'}}{{0(2) 2:1 3'w'}}{{0(1 2) 3'y'}}] 3[{{1(0 1) 2(2) 5<01> 9%{offset} 10%2}}]}}] \
             4[{{}}{{1%{offset} 2%8}}]}}"
        ))
    };
    let length = model(2).len();
    let mut bytes = model(length);
    bytes.extend([1, 2, 3, 4, 5, 6, 7, 8]);
    let old = crate::read(&Source::memory(bytes.clone(), None)).unwrap();
    for change in ["unsqueeze 0.0 0; unsqueeze 0.1 0; result 0 1,2", "expand 0.0 1,2", "copy w 1,2 0.1"] {
        let written = crate::write(&old, &edits(&old, change)).unwrap();
        let new = assembled(&written.files[0], &old);
        assert!(new.ends_with(&bytes), "{change}");
        let again = crate::read(&Source::memory(new.clone(), None)).unwrap();
        let held = again.values[1].constant.as_ref().unwrap();
        assert_eq!(again.elements(held, 8).unwrap().unwrap(), [1, 2, 3, 4, 5, 6, 7, 8], "{change}");
        let Data::Span { at, len } = held.data else { panic!("{held:?}") };
        assert_eq!(at + len, new.len() as u64);
        // Custom options behind the model are named in the same way.
        let moved = (new.len() as u64 - 8).to_le_bytes();
        assert_eq!(new.windows(8).filter(|window| *window == moved).count(), 2, "{change}");
    }
    // In place nothing moves, and the vector comes last.
    let written = crate::write(&old, &edits(&old, "shape w 1,2")).unwrap();
    let new = assembled(&written.files[0], &old);
    assert_eq!(&new[length..length + 8], [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(new.len(), bytes.len() + 12);
}

/// Larger files have weights behind more bytes than 32 bits can count; nothing between is read.
#[cfg(unix)]
#[test]
fn data_behind_many_bytes() {
    const AT: u64 = 5 << 30;
    let model = |at: u64| {
        flat(&format!(
            "{{0:3 1[{{}}] 2[{{0[{{0(1 2) 3'x'}}{{0(2) 2:1 3'w'}}{{0(1 2) 3'y'}}] 3[{{1(0 1) 2(2)}}]}}] 4[{{}}{{1%{at} 2%8}}]}}"
        ))
    };
    let path = broadaxe_testing::temporary::path("large.tflite");
    std::fs::write(&path, model(AT)).unwrap();
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, &[1, 2, 3, 4, 5, 6, 7, 8], AT).unwrap();
    let old = crate::open(&path).unwrap();
    let data = |model: &Model| model.elements(model.values[1].constant.as_ref().unwrap(), 8).unwrap().unwrap();
    assert_eq!(data(&old), [1, 2, 3, 4, 5, 6, 7, 8]);
    for change in ["copy w 1,2 0.1", "shape w 1,2", "unsqueeze 0.0 0"] {
        let written = crate::write(&old, &edits(&old, change)).unwrap();
        assert_eq!(data(&crate::changed(&old, &written).unwrap()), data(&old), "{change}");
    }
    std::fs::remove_file(&path).unwrap();
    let cut = read(model(AT), nodes);
    assert!(cut.contains("its 8 bytes from byte 5368709120 end beyond the model"), "{cut}");
}

/// A model without buffers gets the empty one before the first with data.
#[test]
fn the_first_buffer_stays_empty() {
    let model = flat("{0:3 1[{}] 2[{0[{0(1 3) 3'x'}{0(1 3) 3'y'}] 3[{1(0 0) 2(1)}]}]}");
    let old = crate::read(&Source::memory(model, None)).unwrap();
    let written = crate::write(&old, &edits(&old, "expand 0.1 1,3")).unwrap();
    let again = crate::changed(&old, &written).unwrap();
    assert_eq!(nodes(&again).split(';').next(), Some("x/tile = TILE(x, x/tile/multiples)"));
    assert!(again.values[0].constant.is_none() && again.values.last().unwrap().constant.is_some());
}

#[test]
fn bundles_are_not_changed() {
    let model = flat("{0:3 1[{}] 2[{0[{0(2) 3'x'}{0(2) 3'y'}] 3[{1(0 0) 2(1)}]}]}");
    let bytes = bundle(&format!("{{1%512 2%{} 3.3}}", 512 + model.len()), &model);
    assert_eq!(read(bytes.clone(), nodes), "y = ADD(x, x)");
    let model = crate::read(&Source::memory(bytes, None)).unwrap();
    let error = crate::write(&model, &edits(&model, "unsqueeze 0.0 0")).unwrap_err();
    assert_eq!(error.message(), "a .litertlm cannot be changed; take its model out and change that");
}
