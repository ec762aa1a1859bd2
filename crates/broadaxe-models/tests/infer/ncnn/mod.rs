//! Layers of ncnn.

mod change;
mod cut;
mod detect;
mod like;
mod product;
mod window;

use crate::{case::check, graph::layer};

/// All tables.
pub(crate) const NCNN_TABLES: &[&str] = &[
    change::NCNN_CHANGE,
    cut::NCNN_CUT,
    detect::NCNN_DETECT,
    like::NCNN_LIKE,
    product::NCNN_PRODUCT,
    window::NCNN_WINDOW,
];

/// Compares a table, whose attributes are a layer's parameters.
fn compare(name: &str, table: &str) {
    check(name, table, &layer);
}

#[test]
fn change_cases() {
    compare("ncnn_change", change::NCNN_CHANGE);
}

#[test]
fn cut_cases() {
    compare("ncnn_cut", cut::NCNN_CUT);
}

#[test]
fn detect_cases() {
    compare("ncnn_detect", detect::NCNN_DETECT);
}

#[test]
fn like_cases() {
    compare("ncnn_like", like::NCNN_LIKE);
}

#[test]
fn product_cases() {
    compare("ncnn_product", product::NCNN_PRODUCT);
}

#[test]
fn window_cases() {
    compare("ncnn_window", window::NCNN_WINDOW);
}
