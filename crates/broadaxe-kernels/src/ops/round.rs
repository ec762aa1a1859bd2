//! Rounding to whole numbers; the zero of a small negative number is -0.

use crate::number::{Function, Number};

/// The next whole number below
pub(crate) struct Floor;
/// The next whole number above
pub(crate) struct Ceil;
/// The nearest whole number, ties to even
pub(crate) struct Round;
/// The next whole number towards zero
pub(crate) struct Trunc;

impl Function for Floor {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        x.canonical().floor()
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        x.canonical().floor()
    }
}

impl Function for Ceil {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        x.canonical().ceil()
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        x.canonical().ceil()
    }
}

impl Function for Round {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        x.canonical().round_ties_even()
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        x.canonical().round_ties_even()
    }
}

impl Function for Trunc {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        x.canonical().trunc()
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        x.canonical().trunc()
    }
}
