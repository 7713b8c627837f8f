//! The learning loop's side of the engine: games against itself, reading game files, and turning them into training
//! batches.

pub mod accuracy;
pub mod agreement;
pub mod archive;
pub mod asking;
pub mod collection;
pub mod even;
pub mod explorer;
pub mod final_ownership;
pub mod labels;
pub mod replay;
pub mod sample;
pub mod selfplay;
pub mod stream;
pub mod target;
pub mod teacher;
