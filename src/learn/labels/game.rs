//! Games with labels for some of their positions, and entries: the labelled games of one job, which a store keeps
//! together.

use super::label::Label;
use super::le_bytes::read_array;
use crate::game::point::BoardSize;
use crate::game::position::Position;
use crate::game::record::Record;
use crate::game::rules::Rules;
use crate::sgf::convert::{GameError, read_game, write_game};
use crate::sgf::{Collection, ParseError, parse, write};

/// A game, by its moves, and the labels of positions of it, by the number of moves played before.
///
/// Positions are stored as moves and not as network inputs, so that symmetries and input encodings can change later.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelledGame {
    /// The game as SGF.
    pub sgf: String,
    /// Labels by move number, in ascending order.
    pub labels: Vec<(u16, Label)>,
    size: BoardSize,
}

/// The labelled games of one job; a store has either all of them or none.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelEntry {
    /// Where the games come from.
    pub origin: Origin,
    /// The games. May be empty.
    pub games: Vec<LabelledGame>,
}

/// The source of an entry and its number there. A store holds the entries of a source in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The seed of the labelling run, or a number derived from an imported file.
    pub source: u64,
    /// The number of the job, or of the label in the imported file, from 0.
    pub number: u64,
}

/// Why a labelled game cannot be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LabelledGameError {
    /// The bytes end early or hold an impossible value.
    #[error("truncated or damaged labels")]
    Damaged,
    /// The game is not valid SGF.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// The moves cannot be played.
    #[error(transparent)]
    Game(#[from] GameError),
    /// The SGF text does not stand for the same game.
    #[error("the game cannot be written as SGF without loss")]
    Lossy,
}

impl LabelledGame {
    /// A game with labels of some of its positions, by move number in ascending order.
    ///
    /// # Errors
    /// If reading the game's SGF text would not give the same positions.
    pub fn new(record: &Record, labels: Vec<(u16, Label)>) -> Result<Self, LabelledGameError> {
        let games = vec![write_game(record)];
        let game = Self {
            // Line breaks between values carry no meaning.
            sgf: write(&Collection { games }).replace('\n', ""),
            labels,
            size: record.size(),
        };
        let reread = game.record()?;
        let is_same_position = |move_number: &u16| {
            let move_number = usize::from(*move_number);
            let (original, reread_position) = (
                record.position_after(move_number),
                reread.position_after(move_number),
            );
            original.is_some() && original == reread_position
        };
        match game
            .labels
            .iter()
            .all(|(move_number, _)| is_same_position(move_number))
        {
            true => Ok(game),
            false => Err(LabelledGameError::Lossy),
        }
    }

    /// The board size.
    #[must_use]
    pub const fn size(&self) -> BoardSize {
        self.size
    }

    /// The moves of the game.
    ///
    /// # Errors
    /// If the SGF text is damaged.
    pub fn record(&self) -> Result<Record, LabelledGameError> {
        let parsed = parse(self.sgf.as_bytes())?;
        Ok(read_game(parsed.first_game(), Rules::default())?)
    }

    /// The labelled positions.
    ///
    /// # Errors
    /// If the SGF text is damaged.
    pub fn positions(&self) -> Result<Vec<(Position, &Label)>, LabelledGameError> {
        let record = self.record()?;
        let labelled = self.labels.iter().map(|(move_number, label)| {
            let position = record.position_after(usize::from(*move_number));
            Ok((position.ok_or(LabelledGameError::Damaged)?.clone(), label))
        });
        labelled.collect()
    }

    /// Appends length and text of the SGF, the sides of the board, the number of labels, and these with their move
    /// numbers.
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend((self.sgf.len() as u32).to_le_bytes());
        out.extend(self.sgf.as_bytes());
        out.extend([self.size.width() as u8, self.size.height() as u8]);
        out.extend((self.labels.len() as u16).to_le_bytes());
        for (move_number, label) in &self.labels {
            out.extend(move_number.to_le_bytes());
            label.encode(out);
        }
    }

    fn decode(bytes: &mut &[u8]) -> Option<Self> {
        let length = u32::from_le_bytes(read_array(bytes)?) as usize;
        let sgf = bytes.split_off(..length)?;
        let sgf = String::from_utf8(sgf.to_vec()).ok()?;
        let [width, height] = read_array(bytes)?;
        let size = BoardSize::new(usize::from(width), usize::from(height))?;
        let count = u16::from_le_bytes(read_array(bytes)?);
        let labels = (0..count).map(|_| {
            let move_number = u16::from_le_bytes(read_array(bytes)?);
            Some((move_number, Label::decode(bytes, size.area())?))
        });
        let labels = labels.collect::<Option<_>>()?;
        Some(Self { sgf, labels, size })
    }
}

impl LabelEntry {
    /// Number of labels.
    #[must_use]
    pub fn label_count(&self) -> u64 {
        self.games.iter().map(|game| game.labels.len() as u64).sum()
    }

    /// The binary form: source and number as `u64`, the number of games as `u32`, and the games.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend(self.origin.source.to_le_bytes());
        out.extend(self.origin.number.to_le_bytes());
        out.extend((self.games.len() as u32).to_le_bytes());
        for game in &self.games {
            game.encode(&mut out);
        }
        out
    }

    /// Reads the binary form; `None` if it is damaged.
    #[must_use]
    pub fn decode(mut bytes: &[u8]) -> Option<Self> {
        let bytes = &mut bytes;
        let origin = Origin {
            source: u64::from_le_bytes(read_array(bytes)?),
            number: u64::from_le_bytes(read_array(bytes)?),
        };
        let count = u32::from_le_bytes(read_array(bytes)?);
        let games = (0..count).map(|_| LabelledGame::decode(bytes));
        let games = games.collect::<Option<_>>()?;
        bytes.is_empty().then_some(Self { origin, games })
    }
}
