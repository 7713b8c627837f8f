//! Reading SGF files with `readGoban`, and exported collections.

use std::io::Write;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use honinbo::sgf::{GameTree, parse, parse_text};
use serde_json::{Value, json};

use super::Service;

#[test]
fn damaged_games_stay_separate_in_exports() {
    let (_service, mut client) = Service::with_client(&[]);
    for goban in [
        "(;SZ[9];B[ee];W[gg]",
        " (;SZ[9]\n;B[cc]) ",
        "(;SZ[9];B[ee]C[resigns",
        "(;SZ[9]PB[x])",
        "(SZ[9]B[cc])",
        "junk (;SZ[9];B[gg];W[cc]) trailing (see B[aa])",
    ] {
        let saved = client.request(&json!({"operator": "saveGoban", "goban": goban}));
        assert_eq!(saved["new"], true, "{saved}");
    }
    let ids = json!([1, 2, 3, 5, 6, 4]);
    let export = client.request(&json!({"operator": "exportGoban", "gobanIds": ids}));
    let text = export["goban"].as_str().unwrap();
    let parsed = parse_text(text).unwrap();
    let games = parsed.collection.games.iter();
    let nodes: Vec<usize> = games.map(|game| game.main_line().count()).collect();
    assert_eq!(nodes, [3, 2, 2, 1, 3, 1], "{text}");
}

#[test]
fn exported_games_preserve_their_characters() {
    let (_service, mut client) = Service::with_client(&[]);
    for goban in ["(;CA[GB2312]SZ[9]PB[Jorg])", "(;SZ[9]PB[Петр])"] {
        client.request(&json!({"operator": "saveGoban", "goban": goban}));
    }
    let export = client.request(&json!({"operator": "exportGoban", "gobanIds": [1, 2]}));
    // Parsed as a file, which declares its character set.
    let parsed = parse(export["goban"].as_str().unwrap().as_bytes()).unwrap();
    let black = |game: &GameTree| game.node(game.root()).value("PB").unwrap().simple_text();
    let names: Vec<String> = parsed.collection.games.iter().map(black).collect();
    assert_eq!(names, ["Jorg", "Петр"]);
}

#[test]
fn read_goban_returns_nodes() {
    let (_service, mut client) = Service::with_client(&[]);
    let goban = "(;SZ[9]RU[Japanese]KM[0.5]HA[2]AB[cc][gg]PB[A]PW[B];W[dd]SBKV[25]SBKS[-3](;B[])(;AE[dd]AW[ee]PL[B]C[what if]))";
    let game = client.request(&json!({"operator": "readGoban", "goban": goban}));
    assert_eq!(
        (&game["rules"], &game["handicap"]),
        (&json!("japanese"), &json!(2))
    );
    assert_eq!(
        (&game["size"], &game["color"]),
        (&json!([9, 9]), &json!("white"))
    );
    assert_eq!(
        game["nodes"],
        json!([
            {"parent": null, "black": ["C7", "G3"]},
            {"parent": 0, "move": ["W", "D6"], "winrate": 0.25, "scoreLead": -3.0},
            {"parent": 1, "move": ["B", "pass"]},
            {"parent": 1, "white": ["E5"], "empty": ["D6"], "turn": "black", "comment": "what if"},
        ])
    );
}

#[test]
fn missing_handicap_stones_are_added() {
    let (_service, mut client) = Service::with_client(&[]);
    let goban = "(;SZ[9]HA[2]AP[foxwq];W[ee])(;SZ[9])";
    let game = client.request(&json!({"operator": "readGoban", "goban": goban}));
    assert_eq!((&game["handicap"], &game["others"]), (&json!(2), &json!(1)));
    let nodes = json!([
        {"parent": null, "black": ["C3", "G7"]},
        {"parent": 0, "move": ["W", "E5"]},
    ]);
    assert_eq!(game["nodes"], nodes);
}

#[test]
fn each_game_of_a_file_is_read_and_saved() {
    let (_service, mut client) = Service::with_client(&[]);
    let goban = "(;SZ[9];B[ee])(;SZ[13]PB[Ada]GN[g];W[aa];B[bb])";
    let first = client.request(&json!({"operator": "readGoban", "goban": goban}));
    assert_eq!(first["size"], json!([9, 9]));
    let titles = json!([{}, {"black": "Ada", "name": "g"}]);
    assert_eq!((&first["others"], &first["games"]), (&json!(1), &titles));
    let second = json!({"operator": "readGoban", "goban": goban, "game": 1});
    let second = client.request(&second);
    assert_eq!(
        (&second["size"], &second["black"]),
        (&json!([13, 13]), &json!("Ada"))
    );
    assert_eq!(
        (&second["others"], &second["games"]),
        (&json!(0), &json!(null))
    );
    let saved = client.request(&json!({"operator": "saveGoban", "goban": goban, "game": 1}));
    assert_eq!(saved["gobanId"], 1);
    let list = client.request(&json!({"operator": "listGoban"}));
    assert_eq!(
        (&list["games"][0]["black"], &list["games"][0]["moves"]),
        (&json!("Ada"), &json!(2))
    );
    for operator in ["readGoban", "saveGoban"] {
        let missing = json!({"operator": operator, "goban": goban, "game": 2});
        assert_eq!(client.request(&missing)["error"]["code"], "field");
    }
}

#[test]
fn unhandled_properties_are_returned_as_rest() {
    let (_service, mut client) = Service::with_client(&[]);
    let goban = "(;GM[1]SZ[9]RU[Ing]XX[x\\]y]LB[aa:1];B[ee]TR[ee][zz]DO[]C[why])";
    let game = client.request(&json!({"operator": "readGoban", "goban": goban}));
    assert_eq!(game["named"], "Ing");
    assert_eq!(
        game["nodes"],
        json!([
            {"parent": null, "marks": {"label": [["A9", "1"]]}, "rest": "XX[x\\]y]"},
            {"parent": 0, "move": ["B", "E5"], "comment": "why", "rest": "TR[ee][zz]DO[]"},
        ])
    );
    // Root properties in other nodes are part of `rest`, and moves of both sides become two nodes.
    let goban = "(;SZ[5]PB[root]KM[0](;B[aa]W[bb]PB[Ada]KM[5.5]N[x];B[cc])(;W[dd]))";
    let game = client.request(&json!({"operator": "readGoban", "goban": goban}));
    assert_eq!(
        game["nodes"],
        json!([
            {"parent": null},
            {"parent": 0, "move": ["B", "A5"]},
            {"parent": 1, "move": ["W", "B4"], "rest": "PB[Ada]KM[5.5]N[x]"},
            {"parent": 2, "move": ["B", "C3"]},
            {"parent": 0, "move": ["W", "D2"]},
        ])
    );
    let goban = "(;SZ[5]AB[cc]B[ee]XX[a];AW[aa]W[bb]N[b])";
    let game = client.request(&json!({"operator": "readGoban", "goban": goban}));
    assert_eq!(
        game["nodes"],
        json!([
            {"parent": null, "black": ["C3"], "rest": "XX[a]"},
            {"parent": 0, "move": ["B", "E1"]},
            {"parent": 1, "white": ["A5"]},
            {"parent": 2, "move": ["W", "B4"], "rest": "N[b]"},
        ])
    );
}

#[test]
fn game_info_and_markup_are_returned_as_fields() {
    let (_service, mut client) = Service::with_client(&[]);
    let goban = "(;SZ[9]GN[a\\]b]BR[3d]GC[one\ntwo]TR[aa:ca]VW[];B[ee]LB[cc:x\\:y][dd:2]AR[aa:bb]LN[aa:cc][bb:aa]EV[no]\
                 DD[aa]MA[aa][zz]SQ[])";
    let game = client.request(&json!({"operator": "readGoban", "goban": goban}));
    let info = json!({"name": "a]b", "blackRank": "3d", "comment": "one\ntwo"});
    assert_eq!(game["info"], info);
    let nodes = json!([
        {"parent": null, "marks": {"triangle": ["A9", "B9", "C9"], "view": []}},
        {
            "parent": 0,
            "move": ["B", "E5"],
            "marks": {
                "label": [["C7", "x:y"], ["D6", "2"]],
                "arrow": [["A9", "B8"]],
                "line": [["A9", "C7"], ["B8", "A9"]],
                "dim": ["A9"],
            },
            "rest": "EV[no]MA[aa][zz]SQ[]",
        },
    ]);
    assert_eq!(game["nodes"], nodes);
}

#[test]
fn previews_show_final_positions() {
    let (_service, mut client) = Service::with_client(&[]);
    for goban in [
        "(;SZ[2];B[aa];W[bb](;B[ba])(;B[ab]))",
        "(;SZ[2]AW[ab];B[aa];W[aa])",
    ] {
        client.request(&json!({"operator": "saveGoban", "goban": goban}));
    }
    let request = json!({"operator": "previewGobans", "gobanIds": [2, 1, 7]});
    let boards = json!([[[1, 0], [-1, 0]], [[1, 1], [0, -1]], null]);
    assert_eq!(client.request(&request)["boards"], boards);
    let request = json!({"operator": "previewGobans", "gobanIds": (0..101).collect::<Vec<_>>()});
    assert_eq!(client.request(&request)["error"]["field"], "gobanIds");
}

#[test]
fn invalid_analysis_values_stay_in_rest() {
    let (_service, mut client) = Service::with_client(&[]);
    let goban = "(;SZ[9]SBKV[nan]SBKS[inf];B[cc]SBKV[150]SBKS[-400.5];W[dd]SBKV[-1e300]SBKS[x];B[ee]SBKV[100];W[]SBKV[ 0 ])";
    let game = client.request(&json!({"operator": "readGoban", "goban": goban}));
    assert_eq!(
        game["nodes"],
        json!([
            {"parent": null, "rest": "SBKV[nan]SBKS[inf]"},
            {"parent": 0, "move": ["B", "C7"], "scoreLead": -400.5, "rest": "SBKV[150]"},
            {"parent": 1, "move": ["W", "D6"], "rest": "SBKV[-1e300]SBKS[x]"},
            {"parent": 2, "move": ["B", "E5"], "winrate": 1.0},
            {"parent": 3, "move": ["W", "pass"], "winrate": 0.0},
        ])
    );
}

#[test]
fn sgf_charset_is_ignored_in_messages() {
    let (_service, mut client) = Service::with_client(&[]);
    // In GBK, the third byte of the last character would include the bracket, so that the komi would be lost.
    let goban = "(;SZ[9]CA[GB2312]PW[申真谞]KM[6.5])";
    let game = client.request(&json!({"operator": "readGoban", "goban": goban}));
    assert_eq!(
        (&game["white"], &game["komi"]),
        (&json!("申真谞"), &json!(6.5))
    );
}

#[test]
fn service_options_are_defaults_for_files() {
    let options = ["--rules", "japanese", "--komi", "5.5"];
    let (_service, mut client) = Service::with_client(&options);
    for (goban, rules, komi) in [
        ("(;SZ[5];B[cc])", "japanese", 5.5),
        ("(;SZ[5]RU[Chinese];B[cc])", "chinese", 7.5),
        (
            "(;SZ[5]RU[koSIMPLEscoreTERRITORYtaxNONEsui0];B[cc])",
            "koSIMPLEscoreTERRITORYtaxNONEsui0",
            6.5,
        ),
    ] {
        let game = client.request(&json!({"operator": "readGoban", "goban": goban}));
        assert_eq!(
            (&game["rules"], &game["komi"]),
            (&json!(rules), &json!(komi))
        );
        // The rules can be sent back to the service.
        let request =
            json!({"operator": "score", "size": 5, "rules": rules, "komi": komi, "dead": []});
        assert_eq!(client.request(&request)["whiteExtra"], komi, "{request}");
        client.request(&json!({"operator": "saveGoban", "goban": goban}));
        let saved = client.request(&json!({"operator": "listGoban"}));
        assert_eq!(saved["games"][0]["komi"], komi, "{saved}");
    }
}

/// The four moves capture two stones of each colour and lead back to the position.
#[test]
fn repetitions_are_rejected_unless_recorded() {
    let board = json!([[-1, -1, 0, 1], [1, 1, -1, -1], [0, 0, 0, 0], [0, 0, 0, 0]]);
    let cycle = [["B", "C4"], ["W", "B4"], ["B", "D4"], ["W", "A4"]];
    let reason = "move 4 (white A4): the move repeats an earlier position (superko)";
    let parameters = json!({"move": 4, "color": "white", "point": "A4"});
    let (_service, mut client) = Service::with_client(&[]);
    let mut request = json!({"operator": "position", "board": board, "moves": cycle});
    let rejected = client.request(&request);
    assert_eq!(
        rejected["error"],
        json!({"code": "superko", "message": reason, "params": parameters})
    );
    request["recorded"] = true.into();
    let warnings = json!([{"move": 4, "code": "superko", "message": reason, "params": parameters}]);
    for operator in ["position", "run", "score", "genmove"] {
        request["operator"] = operator.into();
        let response = client.request(&request);
        assert_eq!(response["warnings"], warnings, "{response}");
    }
    // A later move is legal, so the request is accepted with the same warning.
    let continued: Vec<_> = cycle.iter().copied().chain([["B", "A1"]]).collect();
    let response =
        client.request(&json!({"operator": "position", "board": board, "moves": continued}));
    assert_eq!(response["warnings"], warnings, "{response}");
    // Boards of the history are recorded as well.
    let first =
        client.request(&json!({"operator": "position", "board": board, "moves": cycle[..1]}));
    let mut boards = vec![board.clone(), first["board"].clone()];
    for count in 2..4 {
        let moves = &cycle[..count];
        let next = client.request(&json!({"operator": "position", "board": board, "moves": moves}));
        boards.push(next["board"].clone());
    }
    let history = json!({"operator": "position", "board": board, "history": boards});
    assert_eq!(client.request(&history)["warnings"], warnings);
    let goban = "(;SZ[4]AB[da][ab][bb]AW[aa][ba][cb][db];B[ca];W[ba];B[da];W[aa])";
    let saved = client.request(&json!({"operator": "saveGoban", "goban": goban}));
    assert_eq!(
        (&saved["gobanId"], &saved["warnings"]),
        (&json!(1), &warnings)
    );
}

#[test]
fn third_occurrence_ends_game_under_simple_ko() {
    let board = json!([[-1, -1, 0, 1], [1, 1, -1, -1], [0, 0, 0, 0], [0, 0, 0, 0]]);
    let cycle = [["B", "C4"], ["W", "B4"], ["B", "D4"], ["W", "A4"]];
    let (_service, mut client) = Service::with_client(&[]);
    for rules in ["chinese", "japanese"] {
        for count in 1..=8 {
            let moves = &cycle.repeat(2)[..count];
            let request =
                json!({"operator": "position", "board": board, "moves": moves, "rules": rules});
            let response = client.request(&request);
            assert!(response["warnings"].is_null(), "{response}");
            assert_eq!(response["ended"], count == 8);
            assert_eq!(response["noResult"], count == 8);
        }
    }
}

/// White recaptures the ko at B4 immediately.
#[test]
fn recorded_moves_may_break_the_ko_rule() {
    let moves = "B5 C5 A4 D4 B3 C3 pass B4 C4 B4".split(' ').enumerate();
    let moves: Vec<_> = moves
        .map(|(number, vertex)| {
            let color = ["B", "W"][number % 2];
            json!([color, vertex])
        })
        .collect();
    let (_service, mut client) = Service::with_client(&[]);
    let mut request = json!({"operator": "position", "size": 5, "moves": moves});
    assert_eq!(client.error_code(&request), "ko");
    request["recorded"] = true.into();
    assert_eq!(client.request(&request)["board"][1][1], -1);
}

/// Returns the base64 text of a file.
fn base64(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(bytes)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn files_are_decoded_by_the_service() {
    let (_service, mut client) = Service::with_client(&[]);
    let gbk = b"(;SZ[9]PB[\xb9\xc5\xc1\xa6];B[ee])";
    let shift_jis = b"(;SZ[9]PB[\x95\x5c]CA[Shift_JIS];B[ee])";
    let gib = b"\\HS\r\n\\[GAMEBLACKNAME=Ada (1D)\\]\r\n\\HE\r\n\\GS\r\nSTO 0 2 1 15 3\r\n\\GE\r\n";
    for (file, name) in [
        (gbk.to_vec(), "古力"),
        (shift_jis.to_vec(), "表"),
        (gzip(gbk), "古力"),
        (gib.to_vec(), "Ada"),
    ] {
        let bytes = base64(&file);
        let game = client.request(&json!({"operator": "readGoban", "bytes": bytes}));
        assert_eq!(
            (&game["black"], &game["warnings"]),
            (&json!(name), &json!(null))
        );
        assert_eq!(game["nodes"].as_array().unwrap().len(), 2);
        let saved = client.request(&json!({"operator": "saveGoban", "bytes": bytes}));
        let load = json!({"operator": "loadGoban", "gobanId": saved["gobanId"]});
        assert_eq!(client.request(&load)["facts"]["black"], name);
    }
}

#[test]
fn large_files_are_sent_compressed() {
    let (_service, mut client) = Service::with_client(&[]);
    let game = format!("(;SZ[9]PB[Ada]C[{}];B[ee])", "comment ".repeat(400_000));
    let request = |bytes: String| json!({"operator": "readGoban", "bytes": bytes});
    let read = client.request(&request(base64(&gzip(game.as_bytes()))));
    assert_eq!(read["black"], "Ada");
    let too_large = gzip(&vec![b' '; (16 << 20) + 1]);
    let damaged = &gzip(b"(;SZ[9];B[ee])")[..20];
    for bytes in [base64(&too_large), base64(damaged), "no base64!".to_owned()] {
        let response = client.request(&request(bytes));
        assert_eq!(response["error"]["field"], "bytes", "{response}");
    }
    for request in [
        json!({"operator": "readGoban"}),
        json!({"operator": "readGoban", "goban": "(;)", "bytes": "KDsp"}),
    ] {
        assert_eq!(client.error_code(&request), "field");
    }
}

#[test]
fn impossible_moves_end_their_branch_with_warnings() {
    let (_service, mut client) = Service::with_client(&[]);
    let goban = "(;SZ[9]RU[Chess];B[ee](;W[cc];B[zy];W[dd])(;W[zx])(;W[gg]))";
    let game = client.request(&json!({"operator": "readGoban", "goban": goban}));
    assert_eq!(
        game["nodes"],
        json!([
            {"parent": null},
            {"parent": 0, "move": ["B", "E5"]},
            {"parent": 1, "move": ["W", "C7"]},
            {"parent": 1, "move": ["W", "G3"]},
        ])
    );
    let numbers = |response: &Value| {
        let warnings = response["warnings"].as_array().unwrap();
        warnings
            .iter()
            .map(|warning| warning["move"].clone())
            .collect::<Value>()
    };
    assert_eq!(numbers(&game), json!([null, 3, 2]));
    let saved = client.request(&json!({"operator": "saveGoban", "goban": goban}));
    assert_eq!(numbers(&saved), json!([null, 3]));
    let list = client.request(&json!({"operator": "listGoban"}));
    assert_eq!(list["games"][0]["moves"], 2);
    let occupied = "(;SZ[9];B[ee];W[cc];B[cc])";
    let saved = client.request(&json!({"operator": "saveGoban", "goban": occupied}));
    assert_eq!(numbers(&saved), json!([3]));
}

#[test]
fn free_handicap_is_returned() {
    let (_service, mut client) = Service::with_client(&[]);
    for (goban, handicap) in [
        ("(;SZ[9]HA[2];B[cc];B[gg];W[ee])", 2),
        ("(;SZ[9]HA[3];B[cc];W[ee])", 0),
        ("(;SZ[9]HA[0];B[cc];B[gg];W[ee])", 0),
    ] {
        let game = client.request(&json!({"operator": "readGoban", "goban": goban}));
        assert_eq!(game["handicap"], handicap, "{goban}");
    }
}
