//! TOSA: operands have equal ranks, and every operand may stretch.

use broadaxe_kernels::{OpId, id};

use super::{Deployment, Evidence, Law, PLAIN, Profile, Way, When, inside::CONVOLUTION};
use crate::meaning::Kind;

const ANSWERS: Evidence =
    Evidence::run_here("TOSA tools 2026.8.0; tosa-opt and the reference model, recorded answers in cases/tosa.case");
const SPECIFICATION: Evidence = Evidence::documented("TOSA 1.0 specification, elementwise operators");

/// The operators that have one of TOSA's own.
const TOSA_OPERATORS: &[OpId] = &[
    id("add"),
    id("sub"),
    id("mul"),
    id("pow"),
    id("max"),
    id("min"),
    id("equal"),
    id("greater"),
    id("greater_equal"),
    id("logical_and"),
    id("logical_or"),
    id("logical_xor"),
    id("bitwise_and"),
    id("bitwise_or"),
    id("bitwise_xor"),
];

pub(super) static TOSA: Profile = Profile {
    name: "tosa",
    title: "TOSA",
    deployment: Deployment::Constraint,
    summary: "TOSA: operands of equal rank up to 6, every operand may stretch",
    laws: &[
        Law {
            kinds: &[Kind::Unary],
            when: &[],
            way: Way::Own,
            text: "computes operators of one operand element by element",
            evidence: SPECIFICATION,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many, Kind::Select],
            when: &[When::Any(&[
                When::Kind(&[Kind::Select]),
                When::All(&[When::Kind(&[Kind::Binary]), When::Operator(TOSA_OPERATORS)]),
                When::All(&[When::Operands(2), When::Operator(TOSA_OPERATORS)]),
            ])],
            way: Way::Rule("tosa"),
            text: "accepts only equal ranks",
            evidence: ANSWERS,
        },
        Law {
            kinds: &[Kind::Lists, Kind::Blocks, Kind::Mask, Kind::Contrib],
            when: &[],
            way: Way::Unsupported,
            text: "does not support the operator; a converter may replace it with several",
            evidence: SPECIFICATION,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[When::Not(&CONVOLUTION)],
            way: Way::Unsupported,
            text: "does not support normalisations or scaled integer products",
            evidence: SPECIFICATION,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[],
            way: Way::Own,
            text: "accepts only one bias per channel in convolutions",
            evidence: Evidence::documented("TOSA 1.0 specification, CONV2D, CONV3D and TRANSPOSE_CONV2D"),
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[],
            way: Way::Unknown,
            text: "does not support this operator; its replacement depends on the converter",
            evidence: SPECIFICATION,
        },
    ],
    ..PLAIN
};
