//! Draws how shapes broadcast.
//!
//! A [`Drawing`] is the layout: a row per operand, a column per axis of the result. It is rendered as text ([`Drawing::text`]), SVG
//! ([`svg()`]) and Markdown ([`markdown()`]). A [`Sheet`] puts the drawings of an answer into one picture, as SVG or HTML. The command, notebooks, reports, the documentation and the page in the
//! browser all use it. [`compared`] compares rules on the same shapes, and [`address`] writes shapes as the address of the page.

#![forbid(unsafe_code)]
// The texts put together here are short, and read best as they will be printed.
#![allow(clippy::format_push_string)]

pub mod json;
pub mod words;
mod order;
pub mod reading;
mod drawing;
mod failing;
mod open;
mod markup;
mod theme;
mod canvas;
mod svg;
mod html;
pub mod markdown;
pub mod record;
mod compared;
mod shaped;
pub mod address;
mod snippets;
pub mod ask;
mod outline;
mod sheet;

pub use address::{Address, AddressError};
pub use compared::{Compared, Fact, KnownCompared, OpenCompared, Said, compared, reason};
pub use drawing::{Cell, Drawing, Row, Trace, repeated};
pub use markdown::markdown;
pub use markup::markup;
pub use open::{Open, Repeat, guards};
pub use order::Order;
pub use shaped::{Shaped, ShapedError, shaped};
pub use sheet::{Sheet, SheetStyle};
pub use snippets::{Snippets, command, positions, snippets};
pub use svg::{svg, svg_copy};
pub use theme::Theme;
