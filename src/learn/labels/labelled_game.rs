//! Labelled games, and the entries of a label store. An entry contains the labelled games of a
//! [labelling job](super::labeller), or the game of an [imported](super::import) label.

use super::label::Label;
use super::little_endian::read_array;
use crate::game::point::BoardSize;
use crate::game::position::Position;
use crate::game::record::Record;
use crate::game::rules::Rules;
use crate::sgf::convert::{GameError, read_game, write_game};
use crate::sgf::{Collection, ParseError, parse, write};

/// Game with labels for some of its positions.
///
/// The game is stored as moves and not as network inputs, so that its positions can be used with any symmetry and any
/// input encoding.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelledGame {
    /// The game as SGF.
    pub sgf: String,
    /// Labels, each paired with the number of moves before the labelled position, in ascending order of this number.
    pub labels: Vec<(u16, Label)>,
    size: BoardSize,
}

/// Entry of a label store: the labelled games of a labelling job, or the game of an imported label. A store contains
/// either all games of a job or none of them.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelStoreEntry {
    pub origin: Origin,
    /// Labelled games; empty if the job produced no positions.
    pub games: Vec<LabelledGame>,
}

/// Source of an entry, and the number of the entry within that source. In a store, the entries of each source are in
/// ascending order of their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Source ID: the seed of the labelling run, or a number derived from the imported file.
    pub source_id: u64,
    /// Number of the job in the labelling run or of the label in the imported file, starting at 0.
    pub number: u64,
}

/// Error in a labelled game.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LabelledGameError {
    /// A labelled position lies beyond the end of the game, or an imported move is illegal.
    #[error("truncated or damaged labels")]
    Damaged,
    /// The game is not valid SGF.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// The moves cannot be played.
    #[error(transparent)]
    Game(#[from] GameError),
    /// Parsing the SGF text of the game does not reproduce the labelled positions.
    #[error("writing the game as SGF would change the labelled positions")]
    Lossy,
}

impl LabelledGame {
    /// Creates a labelled game. Each label is paired with the number of moves before the labelled position, and
    /// `labels` must be in ascending order of this number.
    ///
    /// # Errors
    /// Returns an error if the game cannot be written as SGF without changing the labelled positions, or if a labelled
    /// position lies beyond the end of the game.
    pub fn new(record: &Record, labels: Vec<(u16, Label)>) -> Result<Self, LabelledGameError> {
        let games = vec![write_game(record)];
        let game = Self {
            // The SGF writer breaks lines only between values, where line breaks have no meaning.
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

    /// Parses the SGF text of the game.
    ///
    /// # Errors
    /// Returns an error if the SGF text is invalid.
    pub fn record(&self) -> Result<Record, LabelledGameError> {
        let parsed = parse(self.sgf.as_bytes())?;
        Ok(read_game(parsed.first_game(), Rules::default())?)
    }

    /// Returns the labelled positions with their labels.
    ///
    /// # Errors
    /// Returns an error if the SGF text is invalid or a labelled position lies beyond the end of the game.
    pub fn positions(&self) -> Result<Vec<(Position, &Label)>, LabelledGameError> {
        let record = self.record()?;
        let labelled = self.labels.iter().map(|(move_number, label)| {
            let position = record.position_after(usize::from(*move_number));
            let position = position.ok_or(LabelledGameError::Damaged)?;
            Ok((position.into_owned(), label))
        });
        labelled.collect()
    }

    /// Appends the binary form of the game to `out`: the length of the SGF text in bytes (`u32`), the SGF text, the
    /// width and height of the board (`u8` each), the number of labels (`u16`), and the labels. Each label is preceded
    /// by the number of moves before the labelled position (`u16`).
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

impl LabelStoreEntry {
    /// Returns the total number of labels in the entry's games.
    pub fn label_count(&self) -> u64 {
        self.games.iter().map(|game| game.labels.len() as u64).sum()
    }

    /// Returns the binary form of the entry: source ID and entry number (`u64` each), the number of games (`u32`), and
    /// the games.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend(self.origin.source_id.to_le_bytes());
        out.extend(self.origin.number.to_le_bytes());
        out.extend((self.games.len() as u32).to_le_bytes());
        for game in &self.games {
            game.encode(&mut out);
        }
        out
    }

    /// Parses the binary form of an entry. Returns `None` if `bytes` is invalid.
    pub fn decode(mut bytes: &[u8]) -> Option<Self> {
        let bytes = &mut bytes;
        let origin = Origin {
            source_id: u64::from_le_bytes(read_array(bytes)?),
            number: u64::from_le_bytes(read_array(bytes)?),
        };
        let count = u32::from_le_bytes(read_array(bytes)?);
        let games = (0..count).map(|_| LabelledGame::decode(bytes));
        let games = games.collect::<Option<_>>()?;
        bytes.is_empty().then_some(Self { origin, games })
    }
}
