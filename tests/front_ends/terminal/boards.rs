//! Drawn boards, compared with expected text.

use honinbo::game::color::ByColor;
use honinbo::game::diagram::Diagram;
use honinbo::game::point::{BoardSize, Point};
use honinbo::game::pointset::PointSet;
use honinbo::terminal::board_view::{
    ASCII_GLYPHS, BoardView, Glyphs, Marks, UNICODE_GLYPHS, board_text_width, draw,
};
use honinbo::terminal::style::{Style, plain_text};

use crate::terminal::text;

fn drawn(view: &BoardView<'_>, glyphs: &Glyphs) -> String {
    let lines = draw(view, glyphs);
    let columns = board_text_width(view.size);
    assert!((lines.iter()).all(|line| plain_text(line).chars().count() == columns));
    text(&lines)
}

fn empty(size: BoardSize, marks: &Marks) -> BoardView<'_> {
    BoardView {
        size,
        stones: ByColor::default(),
        last_move: None,
        cursor: None,
        marks,
    }
}

/// Returns the board of a diagram with the vertices of the last move and of the cursor.
fn view<'a>(diagram: &Diagram, last: &str, cursor: &str, marks: &'a Marks) -> BoardView<'a> {
    BoardView {
        stones: diagram.stones,
        last_move: diagram.size.parse_vertex(last),
        cursor: diagram.size.parse_vertex(cursor),
        ..empty(diagram.size, marks)
    }
}

const STONES: &str = "
    . . . . .
    . X O . .
    X . X O .
    . X O O .
    . . . . X";

#[test]
fn empty_boards_have_lines_and_star_points() {
    let size = BoardSize::new(9, 7).unwrap();
    let expected = "
   A B C D E F G H J
 7 ┌─┬─┬─┬─┬─┬─┬─┬─┐ 7
 6 ├─┼─┼─┼─┼─┼─┼─┼─┤ 6
 5 ├─┼─╋─┼─┼─┼─╋─┼─┤ 5
 4 ├─┼─┼─┼─┼─┼─┼─┼─┤ 4
 3 ├─┼─╋─┼─┼─┼─╋─┼─┤ 3
 2 ├─┼─┼─┼─┼─┼─┼─┼─┤ 2
 1 └─┴─┴─┴─┴─┴─┴─┴─┘ 1
   A B C D E F G H J";
    assert_eq!(
        drawn(&empty(size, &Marks::None), &UNICODE_GLYPHS),
        expected.trim_start_matches('\n')
    );
    let two = drawn(
        &empty(BoardSize::new(2, 2).unwrap(), &Marks::None),
        &ASCII_GLYPHS,
    );
    assert_eq!(two, "   A B\n 2 . . 2\n 1 . . 1\n   A B");
    let large = drawn(&empty(BoardSize::STANDARD, &Marks::None), &UNICODE_GLYPHS);
    assert!(
        large.contains("\n16 ├─┼─┼─╋─┼─┼─┼─┼─┼─╋─┼─┼─┼─┼─┼─╋─┼─┼─┤ 16\n"),
        "{large}"
    );
    assert!(
        large.ends_with("A B C D E F G H J K L M N O P Q R S T"),
        "{large}"
    );
}

#[test]
fn board_shows_last_move_and_cursor() {
    let diagram = Diagram::parse(STONES).unwrap();
    let unicode = "
   A B C D E
 5 ┌─┬─┬─┬─┐ 5
 4 ├─●─○─┼─┤ 4
 3[●]┼─●─◎─┤ 3
 2 ├─●─○─○─┤ 2
 1 └─┴─┴─┴─● 1
   A B C D E";
    let shown = drawn(&view(&diagram, "D3", "A3", &Marks::None), &UNICODE_GLYPHS);
    assert_eq!(shown, unicode.trim_start_matches('\n'));
    let ascii = "
   A B C D E
 5 . . . . . 5
 4 . X O .[.]4
 3 X . X O . 3
 2 . X O O . 2
 1 . . . .(X)1
   A B C D E";
    let shown = drawn(&view(&diagram, "E1", "E4", &Marks::None), &ASCII_GLYPHS);
    assert_eq!(shown, ascii.trim_start_matches('\n'));
    // The bracket of the cursor takes precedence.
    let shown = drawn(&view(&diagram, "B4", "C4", &Marks::None), &ASCII_GLYPHS);
    assert!(shown.contains("\n 4 .(X[O]. . 4\n"), "{shown}");
}

#[test]
fn hints_show_ranks_and_highlight_the_best() {
    let diagram = Diagram::parse(STONES).unwrap();
    let point = |vertex| diagram.size.parse_vertex(vertex).unwrap();
    let marks = Marks::Hints(["B3", "A1", "E5", "D5"].map(point).into());
    let expected = "
   A B C D E
 5 ┌─┬─┬─4─3 5
 4 ├─●─○─┼─┤ 4
 3 ●─1─●─○─┤ 3
 2 ├─●─○─○─┤ 2
 1 2─┴─┴─┴─● 1
   A B C D E";
    let view = view(&diagram, "", "", &marks);
    assert_eq!(
        drawn(&view, &UNICODE_GLYPHS),
        expected.trim_start_matches('\n')
    );
    let best: Vec<String> = (draw(&view, &UNICODE_GLYPHS).into_iter().flatten())
        .filter(|(_, style)| *style == Style::BestHint)
        .map(|(text, _)| text)
        .collect();
    assert_eq!(best, ["1"]);
}

#[test]
fn ownership_marks_depend_on_certainty() {
    let size = BoardSize::new(3, 3).unwrap();
    let at = |column, row| PointSet::single(Point::at(column, row));
    let marks = Marks::Ownership {
        values: vec![1.0, 0.5, 0.3, 0.9, -0.9, -0.41, -1.0, 0.0, -0.8],
        dead: at(1, 1),
    };
    let view = BoardView {
        stones: ByColor::new(at(1, 1) | at(0, 1), at(0, 2)),
        last_move: Some(Point::at(1, 1)),
        ..empty(size, &marks)
    };
    let expected = "   A B C\n 3 ■─▪─┐ 3\n 2 ●─◆─▫ 2\n 1 ○─┴─□ 1\n   A B C";
    assert_eq!(drawn(&view, &UNICODE_GLYPHS), expected);
    let expected = "   A B C\n 3 x ' . 3\n 2 X(%), 2\n 1 O . o 1\n   A B C";
    assert_eq!(drawn(&view, &ASCII_GLYPHS), expected);
    let legend = UNICODE_GLYPHS
        .ownership_legend()
        .map(|part| plain_text(&part));
    assert_eq!(
        legend,
        ["■▪ black territory", "□▫ white territory", "◆◇ dead stones"]
    );
}
