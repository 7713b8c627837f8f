//! Rendering of the [chart](super::chart) as PNG, for viewers that show no SVG.
//!
//! Text is drawn in a font that is part of the program, so that the picture looks the same on every machine. Names in
//! East Asian scripts, which that font lacks, use the system's fonts.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

/// The first character of the East Asian scripts (Hangul, kana, Han).
const FIRST_EAST_ASIAN: char = '\u{1100}';

/// Why a picture cannot be rendered.
#[derive(Debug, thiserror::Error)]
#[error("cannot render the picture: {0}")]
pub struct RenderError(String);

/// Renders an SVG text as a PNG file.
///
/// # Errors
/// If the text is not SVG.
pub fn png(svg: &str) -> Result<Vec<u8>, RenderError> {
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
        .ok_or_else(|| RenderError("it has no size".to_owned()))?;
    resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| render_error(&error))
}
