//! `QuantizeLinear` and `DequantizeLinear`, which the converter writes as operators that know no axis.
//!
//! Constants of u8, and of 16 and 32 bits, become a difference and a product that broadcast to the right. Constants of i8 have a scale along
//! the last axis; with four axes, the first two are exchanged for a convolution, whose scale runs along its first axis. What
//! is computed becomes `FloatToInt8` and `Int8ToFloat`, which store integers 128 higher on x86, and have one zero point.
//!
//! Asked of MNN 3.6.1 on 1,900 models, and 3.0.0, 3.2.0 and 3.4.1 on most. Source: `OnnxQuantizeLinear.cpp` and `OnnxDeQuantizeLinear.cpp` in
//! `tools/converter/source/optimizer/onnxextra/`.

use broadaxe_shape::{Dim, Rule};

use super::super::{
    Asked, Does, Law, Way, When,
    neighbours::Op,
    quantised::{FIXED, LIST, QUANTIZE, SCALED_KINDS, axis, has_no_shift, is_stored_as},
};
use super::MNN_ALL_NODES;
use crate::meaning::Kind;

/// The laws, in order.
pub(super) const MNN_SCALES: [Law; 9] = [
    Law {
        kinds: SCALED_KINDS,
        when: &[QUANTIZE, When::Not(&FIXED)],
        way: Way::Refused,
        text: "crashes if the scale of QuantizeLinear is computed",
        evidence: MNN_ALL_NODES,
    },
    Law {
        kinds: &[Kind::Lists],
        when: &[QUANTIZE, When::Single(1), When::Operands(3), When::Holds(|asked| is_stored_as(asked, &[&["u8"]]))],
        way: Way::Garbled,
        text: "returns u8 numbers as i8 with the same bits: 256 less from 128 on",
        evidence: MNN_ALL_NODES,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[QUANTIZE],
        way: Way::Garbled,
        text: "quantises to i8, stored 128 higher, and reads one zero point for all",
        evidence: MNN_ALL_NODES,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[
            When::Not(&When::Constant(0)),
            When::Holds(|asked| is_stored_as(asked, &[&["u8"]])),
            When::Any(&[When::Rank(0, 0, 1), When::Holds(is_of_dynamic)]),
        ],
        way: Way::Unknown,
        text: "may misread computed u8 numbers of rank 0 or 1, or of DynamicQuantizeLinear",
        evidence: MNN_ALL_NODES,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[When::Not(&When::Constant(0)), When::Holds(|asked| is_stored_as(asked, &[&["u8", "i8"]]))],
        way: Way::Garbled,
        text: "reads computed 8-bit numbers as 128 higher or transposed, or skips the quantisation",
        evidence: MNN_ALL_NODES,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[When::Not(&When::Holds(|asked| is_stored_as(asked, &[&["u8", "i8", "i32", "u16", "i16"]])))],
        way: Way::Garbled,
        text: "misreads 4-bit numbers and 8-bit floats, or returns no result",
        evidence: MNN_ALL_NODES,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[
            When::Holds(|asked| is_stored_as(asked, &[&["u16", "i16", "i32"]])),
            When::Not(&When::Holds(has_no_shift)),
        ],
        way: Way::Garbled,
        text: "ignores the zero point of numbers of 16 and 32 bits",
        evidence: MNN_ALL_NODES,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[FIXED, When::Holds(|asked| is_stored_as(asked, &[&["i8"]]))],
        way: Way::Ask(of_bytes),
        text: "reads an i8 constant's scale along its last axis (for convolutions, its first)",
        evidence: MNN_ALL_NODES,
    },
    Law {
        kinds: SCALED_KINDS,
        when: &[],
        way: Way::Ask(of_products),
        text: "computes a product with the scale, aligned to the right",
        evidence: MNN_ALL_NODES,
    },
];

/// Says whether the scale comes from `DynamicQuantizeLinear`.
fn is_of_dynamic(asked: &Asked<'_>) -> Option<bool> {
    let maker = asked.producer(asked.node.input(1)?);
    Some(maker.is_some_and(|node| node.op == "DynamicQuantizeLinear"))
}

/// Says what becomes of a constant of i8.
fn of_bytes(asked: &Asked<'_>) -> Option<Does> {
    let unknown = || Some(Does::Unknown("reads a scale by the rank of the data, which is unknown".into()));
    let (Some(data), Some(scale)) = (asked.operands[0].dims(), asked.operands[1].dims()) else { return unknown() };
    let is_list = LIST.holds(asked)?;
    if data.len() == 4 {
        return of_filters(asked, is_list, data);
    }
    let flat = scale.iter().rev().skip(1).all(|dim| dim.size() == Some(1));
    let along_last = scale.last().map(Dim::size) == data.last().map(Dim::size) && flat;
    Some(match (is_list, asked.meaning.kind) {
        (false, _) => Does::Own,
        (true, Kind::Lists) if along_last => Does::Rule(Rule::axis_lists(-1, true)),
        (true, Kind::Blocks) if along_last => Does::Own,
        _ => Does::Garbled("reads an i8 constant's scale along the last axis, past a shorter end".into()),
    })
}

/// Says what becomes of a constant of i8 with four axes.
fn of_filters(asked: &Asked<'_>, is_list: bool, data: &[Dim]) -> Option<Does> {
    let reader = asked.node.output(0).and_then(|value| asked.reader(value));
    let in_conv = matches!(reader, Some((node, 1)) if asked.op(node) == Some(Op::Conv));
    if !in_conv {
        return Some(Does::Garbled("swaps the first two axes of an i8 constant of rank 4".into()));
    }
    let fits = asked.operands[1].dims().and_then(|dims| dims.first()?.size()) == data[0].size();
    if asked.meaning.kind == Kind::Lists && is_list && fits {
        return Some(if axis(asked)? == 0 { Does::Own } else { Does::Rule(Rule::axis_lists(0, true)) });
    }
    Some(Does::Garbled("reads one scale per filter, past the end of shorter scales".into()))
}

/// Says what becomes of a product with the scale.
fn of_products(asked: &Asked<'_>) -> Option<Does> {
    let converted = is_stored_as(asked, &[&["i8"]])? || asked.producer(asked.node.input(0)?).is_some();
    if converted && is_stored_as(asked, &[&["i8", "u8"]])? && asked.operands.rank(0)? == 4 {
        return Some(Does::Garbled("swaps the first two axes of 8-bit constants of rank 4".into()));
    }
    if asked.meaning.kind == Kind::Lists {
        return Some(Does::Rule(Rule::numpy()));
    }
    let (Some(data), Some(scale)) = (asked.operands[0].known(), asked.operands[1].known()) else {
        return Some(Does::Unknown("computes a product with the scale, and the shapes are unknown".into()));
    };
    let fits = Rule::unidirectional().align(&[&data, &scale]).is_ok();
    Some(if fits {
        Does::Own
    } else {
        Does::Refused("does not support a scale per block: it computes a product".into())
    })
}
