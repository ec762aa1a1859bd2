//! Tables of the encoding of Protocol Buffers.
//!
//! Source: the page "Encoding" of the documentation of Protocol Buffers; the bytes of whole numbers are those that the Python
//! package protobuf 7.36.2 writes.

use super::{
    Field, Message, Payload, Reader, Span,
    splice::{self, Around, Splices},
};
use crate::{
    edit::Piece,
    error::Error,
    facts::{compare, hex, proto, unhex},
    source::Source,
};

const VARINTS: &[(&str, &str)] = &[
    ("0", "00"),
    ("1", "01"),
    ("2", "02"),
    ("3", "03"),
    ("5", "05"),
    ("10", "0a"),
    ("63", "3f"),
    ("64", "40"),
    ("100", "64"),
    ("127", "7f"),
    ("128", "8001"),
    ("129", "8101"),
    ("150", "9601"),
    ("200", "c801"),
    ("300", "ac02"),
    ("1000", "e807"),
    ("16383", "ff7f"),
    ("16384", "808001"),
    ("16385", "818001"),
    ("65535", "ffff03"),
    ("65536", "808004"),
    ("1000000", "c0843d"),
    ("2097151", "ffff7f"),
    ("2097152", "80808001"),
    ("2097153", "81808001"),
    ("268435455", "ffffff7f"),
    ("268435456", "8080808001"),
    ("268435457", "8180808001"),
    ("1000000000", "8094ebdc03"),
    ("2147483647", "ffffffff07"),
    ("2147483648", "8080808008"),
    ("4294967295", "ffffffff0f"),
    ("4294967296", "8080808010"),
    ("34359738367", "ffffffff7f"),
    ("34359738368", "808080808001"),
    ("34359738369", "818080808001"),
    ("1000000000000", "80a094a58d1d"),
    ("4398046511103", "ffffffffff7f"),
    ("4398046511104", "80808080808001"),
    ("4398046511105", "81808080808001"),
    ("562949953421311", "ffffffffffff7f"),
    ("562949953421312", "8080808080808001"),
    ("562949953421313", "8180808080808001"),
    ("9007199254740992", "8080808080808010"),
    ("72057594037927935", "ffffffffffffff7f"),
    ("72057594037927936", "808080808080808001"),
    ("72057594037927937", "818080808080808001"),
    ("1000000000000000000", "808090bbbad6adf00d"),
    ("9223372036854775807", "ffffffffffffffff7f"),
    ("9223372036854775808", "80808080808080808001"),
    ("9223372036854775809", "81808080808080808001"),
    ("18446744073709551614", "feffffffffffffffff01"),
    ("18446744073709551615", "ffffffffffffffffff01"),
];

const SIGNED: &[(&str, &str)] = &[
    ("-1", "ffffffffffffffffff01"),
    ("-2", "feffffffffffffffff01"),
    ("-7", "f9ffffffffffffffff01"),
    ("-127", "81ffffffffffffffff01"),
    ("-128", "80ffffffffffffffff01"),
    ("-129", "fffeffffffffffffff01"),
    ("-32768", "8080feffffffffffff01"),
    ("-2147483648", "80808080f8ffffffff01"),
    ("-2147483649", "fffffffff7ffffffff01"),
    ("-9007199254740992", "80808080808080f0ff01"),
    ("-9223372036854775808", "80808080808080808001"),
    ("0", "00"),
    ("1", "01"),
    ("9223372036854775807", "ffffffffffffffff7f"),
];

const ENCODED: &[(&str, &str)] = &[
    ("int 1 150", "089601"),
    ("int 1 0", "0800"),
    ("int 1 -1", "08ffffffffffffffffff01"),
    ("int 15 1", "7801"),
    ("int 16 1", "800101"),
    ("int 536870911 1", "f8ffffff0f01"),
    ("bytes 2 ", "1200"),
    ("bytes 2 testing", "120774657374696e67"),
    ("bytes 16 a", "82010161"),
    ("float 4 0", "2500000000"),
    ("float 4 1", "250000803f"),
    ("float 4 -2.5", "25000020c0"),
    ("float 4 inf", "250000807f"),
    ("float 16 1", "85010000803f"),
    ("wrap 3 ", "1a00"),
    ("wrap 3 abc", "1a03616263"),
    ("wrap 200 a", "c20c0161"),
];

const FIELDS: &[(&str, &str)] = &[
    ("", ""),
    ("1:0", "1:0@0..2"),
    ("1:150", "1:150@0..3"),
    ("1:-1", "1:18446744073709551615@0..11"),
    ("2''", "2:<>@0..2"),
    ("2'a'", "2:<61>@0..3"),
    ("2'ab' 2'c'", "2:<6162>@0..4 2:<63>@4..7"),
    ("2<00ff>", "2:<00ff>@0..4"),
    ("3:1", "3:1@0..2"),
    ("3:1 4:2", "3:1@0..2 4:2@2..4"),
    ("4[]", "4:<>@0..2"),
    ("4[0]", "4:<00>@0..3"),
    ("4[1 150 3]", "4:<01960103>@0..6"),
    ("5=0.0", "5:00000000@0..5"),
    ("5=1.0", "5:3f800000@0..5"),
    ("5=-0.5", "5:bf000000@0..5"),
    ("6%0.0", "6:0000000000000000@0..9"),
    ("6%1.0", "6:3ff0000000000000@0..9"),
    ("6%-2.5", "6:c004000000000000@0..9"),
    ("15:1", "15:1@0..2"),
    ("16:1", "16:1@0..3"),
    ("63:1", "63:1@0..3"),
    ("64:1", "64:1@0..3"),
    ("64:1 64:2", "64:1@0..3 64:2@3..6"),
    ("100'x'", "100:<78>@0..4"),
    ("2047:1", "2047:1@0..3"),
    ("2048:1", "2048:1@0..4"),
    ("536870911:1", "536870911:1@0..6"),
    ("1:1 2'x' 5=1.0 6%1.0", "1:1@0..2 2:<78>@2..5 5:3f800000@5..10 6:3ff0000000000000@10..19"),
    ("7{1:1 2{3'x'}}", "7:<080112031a0178>@0..9"),
    ("<8000>", "! byte 0: no field of Any begins here; the file is damaged"),
    ("<8800>", "! byte 2: a number has no end here; the file is cut or no protobuf"),
    ("<888000>", "! byte 3: a number has no end here; the file is cut or no protobuf"),
    ("<0880808000>", "1:0@0..5"),
    ("<08ffffffffffffffffff01>", "1:18446744073709551615@0..11"),
    ("<08ffffffffffffffffff7f>", "1:18446744073709551615@0..11"),
    ("<08ffffffffffffffffffff01>", "! byte 1: a number has no end here; the file is cut or no protobuf"),
    ("<0880808080808080808080>", "! byte 1: a number has no end here; the file is cut or no protobuf"),
    ("<08>", "! byte 1: a number has no end here; the file is cut or no protobuf"),
    ("<0880>", "! byte 1: a number has no end here; the file is cut or no protobuf"),
    ("<80>", "! byte 0: a number has no end here; the file is cut or no protobuf"),
    ("<ffffffffff>", "! byte 0: a number has no end here; the file is cut or no protobuf"),
    ("<ffffffffff0f>", "! byte 0: no field of Any begins here; the file is damaged"),
    ("<8080808010>", "! byte 0: no field of Any begins here; the file is damaged"),
    ("<808080801000>", "! byte 0: no field of Any begins here; the file is damaged"),
    ("<00>", "! byte 0: no field of Any begins here; the file is damaged"),
    ("<0000>", "! byte 0: no field of Any begins here; the file is damaged"),
    ("<02>", "! byte 0: no field of Any begins here; the file is damaged"),
    ("<07>", "! byte 0: no field of Any begins here; the file is damaged"),
    ("<0b>", "! byte 0: wire type 3 of field 1 in Any is not read; 0, 1, 2 and 5 are"),
    ("<0c>", "! byte 0: wire type 4 of field 1 in Any is not read; 0, 1, 2 and 5 are"),
    ("<0e>", "! byte 0: wire type 6 of field 1 in Any is not read; 0, 1, 2 and 5 are"),
    ("<0f>", "! byte 0: wire type 7 of field 1 in Any is not read; 0, 1, 2 and 5 are"),
    ("<0c00>", "! byte 0: wire type 4 of field 1 in Any is not read; 0, 1, 2 and 5 are"),
    ("<1b>", "! byte 0: wire type 3 of field 3 in Any is not read; 0, 1, 2 and 5 are"),
    ("<0901>", "! byte 0: field 1 of Any needs 8 bytes, but only 1 are left; the file is truncated or damaged"),
    ("<0900000000000000>", "! byte 0: field 1 of Any needs 8 bytes, but only 7 are left; the f…s truncated or damaged"),
    ("<090000000000000000>", "1:0000000000000000@0..9"),
    ("<0d>", "! byte 0: field 1 of Any needs 4 bytes, but only 0 are left; the file is truncated or damaged"),
    ("<0d000000>", "! byte 0: field 1 of Any needs 4 bytes, but only 3 are left; the file is truncated or damaged"),
    ("<0d00000000>", "1:00000000@0..5"),
    ("<12>", "! byte 1: a number has no end here; the file is cut or no protobuf"),
    ("<1201>", "! byte 0: field 2 of Any needs 1 bytes, but only 0 are left; the file is truncated or damaged"),
    ("<120161>", "2:<61>@0..3"),
    ("<120261>", "! byte 0: field 2 of Any needs 2 bytes, but only 1 are left; the file is truncated or damaged"),
    ("<12ff01>", "! byte 0: field 2 of Any needs 255 bytes, but only 0 are left; the file is truncated or damaged"),
    ("<12ffffffff0f>", "! byte 0: field 2 of Any needs 4294967295 bytes, but only 0 are left;…is truncated or damaged"),
    ("<12ffffffffffffffffff01>", "! byte 0: field 2 of Any needs 18446744073709551615 bytes, bu… truncated or damaged"),
    ("<1280>", "! byte 1: a number has no end here; the file is cut or no protobuf"),
    ("3:1 3:1", "! byte 2: field 3 of Any occurs here a second time; remove one"),
    ("3:1 1:1 3:2", "! byte 4: field 3 of Any occurs here a second time; remove one"),
    ("3'a' 3:1", "! byte 3: field 3 of Any occurs here a second time; remove one"),
    ("1:1 <1a>", "! byte 3: a number has no end here; the file is cut or no protobuf"),
    ("1:1 2'abc' <1a05>", "! byte 7: field 3 of Any needs 5 bytes, but only 0 are left; the f…is truncated or damaged"),
    ("1:1 <00>", "! byte 2: no field of Any begins here; the file is damaged"),
];

const INTS: &[(&str, &str)] = &[
    ("4:1", "[1]"),
    ("4:-1", "[18446744073709551615]"),
    ("4:1 4:2", "[1, 2]"),
    ("4:1 4:2 4:3", "[1, 2, 3]"),
    ("4:1 4:2 4:3 4:4", "! byte 6: the limit here is 3 numbers"),
    ("4[]", "[]"),
    ("4[1]", "[1]"),
    ("4[1 2 3]", "[1, 2, 3]"),
    ("4[1 2 3 4]", "! byte 0: the limit here is 3 numbers"),
    ("4[1 2] 4:3", "[1, 2, 3]"),
    ("4[1 2] 4[3]", "[1, 2, 3]"),
    ("4[1 2] 4[3 4]", "! byte 4: the limit here is 3 numbers"),
    ("4[] 4[] 4:7", "[7]"),
    ("4[150 0 18446744073709551615]", "[150, 0, 18446744073709551615]"),
    ("4<80>", "! byte 2: a number has no end here; the file is cut or no protobuf"),
    ("4<0180>", "! byte 3: a number has no end here; the file is cut or no protobuf"),
    ("4<8000>", "[0]"),
    ("4<ffffffffffffffffffff01>", "! byte 2: a number has no end here; the file is cut or no protobuf"),
    ("4=1.0", "! byte 0: field 4 of Any should be whole numbers"),
    ("4%1.0", "! byte 0: field 4 of Any should be whole numbers"),
    ("4[1] 4=1.0", "! byte 3: field 4 of Any should be whole numbers"),
];

const FLOATS: &[(&str, &str)] = &[
    ("5=1.0", "[1.0]"),
    ("5=1.0 5=2.0", "[1.0, 2.0]"),
    ("5<>", "[]"),
    ("5<0000803f>", "[1.0]"),
    ("5<0000803f00000040>", "[1.0, 2.0]"),
    ("5<0000803f0000004000004040>", "[1.0, 2.0, 3.0]"),
    ("5<0000803f000000400000404000008040>", "! byte 2: this text has 16 bytes; the limit here is 12"),
    ("5<00>", "! byte 0: field 5 of Any should be numbers of 4 bytes"),
    ("5<000000>", "! byte 0: field 5 of Any should be numbers of 4 bytes"),
    ("5<0000000000>", "! byte 0: field 5 of Any should be numbers of 4 bytes"),
    ("5<000000000000>", "! byte 0: field 5 of Any should be numbers of 4 bytes"),
    ("5%0.5", "[0.5]"),
    ("5:1", "! byte 0: field 5 of Any should be a floating-point number"),
    ("5<0000807f>", "[inf]"),
    ("5<000080ff>", "[-inf]"),
    ("5<0000c07f> 5=1.0", "[NaN, 1.0]"),
];

const DOUBLES: &[(&str, &str)] = &[
    ("5%1.0", "[1.0]"),
    ("5%1.0 5%2.0", "[1.0, 2.0]"),
    ("5<000000000000f03f>", "[1.0]"),
    ("5<000000000000f03f000000000000f0bf>", "[1.0, -1.0]"),
    ("5<00000000>", "! byte 0: field 5 of Any should be numbers of 8 bytes"),
    ("5<0000000000000000000000>", "! byte 0: field 5 of Any should be numbers of 8 bytes"),
    ("5=0.5", "[0.5]"),
    ("5:1", "! byte 0: field 5 of Any should be a floating-point number"),
    ("5<>", "[]"),
];

const SPLICED: &[(&str, &str)] = &[
    ("1:1 | 1 | 1:2", "0802"),
    ("1:1 | 1 | ", ""),
    ("1:1 | 1 | 1:1 2:2", "08011002"),
    ("2'a' | 2 | 2'bb'", "12026262"),
    ("2'a' 1:7 | 2 | 2''", "12000807"),
    ("3{2'a'} | 3.2 | 2'bcd'", "1a051203626364"),
    ("3{2'a' 1:1} | 3.2 | ", "1a020801"),
    ("3{2'a' 1:1} 4:9 | 3.1 | 1:300", "1a0612016108ac022009"),
    ("3{4{2'a'}} | 3.4.2 | 2'xyz'", "1a072205120378797a"),
    ("3{4{2'a'} 1:1} 1:2 | 3.4.2 | ", "1a04220008010802"),
    ("3{4{5{6{2'a'}}}} | 3.4.5.6.2 | 2'ab'", "1a0a22082a06320412026162"),
    ("1:5 3{1:6 4{1:7 2'a' 1:8} 1:9} 1:10 | 3.4.2 | 2'q'", "08051a0d08062207080712017108080809080a"),
    ("3{} 3{1:1} | 3 | 3{2'x'}", "1a031201781a020801"),
    ("3{4{}} | 3.4 | 4{1:1}", "1a0422020801"),
    ("3{4{} 4{}} | 3.4 | ", "1a022200"),
    ("3{1=1.0} | 3.1 | 1=2.0", "1a050d00000040"),
    ("3{1%1.0} | 3.1 | 1:1", "1a020801"),
];

static ANY: Message = Message::new("Any", &[3]);

fn shown(source: &Source, field: &Field) -> String {
    let payload = match field.payload {
        Payload::Varint(value) => value.to_string(),
        Payload::Fixed32(bits) => format!("{bits:08x}"),
        Payload::Fixed64(bits) => format!("{bits:016x}"),
        Payload::Bytes(span) => format!("<{}>", hex(&source.read(span.at, span.len() as usize).unwrap())),
    };
    format!("{}:{payload}@{}..{}", field.number, field.start, field.end)
}

fn fields(text: &str) -> String {
    let source = Source::memory(proto(text), None);
    let reader = Reader::new(&source);
    let all: Result<Vec<Field>, Error> = reader.fields(reader.whole(), &ANY).collect();
    let all = all.map(|all| all.iter().map(|field| shown(&source, field)).collect::<Vec<_>>().join(" "));
    all.unwrap_or_else(|error| format!("! {error}"))
}

#[test]
fn whole_numbers() {
    for table in [VARINTS, SIGNED] {
        compare(table.iter().map(|&(number, want)| {
            let value = number.parse::<u64>().unwrap_or_else(|_| number.parse::<i64>().unwrap().cast_unsigned());
            let mut bytes = Vec::new();
            splice::varint(&mut bytes, value);
            let read = fields(&format!("<08{want}>"));
            assert_eq!(read, format!("1:{value}@0..{}", 1 + want.len() / 2));
            (number, hex(&bytes), want)
        }));
    }
}

fn encoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let words: Vec<&str> = text.split(' ').collect();
    let number = words[1].parse().unwrap();
    match words[0] {
        "int" => splice::int(&mut bytes, number, words[2].parse().unwrap()),
        "bytes" => {
            splice::bytes(&mut bytes, number, words[2].as_bytes());
            assert_eq!(splice::bytes_field(number, words[2].as_bytes()), bytes);
        }
        "float" => splice::float(&mut bytes, number, words[2].parse().unwrap()),
        "wrap" => {
            let pieces = splice::wrap(number, vec![Piece::New(words[2].into())]);
            assert_eq!(splice::length(&pieces), pieces.iter().map(Piece::len).sum::<u64>());
            bytes.extend(pieces.into_iter().flat_map(|piece| if let Piece::New(new) = piece { new } else { vec![] }));
        }
        other => panic!("{other}"),
    }
    hex(&bytes)
}

#[test]
fn encoders() {
    compare(ENCODED.iter().map(|&(case, want)| (case, encoded(case), want)));
}

#[test]
fn messages() {
    compare(FIELDS.iter().map(|&(case, want)| (case, fields(case), want)));
}

/// Reads all fields as one list, of at most three numbers in each.
fn list<T: std::fmt::Debug>(text: &str, read: impl Fn(&Reader, &Field, &mut Vec<T>) -> Result<(), Error>) -> String {
    let source = Source::memory(proto(text), None);
    let reader = Reader::new(&source);
    let mut all = Vec::new();
    let read = reader.fields(reader.whole(), &ANY).try_for_each(|field| read(&reader, &field?, &mut all));
    read.map_or_else(|error| format!("! {error}"), |()| format!("{all:?}"))
}

#[test]
fn lists() {
    let ints = |text| list(text, |reader, field, into| reader.ints(field, 3, into));
    compare(INTS.iter().map(|&(case, want)| (case, ints(case), want)));
    let floats = |text, width| list(text, |reader, field, into| reader.floats(field, width, 3, into));
    compare(FLOATS.iter().map(|&(case, want)| (case, floats(case, 4), want)));
    compare(DOUBLES.iter().map(|&(case, want)| (case, floats(case, 8), want)));
}

/// Counts the numbers of a packed list without reading them.
#[test]
fn counts() {
    for (bytes, want) in [("", 0), ("00", 1), ("7f", 1), ("8001", 1), ("800100", 2), ("ff", 0), ("010203", 3)] {
        let source = Source::memory(unhex(bytes), None);
        let reader = Reader::new(&source);
        assert_eq!(reader.count(Span { at: 0, end: source.len() }).unwrap(), want, "{bytes}");
    }
}

/// Replaces the field with this path.
fn spliced(text: &str) -> String {
    let [before, path, new] = text.split(" | ").collect::<Vec<_>>()[..] else { panic!("{text}") };
    let source = Source::memory(proto(before), None);
    let reader = Reader::new(&source);
    let (mut span, mut around, mut last) = (reader.whole(), Vec::new(), None);
    for number in path.split('.') {
        around.extend(last.map(|field| Around::of(&field).unwrap()));
        let mut all = reader.fields(span, &ANY).map(Result::unwrap);
        let found = all.find(|field| field.number.to_string() == number).unwrap();
        span = found.span().unwrap_or(span);
        last = Some(found);
    }
    let mut splices = Splices::default();
    splices.replace(&around, last.unwrap().whole(), vec![Piece::New(proto(new))]);
    let pieces = splices.pieces(source.len()).unwrap();
    hex(&Source::parts(Some(&source), pieces, None).and_then(|all| all.read(0, all.len() as usize)).unwrap())
}

#[test]
fn replaced_fields() {
    compare(SPLICED.iter().map(|&(case, want)| (case, spliced(case), want)));
}

/// The lengths around a text grow and shrink through one, two and three bytes.
#[test]
fn lengths_around_a_text() {
    let nested = |len: usize| format!("1:1 3{{4{{2'{}'}} 1:2}} 1:3", "a".repeat(len));
    for (old, new) in [(0, 1), (125, 126), (126, 125), (123, 124), (127, 128), (128, 127), (16379, 16380), (16384, 0)] {
        let case = format!("{} | 3.4.2 | 2'{}'", nested(old), "a".repeat(new));
        assert!(spliced(&case) == hex(&proto(&nested(new))), "{old} to {new}");
    }
}
