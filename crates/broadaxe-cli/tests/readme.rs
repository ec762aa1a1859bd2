//! The README and the guide to the command show what the command prints, word for word.

#[test]
fn readme() {
    std::env::set_current_dir("../..").expect("the repository");
    {
        // Runs what it was given when it is dropped.
        let _cases = trycmd::TestCases::new().env("LC_ALL", "C.UTF-8").case("README.md").case("docs/command.md");
    }
    for written in ["out.npy", "face7.onnx"] {
        std::fs::remove_file(written).expect("an example writes this");
    }
}
