//! Labelled games, and entries of a store: the labelled games of a single job.

use super::label::Label;
use super::le_bytes::read_array;
use crate::game::point::BoardSize;
use crate::game::position::Position;
use crate::game::record::Record;
use crate::game::rules::Rules;
use crate::sgf::convert::{GameError, read_game, write_game};
use crate::sgf::{Collection, ParseError, parse, write};

/// A game with labels for some of its positions.
///
/// Positions are stored as moves and not as network inputs, so that they can be used with other symmetries and
/// encodings.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelledGame {
    /// The game as SGF.
    pub sgf: String,
    /// Labels by the number of moves before the position, in ascending order.
    pub labels: Vec<(u16, Label)>,
    size: BoardSize,
}

/// The labelled games of one job. They are stored together or not at all.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelEntry {
    pub origin: Origin,
    /// The games; may be empty.
    pub games: Vec<LabelledGame>,
}

/// The source of an entry and its number within the source. A store contains the entries of a source in ascending
/// order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Seed of the labelling run, or a number derived from an imported file.
    pub source: u64,
    /// Number of the job, or of the label in the imported file, from 0.
    pub number: u64,
}

/// An error in a labelled game.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LabelledGameError {
    /// The bytes end early or contain an invalid value.
    #[error("truncated or damaged labels")]
    Damaged,
    /// The game is not valid SGF.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// The moves cannot be played.
    #[error(transparent)]
    Game(#[from] GameError),
    /// The SGF text does not represent the same game.
    #[error("the game cannot be written as SGF without loss")]
    Lossy,
}

impl LabelledGame {
    /// Creates a labelled game. `labels` are sorted by the number of moves before the position.
    ///
    /// # Errors
    /// Returns an error if parsing the SGF text of the game does not give the same positions.
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

    pub const fn size(&self) -> BoardSize {
        self.size
    }

    /// Parses the game.
    ///
    /// # Errors
    /// Returns an error if the SGF text is invalid.
    pub fn record(&self) -> Result<Record, LabelledGameError> {
        let parsed = parse(self.sgf.as_bytes())?;
        Ok(read_game(parsed.first_game(), Rules::default())?)
    }

    /// Returns the labelled positions.
    ///
    /// # Errors
    /// Returns an error if the SGF text is invalid.
    pub fn positions(&self) -> Result<Vec<(Position, &Label)>, LabelledGameError> {
        let record = self.record()?;
        let labelled = self.labels.iter().map(|(move_number, label)| {
            let position = record.position_after(usize::from(*move_number));
            Ok((position.ok_or(LabelledGameError::Damaged)?.clone(), label))
        });
        labelled.collect()
    }

    /// Appends the binary form: length and text of the SGF, board width and height, number of labels, and for each
    /// label the number of moves before the position and the label.
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
    /// Returns the number of labels.
    pub fn label_count(&self) -> u64 {
        self.games.iter().map(|game| game.labels.len() as u64).sum()
    }

    /// Returns the binary form: source and number as `u64`, the number of games as `u32`, and the games.
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

    /// Parses the binary form. Returns `None` if it is invalid.
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
