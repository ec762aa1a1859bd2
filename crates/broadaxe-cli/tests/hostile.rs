//! Reads malformed array files, and checks where each is rejected.

use std::io::{Cursor, Write};

use broadaxe_cli::{
    error::{Error, ErrorKind},
    file::{Format, Source, Stored, read_from},
};

fn read_key(bytes: &[u8], format: Format, key: Option<&str>) -> Result<Stored, Error> {
    let mut source = Source::new(Cursor::new(bytes), bytes.len() as u64);
    read_from(&mut source, Some(format), key, 1 << 20)
}

fn npy(version: [u8; 2], literal: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend(version);
    if version == [1, 0] {
        bytes.extend((literal.len() as u16).to_le_bytes());
    } else {
        bytes.extend((literal.len() as u32).to_le_bytes());
    }
    bytes.extend(literal.as_bytes());
    bytes.extend(data);
    bytes
}

fn dict(descr: &str, fortran: &str, shape: &str) -> String {
    format!("{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}\n")
}

/// Reports every case whose refusal does not name this field with these words.
fn refused(format: Format, cases: &[(&str, Vec<u8>, &str, &str)]) {
    let mut failures = Vec::new();
    for (name, bytes, field, words) in cases {
        match read_key(bytes, format, None) {
            Ok(array) => failures.push(format!("{name}: read as {:?}", array.shape())),
            Err(error) => {
                let text = error.to_string();
                let is_inside = error.offset().is_some_and(|at| at <= bytes.len() as u64);
                if error.field_name() != Some(field) || !is_inside || !text.contains(words) {
                    failures.push(format!("{name}: {text}"));
                }
                if error.kind() != ErrorKind::File {
                    failures.push(format!("{name}: {:?}", error.kind()));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn npy_is_read() {
    let f4 = |values: &[f32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let six = f4(&[0., 1., 2., 3., 4., 5.]);
    let cases: Vec<(Vec<u8>, &[usize], Vec<isize>)> = vec![
        (npy([1, 0], &dict("'<f4'", "False", "(2, 3)"), &six), &[2, 3], vec![12, 4]),
        (npy([2, 0], &dict("'<f4'", "True", "(2, 3)"), &six), &[2, 3], vec![4, 8]),
        (npy([3, 0], &dict("\"<f4\"", "False", "(6,)"), &six), &[6], vec![4]),
        (npy([1, 0], &dict("'<f4'", "False", "()"), &six[..4]), &[], vec![]),
        (npy([1, 0], &dict("'<f4'", "False", "(0L, 1099511627776L)"), b""), &[0, 1 << 40], vec![4 << 40, 4]),
        (npy([1, 0], "{'shape':(6,),'fortran_order':False,'descr':'<f4'}", &six), &[6], vec![4]),
    ];
    for (bytes, shape, strides) in &cases {
        let array = read_key(bytes, Format::Npy, None).unwrap();
        assert_eq!((array.shape(), array.strides()), (*shape, strides.clone()));
        let bytes = array.into_bytes().unwrap();
        assert_eq!(bytes, six[..bytes.len()], "{shape:?}");
    }
    let swapped = npy([1, 0], &dict("'>i2'", "False", "(2,)"), &[0x12, 0x34, 0xff, 0xfe]);
    let back = read_key(&swapped, Format::Npy, None).unwrap();
    assert_eq!(back.into_bytes().unwrap(), [0x1234i16.to_ne_bytes(), (-2i16).to_ne_bytes()].concat());
    let half = npy([1, 0], &dict("'<V2'", "False", "(1,)"), &[0x80, 0x3f]);
    assert_eq!(read_key(&half, Format::Npy, None).unwrap().dtype().name(), "bf16");
}

#[test]
fn npy_is_refused() {
    let good = npy([1, 0], &dict("'<f4'", "False", "(2,)"), &[0; 8]);
    let with = |descr: &str, shape: &str| npy([1, 0], &dict(descr, "False", shape), &[0; 8]);
    let text = |literal: &str| npy([1, 0], literal, &[0; 8]);
    let cut = |n: usize| good[..n].to_vec();
    let deep = format!("{{'shape': {}", "(".repeat(60_000));
    let mut long = npy([2, 0], "", b"");
    long[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
    let mut lying = good.clone();
    lying[8] = 250;
    let nul = text("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\0");
    let many = format!("({})", "1,".repeat(65));
    refused(
        Format::Npy,
        &[
            ("empty", vec![], "file", "empty"),
            ("magic", b"\x93NUMPX\x01\x00".to_vec(), "magic", "begin with"),
            ("a zip", b"PK\x05\x06".to_vec(), "magic", "begin with"),
            ("magic only", cut(6), "header", "cut short"),
            ("no length", cut(9), "header", "cut short"),
            ("version", npy([4, 0], "{}", b""), "version", "4.0"),
            ("half a header", cut(40), "header length", "are there"),
            ("long header", long, "header length", "above 65536"),
            ("header into the data", lying, "header length", "are there"),
            ("no data", cut(good.len() - 8), "data", "cut short"),
            ("half the data", cut(good.len() - 1), "data", "cut short"),
            ("bytes after", [&good[..], b"x"].concat(), "data", "follow"),
            ("claims much", with("'<f4'", "(1099511627776,)"), "data", "cut short"),
            ("wraps", with("'<f4'", "(4611686018427387904, 4)"), "shape", "too large"),
            ("wraps next to 0", with("'<f4'", "(0, 4611686018427387904, 4)"), "shape", "too large"),
            ("bytes wrap", with("'<f8'", "(2305843009213693952,)"), "shape", "too large"),
            ("dim of 21 digits", with("'<f4'", "(100000000000000000000,)"), "shape", "too large"),
            ("negative", with("'<f4'", "(-1,)"), "shape", "negative"),
            ("two negatives", with("'<f4'", "(-1, -2)"), "shape", "negative"),
            ("rank 65", with("'<f4'", &many), "shape", "rank"),
            ("no tuple", with("'<f4'", "2"), "header", "'('"),
            ("a number in brackets", with("'<f4'", "(2)"), "header", "tuple"),
            ("float dim", with("'<f4'", "(2.0,)"), "header", "','"),
            ("objects", with("'|O'", "(1,)"), "descr", "pickled"),
            ("struct", with("[('a', '<f4')]", "(1,)"), "header", "structured"),
            ("struct of objects", with("[('a', '|O')]", "(1,)"), "header", "structured"),
            ("text", with("'<U4'", "(1,)"), "descr", "text"),
            ("bytes", with("'|S4'", "(1,)"), "descr", "text"),
            ("complex", with("'<c8'", "(1,)"), "descr", "complex"),
            ("date", with("'<M8[ns]'", "(1,)"), "descr", "dates"),
            ("void", with("'|V2'", "(1,)"), "descr", "without a type"),
            ("long double", with("'<f16'", "(1,)"), "descr", "not known"),
            ("no order", with("'|f4'", "(2,)"), "descr", "byte order"),
            ("native order", with("'=f4'", "(2,)"), "descr", "byte order"),
            ("empty dtype", with("''", "(2,)"), "descr", "not known"),
            ("escape", with("'\\x3cf4'", "(2,)"), "header", "plain"),
            ("code", text("__import__('os').system('x')"), "header", "'{'"),
            ("deep", text(&deep), "header", "a dim"),
            ("twice", text("{'descr': '<f4', 'descr': '<f4'}"), "header", "twice"),
            ("unknown", text("{'descr': '<f4', 'other': 1}"), "header", "not known"),
            ("missing", text("{'descr': '<f4', 'shape': (2,)}"), "header", "'fortran_order' is missing"),
            ("boolean", npy([1, 0], &dict("'<f4'", "1", "(2,)"), &[0; 8]), "header", "True or False"),
            ("open", text("{'descr': '<f4'"), "header", "the end"),
            ("open string", text("{'descr"), "header", "plain"),
            ("more after", text("{} {}"), "header", "the end of the header"),
            ("nul", nul, "header", "the end of the header"),
        ],
    );
}

/// One member of a test archive; `declared` is the size it claims.
struct Member<'a> {
    name: &'a str,
    method: u16,
    packed: Vec<u8>,
    declared: u32,
    crc: u32,
}

fn stored<'a>(name: &'a str, data: &[u8]) -> Member<'a> {
    Member { name, method: 0, packed: data.to_vec(), declared: data.len() as u32, crc: crc32fast::hash(data) }
}

fn deflated<'a>(name: &'a str, data: &[u8]) -> Member<'a> {
    let mut packer = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(data).unwrap();
    Member { method: 8, packed: packer.finish().unwrap(), ..stored(name, data) }
}

fn zip(members: &[Member<'_>]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for member in members {
        let at = bytes.len() as u32;
        let mut facts = vec![20, 0, 0, 0];
        facts.extend(member.method.to_le_bytes());
        facts.extend([0; 4]);
        for number in [member.crc, member.packed.len() as u32, member.declared, member.name.len() as u32] {
            facts.extend(number.to_le_bytes());
        }
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&facts);
        bytes.extend(member.name.as_bytes());
        bytes.extend(&member.packed);
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&facts);
        directory.extend([0; 10]);
        directory.extend(at.to_le_bytes());
        directory.extend(member.name.as_bytes());
    }
    let at = bytes.len() as u32;
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend((members.len() as u16).to_le_bytes());
    bytes.extend((members.len() as u16).to_le_bytes());
    bytes.extend((directory.len() as u32).to_le_bytes());
    bytes.extend(at.to_le_bytes());
    bytes.extend([0, 0]);
    bytes
}

fn small() -> Vec<u8> {
    npy([1, 0], &dict("'|u1'", "False", "(4,)"), &[1, 2, 3, 4])
}

#[test]
fn npz_is_read() {
    let member = small();
    for archive in [
        zip(&[stored("a.npy", &member)]),
        zip(&[deflated("a.npy", &member)]),
        zip(&[deflated("a.npy", &member), stored("../b.npy", &member), stored("readme", b"x")]),
    ] {
        let array = read_key(&archive, Format::Npz, Some("a")).unwrap();
        assert_eq!((array.byte_count(), array.into_bytes().unwrap()), (4, vec![1, 2, 3, 4]));
    }
    let two = zip(&[stored("a.npy", &member), stored("b.npy", &member)]);
    for (key, words) in [(None, "write FILE:KEY"), (Some("c"), "'c'; the file contains a, b")] {
        let error = read_key(&two, Format::Npz, key).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn npz_is_refused() {
    let member = small();
    let good = zip(&[stored("a.npy", &member)]);
    let zeros = vec![0; 1 << 19];
    let bad = |member: Member<'_>| zip(&[member]);
    let change = |from_end: usize, byte: u8| {
        let mut bytes = good.clone();
        let at = bytes.len() - from_end;
        bytes[at] = byte;
        bytes
    };
    let mut other_name = good.clone();
    other_name[30] = b'b';
    let at = good.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
    let entry = |offset: usize, value: u8| {
        let mut bytes = good.clone();
        bytes[at + offset] = value;
        bytes
    };
    let broken = Member { packed: vec![0xff; 20], ..deflated("a.npy", &member) };
    let trailing =
        Member { packed: [&deflated("a", &member).packed[..], b"xx"].concat(), ..deflated("a.npy", &member) };
    refused(
        Format::Npz,
        &[
            ("empty", vec![], "file", "empty"),
            ("a .npy", member.clone(), "magic", "does not begin with PK"),
            ("cut", good[..good.len() - 1].to_vec(), "end record", "no end record"),
            ("no directory", good[..40].to_vec(), "end record", "no end record"),
            ("in front", [b"PK\x03\x04", &good[..]].concat(), "end record", "does not end at"),
            ("directory elsewhere", change(6, 0xee), "end record", "does not end at"),
            ("directory past the end", change(4, 0x7f), "end record", "does not end at"),
            (
                "counts two",
                [&good[..good.len() - 14], &[2, 0, 2, 0], &good[good.len() - 10..]].concat(),
                "directory",
                "2 members",
            ),
            ("several disks", change(18, 1), "end record", "several parts"),
            ("twice", zip(&[stored("a.npy", &member), stored("a.npy", &member)]), "directory", "twice"),
            ("bad checksum", bad(Member { crc: 1, ..stored("a.npy", &member) }), "data", "checksum"),
            ("bad checksum, deflated", bad(Member { crc: 1, ..deflated("a.npy", &member) }), "data", "checksum"),
            (
                "stored with two sizes",
                bad(Member { declared: 3, ..stored("a.npy", &member) }),
                "directory",
                "two sizes",
            ),
            ("declares less", bad(Member { declared: 9, ..deflated("a.npy", &zeros) }), "data", "does not unpack"),
            ("declares more", bad(Member { declared: 1000, ..deflated("a.npy", &member) }), "data", "does not unpack"),
            (
                "a bomb's claim",
                bad(Member { declared: 1_000_000, ..deflated("a.npy", &member) }),
                "directory",
                "cannot unpack",
            ),
            ("no deflate", bad(broken), "data", "cannot unpack"),
            ("bytes after deflate", bad(trailing), "data", "does not unpack"),
            ("method", bad(Member { method: 12, ..stored("a.npy", &member) }), "directory", "method 12"),
            ("other name", other_name, "local header", "disagree"),
            ("encrypted", entry(8, 1), "directory", "encrypted"),
            ("a member past the end", entry(45, 0x7f), "file", "from byte 2130706432 on"),
            ("cut inside", bad(stored("a.npy", &member[..member.len() - 1])), "a.npy, data", "cut short"),
            (
                "objects inside",
                bad(stored("a.npy", &npy([1, 0], &dict("'|O'", "False", "()"), b""))),
                "a.npy, descr",
                "pickled",
            ),
            ("empty inside", bad(stored("a.npy", b"")), "a.npy, magic", "begin with"),
        ],
    );
    let bomb = zip(&[deflated("a.npy", &vec![0; 2 << 20])]);
    assert_eq!(read_key(&bomb, Format::Npz, None).unwrap_err().kind(), ErrorKind::Memory);
}

fn tensors(header: &str, data: &[u8]) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), data].concat()
}

#[test]
fn safetensors_is_read() {
    let header = r#"{"__metadata__":{"format":"pt"},"b":{"dtype":"I16","shape":[2],"data_offsets":[2,6]},
        "a":{"dtype":"BF16","shape":[],"data_offsets":[0,2]},"c":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[6,8]},
        "e":{"dtype":"F32","shape":[0,4],"data_offsets":[6,6]}}  "#;
    let file = tensors(header, &[1, 2, 3, 4, 5, 6, 7, 8]);
    for (key, shape, bytes) in [("a", &[][..], &[1u8, 2][..]), ("b", &[2], &[3, 4, 5, 6]), ("e", &[0, 4], &[])] {
        let array = read_key(&file, Format::Safetensors, Some(key)).unwrap();
        assert_eq!(array.shape(), shape, "{key}");
        assert_eq!(array.into_bytes().unwrap(), bytes, "{key}");
    }
    for blank in ["", " ", "\n\t  \r", &" ".repeat(4096)] {
        let padded = tensors(&format!("{blank}{header}"), &[1, 2, 3, 4, 5, 6, 7, 8]);
        let array = read_key(&padded, Format::Safetensors, Some("b")).unwrap();
        assert_eq!(array.into_bytes().unwrap(), &[3, 4, 5, 6], "{blank:?} before the header");
    }
    let error = read_key(&file, Format::Safetensors, Some("c")).unwrap_err().to_string();
    assert!(error.contains("F8_E4M3"), "{error}");
    let error = read_key(&file, Format::Safetensors, None).unwrap_err().to_string();
    assert!(error.contains("the file contains b, a, c, e"), "{error}");
}

#[test]
fn safetensors_is_refused() {
    let one = |dtype: &str, shape: &str, begin: u64, end: u64| {
        tensors(&format!(r#"{{"a":{{"dtype":"{dtype}","shape":{shape},"data_offsets":[{begin},{end}]}}}}"#), &[0; 8])
    };
    let entry =
        |begin: u64, end: u64| format!(r#"{{"dtype":"U8","shape":[{}],"data_offsets":[{begin},{end}]}}"#, end - begin);
    let two = |a: String, b: String| tensors(&format!(r#"{{"a":{a},"b":{b}}}"#), &[0; 8]);
    let text = |header: &str| tensors(header, &[0; 8]);
    let deep = format!("{{\"a\":{}", "[".repeat(100_000));
    refused(
        Format::Safetensors,
        &[
            ("empty", vec![], "file", "empty"),
            ("short", vec![1, 2, 3], "header length", "first 8 bytes"),
            ("length alone", 1u64.to_le_bytes().to_vec(), "header length", "0 are there"),
            ("wrong length", [&u64::MAX.to_le_bytes()[..], b"{}"].concat(), "header length", "there"),
            ("no header", tensors("", b""), "header", "begin with"),
            ("a list", text("[]"), "header", "begin with"),
            ("a list behind blanks", text("  []"), "header", "begin with"),
            ("blanks alone", text("   "), "header", "begin with"),
            ("another blank", text("\u{a0}{}"), "header", "begin with"),
            ("cut header", text("{\"a\":"), "header", "EOF"),
            ("deep", text(&deep), "header", "not as it should be"),
            (
                "name twice",
                two(entry(0, 8), entry(0, 8)).iter().map(|&b| if b == b'b' { b'a' } else { b }).collect(),
                "header",
                "twice",
            ),
            (
                "field twice",
                text(r#"{"a":{"dtype":"U8","dtype":"U8","shape":[8],"data_offsets":[0,8]}}"#),
                "header",
                "duplicate",
            ),
            (
                "field unknown",
                text(r#"{"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8],"x":1}}"#),
                "header",
                "unknown",
            ),
            ("field missing", text(r#"{"a":{"dtype":"U8","shape":[8]}}"#), "header", "missing"),
            ("metadata of numbers", text(r#"{"__metadata__":{"a":1}}"#), "header", "invalid type"),
            ("metadata twice", text(r#"{"__metadata__":{"a":"","a":""}}"#), "header", "twice"),
            ("more after", text("{} {}"), "header", "trailing"),
            (
                "not UTF-8",
                tensors("{\"a", b"\xff\"}").iter().map(|&b| if b == 3 { 5 } else { b }).collect(),
                "header",
                "",
            ),
            ("negative dim", one("U8", "[-8]", 0, 8), "header", "invalid value"),
            ("float dim", one("U8", "[8.0]", 0, 8), "header", "invalid type"),
            ("wraps", one("U8", "[4294967296, 4294967296]", 0, 8), "tensor 'a'", "too large"),
            ("other size", one("F32", "[8]", 0, 8), "tensor 'a'", "needs 32 bytes"),
            ("past the end", one("U8", "[9]", 0, 9), "tensor 'a'", "not among"),
            ("backwards", one("U8", "[8]", 8, 0), "tensor 'a'", "not among"),
            ("hole in front", one("U8", "[7]", 1, 8), "tensor 'a'", "hole"),
            ("hole at the end", one("U8", "[7]", 0, 7), "data", "end at 7"),
            ("hole between", two(entry(0, 3), entry(4, 8)), "tensor 'b'", "hole"),
            ("overlap", two(entry(0, 5), entry(4, 8)), "tensor 'b'", "overlap"),
            ("unknown dtype", one("F8_E5M2", "[8]", 0, 8), "dtype", "F8_E5M2"),
        ],
    );
}

#[test]
fn larger_than_the_limit() {
    let bytes = npy([1, 0], &dict("'|u1'", "False", "(2097152,)"), &vec![0; 2 << 20]);
    let error = read_key(&bytes, Format::Npy, None).unwrap_err();
    assert_eq!((error.kind(), error.kind().code()), (ErrorKind::Memory, 2));
}

/// Changes, cuts and doubles bytes of good files: whatever comes out, it comes out without a panic.
#[test]
fn damaged_files_never_panic() {
    let tensor = tensors(r#"{"a":{"dtype":"U8","shape":[2,2],"data_offsets":[0,4]}}"#, &[1, 2, 3, 4]);
    let files = [
        (Format::Npy, small()),
        (Format::Npz, zip(&[deflated("a.npy", &small()), stored("b.npy", &small())])),
        (Format::Safetensors, tensor),
    ];
    let mut refusals = 0;
    for (format, good) in files {
        for at in 0..good.len() {
            let mut variants = vec![good[..at].to_vec(), [&good[..at], &good[at + 1..]].concat()];
            for byte in [0, 1, 0x7f, 0x80, 0xff, b'(', b'"', b'-'] {
                let mut bytes = good.clone();
                bytes[at] = byte;
                variants.push(bytes);
            }
            for bytes in variants {
                refusals += usize::from(read_key(&bytes, format, Some("a")).is_err());
                refusals += usize::from(read_key(&bytes, format, None).is_err());
            }
        }
    }
    assert!(refusals > 1000, "{refusals}");
}

#[test]
fn what_files_say_is_shown_short_and_plain() {
    let long = "x".repeat(60_000);
    let one = |name: &str, dtype: &str| {
        tensors(&format!(r#"{{"{name}":{{"dtype":"{dtype}","shape":[3],"data_offsets":[0,8]}}}}"#), &[0; 8])
    };
    let member = small();
    let cases = [
        (Format::Npy, npy([1, 0], &dict(&format!("'<{long}'"), "False", "()"), b"")),
        (Format::Npy, npy([2, 0], &format!("{{'{long}': 1}}"), b"")),
        (Format::Npz, zip(&[stored("\x1b[2J\n.npy", &member), stored("b.npy", &member)])),
        (Format::Npz, zip(&[stored(&format!("{long}.npy"), &member), stored("b.npy", &member)])),
        (Format::Npz, zip(&[stored(&long, &member), stored(&long, &member)])),
        (Format::Npz, zip(&[stored("\u{202e}\x07.npy", &member[..20])])),
        (Format::Safetensors, one(r"a\u001b[2J\n", "F33")),
        (Format::Safetensors, one("a", r"\u001b[2J\u202e")),
        (Format::Safetensors, one(&long, "F32")),
        (Format::Safetensors, one("a", &long)),
        (Format::Safetensors, tensors(&format!(r#"{{"a":{{"{long}":1}}}}"#), &[])),
    ];
    for (i, (format, bytes)) in cases.iter().enumerate() {
        let text = read_key(bytes, *format, None).unwrap_err().to_string();
        assert!(text.len() < 1500, "{i}: {} bytes", text.len());
        assert!(!text.contains(|c: char| c.is_control() || c == '\u{202e}'), "{i}: {text:?}");
    }
}

#[test]
fn headers_hold_no_more_than_files_have() {
    let dims =
        |rank| format!(r#"{{"a":{{"dtype":"U8","shape":[{}],"data_offsets":[0,1]}}}}"#, vec!["1"; rank].join(","));
    let texts: Vec<String> = (0..=1 << 18).map(|i| format!(r#""{i}":"""#)).collect();
    let cases = [
        (dims(64), None),
        (dims(65), Some("the rank is above the largest, 64")),
        (dims(1_000_000), Some("the rank is above the largest, 64")),
        (format!(r#"{{"__metadata__":{{{}}}}}"#, texts.join(",")), Some("more than 262144 entries")),
        (
            format!("{{{}}}", texts.join(",").replace(r#":"""#, r#":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}"#)),
            Some("more than 262144 entries"),
        ),
    ];
    for (header, want) in cases {
        let error = read_key(&tensors(&header, &[0]), Format::Safetensors, None).err();
        let right = error.as_ref().map_or(want.is_none(), |e| want.is_some_and(|want| e.message().contains(want)));
        assert!(right, "{want:?}: {error:?}");
    }
}
