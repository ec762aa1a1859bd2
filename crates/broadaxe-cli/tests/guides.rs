//! The guides show what the command prints, word for word.

#[test]
fn guides() {
    std::env::set_current_dir("../..").expect("the repository");
    {
        // Runs what it was given when it is dropped.
        let cases = trycmd::TestCases::new();
        cases.env("LC_ALL", "C.UTF-8").env("COLUMNS", "80").case("docs/guides/*.md");
    }
    for written in ["page.html", "drawing.svg", "out.npy", "shape.svg"] {
        std::fs::remove_file(written).expect("an example writes this");
    }
}
