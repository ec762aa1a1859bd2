//! Names the shared library by the version of its interface, so that programs load a compatible one.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let os = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if ["linux", "android", "freebsd"].contains(&os.as_str()) {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libbroadaxe_c.so.1");
    }
}
