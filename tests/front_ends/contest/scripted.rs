//! Players that follow a script, and matches between them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use honinbo::clock::time_control::TimeControl;
use honinbo::game::point::BoardSize;
use honinbo::game::rules::Rules;
use honinbo::match_play::game::{GameOutcome, PlayedGame};
use honinbo::match_play::gtp_engine::{GtpEngine, GtpEngineError};
use honinbo::match_play::match_stats::Side;
use honinbo::match_play::player::Conditions;
use honinbo::match_play::runner::{MatchConfig, MatchSummary, Role};
use honinbo::match_play::time::MatchTime;

/// What a scripted player does when a move is asked for.
#[derive(Clone, Copy)]
pub enum Step {
    Say(&'static str),
    /// Says it after so many seconds, which nobody really waits.
    Ponder(f64, &'static str),
    Die,
    Hang,
}
use Step::{Die, Hang, Ponder, Say};

/// Plays its steps in order, then passes; begins again with every game.
#[derive(Clone)]
pub struct Scripted {
    pub steps: Vec<Step>,
    pub made: usize,
    /// Seconds that its last step took.
    pub took: f64,
    /// Boards that it sets up before it is found dead.
    pub boards: usize,
    /// The answer to `final_score`; `None` refuses.
    pub score: Option<&'static str>,
    /// The command that is refused.
    pub refuses: &'static str,
    pub commands: &'static str,
    pub heard: Arc<Mutex<Vec<String>>>,
}

impl Scripted {
    pub fn new(steps: &[Step]) -> Self {
        Self {
            steps: steps.to_vec(),
            made: 0,
            took: 0.0,
            boards: usize::MAX,
            score: Some("B+2.5"),
            refuses: "nothing",
            commands: "",
            heard: Arc::default(),
        }
    }

    pub fn counting(score: Option<&'static str>) -> Self {
        Self {
            score,
            ..Self::new(&[])
        }
    }

    fn genmove(&mut self, command: &str, limit: Duration) -> Result<String, GtpEngineError> {
        let step = self.steps.get(self.made).copied().unwrap_or(Say("pass"));
        self.made += 1;
        self.took = 0.0;
        match step {
            Say(answer) => Ok(answer.to_owned()),
            Ponder(seconds, answer) => {
                self.took = seconds;
                Ok(answer.to_owned())
            }
            Die => died(command),
            Hang => Err(GtpEngineError::TimedOut {
                command: command.to_owned(),
                limit,
            }),
        }
    }
}

fn died(command: &str) -> Result<String, GtpEngineError> {
    Err(GtpEngineError::Exited {
        command: command.to_owned(),
        details: "out of paper".to_owned(),
    })
}

impl GtpEngine for Scripted {
    fn send(&mut self, command: &str, limit: Duration) -> Result<String, GtpEngineError> {
        self.heard.lock().unwrap().push(command.to_owned());
        let verb = command.split(' ').next().unwrap();
        let refusal = Err(GtpEngineError::CommandFailed {
            command: command.to_owned(),
            response: "no".to_owned(),
        });
        match verb {
            _ if verb == self.refuses => refusal,
            "name" => Ok("Scripted".to_owned()),
            "version" => Ok("7".to_owned()),
            "list_commands" => Ok(self.commands.to_owned()),
            "boardsize" if self.boards == 0 => died(command),
            "boardsize" => {
                self.boards -= 1;
                Ok(String::new())
            }
            "clear_board" => {
                self.made = 0;
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
        Ok((answer, Duration::from_secs_f64(self.took)))
    }
}

pub fn contest(games: usize) -> MatchConfig {
    let size = BoardSize::new(5, 5).unwrap();
    MatchConfig {
        conditions: Conditions {
            size,
            rules: Rules::default(),
            rules_name: "chinese".to_owned(),
            time: MatchTime::Unspecified,
            move_limit: Duration::from_secs(9),
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

/// Plays the match between copies of two scripts; also gives the games, each with its number.
pub fn play(
    contest: &MatchConfig,
    a: &Scripted,
    b: &Scripted,
) -> (MatchSummary, Vec<(usize, PlayedGame)>) {
    play_refereed(contest, a, b, None)
}

pub fn play_refereed(
    contest: &MatchConfig,
    a: &Scripted,
    b: &Scripted,
    referee: Option<&Scripted>,
) -> (MatchSummary, Vec<(usize, PlayedGame)>) {
    let mut games = Vec::new();
    let summon = |seat| {
        let script = match seat {
            Role::Player(Side::A) => a,
            Role::Player(Side::B) => b,
            Role::Referee => referee.expect("a referee was not to be called"),
        };
        Ok(Box::new(script.clone()) as Box<dyn GtpEngine>)
    };
    let summary = contest
        .run(&summon, &mut |finished| {
            games.push((finished.game_index, finished.played_game.clone()));
            Ok(())
        })
        .unwrap();
    (summary, games)
}

/// The outcome of one game, A having Black.
pub fn outcome(a: &Scripted, b: &Scripted) -> GameOutcome {
    let (_, mut games) = play(&contest(1), a, b);
    games.remove(0).1.outcome
}

pub fn passes() -> Scripted {
    Scripted::new(&[])
}

/// The commands about time that programs of three kinds know.
pub const KATA: &str = "time_settings kgs-time_settings kata-time_settings time_left";
pub const KGS: &str = "time_settings kgs-time_settings time_left";
pub const STANDARD: &str = "time_settings time_left";

/// A contest on clocks.
pub fn timed(words: &str, games: usize) -> MatchConfig {
    let words: Vec<_> = words.split(' ').collect();
    let mut contest = contest(games);
    contest.conditions.time = MatchTime::Clock(TimeControl::from_kata(&words).unwrap());
    contest.conditions.move_limit = Duration::from_secs(3600);
    contest
}

/// A player that knows these commands and moves along the top of the board, taking so many seconds for each move, then
/// passes.
pub fn walker(commands: &'static str, seconds: &[f64]) -> Scripted {
    let moves = ["A5", "B5", "C5", "D5", "E5"].into_iter();
    let steps: Vec<_> = moves.zip(seconds).map(|(mv, &s)| Ponder(s, mv)).collect();
    Scripted {
        commands,
        ..Scripted::new(&steps)
    }
}

/// What was heard from the last `clear_board` on of the commands that begin with these letters.
pub fn heard(script: &Scripted, beginnings: &[&str]) -> Vec<String> {
    let heard = script.heard.lock().unwrap();
    let game = heard
        .iter()
        .rposition(|line| line == "clear_board")
        .unwrap();
    let wanted = |line: &&String| beginnings.iter().any(|start| line.starts_with(start));
    heard[game..].iter().filter(wanted).cloned().collect()
}
