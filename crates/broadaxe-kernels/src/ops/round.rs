//! Rounding to whole numbers; the zero of a small negative number is -0.

use crate::number::Number;

functions! {
    /// The next whole number below
    Floor: |x| x.canonical().floor(), x.canonical().floor();
    /// The next whole number above
    Ceil: |x| x.canonical().ceil(), x.canonical().ceil();
    /// The nearest whole number, ties to even
    Round: |x| x.canonical().round_ties_even(), x.canonical().round_ties_even();
    /// The next whole number towards zero
    Trunc: |x| x.canonical().trunc(), x.canonical().trunc();
}
