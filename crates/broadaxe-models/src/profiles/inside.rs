//! Lists of one number per channel, and masks of attention: laws that targets share.
//!
//! A list that is right by its own rule is read alike everywhere, as far as the runtime has the operator.

use super::{Asked, Evidence, Law, Way, When, affine::alike};
use crate::{
    graph::Attribute,
    meaning::{Kind, SHORTER_MASK, Source, columns},
};

/// How many channels a graphics processor reads at once.
const FOUR: usize = 4;

/// Makes the law for lists that are right by their own rule.
pub(super) const fn lists(evidence: Evidence) -> Law {
    Law { kinds: &[Kind::Lengths], when: &[], way: Way::Own, text: "reads one number per channel or group", evidence }
}

/// Makes the law for data of rank 1, which have one channel.
pub(super) const fn flat_data(way: Way, text: &'static str, evidence: Evidence) -> Law {
    Law { kinds: &[Kind::Lengths], when: &[When::Rank(0, 1, 1)], way, text, evidence }
}

/// The text of a target that refuses data of rank 1.
pub(super) const NO_FLAT_DATA: &str = "does not accept BatchNormalization of data of rank 1";

/// Makes the law for targets without an operator for attention with a mask.
pub(super) const fn no_attention(evidence: Evidence) -> Law {
    Law { kinds: &[Kind::Mask], when: &[], way: Way::Unsupported, text: "does not support Attention", evidence }
}

/// Says whether the last two sizes of a mask are the numbers of queries and of keys.
pub(super) fn is_whole(asked: &Asked<'_>) -> Option<bool> {
    let (scores, mask) = (asked.operands[0].dims()?, asked.operands[1].dims()?);
    let [.., rows, _] = mask else { return Some(false) };
    Some(alike((Some(rows), scores.get(2)))? && has_all_columns(asked)?)
}

/// Says whether a mask has as many columns as there are keys.
pub(super) fn has_all_columns(asked: &Asked<'_>) -> Option<bool> {
    let (scores, mask) = (asked.operands[0].dims()?, asked.operands[1].dims()?);
    if asked.node.version < SHORTER_MASK {
        return alike((mask.last(), scores.last()));
    }
    let keys = columns(asked.node, |value| value.and_then(|value| asked.shape(value)).cloned());
    let mask = asked.value(1).and_then(|value| asked.shape(value))?;
    alike((mask.dims()?.last(), Some(&keys?)))
}

/// A `GroupNormalization` of opsets 18 to 20, with one number per group.
pub(super) const PER_GROUP: When =
    When::Holds(|asked| Some(matches!(asked.meaning.operands.first(), Some(Source::Groups(_)))));

/// Says whether a group has more channels than one.
pub(super) fn has_several_in_group(asked: &Asked<'_>) -> Option<bool> {
    Some(channels(asked)? != asked.operands[0].dims()?.get(1)?.size()?)
}

/// Returns how many channels the data have, the first input.
fn channels(asked: &Asked<'_>) -> Option<usize> {
    asked.shape(asked.node.input(0)?)?.dims()?.get(1)?.size()
}

/// Says whether every list has as many elements as there are channels, whatever its rank.
pub(super) fn as_many(asked: &Asked<'_>) -> Option<bool> {
    let channels = asked.operands[0].dims()?.get(1)?.size()?;
    Some((1..asked.operands.len()).all(|k| asked.elements(k) == Some(channels)))
}

/// Says whether every list has as many elements as there are channels, or one.
pub(super) fn as_many_or_one(asked: &Asked<'_>) -> Option<bool> {
    let channels = asked.operands[0].dims()?.get(1)?.size()?;
    Some((1..asked.operands.len()).all(|k| asked.elements(k).is_some_and(|count| count == channels || count == 1)))
}

/// Convolutions, whose bias is a list.
pub(super) const CONVOLUTION: When = When::Named(&["Conv", "ConvTranspose"]);
pub(super) const GROUP_NORM: When = When::Named(&["GroupNormalization"]);

/// Says whether a convolution computes groups of channels apart.
pub(super) fn is_grouped(asked: &Asked<'_>) -> Option<bool> {
    Some(groups(asked) > 1)
}

/// Says whether groups of a convolution begin or end within four neighbouring channels, but for groups of one.
pub(super) fn has_split_groups(asked: &Asked<'_>) -> Option<bool> {
    let [from, to] = in_group(asked)?;
    Some(!is_depthwise(asked)? && (from % FOUR != 0 || to % FOUR != 0) && is_grouped(asked)?)
}

/// Says whether each group of a convolution is one channel to one channel.
pub(super) fn is_depthwise(asked: &Asked<'_>) -> Option<bool> {
    Some(in_group(asked)? == [1, 1])
}

/// Says whether a group of a convolution reads more than four channels.
pub(super) fn has_wide_groups(asked: &Asked<'_>) -> Option<bool> {
    Some(in_group(asked)?[0] > FOUR)
}

/// Returns how many channels a group of a convolution reads, and how many it writes.
fn in_group(asked: &Asked<'_>) -> Option<[usize; 2]> {
    let groups = usize::try_from(groups(asked)).ok().filter(|groups| *groups > 0)?;
    Some([channels(asked)?, asked.operands[0].dims()?.get(1)?.size()?].map(|channels| channels / groups))
}

fn groups(asked: &Asked<'_>) -> i64 {
    asked.node.attribute("group").and_then(Attribute::int).unwrap_or(1)
}

/// Says whether a list is computed.
pub(super) fn has_computed_list(asked: &Asked<'_>) -> Option<bool> {
    Some((1..asked.operands.len()).any(|k| !asked.constants[k]))
}

/// Says whether the second input is computed: the weights of a convolution, or B of a Gemm.
pub(super) fn has_computed_weights(asked: &Asked<'_>) -> Option<bool> {
    Some(!asked.facts.is_constant(asked.node.input(1)?))
}
