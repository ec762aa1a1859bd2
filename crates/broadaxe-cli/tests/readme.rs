//! The README shows what the command prints, word for word.

#[test]
fn readme() {
    trycmd::TestCases::new().case("../../README.md");
}
