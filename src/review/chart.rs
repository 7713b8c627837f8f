//! SVG chart of a game. Shows Black's winning chance at the top, with marks for mistakes, and Black's lead at the
//! bottom.
//!
//! With the feature `png`, the module `png` converts the chart to a PNG image.

use std::fmt::Write;

use super::formatting::{colored_move_text, lead_text};
use super::game_review::Review;
use super::grading::{Grade, worst_mistakes};

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 560.0;
const PLOT_LEFT: f64 = 62.0;
const PLOT_RIGHT: f64 = WIDTH - 22.0;
/// Maximum number of labelled mistakes.
const MAX_LABELLED_MISTAKES: usize = 5;
const LABEL_WIDTH: f64 = 80.0;
const LABEL_HEIGHT: f64 = 13.0;
const FONT: &str = "DejaVu Sans";
const GRADE_COLORS: [(Grade, &str); 3] = [
    (Grade::Inaccuracy, "#d9a400"),
    (Grade::Mistake, "#e06c00"),
    (Grade::Blunder, "#c9211e"),
];

/// Horizontal strip of the chart with a separate vertical axis.
struct Panel {
    top: f64,
    bottom: f64,
    /// Values at the bottom and at the top of the strip.
    range: (f64, f64),
}

impl Panel {
    fn y_of_value(&self, value: f64) -> f64 {
        let (low, high) = self.range;
        let fraction = (value.clamp(low, high) - low) / (high - low);
        self.bottom - fraction * (self.bottom - self.top)
    }
}

/// Returns the chart of a review as SVG text.
pub fn svg(review: &Review, title: &str) -> String {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"{FONT}, Verdana, sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fbf7ee\"/>\n"
    );
    draw_text(&mut out, PLOT_LEFT, 24.0, "start", 16, &escape_xml(title));
    let winrates: Vec<f64> = review.analyses.iter().map(|a| 100.0 * a.winrate).collect();
    let leads: Vec<f64> = review.analyses.iter().map(|a| a.lead).collect();
    let upper = Panel {
        top: 62.0,
        bottom: 282.0,
        range: (0.0, 100.0),
    };
    let max_lead = leads.iter().fold(5.0, |max: f64, lead| max.max(lead.abs()));
    let step = lead_grid_step(max_lead);
    let max_lead = (max_lead / step).ceil() * step;
    let lower = Panel {
        top: 330.0,
        bottom: 520.0,
        range: (-max_lead, max_lead),
    };
    draw_text(
        &mut out,
        PLOT_LEFT,
        52.0,
        "start",
        12,
        "Black's winning chance in percent",
    );
    draw_text(
        &mut out,
        PLOT_LEFT,
        320.0,
        "start",
        12,
        "Lead in points (Black above, White below)",
    );
    draw_labelled_grid(&mut out, &upper, 25.0, |value| format!("{value:.0}"));
    draw_labelled_grid(&mut out, &lower, step, |value| {
        if value == 0.0 {
            "0".to_owned()
        } else {
            lead_text(value).replace(".0", "")
        }
    });
    draw_move_numbers(&mut out, review, lower.bottom);
    draw_filled_curve(&mut out, &upper, 50.0, &winrates);
    draw_filled_curve(&mut out, &lower, 0.0, &leads);
    draw_mistake_marks(&mut out, review, &upper, &winrates);
    out += "</svg>\n";
    out
}

/// Returns the x coordinate of the position after `index` moves, in a game of `count` moves.
fn x_of_position(index: usize, count: usize) -> f64 {
    PLOT_LEFT + (PLOT_RIGHT - PLOT_LEFT) * index as f64 / count.max(1) as f64
}

/// Returns the distance in points between the horizontal grid lines of the lead, chosen so that there are only a few
/// lines.
fn lead_grid_step(max_lead: f64) -> f64 {
    let steps = [5.0, 10.0, 20.0, 50.0, 100.0, 200.0];
    let step = steps.into_iter().find(|step| max_lead / step <= 3.0);
    step.unwrap_or(400.0)
}

fn draw_labelled_grid(out: &mut String, panel: &Panel, step: f64, label: impl Fn(f64) -> String) {
    let (low, high) = panel.range;
    let count = ((high - low) / step).round() as usize;
    for index in 0..=count {
        let value = low + step * index as f64;
        let y = panel.y_of_value(value);
        let _ = writeln!(
            out,
            "<line x1=\"{PLOT_LEFT}\" y1=\"{y:.1}\" x2=\"{PLOT_RIGHT}\" y2=\"{y:.1}\" stroke=\"#d8cfbd\"/>"
        );
        draw_text(out, PLOT_LEFT - 8.0, y + 4.0, "end", 11, &label(value));
    }
}

/// Draws move numbers as labels of the horizontal axis, below the y coordinate `bottom`.
fn draw_move_numbers(out: &mut String, review: &Review, bottom: f64) {
    let count = review.reviewed_moves.len();
    let interval = [10, 20, 50, 100, 200]
        .into_iter()
        .find(|interval| count / interval <= 12);
    for index in (0..=count).step_by(interval.unwrap_or(500)) {
        let number = index.to_string();
        draw_text(
            out,
            x_of_position(index, count),
            bottom + 18.0,
            "middle",
            11,
            &number,
        );
    }
}

/// Draws a line through the values and fills the area between the line and `base`: dark where Black is ahead, light
/// where White is.
fn draw_filled_curve(out: &mut String, panel: &Panel, base: f64, values: &[f64]) {
    let curve = with_crossings(values, base);
    let points = |map: &dyn Fn(f64) -> f64| {
        let points =
            (curve.iter()).map(|&(x, value)| format!("{x:.1},{:.1}", panel.y_of_value(map(value))));
        points.collect::<Vec<_>>().join(" ")
    };
    let zero = panel.y_of_value(base);
    for (fill, outline) in [
        ("#3a3a3a", points(&|value| value.max(base))),
        ("#ffffff", points(&|value| value.min(base))),
    ] {
        let _ = writeln!(
            out,
            "<polygon points=\"{PLOT_LEFT},{zero:.1} {outline} {PLOT_RIGHT},{zero:.1}\" fill=\"{fill}\" fill-opacity=\"0.55\"/>"
        );
    }
    let _ = writeln!(
        out,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#202020\" stroke-width=\"1.6\" stroke-linejoin=\"round\"/>",
        points(&|value| value)
    );
}

/// Returns the x coordinates and values of a curve, with additional points where it crosses `base`. Without them, the
/// areas above and below `base` would extend beyond the curve.
fn with_crossings(values: &[f64], base: f64) -> Vec<(f64, f64)> {
    let count = values.len().saturating_sub(1);
    let mut curve: Vec<(f64, f64)> = Vec::new();
    for (index, &value) in values.iter().enumerate() {
        let x = x_of_position(index, count);
        if let Some(&(previous_x, previous)) = curve.last()
            && (previous - base) * (value - base) < 0.0
        {
            let fraction = (base - previous) / (value - previous);
            curve.push((previous_x + fraction * (x - previous_x), base));
        }
        curve.push((x, value));
    }
    curve
}

/// Draws a dot for each mistake and labels the worst mistakes. Omits labels that would overlap another label.
fn draw_mistake_marks(out: &mut String, review: &Review, panel: &Panel, winrates: &[f64]) {
    let size = review.main_line.size();
    let count = review.reviewed_moves.len();
    let dot_position = |number: usize| {
        (
            x_of_position(number, count),
            panel.y_of_value(winrates[number]),
        )
    };
    for reviewed_move in &review.reviewed_moves {
        if let Some((_, colour)) = GRADE_COLORS
            .iter()
            .find(|(grade, _)| *grade == reviewed_move.grade)
        {
            let (x, y) = dot_position(reviewed_move.number);
            let _ = writeln!(
                out,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\" stroke=\"#fbf7ee\"/>"
            );
        }
    }
    let mut label_positions: Vec<(f64, f64)> = Vec::new();
    for reviewed_move in worst_mistakes(&review.reviewed_moves, MAX_LABELLED_MISTAKES) {
        let (x, y) = dot_position(reviewed_move.number);
        let is_free = |label_y: &f64| {
            let overlaps = |other: &(f64, f64)| {
                (other.0 - x).abs() < LABEL_WIDTH && (other.1 - label_y).abs() < LABEL_HEIGHT
            };
            (panel.top..=panel.bottom).contains(label_y) && !label_positions.iter().any(overlaps)
        };
        let Some(label_y) = [y + 18.0, y - 9.0].into_iter().find(is_free) else {
            continue;
        };
        label_positions.push((x, label_y));
        let anchor = if x > PLOT_RIGHT - LABEL_WIDTH {
            "end"
        } else {
            "start"
        };
        let label = format!(
            "{} {}",
            reviewed_move.number,
            colored_move_text(size, reviewed_move.color, reviewed_move.mv)
        );
        draw_text(out, x, label_y, anchor, 11, &label);
    }
}

fn draw_text(out: &mut String, x: f64, y: f64, anchor: &str, size: u32, label: &str) {
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-size=\"{size}\" fill=\"#202020\" \
         stroke=\"#fbf7ee\" stroke-width=\"2.5\" paint-order=\"stroke\">{label}</text>"
    );
}

/// Escapes text for XML and removes characters that XML does not allow.
fn escape_xml(text: &str) -> String {
    let mut escaped = String::new();
    let is_valid =
        |&letter: &char| !letter.is_control() && !matches!(letter, '\u{fffe}' | '\u{ffff}');
    for letter in text.chars().filter(is_valid) {
        match letter {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_get_points_where_they_cross_the_base() {
        let [first, second, third] = [0, 1, 2].map(|index| x_of_position(index, 2));
        let quarter = first + (second - first) * 0.25;
        assert_eq!(
            with_crossings(&[-1.0, 3.0, 0.0], 0.0),
            [(first, -1.0), (quarter, 0.0), (second, 3.0), (third, 0.0)]
        );
    }
}
