//! Notes which laws depend on the sizes of a node's operands, so that the others are asked once for all sizes that are tried.

use std::{
    cell::Cell,
    ops::{Deref, Index, Range, RangeFrom},
};

use broadaxe_shape::SymbolicShape;

use super::{Asked, Law, Target, Treatment};

/// The shapes of a node's operands. Whether open sizes of theirs are read is noted.
#[derive(Clone, Copy, Debug)]
pub struct OperandShapes<'a> {
    shapes: &'a [SymbolicShape],
    /// Which of them have open sizes in the model, a bit each.
    open: u64,
    are_read: &'a Cell<bool>,
}

impl<'a> OperandShapes<'a> {
    /// Makes the operands of a node; whether sizes are read is noted in the second argument.
    pub fn new(shapes: &'a [SymbolicShape], are_read: &'a Cell<bool>) -> Self {
        let open =
            shapes.iter().enumerate().filter(|(_, shape)| shape.known().is_none()).fold(0, |all, (k, _)| all | bit(k));
        Self { shapes, open, are_read }
    }

    /// Returns them with sizes in place of those that are open.
    pub fn with_sizes(&self, shapes: &'a [SymbolicShape]) -> Self {
        Self { shapes, ..*self }
    }

    /// Counts the operands.
    pub fn len(&self) -> usize {
        self.shapes.len()
    }

    /// Says whether there are no operands.
    pub fn is_empty(&self) -> bool {
        self.shapes.is_empty()
    }

    /// Returns the rank of an operand, if it is known.
    pub fn rank(&self, operand: usize) -> Option<usize> {
        self.shapes.get(operand)?.rank()
    }

    /// Lists the ranks.
    pub fn ranks(&self) -> impl Iterator<Item = Option<usize>> + use<'a> {
        self.shapes.iter().map(SymbolicShape::rank)
    }

    /// Returns the shapes.
    pub fn shapes(&self) -> &'a [SymbolicShape] {
        self.are_read.set(self.are_read.get() || self.open != 0);
        self.shapes
    }

    /// Returns the shape of an operand, by its number.
    pub fn of(&self, operand: usize) -> &'a SymbolicShape {
        self.are_read.set(self.are_read.get() || self.open & bit(operand) != 0);
        &self.shapes[operand]
    }

    /// Returns the shape of an operand, if there is one of this number.
    pub fn get(&self, operand: usize) -> Option<&'a SymbolicShape> {
        (operand < self.len()).then(|| self.of(operand))
    }

    /// Returns the shape of the first operand.
    pub fn first(&self) -> Option<&'a SymbolicShape> {
        self.get(0)
    }
}

/// Returns the bit of an operand; those behind the 63rd share one.
fn bit(operand: usize) -> u64 {
    1 << operand.min(63)
}

impl Index<usize> for OperandShapes<'_> {
    type Output = SymbolicShape;

    fn index(&self, operand: usize) -> &SymbolicShape {
        self.of(operand)
    }
}

impl Index<RangeFrom<usize>> for OperandShapes<'_> {
    type Output = [SymbolicShape];

    fn index(&self, range: RangeFrom<usize>) -> &[SymbolicShape] {
        &self.shapes()[range]
    }
}

impl Index<Range<usize>> for OperandShapes<'_> {
    type Output = [SymbolicShape];

    fn index(&self, range: Range<usize>) -> &[SymbolicShape] {
        &self.shapes()[range]
    }
}

impl Deref for OperandShapes<'_> {
    type Target = [SymbolicShape];

    fn deref(&self) -> &[SymbolicShape] {
        self.shapes()
    }
}

/// The laws of a target that may speak of one node, for whatever sizes of its operands: those that do not, and depend on no size, are
/// asked once.
#[derive(Debug, Default)]
pub struct Remaining {
    /// Laws that depend on sizes, in their order.
    left: Vec<&'static Law>,
    /// How many laws of the target were asked; those that are not in `left` do not speak of the node.
    asked: usize,
}

impl Remaining {
    /// Says what the target does with the node, whose operands have other sizes than when it was asked before.
    pub(super) fn treat(&mut self, target: &Target, asked: &Asked<'_>) -> Option<Treatment> {
        let ask = |law: &'static Law| Some(Treatment { does: law.ask(asked)?, law });
        if let Some(found) = self.left.iter().find_map(|law| ask(law)) {
            return Some(found);
        }
        for law in target.profile().laws.iter().skip(self.asked) {
            asked.operands.are_read.set(false);
            let found = ask(law);
            if asked.operands.are_read.get() {
                self.left.push(law);
            } else if found.is_some() {
                // It decides for all sizes, and is asked again.
                return found;
            }
            self.asked += 1;
            if found.is_some() {
                return found;
            }
        }
        None
    }
}
