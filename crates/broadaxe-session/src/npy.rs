//! The header of NumPy's files.

use broadaxe_op::DType;

/// Writes NumPy's header, of version 1.0, padded so that the elements begin at a multiple of 64.
pub fn npy_header(dtype: DType, shape: &[usize]) -> Vec<u8> {
    let code = match dtype {
        DType::Bool => "b1",
        DType::I8 => "i1",
        DType::I16 => "i2",
        DType::I32 => "i4",
        DType::I64 => "i8",
        DType::U8 => "u1",
        DType::U16 => "u2",
        DType::U32 => "u4",
        DType::U64 => "u8",
        DType::F16 => "f2",
        // What NumPy writes for the type of ml_dtypes.
        DType::BF16 => "V2",
        DType::F32 => "f4",
        DType::F64 => "f8",
    };
    let order = match (dtype.size(), cfg!(target_endian = "big")) {
        (1, _) => '|',
        (_, false) => '<',
        (_, true) => '>',
    };
    let shape = broadaxe_shape::Shape::from(shape);
    let mut text = format!("{{'descr': '{order}{code}', 'fortran_order': False, 'shape': {shape}, }}");
    let padding = (10 + text.len() + 1).next_multiple_of(64) - (10 + text.len() + 1);
    text.push_str(&" ".repeat(padding));
    text.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    // At most 64 dims of 20 digits: far below the 65535 that version 1.0 can count.
    header.extend((text.len() as u16).to_le_bytes());
    header.extend(text.as_bytes());
    header
}
