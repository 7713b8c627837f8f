//! `honinbo help`: one command explained, or everything that can be told the program on one page; the manual page and
//! the completions of shells come from the same descriptions.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use anyhow::bail;
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use honinbo::engine::level::LEVELS;
use honinbo::game::rules::Rules;
use honinbo::gtp::table::commands;
use honinbo::search::params::SearchParams;

/// What of the environment the program looks at.
const ENVIRONMENT: [(&str, &str); 5] = [
    (
        "HONINBO_CPU",
        "which of the processor's instructions the network may use: scalar, avx2, avx512, amx, neon, … (an unknown name lists those at hand)",
    ),
    (
        "HONINBO_TOKEN",
        "what clients of honinbo serve have to show, where no --token is given",
    ),
    ("NO_COLOR", "when set, honinbo play draws without colours"),
    (
        "LC_ALL, LC_CTYPE, LANG",
        "whether honinbo play draws in Unicode (UTF-8) or in ASCII",
    ),
    ("TERM", "dumb makes honinbo play go line by line"),
];

const CONFIGURATION: &str = "\
Every option of `honinbo gtp` can stand in a TOML file that `--config FILE` names, by the same name
without the dashes in front; the command line takes precedence. Search parameters stand in a
table `param`. Unknown names are errors.

    threads = 4
    visits = 1000
    rules = \"japanese\"

    [param]
    cpuct = 0.9

A file whose name ends in .cfg is one of KataGo's for `honinbo analysis`, with a setting a line as
NAME = VALUE. Of these it goes by maxVisits, maxTime, analysisPVLen, reportAnalysisWinratesAs,
numAnalysisThreads, numSearchThreadsPerAnalysisThread and KataGo's names of the search parameters
below, and says on standard error which it does not go by.
";

#[derive(clap::Args)]
pub struct Args {
    /// The command to explain, such as `net eval`
    command: Vec<String>,
    /// Everything on one page: commands, options, configuration file, environment, search parameters, levels, GTP
    #[arg(long, conflicts_with = "command")]
    all: bool,
    /// The manual page, for `man -l -`
    #[arg(long, conflicts_with_all = ["command", "all"])]
    man: bool,
    /// The completions of a shell
    #[arg(long, value_name = "SHELL", conflicts_with_all = ["command", "all", "man"])]
    completions: Option<Shell>,
}

/// Prints what is asked for.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let mut program = super::Cli::command();
    program.build();
    let mut text = Vec::new();
    if args.all {
        text = render_reference(&mut program).into_bytes();
    } else if args.man {
        render_man_page(&mut program, &mut text)?;
    } else if let Some(shell) = args.completions {
        clap_complete::generate(shell, &mut super::Cli::command(), "honinbo", &mut text);
    } else {
        let mut target = &mut program;
        for name in &args.command {
            let subcommands: Vec<String> = subcommand_names(target);
            let expected = if subcommands.is_empty() {
                format!("nothing after {}", target.get_name())
            } else {
                format!("one of {}", subcommands.join(", "))
            };
            let Some(next) = target.find_subcommand_mut(name) else {
                bail!("help: expected {expected}, found {name:?}");
            };
            target = next;
        }
        text = target.render_long_help().to_string().into_bytes();
    }
    super::print(&text)
}

fn subcommand_names(command: &Command) -> Vec<String> {
    let commands = command.get_subcommands();
    commands
        .map(|command| command.get_name().to_owned())
        .collect()
}

/// The whole page as a manual page.
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
            // No line is a request of its own.
            None => writeln!(text, "\\&{}", line.replace('\\', "\\e"))?,
        }
    }
    writeln!(text, ".fi")
}

/// The whole page.
fn render_reference(program: &mut Command) -> String {
    let mut page = format!("# honinbo {}\n\n", env!("CARGO_PKG_VERSION"));
    page += &program.render_long_help().to_string();
    page + &render_chapters(program)
}

/// What there is beside the program's own options.
fn render_chapters(program: &mut Command) -> String {
    let mut page = String::new();
    write_subcommands(&mut page, program, "honinbo");
    let _ = write!(page, "\n\n# The configuration file\n\n{CONFIGURATION}");
    let environment = ENVIRONMENT.map(|(name, text)| (name.to_owned(), text.to_owned()));
    write_list(&mut page, "The environment", environment);
    write_list(
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
    write_list(
        &mut page,
        "Levels (--level N)",
        LEVELS.iter().map(|level| {
            let visits = level
                .visits
                .map_or("all its visits".into(), |visits| match visits {
                    1 => "1 visit".into(),
                    _ => format!("{visits} visits"),
                });
            (
                level.number.to_string(),
                format!("{}: {visits}", level.name),
            )
        }),
    );
    let rules: Vec<&str> = Rules::names().collect();
    let _ = write!(
        page,
        "\n\n# Rules (--rules NAME)\n\n    {}\n",
        rules.join("\n    ")
    );
    write_list(
        &mut page,
        "GTP commands",
        commands().filter(|command| command.listed).map(|command| {
            let usage = format!("{} {}", command.name, command.usage);
            (usage.trim_end().to_owned(), command.summary.to_owned())
        }),
    );
    page
}

/// The commands below `command`, which is called `name`, each with its help.
fn write_subcommands(page: &mut String, command: &mut Command, name: &str) {
    for subcommand in command.get_subcommands_mut() {
        let name = format!("{name} {}", subcommand.get_name());
        let _ = write!(page, "\n\n# {name}\n\n{}", subcommand.render_long_help());
        write_subcommands(page, subcommand, &name);
    }
}

fn write_list(page: &mut String, title: &str, entries: impl IntoIterator<Item = (String, String)>) {
    let _ = write!(page, "\n\n# {title}\n");
    for (name, text) in entries {
        let _ = write!(page, "\n    {name}\n        {text}");
    }
    page.push('\n');
}
