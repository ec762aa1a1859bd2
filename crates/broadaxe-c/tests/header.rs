//! The header in `include/` is what cbindgen writes for these sources.

use std::{env, fs, path::Path};

use cbindgen::{Builder, Config};

#[test]
fn header_is_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = Config::from_file(root.join("cbindgen.toml")).expect("cbindgen.toml is valid");
    let sources = ["src/status.rs", "src/structs.rs", "src/edge.rs"];
    let builder =
        sources.iter().fold(Builder::new().with_config(config), |builder, file| builder.with_src(root.join(file)));
    let mut written = Vec::new();
    builder.generate().expect("cbindgen reads the sources").write(&mut written);
    let written = String::from_utf8(written).expect("the header is UTF-8");
    let path = root.join("include/broadaxe.h");
    if env::var_os("BROADAXE_WRITE").is_some() {
        fs::write(&path, &written).expect("the header can be written");
    }
    let committed = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(written == committed, "include/broadaxe.h is out of date; run this test with BROADAXE_WRITE=1\n{written}");
}
