//! The limits of what is read. A file above a limit is rejected; where the limit says so, only a part of it stays opaque.

/// Bytes of a file that is read. Positions in it are exact in every host, also in a browser.
pub(super) const FILE: u64 = 1 << 48;
/// Bytes of a file that is written: what protobuf can hold. Larger weights are stored in other files.
pub(crate) const LOADABLE: u64 = (1 << 31) - 1;
/// Depth of nested graphs, including calls of functions.
pub(super) const DEPTH: usize = 64;
/// Nodes, and as many values.
pub(super) const NODES: usize = 1_000_000;
/// Nodes and other parts that calls of functions bring in, at most and into a small file; further calls stay opaque.
const EXPANDED: usize = 200_000;
const LEAST_EXPANDED: usize = 20_000;
/// How many bytes of a file allow one more of them. A node that a file spells has 20 or more.
const BYTES_PER_EXPANDED: u64 = 8;
/// Bytes that they bring in beyond the length of the file.
pub(super) const EXPANDED_BYTES: u64 = 64 << 20;
/// Letters of a name in the place of a node.
pub(super) const PLACE: usize = 60;
/// Attributes of a node.
pub(super) const ATTRIBUTES: usize = 1024;
/// Elements of an attribute that is a list; a longer one stays opaque.
pub(super) const LIST: usize = 1 << 16;
/// Bytes of an attribute that is a text; a longer one stays opaque.
pub(super) const TEXT: u64 = 1 << 16;
/// Bytes of constants that are held in memory because the file spells them number by number; more stay where they are.
pub(super) const HELD: usize = 64 << 20;
/// Sizes of a shape.
pub(super) const RANK: usize = broadaxe_shape::MAX_RANK;
/// The newest version of the format that is known.
pub(super) const IR: i64 = 14;
/// A version of the format that no file has.
pub(super) const NO_IR: i64 = 100;

/// Counts the nodes and other parts that calls of functions may bring into a file of this length.
pub(super) fn expanded(len: u64) -> usize {
    usize::try_from(len / BYTES_PER_EXPANDED).unwrap_or(EXPANDED).saturating_add(LEAST_EXPANDED).min(EXPANDED)
}
