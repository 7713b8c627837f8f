//! `honinbo help`: help for a command, a complete reference, the man page, and shell completions. All are generated
//! from the same descriptions.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use anyhow::bail;
use clap::Command;
use clap_complete::Shell;
use honinbo::engine::level::LEVELS;
use honinbo::game::rules::{Rules, Scoring, Tax};
use honinbo::gtp::command_table::commands;
use honinbo::io::plural::counted;
use honinbo::search::params::SearchParams;

use super::process::print;
use super::search_help::{self, METHODS};

/// Names and meanings of the environment variables.
const ENVIRONMENT_VARIABLES: [(&str, &str); 6] = [
    (
        "HONINBO_CPU",
        "instruction set for the network: scalar, avx2, avx512, amx, neon, … (any other value lists the available sets)",
    ),
    (
        "HONINBO_CALIBRATION",
        "if `wait`, a new network is calibrated before the response to the first command instead of in the background",
    ),
    (
        "HONINBO_TOKEN",
        "access token for clients of honinbo serve, unless --token is given",
    ),
    ("NO_COLOR", "disables colours in honinbo play if set"),
    (
        "LC_ALL, LC_CTYPE, LANG",
        "locale; honinbo play draws the board in ASCII unless the locale uses UTF-8",
    ),
    (
        "TERM",
        "if `dumb`, honinbo play prints lines of text instead of a full-screen board",
    ),
];

const CONFIG_FILE_HELP: &str = "\
A TOML file named by `--config FILE` can set every option of `honinbo gtp`, under its long name
without the dashes. The command line takes precedence. Search parameters go into a table
`param`. Unknown names are errors.

    threads = 4
    visits = 1000
    rules = \"japanese\"

    [param]
    cpuct = 0.9

`honinbo analysis` also reads KataGo's configuration files (*.cfg), with one NAME = VALUE per line.
It uses maxVisits, maxTime, analysisPVLen, reportAnalysisWinratesAs, numAnalysisThreads,
numSearchThreadsPerAnalysisThread, and the search parameters below under their KataGo names. It
lists all other settings on standard error and ignores them.
";

#[derive(clap::Args)]
pub struct Args {
    /// Command, such as `net eval`, or `search` for the five ways to play
    command: Vec<String>,
    /// Show everything: commands, options, configuration, environment, search parameters, levels, GTP commands
    #[arg(long, conflicts_with = "command")]
    all: bool,
    /// Print the man page; pipe it to `man -l -` to view it
    #[arg(long, conflicts_with_all = ["command", "all"])]
    man: bool,
    /// Print a completion script for this shell
    #[arg(long, value_name = "SHELL", conflicts_with_all = ["command", "all", "man"])]
    completions: Option<Shell>,
}

/// Prints the requested help. `command` is the definition of the program's command line.
pub fn run(args: &Args, mut command: Command) -> anyhow::Result<()> {
    let mut program = command.clone();
    program.build();
    let mut text = Vec::new();
    if args.all {
        text = render_reference(&mut program).into_bytes();
    } else if args.man {
        render_man_page(&mut program, &mut text)?;
    } else if let Some(shell) = args.completions {
        clap_complete::generate(shell, &mut command, "honinbo", &mut text);
    } else if args.command == [search_help::TOPIC] {
        text = render_search_methods().into_bytes();
    } else {
        let mut target = &mut program;
        for name in &args.command {
            let parent = target.get_name().to_owned();
            let subcommands = subcommand_names(target);
            let Some(next) = target.find_subcommand_mut(name) else {
                if subcommands.is_empty() {
                    bail!("unknown command {name:?}: {parent} has no subcommands");
                }
                let list = subcommands.join(", ");
                bail!("unknown command {name:?}; the commands of {parent} are {list}");
            };
            target = next;
        }
        text = target.render_long_help().to_string().into_bytes();
    }
    print(&text)
}

fn subcommand_names(command: &Command) -> Vec<String> {
    let commands = command.get_subcommands();
    commands
        .map(|command| command.get_name().to_owned())
        .collect()
}

/// Renders the full reference as a man page.
fn render_man_page(program: &mut Command, text: &mut Vec<u8>) -> io::Result<()> {
    let man = clap_mangen::Man::new(program.clone());
    man.render_title(text)?;
    man.render_name_section(text)?;
    man.render_synopsis_section(text)?;
    man.render_description_section(text)?;
    man.render_options_section(text)?;
    for line in render_chapters(program).lines() {
        match line.strip_prefix("# ") {
            Some(title) => writeln!(text, ".fi\n.SH \"{}\"\n.nf", title.to_uppercase())?,
            // The prefix prevents roff from interpreting lines that start with a dot or quote as requests.
            None => writeln!(text, "\\&{}", line.replace('\\', "\\e"))?,
        }
    }
    writeln!(text, ".fi")
}

/// Renders the full reference as text.
fn render_reference(program: &mut Command) -> String {
    let mut page = format!("# honinbo {}\n\n", env!("CARGO_PKG_VERSION"));
    page += &program.render_long_help().to_string();
    page + &render_chapters(program)
}

/// Renders the chapters of the reference that follow the program's options.
fn render_chapters(program: &mut Command) -> String {
    let mut page = String::new();
    write_help_of_subcommands(&mut page, program, "honinbo");
    let _ = write!(page, "\n\n# Ways to play\n\n{}", render_search_methods());
    let _ = write!(page, "\n\n# Configuration file\n\n{CONFIG_FILE_HELP}");
    let environment = ENVIRONMENT_VARIABLES.map(|(name, text)| (name.to_owned(), text.to_owned()));
    write_list_chapter(&mut page, "Environment", environment);
    write_list_chapter(
        &mut page,
        "Search parameters (--param NAME=VALUE)",
        SearchParams::TABLE.iter().map(|param| {
            let range = format!("{} to {}, default {}", param.min, param.max, param.default);
            (
                param.name.to_owned(),
                format!("{} ({range})", param.summary),
            )
        }),
    );
    write_list_chapter(
        &mut page,
        "Levels (--level N)",
        LEVELS.iter().map(|level| {
            let visits = level.visits.map_or("visits not limited".into(), |visits| {
                counted(visits, "visit")
            });
            (
                level.number.to_string(),
                format!("{}: {visits}", level.name),
            )
        }),
    );
    write_list_chapter(
        &mut page,
        "Rules (--rules NAME)",
        Rules::names().map(|name| (name.to_owned(), describe_rule_set(name))),
    );
    write_list_chapter(
        &mut page,
        "GTP commands",
        commands().filter(|command| command.listed).map(|command| {
            let usage = format!("{} {}", command.name, command.usage);
            (usage.trim_end().to_owned(), command.summary.to_owned())
        }),
    );
    page
}

/// Renders the topic [`search_help`].
fn render_search_methods() -> String {
    let mut page = search_help::INTRODUCTION.to_owned();
    for method in METHODS {
        let command = format!("honinbo gtp {}", method.options);
        let _ = write!(page, "\n{}: {}\n", method.name, command.trim_end());
        for line in method.description.lines() {
            let _ = writeln!(page, "    {line}");
        }
    }
    page + "\n" + search_help::STRENGTH
}

/// Returns the description of the named rule set: scoring, suicide, default komi, and ko rule.
fn describe_rule_set(name: &str) -> String {
    let Some(rules) = Rules::parse(name) else {
        return String::new();
    };
    let default = if Rules::default().name() == Some(name) {
        "default; "
    } else {
        ""
    };
    let scoring = match rules.scoring {
        Scoring::Area => "area scoring",
        Scoring::Territory => "territory scoring",
    };
    let tax = match rules.tax {
        Tax::None => "",
        Tax::Seki => ", no points in seki",
        Tax::All => ", no points in seki and two points of tax per group",
    };
    let button = if rules.button { ", button" } else { "" };
    let suicide = if rules.suicide {
        ", suicide of several stones allowed"
    } else {
        ""
    };
    let (komi, ko) = (rules.komi, rules.ko.summary());
    format!("{default}{scoring}{tax}{button}{suicide}, komi {komi}; {ko}")
}

/// Writes the help of all subcommands of `command`, recursively. `name` is the full name of `command`.
fn write_help_of_subcommands(page: &mut String, command: &mut Command, name: &str) {
    for subcommand in command.get_subcommands_mut() {
        let name = format!("{name} {}", subcommand.get_name());
        let _ = write!(page, "\n\n# {name}\n\n{}", subcommand.render_long_help());
        write_help_of_subcommands(page, subcommand, &name);
    }
}

fn write_list_chapter(
    page: &mut String,
    title: &str,
    entries: impl IntoIterator<Item = (String, String)>,
) {
    let _ = write!(page, "\n\n# {title}\n");
    for (name, text) in entries {
        let _ = write!(page, "\n    {name}\n        {text}");
    }
    page.push('\n');
}
