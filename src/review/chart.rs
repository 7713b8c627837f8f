//! The course of a game as a picture: Black's chance to win above, the lead below, the mistakes marked.
//!
//! The picture is an SVG text. With the feature `png`, [`png`](super::png) renders that text.

use std::fmt::Write;

use super::Review;
use super::verdict::{Grade, worst};
use super::words::{lead, move_text};

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 560.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = WIDTH - 22.0;
/// Mistakes that get a label.
const LABELLED: usize = 5;
const LABEL_WIDTH: f64 = 80.0;
const LABEL_HEIGHT: f64 = 13.0;
const FONT: &str = "DejaVu Sans";
const COLOURS: [(Grade, &str); 3] = [
    (Grade::Inaccuracy, "#d9a400"),
    (Grade::Mistake, "#e06c00"),
    (Grade::Blunder, "#c9211e"),
];

/// A band of the picture whose heights mean something.
struct Band {
    top: f64,
    bottom: f64,
    /// What lies at the bottom and at the top.
    range: (f64, f64),
}

impl Band {
    fn y(&self, value: f64) -> f64 {
        let (low, high) = self.range;
        let share = (value.clamp(low, high) - low) / (high - low);
        self.bottom - share * (self.bottom - self.top)
    }
}

/// The picture as SVG; `title` stands above it.
#[must_use]
pub fn svg(review: &Review, title: &str) -> String {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"{FONT}, Verdana, sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fbf7ee\"/>\n"
    );
    text(&mut out, LEFT, 24.0, "start", 16, &escaped(title));
    let chances: Vec<f64> = review
        .assessments
        .iter()
        .map(|a| 100.0 * a.winrate)
        .collect();
    let leads: Vec<f64> = review.assessments.iter().map(|a| a.lead).collect();
    let upper = Band {
        top: 62.0,
        bottom: 282.0,
        range: (0.0, 100.0),
    };
    let most = leads
        .iter()
        .fold(5.0, |most: f64, lead| most.max(lead.abs()));
    let step = step(most);
    let most = (most / step).ceil() * step;
    let lower = Band {
        top: 330.0,
        bottom: 520.0,
        range: (-most, most),
    };
    text(
        &mut out,
        LEFT,
        52.0,
        "start",
        12,
        "Black's chance to win, per cent",
    );
    text(
        &mut out,
        LEFT,
        320.0,
        "start",
        12,
        "Lead in points, Black's above",
    );
    grid(&mut out, &upper, 25.0, |value| format!("{value:.0}"));
    grid(&mut out, &lower, step, |value| {
        if value == 0.0 {
            "0".to_owned()
        } else {
            lead(value).replace(".0", "")
        }
    });
    ticks(&mut out, review, lower.bottom);
    curve(&mut out, &upper, 50.0, &chances);
    curve(&mut out, &lower, 0.0, &leads);
    marks(&mut out, review, &upper, &chances);
    out += "</svg>\n";
    out
}

/// Where the position after `index` of `count` moves stands.
fn x(index: usize, count: usize) -> f64 {
    LEFT + (RIGHT - LEFT) * index as f64 / count.max(1) as f64
}

/// A distance of grid lines that gives few of them.
fn step(most: f64) -> f64 {
    let steps = [5.0, 10.0, 20.0, 50.0, 100.0, 200.0];
    let few = steps.into_iter().find(|step| most / step <= 3.0);
    few.unwrap_or(400.0)
}

fn grid(out: &mut String, band: &Band, step: f64, label: impl Fn(f64) -> String) {
    let (low, high) = band.range;
    let count = ((high - low) / step).round() as usize;
    for index in 0..=count {
        let value = low + step * index as f64;
        let y = band.y(value);
        let _ = writeln!(
            out,
            "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{RIGHT}\" y2=\"{y:.1}\" stroke=\"#d8cfbd\"/>"
        );
        text(out, LEFT - 8.0, y + 4.0, "end", 11, &label(value));
    }
}

/// Numbers of moves along the bottom.
fn ticks(out: &mut String, review: &Review, bottom: f64) {
    let count = review.turns.len();
    let every = [10, 20, 50, 100, 200]
        .into_iter()
        .find(|every| count / every <= 12);
    for index in (0..=count).step_by(every.unwrap_or(500)) {
        let number = (review.line.number(index) - 1).to_string();
        text(out, x(index, count), bottom + 18.0, "middle", 11, &number);
    }
}

/// The line of the values and the area between it and `base`: dark where Black is ahead, light where White is.
fn curve(out: &mut String, band: &Band, base: f64, values: &[f64]) {
    let count = values.len().saturating_sub(1);
    let points = |of: &dyn Fn(f64) -> f64| {
        let mut all = String::new();
        for (index, &value) in values.iter().enumerate() {
            let _ = write!(all, "{:.1},{:.1} ", x(index, count), band.y(of(value)));
        }
        all
    };
    let zero = band.y(base);
    for (fill, side) in [
        ("#3a3a3a", points(&|value| value.max(base))),
        ("#ffffff", points(&|value| value.min(base))),
    ] {
        let _ = writeln!(
            out,
            "<polygon points=\"{LEFT},{zero:.1} {side}{RIGHT},{zero:.1}\" fill=\"{fill}\" fill-opacity=\"0.55\"/>"
        );
    }
    let _ = writeln!(
        out,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#202020\" stroke-width=\"1.6\" stroke-linejoin=\"round\"/>",
        points(&|value| value)
    );
}

/// A dot for every move that lost something, and a label for the worst as far as there is room.
fn marks(out: &mut String, review: &Review, band: &Band, chances: &[f64]) {
    let size = review.line.size();
    let count = review.turns.len();
    let place = |number: usize| {
        let index = number - review.line.number(0) + 1;
        (x(index, count), band.y(chances[index]))
    };
    for turn in &review.turns {
        if let Some((_, colour)) = COLOURS.iter().find(|(grade, _)| *grade == turn.grade) {
            let (x, y) = place(turn.number);
            let _ = writeln!(
                out,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\" stroke=\"#fbf7ee\"/>"
            );
        }
    }
    let mut taken: Vec<(f64, f64)> = Vec::new();
    for turn in worst(&review.turns, LABELLED) {
        let (x, y) = place(turn.number);
        let is_free = |at: &f64| {
            let near = |other: &(f64, f64)| {
                (other.0 - x).abs() < LABEL_WIDTH && (other.1 - at).abs() < LABEL_HEIGHT
            };
            (band.top..=band.bottom).contains(at) && !taken.iter().any(near)
        };
        let Some(at) = [y + 18.0, y - 9.0].into_iter().find(is_free) else {
            continue;
        };
        taken.push((x, at));
        let anchor = if x > RIGHT - LABEL_WIDTH {
            "end"
        } else {
            "start"
        };
        let label = format!("{} {}", turn.number, move_text(size, turn.color, turn.mv));
        text(out, x, at, anchor, 11, &label);
    }
}

fn text(out: &mut String, x: f64, y: f64, anchor: &str, size: u32, label: &str) {
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-size=\"{size}\" fill=\"#202020\" \
         stroke=\"#fbf7ee\" stroke-width=\"2.5\" paint-order=\"stroke\">{label}</text>"
    );
}

/// Text as XML wants it; what XML cannot hold is left out.
fn escaped(text: &str) -> String {
    let mut all = String::new();
    let is_held =
        |&letter: &char| !letter.is_control() && !matches!(letter, '\u{fffe}' | '\u{ffff}');
    for letter in text.chars().filter(is_held) {
        match letter {
            '&' => all += "&amp;",
            '<' => all += "&lt;",
            '>' => all += "&gt;",
            other => all.push(other),
        }
    }
    all
}
