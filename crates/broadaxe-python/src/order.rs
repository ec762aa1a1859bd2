//! Chooses the memory order of a new result from its operands, as NumPy does.
//!
//! Two axes change places where an operand walks the inner of them with the longer stride and no operand walks them the other
//! way round. So a result of arrays in Fortran's order is in Fortran's order, and so is one of an array and a row of it.

/// Returns the strides in bytes of a result whose axes are ordered as the operands' are, from the operands' strides over it.
pub(crate) fn alike(size: usize, shape: &[usize], operands: &[Vec<isize>]) -> Vec<isize> {
    let mut axes: Vec<usize> = (0..shape.len()).collect();
    // The axes so far are in order, the outermost first; each further one moves outwards while it should.
    for end in 1..axes.len() {
        let mut at = end;
        for before in (0..end).rev() {
            match belongs_outside(axes[end], axes[before], operands) {
                Some(true) => at = before,
                Some(false) => break,
                None => {}
            }
        }
        axes[at..=end].rotate_right(1);
    }
    in_order(size, shape, &axes)
}

/// Says whether `axis` belongs outside `other`; `None` where no operand moves along both.
fn belongs_outside(axis: usize, other: usize, operands: &[Vec<isize>]) -> Option<bool> {
    let both = operands.iter().map(|strides| (strides[axis].unsigned_abs(), strides[other].unsigned_abs()));
    let mut moving = both.filter(|&(a, b)| a != 0 && b != 0).peekable();
    moving.peek()?;
    Some(moving.all(|(a, b)| a > b))
}

/// Returns the strides of a result whose axes lie in this order, the outermost first.
pub(crate) fn in_order(size: usize, shape: &[usize], axes: &[usize]) -> Vec<isize> {
    let mut strides = vec![0; shape.len()];
    let mut step = size as isize;
    for &axis in axes.iter().rev() {
        strides[axis] = step;
        step = step.wrapping_mul(shape[axis].max(1) as isize);
    }
    strides
}
