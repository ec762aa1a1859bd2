//! Chooses which nodes of a graph a stage computes.
//!
//! A stage computes the nodes that have the shape of its result, and a few whose elements repeat in it: of so little work that
//! computing them again wherever they repeat costs less than a stage of their own.

use std::collections::HashMap;

use super::Stager;
use crate::graph::{Node, Origin};

/// The stage in which a node is wanted.
#[derive(Clone, PartialEq)]
struct Wanted {
    /// The node that the stage results in.
    owner: Node,
    uses: Vec<(Node, usize)>,
}

impl Wanted {
    /// A stage for the node alone.
    fn apart(node: Node) -> Self {
        Self { owner: node, uses: Vec::new() }
    }
}

/// A node that a stage computes, and the operands in which its elements repeat: those of its user first, then of that one's.
pub(super) struct Member {
    pub(super) node: Node,
    pub(super) uses: Vec<(Node, usize)>,
}

impl Stager<'_> {
    /// Says whether a stage may compute a node again wherever its elements repeat.
    fn repeats(&self, owner: Node, node: Node) -> bool {
        let elements = self.graph.shape(owner).iter().map(|&dim| dim as u64).product();
        let is_plain = self.folded(owner).is_none() && self.tiled(owner).is_none();
        is_plain && self.applied(node).is_some_and(|applied| applied.kernel.is_brief(elements))
    }

    /// Returns where a node is wanted by a node that is wanted itself, as a whole or in an operand in which it repeats.
    fn wanted(&self, by: &Wanted, arg: Node, user: Option<(Node, usize)>) -> Wanted {
        // A node with a tiled operand has loops of its own.
        let apart = self.folded(arg).is_some() || self.tiled(arg).is_some();
        let is_whole = user.is_none() && by.uses.is_empty();
        if apart || !is_whole && !self.repeats(by.owner, arg) {
            return Wanted::apart(arg);
        }
        Wanted { owner: by.owner, uses: user.into_iter().chain(by.uses.iter().copied()).collect() }
    }

    /// Lists the stages to be, each by the node it results in, with the nodes it computes in order.
    ///
    /// Users come after what they use, so that a walk from the last node backwards has seen all users of a node before it.
    pub(super) fn members(&self, root: Node) -> Vec<(Node, Vec<Member>)> {
        let mut wanted: Vec<Option<Wanted>> = vec![None; root.index() + 1];
        wanted[root.index()] = Some(Wanted::apart(root));
        let mut members: HashMap<Node, Vec<Member>> = HashMap::new();
        for index in (0..=root.index()).rev() {
            let node = Node(index as u32);
            let Some(own) = wanted[index].clone() else { continue };
            let mut want = |arg: Node, user: Option<(Node, usize)>| {
                let now = self.wanted(&own, arg, user);
                let before = &mut wanted[arg.index()];
                // A node that is wanted in two stages, or repeated in two ways, becomes a stage of its own.
                let is_same = before.as_ref().is_none_or(|before| *before == now);
                *before = Some(if is_same { now } else { Wanted::apart(arg) });
            };
            match &self.graph.made(node).origin {
                Origin::Kernel(applied) => {
                    for (k, &arg) in applied.args.iter().enumerate() {
                        want(arg, (!applied.alignment.is_identity(k)).then_some((node, k)));
                    }
                    members.entry(own.owner).or_default().push(Member { node, uses: own.uses });
                }
                // A stage of its own, which computes what is folded.
                Origin::Fold(folded) => {
                    members.entry(node).or_default();
                    want(folded.arg, None);
                }
                Origin::Input(_) | Origin::Constant(_) => {}
            }
        }
        let mut stages: Vec<_> = members.into_iter().collect();
        stages.sort_by_key(|&(owner, _)| owner);
        for (_, nodes) in &mut stages {
            nodes.reverse();
        }
        stages
    }

    /// Returns the strides of an operand along the axes of the stage, from those along the axes of a node with these uses.
    pub(super) fn repeated(&self, uses: &[(Node, usize)], own: Vec<isize>) -> Vec<isize> {
        let alignments = uses.iter().filter_map(|&(user, k)| Some((&self.applied(user)?.alignment, k)));
        alignments.fold(own, |strides, (alignment, k)| alignment.strides_from(k, &strides))
    }
}
