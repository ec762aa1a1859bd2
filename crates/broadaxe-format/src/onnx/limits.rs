//! The limits of what is read. A file above a limit is rejected; where the limit says so, only a part of it stays opaque.

/// Bytes of a file that is read. Positions in it are exact in every host, also in a browser.
pub(super) const FILE: u64 = 1 << 48;
/// Bytes of a file that is written: what protobuf can hold. Larger weights are stored in other files.
pub(crate) const LOADABLE: u64 = (1 << 31) - 1;
/// Depth of nested graphs, including calls of functions.
pub(super) const DEPTH: usize = 64;
/// Nodes, and as many values.
pub(super) const NODES: usize = 1_000_000;
/// Nodes and other parts that calls of functions bring in; further calls stay opaque.
pub(super) const EXPANDED: usize = 200_000;
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
