//! Random games, compared with a naive computation and with their images under the eight symmetries.

use honinbo::game::board::Board;
use honinbo::game::point::BoardSize;
use honinbo::game::rules::Rules;
use honinbo::game::symmetry::Symmetry;
use honinbo::random::Rng;

use crate::encode::{encode, mapped_random_game, random_game};
use crate::naive::bridge::to_naive;

#[test]
fn classic_planes_match_naive_computation() {
    let mut rng = Rng::new(11);
    for _ in 0..30 {
        let size = BoardSize::new(2 + rng.below(18), 2 + rng.below(18)).unwrap();
        let mut boards = vec![Board::new(size)];
        random_game(size, Rules::default(), &mut rng, |position| {
            boards.insert(0, position.board().clone());
            let (planes, _) = encode(position, Symmetry::IDENTITY);
            let naive = to_naive(position.board());
            let own = position.to_move();
            for (group, color) in [(0, own), (11, own.opposite())] {
                let plane = |number: usize| &planes[(group + number) * size.area()..];
                for (i, point) in size.points().enumerate() {
                    for moves_ago in 0..8 {
                        let board = boards.get(moves_ago);
                        let stone = board.is_some_and(|it| it.color_at(point) == Some(color));
                        let expected = f32::from(u8::from(stone));
                        assert_eq!(plane(moves_ago)[i], expected, "{moves_ago} moves ago");
                    }
                    let place = (point.column(), point.row());
                    let liberties = (naive.at(place) == Some(color))
                        .then(|| naive.chain(place).liberties.len());
                    for count in 1..=3 {
                        let expected = f32::from(u8::from(liberties == Some(count)));
                        assert_eq!(plane(7 + count)[i], expected, "{count} liberties");
                    }
                }
            }
        });
    }
}

#[test]
fn mapped_game_gives_mapped_planes() {
    let mut rng = Rng::new(13);
    let rules = Rules::parse("tromp-taylor").unwrap();
    for (width, height) in [(8, 8), (7, 7), (9, 6)] {
        let size = BoardSize::new(width, height).unwrap();
        for symmetry in Symmetry::for_size(size) {
            mapped_random_game(size, rules, symmetry, &mut rng, |original, mapped| {
                assert_eq!(
                    encode(original, symmetry),
                    encode(mapped, Symmetry::IDENTITY),
                    "{symmetry:?}"
                );
            });
        }
    }
}
