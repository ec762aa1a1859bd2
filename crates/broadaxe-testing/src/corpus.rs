//! Reads the corpus of the fuzz targets.

use std::{fs, io::Read, path::Path};

use flate2::read::GzDecoder;

/// Returns the path of each file in the corpus, such as `corpus/onnx_model/NAME`, and its bytes.
///
/// # Panics
/// When the archive cannot be read, or has entries that are not files or folders.
pub fn files() -> Vec<(String, Vec<u8>)> {
    unpacked(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus.tar.gz"))
}

/// Reads the files of an archive that `tar` wrote: the path of each and its bytes.
fn unpacked(archive: &Path) -> Vec<(String, Vec<u8>)> {
    const BLOCK: usize = 512;
    let packed = fs::read(archive).unwrap_or_else(|error| panic!("{}: {error}", archive.display()));
    let mut bytes = Vec::new();
    GzDecoder::new(packed.as_slice()).read_to_end(&mut bytes).expect("a whole archive");
    let text =
        |field: &[u8]| String::from_utf8_lossy(field.split(|byte| *byte == 0).next().unwrap_or(&[])).into_owned();
    let (mut found, mut at) = (Vec::new(), 0);
    while bytes[at] != 0 {
        let header = &bytes[at..at + BLOCK];
        let is_known = header[345] == 0 && [b'0', b'5'].contains(&header[156]);
        assert!(is_known, "{} has an entry of another kind", text(header));
        let size = usize::from_str_radix(text(&header[124..136]).trim(), 8).expect("a size in octal");
        at += BLOCK;
        if header[156] == b'0' {
            found.push((text(&header[..100]), bytes[at..at + size].to_vec()));
        }
        at += size.next_multiple_of(BLOCK);
    }
    found
}
