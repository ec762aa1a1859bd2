//! Counts what a change copies each time the model runs.

use std::fmt;

use broadaxe_draw::words::{bytes, quoted};
use broadaxe_shape::Dim;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::graph::Element;

/// Returns the bytes of an element; those of `f32` where the type is not known.
pub(crate) fn element_size(element: Option<&Element>) -> u64 {
    element.and_then(Element::dtype).map_or(4, |dtype| dtype.size() as u64)
}

/// Counts the bytes that are copied each time the model runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Copied(Vec<CopiedPart>);

/// Counts bytes per element along the dims whose sizes are open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CopiedPart {
    /// The bytes for each combination of indices along the open dims; all bytes where no dim is open.
    pub bytes: u64,
    /// The open dims: names, ranges, or `?`.
    pub dims: Vec<String>,
}

impl Copied {
    /// Counts the bytes of an array with elements of `each` bytes.
    pub(crate) fn array(each: u64, dims: &[Dim]) -> Self {
        let sizes = dims.iter().filter_map(|dim| Some(dim.size()? as u64));
        let bytes = sizes.fold(each, u64::saturating_mul);
        let dims = dims.iter().filter(|dim| dim.size().is_none()).map(ToString::to_string).collect();
        if bytes == 0 { Self::default() } else { Self(vec![CopiedPart { bytes, dims }]) }
    }

    /// Adds what is copied in addition.
    pub fn add(&mut self, more: &Self) {
        for part in &more.0 {
            match self.0.iter_mut().find(|known| known.dims == part.dims) {
                Some(known) => known.bytes = known.bytes.saturating_add(part.bytes),
                None => self.0.push(part.clone()),
            }
        }
    }

    /// Returns the bytes; nothing where they depend on an open dim.
    pub fn bytes(&self) -> Option<u64> {
        match self.0.as_slice() {
            [] => Some(0),
            [CopiedPart { bytes, dims }] if dims.is_empty() => Some(*bytes),
            _ => None,
        }
    }

    /// Returns the parts, whose sum is what is copied.
    pub fn parts(&self) -> &[CopiedPart] {
        &self.0
    }
}

impl fmt::Display for Copied {
    /// Writes what is copied at run time: `nothing`, `64.0 KiB`, or `64.0 KiB x b` where the dim `b` is open.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |part: &CopiedPart| {
            part.dims.iter().fold(bytes(part.bytes.into()), |text, dim| text + " x " + &quoted(dim))
        };
        let parts: Vec<String> = self.parts().iter().map(part).collect();
        f.write_str(if parts.is_empty() { "nothing".to_owned() } else { parts.join(" + ") }.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_with_the_same_open_dims_are_added() {
        let (b, three) = (Dim::named("b"), Dim::known(3));
        let mut sum = Copied::array(4, &[three.clone(), three.clone()]);
        assert_eq!(sum.bytes(), Some(36));
        sum.add(&Copied::array(4, std::slice::from_ref(&three)));
        assert_eq!(sum.bytes(), Some(48));
        sum.add(&Copied::array(8, &[b.clone(), three.clone()]));
        sum.add(&Copied::array(2, &[three, b]));
        let parts: Vec<_> = sum.parts().iter().map(|part| (part.bytes, part.dims.concat())).collect();
        assert_eq!(parts, [(48, String::new()), (30, "b".to_owned())]);
        assert_eq!(sum.bytes(), None);
        assert_eq!(sum.to_string(), "48 bytes + 30 bytes x b");
        assert_eq!(Copied::array(4, &[Dim::known(0)]), Copied::default());
        assert_eq!(Copied::default().bytes(), Some(0));
        assert_eq!(Copied::default().to_string(), "nothing");
    }
}
