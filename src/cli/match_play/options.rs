//! Options of `honinbo match`.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::builder::ArgPredicate;
use honinbo::clock::game_clock::GameClock;
use honinbo::clock::time_control::TimeControl;
use honinbo::game::color::Color;
use honinbo::game::point::BoardSize;
use honinbo::game::rules::Rules;
use honinbo::match_play::conditions::Conditions;
use honinbo::match_play::match_config::MatchConfig;
use honinbo::match_play::opening;
use honinbo::match_play::sprt::Sprt;
use honinbo::match_play::time_settings::{GRACE_SECONDS, MatchTime};
use honinbo::random::Rng;

use crate::cli::values::komi_from_points;

/// Default time limit per move if there is no time control, in seconds. A program that exceeds it is considered hung.
const DEFAULT_HANG_TIMEOUT_SECONDS: f64 = 600.0;
/// Maximum of `--time` and `--move-limit`, in seconds.
const MAX_MOVE_SECONDS: f64 = 86_400.0;

#[derive(clap::Args)]
pub struct Args {
    /// First engine: a GTP command line as one quoted argument
    ///
    /// `self`, `self OPTIONS` and `OPTIONS` run this program.
    #[arg(allow_hyphen_values = true)]
    pub a: String,
    /// Second engine
    #[arg(allow_hyphen_values = true)]
    pub b: String,
    /// More engines, for a round-robin tournament (write `self OPTIONS` for this program)
    #[arg(value_name = "PROGRAM")]
    pub others: Vec<String>,
    /// Maximum number of games per pairing; with --sprt the default is 1000
    #[arg(
        long,
        default_value_t = 20,
        default_value_if("sprt", ArgPredicate::IsPresent, "1000")
    )]
    pub games: usize,
    /// Games played concurrently
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub concurrency: u16,
    /// Board size, N or WxH
    #[arg(long, default_value = "19")]
    pub size: BoardSize,
    /// Komi [default: the komi of the rules]
    #[arg(long, allow_negative_numbers = true)]
    pub komi: Option<f64>,
    /// Name of the rule set, such as japanese
    ///
    /// The default has positional superko. Use `chinese` (simple ko) for engines that do not know superko; a position
    /// that occurs three times then ends the game without a result.
    #[arg(long, default_value = "chinese-ogs")]
    pub rules: String,
    /// Seconds per move, for both engines [default: the settings of the engines]
    #[arg(long, value_name = "SECONDS", conflicts_with = "no_time")]
    pub time: Option<f64>,
    /// Tell both engines that their time is unlimited
    #[arg(long)]
    pub no_time: bool,
    /// Time control of both engines, such as 'byoyomi 600 30 5'
    ///
    /// Times are in seconds. Formats: 'absolute MAIN', 'byoyomi MAIN PERIOD PERIODS', 'canadian MAIN PERIOD STONES',
    /// 'fischer MAIN INCREMENT', 'fischer-capped MAIN INCREMENT MAX_CLOCK MAX_MOVE' (-1 = no maximum) or 'none'. An
    /// engine that runs out of time loses.
    #[arg(long, value_name = "SETTINGS", value_parser = parse_clock, conflicts_with_all = ["time", "no_time"])]
    pub clock: Option<TimeControl>,
    /// Seconds per move after which an engine is considered hung [default: its time limit plus 10, or 600 if there is
    /// none]
    #[arg(long, value_name = "SECONDS")]
    pub move_limit: Option<f64>,
    /// Openings, each played with both colours: SGF file, text file, or folder
    ///
    /// A text file has one opening per line, such as `C3 G7 E5` (Black first); `#` starts a comment.
    #[arg(long, value_name = "FILE|DIR")]
    pub openings: Option<PathBuf>,
    /// Engine that scores finished games [default: both players score the game]
    #[arg(long, value_name = "PROGRAM", allow_hyphen_values = true)]
    pub referee: Option<String>,
    /// Folder for SGF files of the games; must not contain games of another match
    #[arg(long, value_name = "DIR")]
    pub sgf: Option<PathBuf>,
    /// Save results in PREFIX.dat and PREFIX-N.sgf (format of gogui-twogtp), or continue the match saved there
    ///
    /// In a tournament, the letters of each pairing are appended to the prefix (PREFIX-AB.dat). If PREFIX ends in a
    /// slash (DIR/), it is a folder, and the file names in it start with `match`.
    #[arg(long, value_name = "PREFIX")]
    pub results: Option<PathBuf>,
    /// Maximum number of moves in a game; longer games have no result [default: 3 × board points]
    #[arg(long)]
    pub max_moves: Option<usize>,
    /// Stop once a sequential test (SPRT) decides whether the first engine is stronger by ELO0 or by ELO1
    ///
    /// ALPHA is the probability of accepting ELO1 if ELO0 is true. BETA is the probability of accepting ELO0 if ELO1 is
    /// true. Needs --openings, because many programs repeat their games without them, and a repeated game is not counted.
    #[arg(long, num_args = 4, value_names = ["ELO0", "ELO1", "ALPHA", "BETA"], allow_negative_numbers = true, conflicts_with = "others", requires = "openings")]
    pub sprt: Option<Vec<f64>>,
    /// Shuffle the openings, using this random seed
    #[arg(long, requires = "openings")]
    pub seed: Option<u64>,
    /// Do not show progress
    #[arg(long)]
    pub quiet: bool,
}

/// Builds the configuration shared by all pairings. Its letters, labels and trusted side are placeholders.
pub fn build_config_template(args: &Args) -> anyhow::Result<MatchConfig> {
    let conditions = build_conditions(args)?;
    let mut openings = match &args.openings {
        Some(path) => {
            opening::load(path, conditions.size, conditions.rules).context("--openings")?
        }
        None => Vec::new(),
    };
    if let Some(seed) = args.seed {
        Rng::new(seed).shuffle(&mut openings);
    }
    let sprt = match args.sprt.as_deref() {
        Some(&[elo0, elo1, alpha, beta]) => {
            Some(Sprt::new(elo0, elo1, alpha, beta).context("--sprt")?)
        }
        Some(other) => bail!("--sprt needs four numbers, not {}", other.len()),
        None => None,
    };
    Ok(MatchConfig {
        conditions,
        openings,
        max_games: args.games,
        concurrency: usize::from(args.concurrency),
        has_referee: args.referee.is_some(),
        trusted_side: None,
        sprt,
        letters: ['A', 'B'],
        labels: [args.a.clone(), args.b.clone()],
    })
}

fn build_conditions(args: &Args) -> anyhow::Result<Conditions> {
    let rules: Rules = args.rules.parse().context("--rules")?;
    let komi = match args.komi {
        None => rules.komi,
        Some(points) => komi_from_points(points)?,
    };
    let time = match (args.time, args.clock) {
        (Some(seconds), _) => MatchTime::PerMove(seconds),
        (None, Some(settings)) => MatchTime::Clock(settings),
        (None, None) if args.no_time => MatchTime::Unlimited,
        (None, None) => MatchTime::Unspecified,
    };
    let default_move_limit = match time {
        MatchTime::PerMove(seconds) => (seconds + GRACE_SECONDS).min(MAX_MOVE_SECONDS),
        // The clock limits the time per move.
        MatchTime::Clock(settings) if settings.main.is_some() => MAX_MOVE_SECONDS,
        MatchTime::Clock(_) | MatchTime::Unlimited | MatchTime::Unspecified => {
            DEFAULT_HANG_TIMEOUT_SECONDS
        }
    };
    let move_limit = args.move_limit.unwrap_or(default_move_limit);
    for (option, seconds) in [("--time", args.time), ("--move-limit", Some(move_limit))] {
        let out_of_range =
            seconds.filter(|&seconds| !(seconds > 0.0 && seconds <= MAX_MOVE_SECONDS));
        if let Some(value) = out_of_range {
            bail!(
                "{option} must be more than 0 and at most {MAX_MOVE_SECONDS} seconds, not {value}"
            );
        }
    }
    Ok(Conditions {
        size: args.size,
        rules: rules.with_komi(komi),
        rules_name: args.rules.clone(),
        time,
        hang_timeout: Duration::from_secs_f64(move_limit),
        max_moves: args.max_moves.unwrap_or(3 * args.size.area()),
    })
}

fn parse_clock(text: &str) -> Result<TimeControl, String> {
    let tokens: Vec<_> = text.split_whitespace().collect();
    let settings = TimeControl::from_kata(&tokens).map_err(|error| error.to_string())?;
    match GameClock::new(settings, 0.0).seconds_until_flag(Color::Black) {
        Some(0.0) => Err("the time control leaves no time for the first move".to_owned()),
        _ => Ok(settings),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use honinbo::clock::time_control::Overtime;

    #[derive(clap::Parser)]
    struct TestCli {
        #[command(flatten)]
        args: Args,
    }

    fn parse(options: &[&str]) -> Result<Args, clap::Error> {
        let args = ["match", "self", "self"].iter().chain(options);
        <TestCli as clap::Parser>::try_parse_from(args).map(|cli| cli.args)
    }

    #[test]
    fn clock_is_one_argument() {
        let conditions_of = |options: &[&str]| build_conditions(&parse(options).unwrap()).unwrap();
        let capped = conditions_of(&["--clock", "fischer-capped 10 1 -1 5"]);
        let overtime = Overtime::Fischer {
            increment: 1.0,
            clock_limit: None,
            move_limit: Some(5.0),
        };
        let settings = TimeControl::with_overtime(10.0, overtime);
        assert_eq!(capped.time, MatchTime::Clock(settings));
        let move_timeout_seconds = |conditions: &Conditions| {
            conditions
                .genmove_timeout(&conditions.time.clock(), Color::Black)
                .as_secs()
        };
        assert_eq!(move_timeout_seconds(&capped), 15);
        for (options, limit) in [
            (&["--clock", "absolute 3600"][..], 3610),
            (&["--clock", "absolute 3600", "--move-limit", "60"], 60),
            (&["--clock", "byoyomi 0 1e10 4294967295"], 86_400),
            (&["--clock", "none"], 600),
            (&["--time", "2"], 12),
        ] {
            assert_eq!(
                move_timeout_seconds(&conditions_of(options)),
                limit,
                "{options:?}"
            );
        }
        for options in [
            &["--clock", "absolute 60", "--time", "1"][..],
            &["--clock", "absolute 60", "--no-time"],
            &["--clock", "absolute", "60"],
            &["--clock", "hourglass 60"],
            &["--clock", "absolute 0"],
            &["--clock", "fischer 0 5"],
        ] {
            assert!(parse(options).is_err(), "{options:?}");
        }
    }

    #[test]
    fn sprt_raises_default_games() {
        let games = |options: &[&str]| parse(options).unwrap().games;
        let sprt = ["--openings", "o.txt", "--sprt", "0", "20", "0.05", "0.05"];
        assert!(parse(&sprt[2..]).is_err(), "without openings");
        assert_eq!(games(&[]), 20);
        assert_eq!(games(&sprt), 1000);
        assert_eq!(games(&[&sprt[..], &["--games", "40"]].concat()), 40);
    }

    #[test]
    fn side_options_are_not_match_options() {
        let args = [
            "match",
            "--games",
            "4",
            "--visits 9",
            "self",
            "--openings",
            "o.txt",
            "--sprt",
            "-5",
            "5",
            "0.05",
            "0.1",
            "--size",
            "9x7",
        ];
        let args = <TestCli as clap::Parser>::try_parse_from(args)
            .map(|line| line.args)
            .unwrap();
        assert_eq!(
            (args.a.as_str(), args.b.as_str(), args.games),
            ("--visits 9", "self", 4)
        );
        assert_eq!(args.sprt.as_deref(), Some(&[-5.0, 5.0, 0.05, 0.1][..]));
        assert_eq!((args.size.width(), args.size.height()), (9, 7));
    }
}
