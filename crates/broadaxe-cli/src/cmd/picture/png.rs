//! Renders a sheet as PNG, with two pixels for each pixel of the SVG.

use broadaxe_draw::{Sheet, SheetStyle};

use crate::error::Error;

/// The highest and widest picture, in pixels.
#[cfg(feature = "png")]
const MAX_SIDE: u32 = 16_384;

/// Renders a sheet. Text is drawn as outlines, so that the picture is the same on machines with other fonts or none.
///
/// # Errors
/// When the picture is too large.
#[cfg(feature = "png")]
pub(super) fn png(sheet: &Sheet, style: SheetStyle) -> Result<Vec<u8>, Error> {
    use broadaxe_draw::Theme;
    use resvg::{
        tiny_skia::{Pixmap, Transform},
        usvg,
    };

    let theme = if style.theme == Theme::Auto { Theme::Light } else { style.theme };
    let svg = sheet.svg(SheetStyle { theme, outlines: true, ..style });
    let failed =
        |what: String| Error::usage(format!("the drawing cannot be written as PNG: {what}; write it with --svg"));
    let tree = usvg::Tree::from_str(&svg, &usvg::Options::default()).map_err(|error| failed(error.to_string()))?;
    let size = tree.size().to_int_size();
    let [width, height] = [size.width(), size.height()].map(|side| side.saturating_mul(2));
    if width.max(height) > MAX_SIDE {
        return Err(failed(format!("it has {width} x {height} pixels, and at most {MAX_SIDE} are drawn each way")));
    }
    let mut pixels = Pixmap::new(width, height).ok_or_else(|| failed("it is empty".to_owned()))?;
    resvg::render(&tree, Transform::from_scale(2.0, 2.0), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| failed(error.to_string()))
}

/// Says that this build has no renderer.
#[cfg(not(feature = "png"))]
pub(super) fn png(_: &Sheet, _: SheetStyle) -> Result<Vec<u8>, Error> {
    Err(Error::usage("this build does not write PNG; write --svg, or use the command of a release"))
}
