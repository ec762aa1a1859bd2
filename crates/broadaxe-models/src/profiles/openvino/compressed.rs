//! Integer weights that are scaled, whose scale and zero point become operands of the product or the look-up behind.
//!
//! A constant of 8 or 4 bits, `Cast`, `Sub` (the zero point, which may be missing) and `Mul` by constants (the scale) become one
//! operator with the `MatMul`, `Gemm` or `Gather` that reads them. It reads the constants by position, whatever their shape:
//!
//! - A product has a scale per column. Of a constant that differs from row to row only, it reads the first entry for all rows,
//!   where it has at most 4 rows of data; 4-bit weights then end the process for more. Axes that only the constant has are lost.
//! - A look-up divides the elements of the table, in row-major order, by the entries of the constant: entry `i` of a scale per
//!   column is read for row `i` of a square table. It does so where other nodes read the table as well, or the caller.
//!
//! `DequantizeLinear` is these three nodes, with its lists along one axis of the weights.
//!
//! Asked of OpenVINO 2026.4.1 on 4,000 models of one product or look-up. Patterns: `convert_fc_to_compressed.cpp`,
//! `convert_gather_to_compressed.cpp`, `compressed_weights_block.cpp` (`src/common/transformations/src/transformations/`).

use broadaxe_shape::{Dim, Rule, SymbolicShape};

use super::super::{
    Asked, Does, IndexTerm,
    neighbours::{Op, REACH, fits, merged, numbers},
};
use crate::{
    graph::{Attribute, Node, ValueId},
    meaning::Kind,
};

/// Weights with fewer rows are multiplied out.
const FEWEST_ROWS: usize = 4;
/// With more rows of data, 8-bit weights are multiplied out.
const MOST_DATA_ROWS: usize = 4;
/// How many nodes between the weights and their reader are followed.
const MOST_BETWEEN: usize = 3;

/// The operands of a node: integer weights and a constant that they are scaled or shifted by.
struct Scaled {
    /// Which operand the weights are.
    weights: usize,
    /// The shape of the weights, and that of the constant; a list along an axis has axes of 1 around it.
    shapes: [Vec<usize>; 2],
    /// Whether the weights have 4 bits.
    four_bits: bool,
    /// The scaled weights.
    result: ValueId,
}

/// What reads scaled weights.
#[derive(Clone, Copy)]
enum Reader<'a> {
    /// A product, of which the weights are the second matrix, transposed or not.
    Product { node: &'a Node, transposed: bool },
    /// A look-up in rows of the weights.
    Lookup,
    /// A product or look-up of weights whose groups are joined.
    Grouped,
}

/// Finds a constant that a product reads one entry of, or the axes of which it drops.
pub(super) fn multiplied(asked: &Asked<'_>) -> Option<Does> {
    Scaled::all_of(asked, true).iter().find_map(|scaled| {
        let Some(readers) = readers(asked, scaled.result, false, MOST_BETWEEN) else {
            return behind_quantised(asked, scaled.result).find_map(|node| product(asked, scaled, node, true));
        };
        readers.iter().find_map(|reader| match reader {
            Reader::Product { node, transposed } => product(asked, scaled, node, *transposed),
            Reader::Grouped => {
                Some(Does::Unknown("may read a grouped scale of integer weights along another axis".into()))
            }
            Reader::Lookup => None,
        })
    })
}

/// Returns the products of quantised data and these weights, transposed: for them alone the weights are not multiplied out, whatever else reads
/// them. Asked of 55 models with a second reader.
fn behind_quantised<'a>(asked: &Asked<'a>, weights: ValueId) -> impl Iterator<Item = &'a Node> {
    let turned = asked.readers(weights).filter(|(node, _)| asked.op(node) == Some(Op::Transpose));
    let turned = turned.filter_map(|(node, _)| node.output(0)).flat_map(|value| asked.readers(value));
    let products = asked.readers(weights).filter(|(node, _)| is_set(node, "transB")).chain(turned);
    products.filter_map(|(node, input)| {
        let data = asked.maker(node.input(0)?)?.1;
        let product = matches!(asked.op(node), Some(Op::MatMul | Op::Gemm)) && input == 1 && is_plain(node);
        (product && matches!(data, Op::Dequantize | Op::FakeQuantize)).then_some(node)
    })
}

/// Finds a constant that a look-up reads in row-major order.
pub(super) fn looked_up(asked: &Asked<'_>) -> Option<Does> {
    let tables = Scaled::all_of(asked, false);
    tables.iter().filter(|table| is_looked_up(asked, table.result, MOST_BETWEEN)).find_map(|table| lookup(asked, table))
}

/// Finds scaled weights in a product of constants whose first matrix is transposed, which is not folded right.
///
/// Asked of 45 products: the other matrix may be computed, and the weights may be either. And of 1,140 with nine kinds of other readers.
pub(super) fn folded(asked: &Asked<'_>) -> Option<Does> {
    let (node, output) = (asked.node, asked.node.output(0)?);
    let whole = |value: ValueId| {
        asked.model.value(value).constant.as_ref().is_some_and(|constant| is_whole(&constant.element.to_string()))
    };
    let scaled = match asked.op(node)? {
        Op::Dequantize => node.input(0).is_some_and(whole),
        Op::Mul => (0..2).any(|k| node.input(k).is_some_and(|value| stored(asked, value, true).is_some())),
        _ => false,
    };
    let constants = asked.constants.iter().all(|constant| *constant);
    let products = products(asked, Some(output).filter(|_| scaled && constants)?, MOST_BETWEEN)?;
    if products.iter().any(|product| is_flipped(asked, product)) {
        let text = "multiplies a transposed constant by scaled integer weights as if it were not transposed";
        return Some(Does::Garbled(text.into()));
    }
    products
        .into_iter()
        .any(|product| is_transposed_second(asked, product))
        .then(|| Does::Refused("does not transpose scaled integer weights that it multiplies by a constant".into()))
}

/// Says whether a product is of a constant that is not scaled weights, and scaled weights that are transposed, of several rows and columns.
///
/// Asked of 64 products, of which 45 were refused: `alpha` and two transposes in a row keep them right.
fn is_transposed_second(asked: &Asked<'_>, product: &Node) -> bool {
    let (Some(first), Some(mut second)) = (product.input(0), product.input(1)) else { return false };
    let between = &[Op::Cast, Op::Transpose, Op::Reshape];
    if !asked.facts.is_constant(first) || is_scaled(asked, first, between) || !is_plain(product) {
        return false;
    }
    let mut transposed = ["transB", "transpose_b"].iter().any(|name| is_set(product, name));
    while let Some(data) = asked.producer(second).filter(|node| is_swap(asked, node)).and_then(|node| node.input(0)) {
        (second, transposed) = (data, !transposed);
    }
    transposed
        && is_scaled(asked, second, &[Op::Cast])
        && asked.sizes(second).is_some_and(|matrix| matrix.len() == 2 && !matrix.contains(&1))
}

/// Says whether a constant is what a look-up or a product of scaled integer weights gives, or what others make of that.
pub(super) fn is_kept(asked: &Asked<'_>, mut value: ValueId) -> bool {
    for _ in 0..REACH {
        let Some((node, op)) = asked.maker(value).filter(|_| asked.facts.is_constant(value)) else { return false };
        let Some(first) = node.input(0) else { return false };
        let kept = match op {
            Op::Gather => {
                let rank = asked.shape(first).and_then(SymbolicShape::rank);
                matches!(rank, Some(2 | 3)) && is_scaled(asked, first, &[Op::Cast])
            }
            Op::MatMul | Op::Gemm => is_kept_product(asked, node),
            Op::Concat => return false,
            _ => false,
        };
        if kept {
            return true;
        }
        value = first;
    }
    false
}

/// Says whether a product of constants is computed when the model is loaded, and not before: one is scaled integer weights.
pub(super) fn is_kept_product(asked: &Asked<'_>, product: &Node) -> bool {
    let between = &[Op::Cast, Op::Transpose, Op::Reshape];
    let mut inputs = product.inputs.iter().flatten().take(2);
    inputs.any(|input| scaled(asked, *input, between).is_some_and(|weights| is_multiplied(asked, weights)))
}

/// Says whether a value is scaled integer weights, or what these operators make of them.
fn is_scaled(asked: &Asked<'_>, value: ValueId, between: &[Op]) -> bool {
    scaled(asked, value, between).is_some()
}

/// Returns the scaled integer weights that a value is, or that these operators make it of.
fn scaled(asked: &Asked<'_>, mut value: ValueId, between: &[Op]) -> Option<ValueId> {
    for _ in 0..=MOST_BETWEEN {
        // A copy in front of the look-up or the product keeps them apart.
        let node = asked.producer(value)?;
        let first = node.input(0)?;
        let found = match asked.op(node)? {
            Op::Mul => (0..2).any(|k| node.input(k).is_some_and(|value| stored(asked, value, false).is_some())),
            Op::Dequantize => {
                let held = asked.model.value(first).constant.as_ref();
                held.is_some_and(|held| is_whole(&held.element.to_string())) && !is_in_blocks(asked, node)
            }
            op if between.contains(&op) => {
                value = first;
                continue;
            }
            _ => return None,
        };
        return found.then_some(value);
    }
    None
}

/// Says whether scaled weights are only multiplied and looked up in: another reader, also one before the scale, has them folded.
fn is_multiplied(asked: &Asked<'_>, weights: ValueId) -> bool {
    let scales = asked.producer(weights).filter(|node| asked.op(node) == Some(Op::Mul));
    let alone = |node: &Node| (0..2).any(|k| node.input(k).is_some_and(|value| stored(asked, value, true).is_some()));
    scales.is_none_or(alone) && is_kept_by_readers(asked, weights, MOST_BETWEEN)
}

fn is_kept_by_readers(asked: &Asked<'_>, value: ValueId, reach: usize) -> bool {
    reach > 0
        && !asked.facts.is_output(value)
        && asked.readers(value).all(|(node, input)| match asked.op(node) {
            Some(Op::MatMul | Op::Gemm) => input < 2,
            Some(Op::Gather) => input == 0 && reach == MOST_BETWEEN,
            Some(Op::Cast | Op::Transpose | Op::Reshape) => {
                node.output(0).is_some_and(|value| is_kept_by_readers(asked, value, reach - 1))
            }
            _ => false,
        })
}

/// Says whether a `DequantizeLinear` has several blocks along its axis, which are multiplied out.
fn is_in_blocks(asked: &Asked<'_>, node: &Node) -> bool {
    let number = |name: &str| node.attribute(name).and_then(Attribute::int);
    if number("block_size").unwrap_or(0) == 0 {
        return false;
    }
    let count = || -> Option<usize> {
        let scale = asked.sizes(node.input(1)?)?;
        let axis = number("axis").unwrap_or(1);
        scale.get(usize::try_from(if axis < 0 { axis + scale.len() as i64 } else { axis }).ok()?).copied()
    };
    count() != Some(1)
}

/// Lists the products that read a value or its transposed form, where nothing else does but look-ups in the value itself.
fn products<'a>(asked: &Asked<'a>, value: ValueId, reach: usize) -> Option<Vec<&'a Node>> {
    if reach == 0 || asked.facts.is_output(value) {
        return None;
    }
    let mut found = Vec::new();
    for (node, input) in asked.readers(value) {
        match asked.op(node)? {
            Op::MatMul | Op::Gemm if input < 2 => found.push(node),
            Op::Gather if input == 0 && reach == MOST_BETWEEN => {}
            Op::Cast => found.extend(products(asked, node.output(0)?, reach - 1)?),
            _ if is_swap(asked, node) => found.extend(products(asked, node.output(0)?, reach - 1)?),
            _ => return None,
        }
    }
    Some(found)
}

/// Says whether a product is of constants, of which the first matrix is transposed; to transpose one row or column changes nothing.
fn is_flipped(asked: &Asked<'_>, product: &Node) -> bool {
    let (Some(mut first), Some(second)) = (product.input(0), product.input(1)) else { return false };
    let constant = |value| asked.facts.is_constant(value);
    let mut transposed = ["transA", "transpose_a"].iter().any(|name| is_set(product, name));
    let Some(matrix) = asked.sizes(first).filter(|_| constant(first) && constant(second)) else { return false };
    let swapped = |value: ValueId| asked.producer(value).filter(|node| is_swap(asked, node));
    while let Some(data) = swapped(first).and_then(|node| node.input(0)) {
        (first, transposed) = (data, !transposed);
    }
    transposed && matrix.len() > 1 && !matrix[matrix.len() - 2..].contains(&1)
}

/// Says whether a node exchanges the last two axes of its data.
fn is_swap(asked: &Asked<'_>, node: &Node) -> bool {
    let order = || -> Option<Vec<i64>> { numbers(node, "perm").or_else(|| asked.integers(node.input(1)?)) };
    let swaps = |order: Vec<i64>| {
        let rank = order.len() as i64;
        rank > 1 && order.into_iter().eq((0..rank - 2).chain([rank - 1, rank - 2]))
    };
    asked.op(node) == Some(Op::Transpose)
        && order().map_or_else(|| node.output(0).and_then(|value| asked.shape(value)?.rank()) == Some(2), swaps)
}

/// Finds a product whose columns are divided into blocks: it reads one entry for each block of rows.
pub(super) fn blocked(asked: &Asked<'_>) -> Option<Does> {
    let (axis, _) = asked.meaning.blocks()?;
    let [weights, scale, ..] = asked.operands.shapes() else { return None };
    let (weights, scale) = (weights.known()?, scale.known()?);
    let axis = usize::try_from(if axis < 0 { axis + weights.len() as i64 } else { axis }).ok()?;
    if weights.len() != 2 || *scale.get(axis)? < 2 || !asked.constants.iter().all(|known| *known) {
        return None;
    }
    let readers = readers(asked, asked.node.output(0)?, false, MOST_BETWEEN)?;
    let across = |reader: &Reader<'_>| match reader {
        Reader::Product { node, transposed } => axis == usize::from(!*transposed) && !is_vector(asked, node),
        Reader::Grouped | Reader::Lookup => false,
    };
    if !readers.iter().any(across) {
        return None;
    }
    if weights == scale && axis == 0 {
        return Some(Does::Unknown("may not accept one block per element of transposed weights".into()));
    }
    let text = "accepts blocks along a product's rows, not along its columns";
    Some(Does::Refused(text.into()))
}

/// Says whether the data of a product have rank 1: the weights are multiplied out then.
fn is_vector(asked: &Asked<'_>, product: &Node) -> bool {
    product.input(0).and_then(|data| asked.shape(data)?.rank()).is_some_and(|rank| rank < 2)
}

impl Scaled {
    /// Reads the node that is asked about as one that scales or shifts integer weights, once for each scale of what it shifts; `alone`,
    /// where nothing else reads the weights. What else reads them shifted does not matter.
    fn all_of(asked: &Asked<'_>, alone: bool) -> Vec<Self> {
        let node = asked.node;
        let Some(output) = node.output(0) else { return Vec::new() };
        if asked.meaning.kind.is_along_axes() {
            return Self::dequantized(asked, output).into_iter().collect();
        }
        match asked.op(node) {
            Some(Op::Mul) => {
                let scales = |weights: usize| {
                    let (stored, _) = stored(asked, node.input(weights)?, alone)?;
                    Self::new(asked, weights, stored, output)
                };
                (0..2).find_map(scales).into_iter().collect()
            }
            Some(Op::Sub) => {
                let shifts = node.input(0).and_then(|data| stored(asked, data, alone)).filter(|(_, shifted)| !shifted);
                let scaled = |(reader, input): (&Node, usize)| {
                    let other = reader.input(1 - input.min(1)).filter(|_| asked.op(reader) == Some(Op::Mul))?;
                    let (stored, _) = shifts.filter(|_| asked.facts.is_constant(other))?;
                    Self::new(asked, 0, stored, reader.output(0)?)
                };
                asked.readers(output).filter_map(scaled).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Reads a `DequantizeLinear` of constants with lists of several elements, or with one block along an axis.
    fn dequantized(asked: &Asked<'_>, result: ValueId) -> Option<Self> {
        let (weights, all) = (asked.node.input(0)?, asked.constants.iter().all(|constant| *constant));
        let stored = asked.model.value(weights).constant.as_ref().filter(|_| all)?;
        let shapes: Vec<Vec<usize>> =
            asked.operands.iter().map(|shape| Some(shape.known()?.to_vec())).collect::<Option<_>>()?;
        let dims: Vec<&[usize]> = shapes.iter().map(Vec::as_slice).collect();
        let list = if asked.meaning.kind == Kind::Blocks {
            Rule::unidirectional().align(&dims).ok().map(|_| shapes[1].clone())?
        } else {
            let axis = *asked.meaning.rule.align(&dims).ok()?.operands().get(1)?.axes().first()?;
            let mut list = vec![1; shapes[0].len()];
            list[axis] = *shapes[1].first()?;
            list
        };
        let known = is_whole(&stored.element.to_string()) && asked.op(asked.node) == Some(Op::Dequantize);
        let shapes = [shapes[0].clone(), list];
        known.then(|| Self { weights: 0, shapes, four_bits: stored.element.bits() == 4, result })
    }

    fn new(asked: &Asked<'_>, weights: usize, stored: ValueId, result: ValueId) -> Option<Self> {
        let constant = asked.node.input(1 - weights).filter(|value| asked.facts.is_constant(*value))?;
        let shapes = [asked.sizes(asked.node.input(weights)?)?, asked.sizes(constant)?];
        let four_bits = asked.model.value(stored).constant.as_ref()?.element.bits() == 4;
        Some(Self { weights, shapes, four_bits, result })
    }

    /// Returns what is read of both operands, where these terms are read of the constant.
    fn reads(&self, asked: &Asked<'_>, constant: Vec<IndexTerm>) -> Option<Does> {
        if asked.meaning.kind.is_along_axes() {
            let weights = IndexTerm::all_of(&Rule::none().align(&[&self.shapes[0]]).ok()?, 0);
            let lists = std::iter::repeat_n(constant, asked.operands.len() - 1);
            return Some(Does::Reads(std::iter::once(weights).chain(lists).collect()));
        }
        let shapes: Vec<&[usize]> = match self.weights {
            0 => vec![&self.shapes[0], &self.shapes[1]],
            _ => vec![&self.shapes[1], &self.shapes[0]],
        };
        let alignment = asked.meaning.rule.align(&shapes).ok()?;
        let weights = IndexTerm::all_of(&alignment, self.weights);
        Some(Does::Reads(if self.weights == 0 { vec![weights, constant] } else { vec![constant, weights] }))
    }
}

/// Returns the integers that a value is computed from by a cast, and whether a zero point is subtracted.
fn stored(asked: &Asked<'_>, value: ValueId, alone: bool) -> Option<(ValueId, bool)> {
    let node = asked.producer(value)?;
    match asked.op(node)? {
        Op::Cast => {
            let stored = node.input(0)?;
            let held = asked.model.value(stored);
            let kind = held.constant.as_ref()?.element.to_string();
            ((!alone || is_single(asked, value)) && is_whole(&kind)).then_some((stored, false))
        }
        Op::Sub if asked.facts.is_constant(node.input(1)?) => {
            stored(asked, node.input(0)?, alone).filter(|(_, shifted)| !shifted).map(|(stored, _)| (stored, true))
        }
        _ => None,
    }
}

/// Says whether a type is one of the integers that weights are stored in.
fn is_whole(element: &str) -> bool {
    ["u8", "i8", "u4", "i4", "uint4", "int4"].contains(&element)
}

/// Says whether a value is read once and no output: otherwise it is computed for itself.
pub(super) fn is_single(asked: &Asked<'_>, value: ValueId) -> bool {
    !asked.facts.is_output(value) && asked.facts.readers(value).len() == 1
}

/// Lists what reads scaled weights, where all of it is of these kinds; elsewhere the weights are multiplied out.
fn readers<'a>(asked: &Asked<'a>, value: ValueId, transposed: bool, reach: usize) -> Option<Vec<Reader<'a>>> {
    if reach == 0 || asked.facts.is_output(value) {
        return None;
    }
    let mut found = Vec::new();
    for (node, input) in asked.readers(value) {
        let behind = |transposed| readers(asked, node.output(0)?, transposed, reach - 1);
        match (asked.op(node)?, input) {
            // The reader multiplies by alpha before the product, and data are read as they are: neither keeps the weights from being read
            // as such elsewhere. Asked of 126 models with 21 kinds of second readers.
            (Op::Gemm, 1) if !is_plain(node) => {}
            (Op::MatMul | Op::Gemm, 0) => {}
            (Op::MatMul | Op::Gemm, 1) => {
                let own = ["transB", "transpose_b"].iter().any(|name| is_set(node, name));
                found.push(Reader::Product { node, transposed: transposed != own });
            }
            (Op::Gather, 0) if !transposed => found.push(Reader::Lookup),
            // Two in a row are taken out first.
            (Op::Transpose, 0) if transposed => return None,
            (Op::Transpose, 0) if asked.shape(value)?.rank()? == 2 || is_swap(asked, node) => {
                found.extend(behind(true)?);
            }
            (Op::Reshape, 0) if asked.shape(value) == asked.shape(node.output(0)?) => found.extend(behind(transposed)?),
            (Op::Cast, 0) => found.extend(behind(transposed)?),
            (Op::Reshape, 0) => {
                let ranks = (asked.shape(value)?.rank()?, asked.shape(node.output(0)?)?.rank()?);
                let _ = behind(transposed).filter(|_| ranks == (3, 2))?;
                found.push(Reader::Grouped);
            }
            _ => return None,
        }
    }
    Some(found)
}

/// Says whether a value is a table that is looked up in; what else reads it does not matter.
fn is_looked_up(asked: &Asked<'_>, value: ValueId, reach: usize) -> bool {
    reach > 0
        && asked.readers(value).any(|(node, input)| match (asked.op(node), input) {
            (Some(Op::Gather), 0) => true,
            (Some(Op::Cast), 0) => node.output(0).is_some_and(|output| is_looked_up(asked, output, reach - 1)),
            _ => false,
        })
}

fn is_set(node: &Node, name: &str) -> bool {
    match node.attribute(name) {
        Some(Attribute::Int(number)) => *number != 0,
        Some(Attribute::Text(text)) => ["1", "true"].contains(&text.as_str()),
        _ => false,
    }
}

/// Says whether the alpha of a `Gemm` is 1.
fn is_plain(node: &Node) -> bool {
    match node.attribute("alpha") {
        Some(Attribute::Float(alpha)) => (*alpha - 1.0).abs() < f64::EPSILON,
        _ => true,
    }
}

/// Says how a product reads a constant.
// Long: each border that was measured is one condition.
fn product(asked: &Asked<'_>, scaled: &Scaled, node: &Node, transposed: bool) -> Option<Does> {
    let constant = &scaled.shapes[1];
    let all = merged(&scaled.shapes[0], constant);
    let (batch, matrix) = all.split_at(all.len().checked_sub(2)?);
    let (rows_axis, columns_axis) = if transposed { (1, 0) } else { (0, 1) };
    if batch.iter().any(|size| *size != 1) {
        return None;
    }
    if scaled.shapes[0].len() == 2 && batch.len() > 1 && !is_vector(asked, node) {
        return Some(Does::Refused("accepts scaled integer weights only up to rank 3".into()));
    }
    let few = matrix[rows_axis] < FEWEST_ROWS || matrix[columns_axis] == 1;
    if few && batch.len() > 1 || batch.len() == 1 && count(&all) > count(&scaled.shapes[0]) {
        return Some(Does::Unknown("may misread, or not accept, integer weights that their scale stretches".into()));
    }
    if few {
        return None;
    }
    let Some(data) = asked.shape(node.input(0)?).and_then(SymbolicShape::dims) else {
        return Some(Does::Unknown("reads a scale of integer weights by the data's rank, which is unknown".into()));
    };
    match (data.len(), batch.len()) {
        (0 | 1, _) => return None,
        (2, 1) => return Some(Does::Garbled("drops the first of three axes of scaled integer weights".into())),
        (_, 2..) => return Some(Does::Refused("accepts scaled integer weights only up to rank 3".into())),
        _ => {}
    }
    let extent = |axis: usize| (axis + constant.len()).checked_sub(2).map_or(1, |axis| constant[axis]);
    let (by_row, by_column) = (extent(rows_axis) > 1, extent(columns_axis) > 1);
    let flipped = is_set(node, "transA") || is_set(node, "transpose_a");
    let open = data[..data.len() - 1].iter().map(Dim::size).any(|size| size.is_none()) || flipped;
    let rows: usize = data[..data.len() - 1].iter().filter_map(Dim::size).fold(1, usize::saturating_mul);
    let many = !open && rows > MOST_DATA_ROWS;
    match (scaled.four_bits, by_row, by_column) {
        (_, false, true) | (false, _, true) | (false, false, false) => None,
        (false, true, false) if many => None,
        (true, ..) if many => {
            Some(Does::Unknown("may crash: the product reads 4-bit weights with a scale per column".into()))
        }
        (true, true, true) => Some(Does::Unknown("reads a scale per element of 4-bit weights past its end".into())),
        (true, false, false) => {
            open.then(|| Does::Unknown("may crash if 4-bit weights without a scale per column meet 5 rows".into()))
        }
        (_, true, false) => scaled.reads(asked, Vec::new()),
    }
}

/// Says how a look-up reads a constant.
fn lookup(asked: &Asked<'_>, scaled: &Scaled) -> Option<Does> {
    let [table, constant] = &scaled.shapes;
    let entries = count(constant);
    if !(2..=3).contains(&table.len()) {
        return None;
    }
    if entries <= 1 {
        let text = "drops the axes that only an integer table's scale has";
        return (constant.len() > table.len()).then(|| Does::Garbled(text.into()));
    }
    if !fits(constant, table) {
        return Some(Does::Unknown("reads a scale that stretches the table in row-major order".into()));
    }
    let aligned: Vec<usize> = (0..table.len())
        .map(|axis| (axis + constant.len()).checked_sub(table.len()).map_or(1, |axis| constant[axis]))
        .collect();
    let leading = aligned.iter().zip(table).take_while(|(a, b)| a == b).count();
    if aligned[leading..].iter().all(|size| *size == 1) {
        return None;
    }
    match flat(table, count(table) / entries) {
        Some(terms) => scaled.reads(asked, terms),
        // 50 tables were asked: each is wrong, or the process ends.
        None if table.len() == 2 => {
            Some(Does::Garbled("reads the table's scale in row-major order, in groups that end within a row".into()))
        }
        None => {
            Some(Does::Unknown("reads the table's scale in row-major order, in groups that end within a row".into()))
        }
    }
}

/// Returns the number of the group that an element of a table is in, in row-major order; nothing where that is no sum of terms.
fn flat(table: &[usize], group: usize) -> Option<Vec<IndexTerm>> {
    let mut terms = Vec::new();
    for axis in 0..table.len() {
        let stride = count(&table[axis + 1..]);
        if stride.is_multiple_of(group) {
            terms.push(IndexTerm::along(axis, stride / group));
        } else if group.is_multiple_of(stride) {
            // What follows is shorter than this stride, and ends in the same group.
            terms.push(IndexTerm { step: group / stride, ..IndexTerm::along(axis, 1) });
            return Some(terms);
        } else {
            return None;
        }
    }
    Some(terms)
}

fn count(shape: &[usize]) -> usize {
    shape.iter().fold(1, |count, size| count.saturating_mul(*size))
}
