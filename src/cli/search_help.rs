//! `honinbo help search`: the five ways to play.

/// Name of the help topic. No command has this name.
pub const TOPIC: &str = "search";

/// Introduction of the topic.
pub const INTRODUCTION: &str = "\
The engine can choose its moves in five ways. All of them follow the same rules and use the reading of
captures, life and death for the end of the game. The options below work in every command that plays or
analyses. With `--threads 1`, a `--seed` and a limit other than time, each of them always plays the same
moves.
";

/// Results of matches among the five ways to play.
pub const STRENGTH: &str = "\
Strength on 9x9. Each row shows the games that its program won, lost and drew against the program of the
column. GNU Go 3.8 played at level 0. Chinese rules, komi 7, one thread, and openings of four moves, each
played with both colours; GNU Go scored the games.

                            PUCT      GNU Go    Classic   UCT       Alpha-beta
GNU Go, level 0             0-100
Classic, 400 visits         0-100     43-55-2
UCT, 400 visits             0-100     1-99      0-99-1
Alpha-beta, depth 3         0-100     2-98      0-100     30-68-2
Minimax, depth 2            0-100     0-100     0-100     17-83     23-71-6

PUCT had 50 visits per move.
The model card (weights/README.md in the source folder) lists results of the built-in networks against other
programs.
";

/// A way to choose moves.
pub struct Method {
    pub name: &'static str,
    /// Options that select the method. The default needs none.
    pub options: &'static str,
    pub description: &'static str,
}

/// The five ways to play.
pub const METHODS: [Method; 5] = [
    Method {
        name: "PUCT",
        options: "",
        description: "\
Default: tree search guided by the move probabilities and win rates of the built-in network, which also
predicts score and ownership. Use it for play, analysis and reviews. Limits: --time, --visits or --level.",
    },
    Method {
        name: "PUCT with the classic network",
        options: "--weights classic",
        description: "\
The same search with a network of 7,465 parameters, which predicts only moves and the winner. Use it on
slow computers, as another opponent, or as an example of a network that trains within an hour. It does not
know komi and rules, and it estimates neither score nor ownership.",
    },
    Method {
        name: "UCT with random playouts",
        options: "--evaluator rollout",
        description: "\
Tree search without a network: random games to the end evaluate a position, and upper confidence bounds
select the moves. Use it as an opponent from the time before networks, or for comparison. Limits: --time,
--visits or --level.",
    },
    Method {
        name: "Alpha-beta",
        options: "--search alphabeta",
        description: "\
Iterative deepening with pruning, a transposition table and a quiescence search over captures. A static
evaluation counts stones, liberties and influence. Use it as a tactical opponent, or to study the classic
method of chess programs. Limits: --time, --depth, or --visits, which counts nodes.",
    },
    Method {
        name: "Minimax",
        options: "--search minimax --depth 2",
        description: "\
All legal moves to the given depth, with the evaluation and quiescence search of alpha-beta, but without
pruning. Use it as a simple opponent, or as a reference for alpha-beta. Every move of depth multiplies the
time by the number of legal moves.",
    },
];

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn options_select_five_valid_configurations() {
        for method in METHODS {
            let arguments = method.options.split_whitespace();
            let cli = Cli::try_parse_from(["honinbo"].into_iter().chain(arguments));
            let settings = cli
                .unwrap_or_else(|error| panic!("{error}"))
                .options
                .settings();
            assert!(settings.is_ok(), "{}: {settings:?}", method.options);
        }
    }

    #[test]
    fn text_names_only_existing_options() {
        let command = Cli::command();
        let is_known = |name: &str| {
            command
                .get_arguments()
                .any(|arg| arg.get_long() == Some(name))
        };
        let descriptions = METHODS.map(|method| method.description).concat();
        for text in [INTRODUCTION, STRENGTH, &descriptions] {
            for part in text.split("--").skip(1) {
                let end = part
                    .find(|c: char| !c.is_ascii_alphabetic())
                    .unwrap_or(part.len());
                assert!(is_known(&part[..end]), "--{part}");
            }
        }
    }

    #[test]
    fn no_command_has_the_name_of_the_topic() {
        assert!(Cli::command().find_subcommand(TOPIC).is_none());
    }
}
