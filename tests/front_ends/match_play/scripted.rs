//! Scripted engines, and matches between them.

use std::fs;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use honinbo::clock::time_control::TimeControl;
use honinbo::game::point::BoardSize;
use honinbo::game::rules::Rules;
use honinbo::match_play::conditions::Conditions;
use honinbo::match_play::finished_game::OnGame;
use honinbo::match_play::game::{GameOutcome, PlayedGame};
use honinbo::match_play::gtp_engine::{GtpEngine, GtpEngineError};
use honinbo::match_play::match_config::{MatchConfig, MatchError, Role, RoleLauncher};
use honinbo::match_play::match_stats::{MatchSummary, WinDrawLoss};
use honinbo::match_play::opening;
use honinbo::match_play::side::Side;
use honinbo::match_play::time_settings::MatchTime;

/// Reaction of a scripted engine to `genmove`.
#[derive(Clone, Copy)]
pub enum Step {
    Respond(&'static str),
    /// Responds with this text and reports a thinking time in seconds, without waiting.
    RespondAfter(f64, &'static str),
    Exit,
    Hang,
}
use Step::{Exit, Hang, Respond, RespondAfter};

/// An engine that performs its steps in order and then passes. It starts over with every game.
#[derive(Clone)]
pub struct Scripted {
    pub steps: Vec<Step>,
    pub next_step: usize,
    /// Reported thinking time of the last step, in seconds.
    pub elapsed: f64,
    /// Number of `boardsize` commands before the engine exits.
    pub games_before_exit: usize,
    /// Response to `final_score`; `None` is an error response.
    pub score: Option<&'static str>,
    /// Command that fails.
    pub failing_command: &'static str,
    pub commands: &'static str,
    pub received: Arc<Mutex<Vec<String>>>,
}

impl Scripted {
    pub fn new(steps: &[Step]) -> Self {
        Self {
            steps: steps.to_vec(),
            next_step: 0,
            elapsed: 0.0,
            games_before_exit: usize::MAX,
            score: Some("B+2.5"),
            failing_command: "nothing",
            commands: "",
            received: Arc::default(),
        }
    }

    pub fn with_score(score: Option<&'static str>) -> Self {
        Self {
            score,
            ..Self::new(&[])
        }
    }

    /// Starts a copy of the engine.
    pub fn launch(&self) -> Result<Box<dyn GtpEngine>, GtpEngineError> {
        Ok(Box::new(self.clone()))
    }

    fn genmove(&mut self, command: &str, limit: Duration) -> Result<String, GtpEngineError> {
        let step = self.steps.get(self.next_step).copied();
        self.next_step += 1;
        self.elapsed = 0.0;
        match step.unwrap_or(Respond("pass")) {
            Respond(answer) => Ok(answer.to_owned()),
            RespondAfter(seconds, answer) => {
                self.elapsed = seconds;
                Ok(answer.to_owned())
            }
            Exit => exit_error(command),
            Hang => Err(GtpEngineError::TimedOut {
                command: command.to_owned(),
                limit,
            }),
        }
    }
}

fn exit_error(command: &str) -> Result<String, GtpEngineError> {
    Err(GtpEngineError::Exited {
        command: command.to_owned(),
        details: "out of paper".to_owned(),
    })
}

impl GtpEngine for Scripted {
    fn send(&mut self, command: &str, limit: Duration) -> Result<String, GtpEngineError> {
        self.received.lock().unwrap().push(command.to_owned());
        let verb = command.split(' ').next().unwrap();
        let refusal = Err(GtpEngineError::CommandFailed {
            command: command.to_owned(),
            response: "no".to_owned(),
        });
        match verb {
            _ if verb == self.failing_command => refusal,
            "name" => Ok("Scripted".to_owned()),
            "version" => Ok("7".to_owned()),
            "list_commands" => Ok(self.commands.to_owned()),
            "boardsize" if self.games_before_exit == 0 => exit_error(command),
            "boardsize" => {
                self.games_before_exit -= 1;
                Ok(String::new())
            }
            "clear_board" => {
                self.next_step = 0;
                Ok(String::new())
            }
            "genmove" => self.genmove(command, limit),
            "final_score" => self.score.map_or(refusal, |score| Ok(score.to_owned())),
            _ => Ok(String::new()),
        }
    }

    fn send_timed(
        &mut self,
        command: &str,
        limit: Duration,
    ) -> Result<(String, Duration), GtpEngineError> {
        let answer = self.send(command, limit)?;
        Ok((answer, Duration::from_secs_f64(self.elapsed)))
    }
}

pub fn match_config(games: usize) -> MatchConfig {
    let size = BoardSize::new(5, 5).unwrap();
    MatchConfig {
        conditions: Conditions {
            size,
            rules: Rules::default(),
            rules_name: "chinese-ogs".to_owned(),
            time: MatchTime::Unspecified,
            hang_timeout: Duration::from_secs(9),
            max_moves: 20,
        },
        openings: Vec::new(),
        max_games: games,
        concurrency: 1,
        has_referee: false,
        trusted_side: None,
        sprt: None,
        letters: ['A', 'B'],
        labels: ["first".to_owned(), "second".to_owned()],
    }
}

/// Lets a match start from the openings in a text file with these lines.
pub fn set_openings(config: &mut MatchConfig, lines: &str) {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list.txt");
    fs::write(&list, lines).unwrap();
    let conditions = &config.conditions;
    config.openings = opening::load(&list, conditions.size, conditions.rules).unwrap();
}

/// Plays a match between copies of two scripted engines. Returns the summary and the games with their indices.
pub fn play(
    config: &MatchConfig,
    a: &Scripted,
    b: &Scripted,
) -> (MatchSummary, Vec<(usize, PlayedGame)>) {
    play_refereed(config, a, b, None)
}

pub fn play_refereed(
    config: &MatchConfig,
    a: &Scripted,
    b: &Scripted,
    referee: Option<&Scripted>,
) -> (MatchSummary, Vec<(usize, PlayedGame)>) {
    let mut games = Vec::new();
    let launch = |role| match role {
        Role::Player(Side::A) => a.launch(),
        Role::Player(Side::B) => b.launch(),
        Role::Referee => (referee.expect("unexpected launch of a referee")).launch(),
    };
    let summary = run_match(config, &launch, &mut |finished| {
        games.push((finished.summary.game_index, finished.played_game.clone()));
        Ok(())
    })
    .unwrap();
    (summary, games)
}

/// Plays a whole match. `on_game` is called after each game.
pub fn run_match(
    config: &MatchConfig,
    launch: &RoleLauncher<'_>,
    on_game: &mut OnGame<'_>,
) -> Result<MatchSummary, MatchError> {
    let prepared = config.start_first_engines(launch)?;
    let no_interrupt = AtomicBool::new(false);
    let (summary, result) =
        config.play_remaining_games(prepared, &[], launch, on_game, &no_interrupt);
    result.map(|()| summary)
}

/// Plays one game with A as Black and returns its outcome.
pub fn outcome(a: &Scripted, b: &Scripted) -> GameOutcome {
    let (_, mut games) = play(&match_config(1), a, b);
    games.remove(0).1.outcome
}

pub fn passes() -> Scripted {
    Scripted::new(&[])
}

pub fn wins_draws_losses(won: u32, drawn: u32, lost: u32) -> WinDrawLoss {
    WinDrawLoss { won, drawn, lost }
}

/// Time commands supported by three kinds of engines.
pub const KATA: &str = "time_settings kgs-time_settings kata-time_settings time_left";
pub const KGS: &str = "time_settings kgs-time_settings time_left";
pub const STANDARD: &str = "time_settings time_left";

/// Settings of a match with clocks.
pub fn timed_config(time_control: &str, games: usize) -> MatchConfig {
    let words: Vec<_> = time_control.split(' ').collect();
    let mut config = match_config(games);
    config.conditions.time = MatchTime::Clock(TimeControl::from_kata(&words).unwrap());
    config.conditions.hang_timeout = Duration::from_secs(3600);
    config
}

/// An engine that supports `commands` and plays along the top row with the thinking times `seconds`, then passes.
pub fn timed_player(commands: &'static str, seconds: &[f64]) -> Scripted {
    let moves = ["A5", "B5", "C5", "D5", "E5"].into_iter();
    let steps: Vec<_> = moves
        .zip(seconds)
        .map(|(mv, &s)| RespondAfter(s, mv))
        .collect();
    Scripted {
        commands,
        ..Scripted::new(&steps)
    }
}

/// Returns the commands received since the last `clear_board` that start with one of `prefixes`.
pub fn received(script: &Scripted, prefixes: &[&str]) -> Vec<String> {
    let received = script.received.lock().unwrap();
    let game = received.iter().rposition(|line| line == "clear_board");
    let is_selected = |line: &&String| prefixes.iter().any(|prefix| line.starts_with(prefix));
    let lines = received[game.unwrap()..].iter().filter(is_selected);
    lines.cloned().collect()
}
