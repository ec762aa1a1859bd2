//! The guides show what the command prints, word for word.

#[test]
fn guides() {
    std::env::set_current_dir("../..").expect("the repository");
    trycmd::TestCases::new().env("LC_ALL", "C.UTF-8").env("COLUMNS", "80").case("docs/guides/*.md");
}
