//! Random games, compared with a naive computation and under the eight symmetries.

use honinbo::encode::planes::PLANES;
use honinbo::game::point::{BoardSize, Move, Point};
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;
use honinbo::game::symmetry::Symmetry;
use honinbo::random::Rng;

use crate::encode::encode;

fn random_game(size: BoardSize, moves: usize, rng: &mut Rng) -> Position {
    let mut position = Position::new(size, Rules::named("tromp-taylor").expect("a known set"));
    for _ in 0..moves {
        let legal: Vec<Point> = position.legal_points().iter().collect();
        let mv = if legal.is_empty() || rng.chance(0.02) {
            Move::Pass
        } else {
            Move::Play(legal[rng.below(legal.len())])
        };
        position.play_unchecked(position.to_move(), mv);
    }
    position
}

/// Counts the liberties of a chain by flood fill.
fn naive_liberties(position: &Position, start: Point) -> usize {
    let size = position.size();
    let color = position.board().color_at(start);
    let (mut chain, mut liberties, mut next) = (vec![start], Vec::new(), 0);
    while next < chain.len() {
        let at = chain[next];
        next += 1;
        for (dc, dr) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
            let column = at.column().checked_add_signed(dc);
            let row = at.row().checked_add_signed(dr);
            let Some(point) = column.zip(row).and_then(|(c, r)| size.point(c, r)) else {
                continue;
            };
            match position.board().color_at(point) {
                None if !liberties.contains(&point) => liberties.push(point),
                other if other.is_some() && other == color && !chain.contains(&point) => {
                    chain.push(point)
                }
                _ => {}
            }
        }
    }
    liberties.len()
}

#[test]
fn classic_planes_match_naive_computation() {
    let mut rng = Rng::new(11);
    for _ in 0..30 {
        let size = BoardSize::new(2 + rng.below(18), 2 + rng.below(18)).unwrap();
        let mut position = Position::new(size, Rules::default());
        let mut boards = vec![position.board().clone()];
        for _ in 0..60 {
            let legal: Vec<Point> = position.legal_points().iter().collect();
            let mv = if legal.is_empty() {
                Move::Pass
            } else {
                Move::Play(legal[rng.below(legal.len())])
            };
            position.play_unchecked(position.to_move(), mv);
            boards.insert(0, position.board().clone());
            let (planes, _) = encode(&position, Symmetry::IDENTITY);
            let own = position.to_move();
            for (group, color) in [(0, own), (11, own.opposite())] {
                for moves_ago in 0..8 {
                    for (i, point) in size.points().enumerate() {
                        let stone = boards
                            .get(moves_ago)
                            .is_some_and(|board| board.color_at(point) == Some(color));
                        let expected = f32::from(u8::from(stone));
                        assert_eq!(
                            planes[(group + moves_ago) * size.area() + i],
                            expected,
                            "{moves_ago} moves ago"
                        );
                    }
                }
                for (i, point) in size.points().enumerate() {
                    let has_stone = position.board().color_at(point) == Some(color);
                    let liberties = if has_stone {
                        naive_liberties(&position, point)
                    } else {
                        0
                    };
                    for count in 1..=3 {
                        let expected = f32::from(u8::from(liberties == count));
                        assert_eq!(
                            planes[(group + 7 + count) * size.area() + i],
                            expected,
                            "{count} liberties"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn planes_follow_symmetry() {
    let mut rng = Rng::new(12);
    for round in 0..40 {
        let size = if round % 2 == 0 {
            BoardSize::new(7, 7)
        } else {
            BoardSize::new(9, 6)
        }
        .unwrap();
        let position = random_game(size, 20 + rng.below(40), &mut rng);
        let (planes, globals) = encode(&position, Symmetry::IDENTITY);
        for symmetry in Symmetry::for_size(size) {
            let (mapped, same_globals) = encode(&position, symmetry);
            assert_eq!(globals, same_globals);
            for (index, plane) in PLANES.iter().enumerate() {
                for (i, point) in size.points().enumerate() {
                    let image = size.index(symmetry.map_point(size, point));
                    let (before, after) = (
                        planes[index * size.area() + i],
                        mapped[index * size.area() + image],
                    );
                    assert_eq!(before, after, "{} through {symmetry:?}", plane.name);
                }
            }
        }
    }
}

#[test]
fn mapped_game_gives_mapped_planes() {
    // In contrast to the previous test, the game is mapped, so the features are computed on the mapped board.
    let mut rng = Rng::new(13);
    for symmetry in Symmetry::ALL {
        let size = BoardSize::new(8, 8).unwrap();
        let rules = Rules::named("tromp-taylor").unwrap();
        let (mut original, mut mapped) = (Position::new(size, rules), Position::new(size, rules));
        for _ in 0..70 {
            let legal: Vec<Point> = original.legal_points().iter().collect();
            let Some(&point) = legal.get(rng.below(legal.len().max(1))) else {
                break;
            };
            original.play_unchecked(original.to_move(), Move::Play(point));
            let image = symmetry.map_point(size, point);
            mapped
                .play(mapped.to_move(), Move::Play(image))
                .expect("legality turns with the board");
            assert_eq!(
                encode(&original, symmetry).0,
                encode(&mapped, Symmetry::IDENTITY).0,
                "{symmetry:?}"
            );
        }
    }
}
