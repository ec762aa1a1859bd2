//! Writes an array of rank 0 to 2 as text: a line per row, with commas between the elements.

use std::io::{self, BufWriter, Write};

use super::Plain;
use crate::exact;

/// The highest rank that a table of lines has.
pub(super) const MAX_CSV_RANK: usize = 2;

/// Writes the lines; an array of rank 1 has a line per element.
///
/// # Errors
/// What the writer answers.
pub(super) fn write(array: &Plain<'_>, out: &mut impl Write) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let columns = if array.shape.len() == MAX_CSV_RANK { array.shape[1] } else { 1 };
    let rows = array.shape.first().copied().unwrap_or(1);
    let mut elements = array.bytes.chunks_exact(array.dtype.size());
    for _ in 0..rows {
        for (column, element) in elements.by_ref().take(columns).enumerate() {
            if column > 0 {
                out.write_all(b",")?;
            }
            out.write_all(exact::text(array.dtype, element).as_bytes())?;
        }
        out.write_all(b"\n")?;
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use broadaxe_kernels::DType;

    use super::{Plain, write};

    #[test]
    fn lines() {
        let cases: [(&[usize], &[f32], &str); 6] = [
            (&[], &[0.1], "0.1\n"),
            (&[3], &[1.0, f32::NAN, -0.0], "1.0\nnan\n-0.0\n"),
            (&[2, 2], &[1.5, f32::INFINITY, f32::NEG_INFINITY, 1e-30], "1.5,inf\n-inf,1e-30\n"),
            (&[0], &[], ""),
            (&[0, 3], &[], ""),
            (&[2, 0], &[], "\n\n"),
        ];
        for (shape, values, want) in cases {
            let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
            let mut out = Vec::new();
            write(&Plain { dtype: DType::F32, shape, bytes: &bytes }, &mut out).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), want, "{shape:?}");
        }
    }
}
