//! A naive oracle: every rule once more, straight from its definition, sharing no code with the crate.
//!
//! An operand is *lifted* onto the axes of the result: its extents and steps go where the rule puts them, and every other
//! axis has extent 1 and step 0. Extents are then merged axis by axis. Lists have a fixed size, so that millions of cases
//! are quick.

/// The highest rank that the oracle knows.
pub(crate) const RANK: usize = 8;

/// The largest number of operands that the oracle knows.
pub(crate) const OPERANDS: usize = 5;

/// A result's shape and the operands' strides over it; entries beyond rank and operands are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) rank: usize,
    pub(crate) shape: [usize; RANK],
    pub(crate) strides: [[isize; RANK]; OPERANDS],
}

#[derive(Clone, Copy)]
struct Lifted {
    extent: [usize; RANK],
    step: [isize; RANK],
}

fn lift(dims: &[usize], axis_of: impl Fn(usize) -> usize) -> Lifted {
    let mut lifted = Lifted { extent: [1; RANK], step: [0; RANK] };
    let mut step = 1;
    for i in (0..dims.len()).rev() {
        lifted.extent[axis_of(i)] = dims[i];
        lifted.step[axis_of(i)] = step;
        step *= dims[i] as isize;
    }
    lifted
}

fn both(x: usize, y: usize) -> Option<usize> {
    match (x, y) {
        (1, n) | (n, 1) => Some(n),
        _ => (x == y).then_some(x),
    }
}

/// Merges all, each with each.
fn two_way(rank: usize, lifted: &[Lifted]) -> Option<Answer> {
    let mut shape = [0; RANK];
    for (axis, extent) in shape.iter_mut().enumerate().take(rank) {
        *extent = lifted.iter().try_fold(1, |extent, operand| both(extent, operand.extent[axis]))?;
    }
    Some(answer(rank, shape, lifted))
}

/// Merges all into operand `a`, which does not stretch.
fn one_way(rank: usize, lifted: &[Lifted], a: usize) -> Option<Answer> {
    let mut shape = [0; RANK];
    shape[..rank].copy_from_slice(&lifted[a].extent[..rank]);
    let fits = |operand: &Lifted| (0..rank).all(|j| operand.extent[j] == 1 || operand.extent[j] == shape[j]);
    lifted.iter().all(fits).then(|| answer(rank, shape, lifted))
}

fn answer(rank: usize, shape: [usize; RANK], lifted: &[Lifted]) -> Answer {
    let mut strides = [[0; RANK]; OPERANDS];
    for (strides, operand) in strides.iter_mut().zip(lifted) {
        for axis in 0..rank {
            if operand.extent[axis] != 1 && shape[axis] != 1 {
                strides[axis] = operand.step[axis];
            }
        }
    }
    Answer { rank, shape, strides }
}

fn keep(mut answer: Answer, operands: usize) -> Answer {
    answer.strides[operands..].fill([0; RANK]);
    answer
}

/// Lifts up to `OPERANDS` operands to the right of `rank` axes.
fn to_the_right(rank: usize, operands: &[&[usize]]) -> [Lifted; OPERANDS] {
    let mut lifted = [Lifted { extent: [1; RANK], step: [0; RANK] }; OPERANDS];
    for (lifted, dims) in lifted.iter_mut().zip(operands) {
        *lifted = lift(dims, |i| i + rank - dims.len());
    }
    lifted
}

pub(crate) fn none(operands: &[&[usize]]) -> Option<Answer> {
    operands.iter().all(|dims| dims == &operands[0]).then(|| numpy(operands))?
}

pub(crate) fn numpy(operands: &[&[usize]]) -> Option<Answer> {
    let rank = operands.iter().map(|dims| dims.len()).max()?;
    two_way(rank, &to_the_right(rank, operands)[..operands.len()])
}

pub(crate) fn unidirectional(operands: &[&[usize]]) -> Option<Answer> {
    let rank = operands[0].len();
    if operands.iter().any(|dims| dims.len() > rank) {
        return None;
    }
    one_way(rank, &to_the_right(rank, operands)[..operands.len()], 0)
}

pub(crate) fn onnx_legacy(a: &[usize], b: &[usize], axis: Option<i64>) -> Option<Answer> {
    let identity = lift(a, |i| i);
    if b.len() > a.len() {
        return None;
    }
    if b.iter().all(|&dim| dim == 1) {
        let everywhere = Lifted { extent: [1; RANK], step: [0; RANK] };
        return one_way(a.len(), &[identity, everywhere], 0);
    }
    let axis = axis.unwrap_or(a.len() as i64 - b.len() as i64);
    for start in 0..=a.len() {
        if start as i64 == axis && a[start..].starts_with(b) {
            return one_way(a.len(), &[identity, lift(b, |i| i + start)], 0);
        }
    }
    None
}

/// Returns where `b` starts in `a` under PDPD.
fn pdpd_start(a: &[usize], b: &[usize], axis: i64) -> Option<usize> {
    let (rank, own) = (a.len() as i64, b.len() as i64);
    let start = if axis == -1 { rank - own } else { axis };
    (own <= rank && axis >= -1 && start + own <= rank).then_some(start as usize)
}

pub(crate) fn pdpd(a: &[usize], b: &[usize], axis: i64) -> Option<Answer> {
    let start = pdpd_start(a, b, axis)?;
    one_way(a.len(), &[lift(a, |i| i), lift(b, |i| i + start)], 0)
}

pub(crate) fn paddle(x: &[usize], y: &[usize], axis: i64) -> Option<Answer> {
    if x == y {
        return numpy(&[x, y]);
    }
    let (rank, low) = (x.len().max(y.len()), x.len().min(y.len()));
    let start = match axis {
        -1 => rank - low,
        0.. if axis < rank as i64 => axis as usize,
        _ => return None,
    };
    if (x.len() == y.len() && axis > 0) || start + low > rank {
        return None;
    }
    let put = |dims: &[usize]| if dims.len() == rank { lift(dims, |i| i) } else { lift(dims, |i| i + start) };
    two_way(rank, &[put(x), put(y)])
}

/// Works in ncnn's own notation, fastest axis first, and turns the answer round.
pub(crate) fn ncnn(a: &[usize], b: &[usize]) -> Option<Answer> {
    if [a, b].iter().any(|dims| dims.is_empty() || dims.len() > 4 || dims.contains(&0)) {
        return None;
    }
    let rank = a.len().max(b.len());
    let put = |dims: &[usize], other: &[usize]| {
        let mut own = [0; RANK];
        for (i, &dim) in dims.iter().rev().enumerate() {
            own[i] = dim;
        }
        let own = &own[..dims.len()];
        // The slowest extent of the other operand is the last in ncnn's notation, and the first in row-major order.
        let shift = match dims.len() {
            n if n == rank => 0,
            1 if own[0] == other[0] => rank - 1,
            1 => 0,
            n => rank - n,
        };
        let mut lifted = Lifted { extent: [1; RANK], step: [0; RANK] };
        let mut step = 1;
        for (i, &dim) in own.iter().enumerate() {
            lifted.extent[i + shift] = dim;
            lifted.step[i + shift] = step;
            step *= dim as isize;
        }
        lifted
    };
    let mut answer = two_way(rank, &[put(a, b), put(b, a)])?;
    answer.shape[..rank].reverse();
    answer.strides.iter_mut().for_each(|strides| strides[..rank].reverse());
    Some(answer)
}

pub(crate) fn bidirectional(data: &[usize], target: &[usize]) -> Option<Answer> {
    numpy(&[data, target]).map(|answer| keep(answer, 1))
}

pub(crate) fn broadcast_to(data: &[usize], target: &[usize]) -> Option<Answer> {
    let rank = target.len();
    if data.len() > rank {
        return None;
    }
    one_way(rank, &[lift(data, |i| i + rank - data.len()), lift(target, |i| i)], 1).map(|answer| keep(answer, 1))
}

pub(crate) fn explicit(data: &[usize], axes: &[i64], target: &[usize]) -> Option<Answer> {
    let in_range = axes.iter().all(|&axis| 0 <= axis && axis < target.len() as i64);
    if axes.len() != data.len() || !in_range || axes.windows(2).any(|pair| pair[0] >= pair[1]) {
        return None;
    }
    let lifted = [lift(data, |i| axes[i] as usize), lift(target, |i| i)];
    one_way(target.len(), &lifted, 1).map(|answer| keep(answer, 1))
}

pub(crate) fn select(mode: &str, axis: Option<i64>, operands: &[&[usize]]) -> Option<Answer> {
    match (mode, axis) {
        ("numpy", None) => numpy(operands),
        ("none", None) => none(operands),
        ("pdpd", axis) => {
            let then = operands[1];
            let put = |dims: &[usize]| {
                let start = pdpd_start(then, dims, axis.unwrap_or(-1))?;
                Some(lift(dims, |i| i + start))
            };
            one_way(then.len(), &[put(operands[0])?, lift(then, |i| i), put(operands[2])?], 1)
        }
        _ => None,
    }
}

pub(crate) fn prelu(data: &[usize], slope: &[usize]) -> Option<Answer> {
    if slope.len() == 1 && data.len() >= 2 && data[1] == slope[0] {
        return one_way(data.len(), &[lift(data, |i| i), lift(slope, |_| 1)], 0);
    }
    unidirectional(&[data, slope])
}

pub(crate) fn gemm_c(product: &[usize], c: &[usize]) -> Option<Answer> {
    if product.len() == 2 { unidirectional(&[product, c]) } else { None }
}
