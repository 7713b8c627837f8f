//! Rendering of the [chart](super::chart) as PNG, for viewers without SVG support.
//!
//! The font is embedded in the program, so the image is the same on every machine. The only exception is text in East
//! Asian scripts, which the embedded font does not cover: it is drawn with system fonts.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

/// First character of the East Asian scripts (Hangul, kana, Han).
const FIRST_EAST_ASIAN: char = '\u{1100}';

/// Error returned when an image cannot be rendered.
#[derive(Debug, thiserror::Error)]
#[error("cannot render the image: {0}")]
pub struct RenderError(String);

/// Renders SVG text and returns the image in PNG format.
///
/// # Errors
/// Returns an error if the text is not valid SVG.
pub fn from_svg(svg: &str) -> Result<Vec<u8>, RenderError> {
    let mut options = Options::default();
    let fonts = options.fontdb_mut();
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    if svg.chars().any(|letter| letter >= FIRST_EAST_ASIAN) {
        fonts.load_system_fonts();
    }
    let render_error = |error: &dyn std::fmt::Display| RenderError(error.to_string());
    let tree = Tree::from_str(svg, &options).map_err(|error| render_error(&error))?;
    let size = tree.size().to_int_size();
    let mut pixels = Pixmap::new(size.width(), size.height())
        .ok_or_else(|| RenderError("its size is zero".to_owned()))?;
    resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| render_error(&error))
}
