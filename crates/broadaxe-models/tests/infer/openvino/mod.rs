//! Operators of OpenVINO.

mod conv;
mod cut;
mod fold;
mod layer;
mod pick;
mod shape;

use broadaxe_frameworks::System;

use crate::{case::check, graph::results};

/// All tables.
pub(crate) const OPENVINO_TABLES: &[&str] = &[
    conv::OPENVINO_CONV,
    cut::OPENVINO_CUT,
    fold::OPENVINO_FOLD,
    layer::OPENVINO_LAYER,
    pick::OPENVINO_PICK,
    shape::OPENVINO_SHAPE,
];

/// Compares a table; every case says the opset.
fn compare(name: &str, table: &str) {
    check(name, table, &|case, named| results(System::Openvino, 1, case, named));
}

#[test]
fn conv_cases() {
    compare("openvino_conv", conv::OPENVINO_CONV);
}

#[test]
fn cut_cases() {
    compare("openvino_cut", cut::OPENVINO_CUT);
}

#[test]
fn fold_cases() {
    compare("openvino_fold", fold::OPENVINO_FOLD);
}

#[test]
fn layer_cases() {
    compare("openvino_layer", layer::OPENVINO_LAYER);
}

#[test]
fn pick_cases() {
    compare("openvino_pick", pick::OPENVINO_PICK);
}

#[test]
fn shape_cases() {
    compare("openvino_shape", shape::OPENVINO_SHAPE);
}
