//! `honinbo match`: two programs against each other.

mod progress;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use honinbo::clock::settings::TimeSettings;
use honinbo::clock::state::Clock;
use honinbo::contest::opening;
use honinbo::contest::opponent::Opponent;
use honinbo::contest::player::Terms;
use honinbo::contest::program::Program;
use honinbo::contest::record;
use honinbo::contest::report::Report;
use honinbo::contest::run::{Contest, Finished, Seat};
use honinbo::contest::sprt::Sprt;
use honinbo::contest::tally::Side;
use honinbo::contest::time::{GRACE_SECONDS, TimeControl};
use honinbo::game::color::Color;
use honinbo::game::point::BoardSize;
use honinbo::game::rules::{Komi, Rules};
use honinbo::rng::Rng;
use progress::Progress;

/// Seconds after which a program without a limit of time counts as hung.
const HUNG_SECONDS: f64 = 600.0;
/// More seconds than any move takes.
const MAX_SECONDS: f64 = 86_400.0;

#[derive(clap::Args)]
pub struct Args {
    /// One side: a GTP program with its arguments as one quoted string; `self`, `honinbo OPTIONS` and `OPTIONS` alone are
    /// this program
    #[arg(allow_hyphen_values = true)]
    a: String,
    /// The other side
    #[arg(allow_hyphen_values = true)]
    b: String,
    /// Games at most
    #[arg(long, default_value_t = 20)]
    games: usize,
    /// Games at once
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,
    /// Board: a side from 2 to 19, or WIDTHxHEIGHT
    #[arg(long, default_value = "19")]
    size: BoardSize,
    /// Komi [default: the one of the rules]
    #[arg(long, allow_negative_numbers = true)]
    komi: Option<f64>,
    /// Rules by name
    #[arg(long, default_value = "chinese")]
    rules: String,
    /// Seconds a move, told to both programs; without it they go by their own settings
    #[arg(long, value_name = "SECONDS", conflicts_with = "no_time")]
    time: Option<f64>,
    /// Tell both programs that there is no limit of time
    #[arg(long)]
    no_time: bool,
    /// Clocks that the match keeps, restarted every game, told to both programs; a player that oversteps its time loses.
    /// In seconds: 'absolute MAIN', 'byoyomi MAIN PERIOD PERIODS', 'canadian MAIN PERIOD STONES', 'fischer MAIN
    /// INCREMENT', 'fischer-capped MAIN INCREMENT CEILING LONGEST_MOVE' (-1: none), or 'none'
    #[arg(long, value_name = "SETTINGS", value_parser = parse_clock, conflicts_with_all = ["time", "no_time"])]
    clock: Option<TimeSettings>,
    /// Seconds after which a program counts as hung [default: the time that the move may take and 10, or 600]
    #[arg(long, value_name = "SECONDS")]
    move_limit: Option<f64>,
    /// Openings, each played twice with colours changed: an SGF file, a text file with a list of moves a line, or a folder
    #[arg(long, value_name = "FILE|DIR")]
    openings: Option<PathBuf>,
    /// Program that counts finished games instead of the players
    #[arg(long, value_name = "PROGRAM", allow_hyphen_values = true)]
    referee: Option<String>,
    /// Folder for the games as SGF files
    #[arg(long, value_name = "DIR")]
    sgf: Option<PathBuf>,
    /// Moves after which a game ends without a result [default: three times the points of the board]
    #[arg(long)]
    max_moves: Option<usize>,
    /// Sequential test: stop as soon as A is known to be stronger by ELO0 or by ELO1, with these error rates
    #[arg(long, num_args = 4, value_names = ["ELO0", "ELO1", "ALPHA", "BETA"], allow_negative_numbers = true)]
    sprt: Option<Vec<f64>>,
    /// Play the openings in an order drawn with this seed instead of that of the files
    #[arg(long)]
    seed: Option<u64>,
    /// No progress on standard error
    #[arg(long)]
    quiet: bool,
}

/// Plays the match and prints the table.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let sides = [command_line(&args.a)?, command_line(&args.b)?];
    let referee = args.referee.as_deref().map(command_line).transpose()?;
    let contest = contest(args, [sides[0].own, sides[1].own])?;
    if let Some(folder) = &args.sgf {
        fs::create_dir_all(folder).with_context(|| format!("--sgf {}", folder.display()))?;
    }
    let summon = |seat| {
        let line = match (seat, &referee) {
            (Seat::Player(side), _) => &sides[side as usize],
            (Seat::Referee, Some(referee)) => referee,
            (Seat::Referee, None) => unreachable!("a referee is called for only when named"),
        };
        Program::start(&line.words).map(|program| Box::new(program) as Box<dyn Opponent>)
    };
    let progress = if args.quiet {
        Progress::Quiet
    } else {
        Progress::new(args.games)
    };
    let summary = contest.run(&summon, &mut |finished| {
        progress.show(finished);
        match &args.sgf {
            Some(folder) => save(folder, finished, &contest.terms),
            None => Ok(()),
        }
    })?;
    progress.finish();
    let report = Report {
        contest: &contest,
        summary: &summary,
    };
    super::print(report.to_string())
}

/// A program and its arguments.
struct CommandLine {
    words: Vec<String>,
    /// Whether it is this program: this very file, or one whose name begins so.
    own: bool,
}

fn command_line(text: &str) -> anyhow::Result<CommandLine> {
    let mut words = shlex::split(text)
        .with_context(|| format!("expected a command line with closed quotes, found {text:?}"))?;
    let first = words
        .first()
        .with_context(|| format!("expected a command line, found {text:?}"))?;
    let named = ["honinbo", "self"].contains(&first.as_str());
    if !named && !first.starts_with('-') {
        let own = Path::new(first)
            .file_stem()
            .is_some_and(|stem| stem.to_string_lossy().starts_with("honinbo"));
        return Ok(CommandLine { words, own });
    }
    if named {
        words.remove(0);
    }
    if words.first().is_some_and(|word| word == "gtp") {
        words.remove(0);
    }
    let this = std::env::current_exe().context("the path of this program")?;
    let mut full = vec![this.to_string_lossy().into_owned(), "gtp".to_owned()];
    full.append(&mut words);
    Ok(CommandLine {
        words: full,
        own: true,
    })
}

fn contest(args: &Args, own: [bool; 2]) -> anyhow::Result<Contest> {
    let terms = terms(args)?;
    let mut openings = match &args.openings {
        Some(path) => opening::load(path, terms.size, terms.rules).context("--openings")?,
        None => Vec::new(),
    };
    if let Some(seed) = args.seed {
        Rng::new(seed).shuffle(&mut openings);
    }
    let sprt = match args.sprt.as_deref() {
        Some(&[elo0, elo1, alpha, beta]) => {
            Some(Sprt::new(elo0, elo1, alpha, beta).context("--sprt")?)
        }
        Some(other) => bail!("--sprt: expected four numbers, found {}", other.len()),
        None => None,
    };
    Ok(Contest {
        terms,
        openings,
        games: args.games,
        concurrency: usize::from(args.concurrency),
        referee: args.referee.is_some(),
        trusted: Side::BOTH.into_iter().find(|&side| own[side as usize]),
        sprt,
        labels: [args.a.clone(), args.b.clone()],
    })
}

fn terms(args: &Args) -> anyhow::Result<Terms> {
    let rules = Rules::named(&args.rules).with_context(|| {
        let known: Vec<_> = Rules::names().collect();
        format!(
            "--rules: expected one of {}, found {}",
            known.join(", "),
            args.rules
        )
    })?;
    let komi = match args.komi {
        None => rules.komi,
        Some(points) => Komi::from_points(points)
            .with_context(|| format!("--komi: expected a multiple of 0.5, found {points}"))?,
    };
    let time = match (args.time, args.clock) {
        (Some(seconds), _) => TimeControl::PerMove(seconds),
        (None, Some(settings)) => TimeControl::Clock(settings),
        (None, None) if args.no_time => TimeControl::Unlimited,
        (None, None) => TimeControl::Unsaid,
    };
    let usual_limit = match time {
        TimeControl::PerMove(seconds) => seconds + GRACE_SECONDS,
        // The clock says how long.
        TimeControl::Clock(settings) if settings != TimeSettings::Unlimited => MAX_SECONDS,
        TimeControl::Clock(_) | TimeControl::Unlimited | TimeControl::Unsaid => HUNG_SECONDS,
    };
    let move_limit = args.move_limit.unwrap_or(usual_limit);
    for (option, seconds) in [("--time", args.time), ("--move-limit", Some(move_limit))] {
        let fits = seconds.is_none_or(|seconds| seconds > 0.0 && seconds <= MAX_SECONDS);
        ensure!(
            fits,
            "{option}: expected more than 0 and at most {MAX_SECONDS} seconds"
        );
    }
    Ok(Terms {
        size: args.size,
        rules: rules.with_komi(komi),
        rules_name: args.rules.clone(),
        time,
        move_limit: Duration::from_secs_f64(move_limit),
        max_moves: args.max_moves.unwrap_or(3 * args.size.area()),
    })
}

fn parse_clock(text: &str) -> Result<TimeSettings, String> {
    let words: Vec<_> = text.split_whitespace().collect();
    let settings = TimeSettings::from_kata(&words).map_err(|error| error.to_string())?;
    match Clock::new(settings, 0.0).until_flag(Color::Black) {
        Some(0.0) => Err(format!(
            "expected time for the first move, found {settings}"
        )),
        _ => Ok(settings),
    }
}

fn save(folder: &Path, finished: &Finished<'_>, terms: &Terms) -> io::Result<()> {
    let file = folder.join(format!("game-{:04}.sgf", finished.game + 1));
    fs::write(file, record::sgf(finished, terms))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_programs_or_this_one() {
        let words = |text| {
            command_line(text)
                .map(|line| (line.words, line.own))
                .unwrap()
        };
        let this = std::env::current_exe().unwrap();
        let this = this.to_str().unwrap();
        for text in [
            "--visits 9",
            "honinbo --visits 9",
            "honinbo gtp --visits 9",
            "self --visits 9",
        ] {
            let expected = [this, "gtp", "--visits", "9"].map(str::to_owned);
            assert_eq!(words(text), (expected.to_vec(), true), "{text}");
        }
        let (found, own) = words("gnugo --mode gtp -o 'a file'");
        assert_eq!((found.len(), found[4].as_str(), own), (5, "a file", false));
        assert!(words("/elsewhere/honinbo-old gtp").1);
        for bad in ["", "gnugo 'open"] {
            assert!(command_line(bad).is_err(), "{bad:?}");
        }
    }

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn line(options: &[&str]) -> Result<Args, clap::Error> {
        let words = ["match", "self", "self"].iter().chain(options);
        <Line as clap::Parser>::try_parse_from(words).map(|line| line.args)
    }

    #[test]
    fn clocks_are_one_quoted_string() {
        let terms_of = |options: &[&str]| terms(&line(options).unwrap()).unwrap();
        let capped = terms_of(&["--clock", "fischer-capped 10 1 -1 5"]);
        let settings = TimeSettings::FischerCapped {
            main: 10.0,
            increment: 1.0,
            limit: None,
            longest_move: Some(5.0),
        };
        assert_eq!(capped.time, TimeControl::Clock(settings));
        let patience = |terms: &Terms| terms.patience(&terms.time.clock(), Color::Black).as_secs();
        assert_eq!(patience(&capped), 15);
        for (options, limit) in [
            (&["--clock", "absolute 3600"][..], 3610),
            (&["--clock", "absolute 3600", "--move-limit", "60"], 60),
            (&["--clock", "none"], 600),
            (&["--time", "2"], 12),
        ] {
            assert_eq!(patience(&terms_of(options)), limit, "{options:?}");
        }
        for bad in [
            &["--clock", "absolute 60", "--time", "1"][..],
            &["--clock", "absolute 60", "--no-time"],
            &["--clock", "absolute", "60"],
            &["--clock", "hourglass 60"],
            &["--clock", "absolute 0"],
            &["--clock", "fischer 0 5"],
        ] {
            assert!(line(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn options_as_sides_are_not_taken_for_options_of_the_match() {
        let words = [
            "match",
            "--games",
            "4",
            "--visits 9",
            "self",
            "--sprt",
            "-5",
            "5",
            "0.05",
            "0.1",
            "--size",
            "9x7",
        ];
        let args = <Line as clap::Parser>::try_parse_from(words)
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
