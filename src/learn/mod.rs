//! The learning loop's side of the engine: games against itself, reading game files, and turning them into training
//! batches.

pub mod accuracy;
pub mod agreement;
pub mod archive;
pub mod batch_writer;
pub mod final_ownership;
pub mod game_files;
pub mod komi_balance;
pub mod labels;
pub mod leaf_sampler;
pub mod replay_window;
pub mod sample;
pub mod search_target;
pub mod selfplay;
pub mod teacher;
pub mod teacher_input;
