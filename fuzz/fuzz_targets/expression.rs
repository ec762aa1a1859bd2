//! Parses arbitrary text and lowers it over small arrays: nothing panics, an error points into the text, and what can be
//! evaluated has the shape and dtype that were promised.

#![no_main]

use broadaxe::{Array, DType, Expr, Options, Rule, View};
use libfuzzer_sys::{
    arbitrary::{Result, Unstructured},
    fuzz_target,
};

/// Extents of the arrays; results stay small.
const EXTENTS: &[usize] = &[0, 1, 1, 2, 3];
const MOST_AXES: usize = 4;
/// The most bytes a result may take.
const BUDGET: u64 = 1 << 16;
const RULES: &[&str] = &["numpy", "none", "pdpd", "unidirectional", "ncnn", "paddle"];

fn array(bytes: &mut Unstructured<'_>) -> Result<Array> {
    let dtype = *bytes.choose(&DType::ALL)?;
    let rank = bytes.int_in_range(0..=MOST_AXES)?;
    let shape = (0..rank).map(|_| bytes.choose(EXTENTS).copied()).collect::<Result<Vec<_>>>()?;
    let size = shape.iter().product::<usize>() * dtype.size();
    let mut data = vec![0; size];
    bytes.fill_buffer(&mut data)?;
    Ok(Array::from_bytes(dtype, shape, &data).expect("data of exactly the size"))
}

/// Panics when an error points beyond the text or splits a character.
fn check(text: &str, error: &broadaxe::Error) {
    assert!(error.position().is_none_or(|at| text.is_char_boundary(at)), "{text:?}: {error} at {:?}", error.position());
    assert!(!error.to_string().is_empty());
}

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = Unstructured::new(bytes);
    let attempt = || -> Result<()> {
        let rule = Rule::new(bytes.choose(RULES)?, broadaxe::Params::default()).expect("a rule without parameters");
        let arrays = [array(&mut bytes)?, array(&mut bytes)?];
        let text = std::str::from_utf8(bytes.take_rest()).unwrap_or_default();
        let expr = match Expr::parse(text) {
            Ok(expr) => expr,
            Err(error) => {
                check(text, &error);
                return Ok(());
            }
        };
        let names = ["a", "b"];
        let views: Vec<(&str, View<'_>)> = names.into_iter().zip(arrays.iter().map(Array::view)).collect();
        let options = Options { rule, max_bytes: Some(BUDGET), threads: Some(1), ..Options::default() };
        match expr.bind(&views, options) {
            Ok(evaluation) => match evaluation.run() {
                Ok(result) => assert_eq!((result.dtype(), result.shape()), (evaluation.dtype(), evaluation.shape())),
                Err(error) => check(text, &error),
            },
            Err(error) => check(text, &error),
        }
        Ok(())
    };
    // Bytes that end too early say nothing more.
    let _ = attempt();
});
