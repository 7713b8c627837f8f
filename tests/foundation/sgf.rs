//! Reading and writing SGF: the elements of the standard, and round trips of generated trees.

use honinbo::game::point::{BoardSize, Move};
use honinbo::random::Rng;
use honinbo::sgf::points::{read_move, read_points, read_size};
use honinbo::sgf::{Collection, GameTree, NodeId, ParseWarning, ParsedSgf, Value, parse, write};

fn read(text: &str) -> ParsedSgf {
    parse(text.as_bytes()).expect("valid SGF")
}

/// Parses text with a single game and no warnings.
fn only_game(text: &str) -> GameTree {
    let mut parsed = read(text);
    assert_eq!(parsed.warnings, [], "{text}");
    assert_eq!(parsed.collection.games.len(), 1, "{text}");
    parsed.collection.games.remove(0)
}

/// Returns the tree's shape as nested parentheses. Nodes are represented by their C property.
fn outline(tree: &GameTree) -> String {
    fn from(tree: &GameTree, id: NodeId) -> String {
        let name = tree
            .node(id)
            .value("C")
            .map(Value::text)
            .unwrap_or_default();
        let children: Vec<_> = tree.children(id).map(|child| from(tree, child)).collect();
        match children.as_slice() {
            [] => name,
            [only] => name + only,
            several => format!("{name}({})", several.join(",")),
        }
    }
    from(tree, tree.root())
}

fn texts(values: &[Value]) -> Vec<&str> {
    values.iter().map(Value::as_escaped).collect()
}

#[test]
fn variations_nest_like_standard_examples() {
    assert_eq!(
        outline(&only_game("(;C[a];C[b](;C[c])(;C[d];C[e]))")),
        "ab(c,de)"
    );
    assert_eq!(
        outline(&only_game(
            "(;C[a](;C[b];C[c](;C[d];C[e])(;C[f];C[g]))(;C[h](;C[i];C[j])(;C[k])))"
        )),
        "a(bc(de,fg),h(ij,k))"
    );
    // A single variation in parentheses continues the line.
    assert_eq!(
        only_game("(;C[a](;C[b](;C[c])))"),
        only_game("(;C[a];C[b];C[c])")
    );
}

#[test]
fn white_space_outside_values_is_ignored() {
    let tight = only_game("(;AB[aa][bb]C[x];B[cc](;W[dd])(;W[ee]))");
    let loose = only_game("\n( ;\tAB [aa]\r\n[bb]\nC\n[x] ; B[cc]\n\n( ; W[dd] ) ( ;W[ee] )\n) \n");
    assert_eq!(tight, loose);
}

#[test]
fn values_preserve_special_characters() {
    let tree = only_game("(;C[a (;B[x\\]) \\\\]N[one\ntwo]LB[dd:x\\:y][ee:2])");
    let root = tree.node(tree.root());
    assert_eq!(
        root.value("C").map(Value::text).as_deref(),
        Some("a (;B[x]) \\")
    );
    assert_eq!(
        root.value("N").map(Value::simple_text).as_deref(),
        Some("one two")
    );
    let (point, label) = root.values("LB")[0]
        .composed_parts()
        .expect("a point and its label");
    assert_eq!((point.as_escaped(), label.text()), ("dd", "x:y".to_owned()));
}

#[test]
fn long_property_names_are_abbreviated() {
    let tree =
        only_game("(;GaMe[1]SiZe[9]AddBlack[aa][bb]CoPyright[x];Black[ee];White[tt]PlaYer[b])");
    let [root, black, white] = tree.main_line().collect::<Vec<_>>()[..] else {
        panic!("not three nodes");
    };
    let size = tree.node(root).value("SZ").map(read_size);
    let nine = BoardSize::new(9, 9).expect("a supported size");
    assert_eq!(size, Some(Ok(nine)));
    assert_eq!(texts(tree.node(root).values("AB")), ["aa", "bb"]);
    assert_eq!(texts(tree.node(black).values("B")), ["ee"]);
    let pass = tree
        .node(white)
        .value("W")
        .map(|value| read_move(value, nine));
    assert_eq!(pass, Some(Ok(Move::Pass)));
    assert!(tree.node(root).has("CP") && tree.node(white).has("PY"));
}

#[test]
fn point_lists_mix_rectangles_and_points() {
    let tree = only_game("(;SZ[9:13]AB[aa:cc][ii][im])");
    let root = tree.node(tree.root());
    let size = root.value("SZ").map(read_size).expect("SZ exists");
    let size = size.expect("SZ is valid");
    let points = read_points(root.values("AB"), size).expect("points on the board");
    let vertices: Vec<String> = points.iter().map(|point| size.vertex(point)).collect();
    let expected = "A13 B13 C13 A12 B12 C12 A11 B11 C11 J5 J1";
    assert_eq!(vertices.join(" "), expected);
}

#[test]
fn text_before_first_game_is_skipped() {
    let parsed = read("From: a player (me)\nSubject: [Go] games; two\n\n(;C[a];C[b])\n(;C[c])\n");
    let outlines: Vec<_> = parsed.collection.games.iter().map(outline).collect();
    assert_eq!(outlines, ["ab", "c"]);
    assert_eq!(parsed.warnings, []);
}

#[test]
fn declared_character_sets_are_decoded() {
    let player = |bytes: &[u8]| {
        let parsed = parse(bytes).expect("a game");
        let tree = &parsed.collection.games[0];
        let name = tree.node(tree.root()).value("PB").map(Value::text);
        let name = name.unwrap_or_default();
        (name, parsed.charset, parsed.warnings.len())
    };
    assert_eq!(
        player("\u{feff}(;PB[이창호])".as_bytes()),
        ("이창호".into(), "UTF-8", 0)
    );
    assert_eq!(
        player(b"(;PB[Schl\xe4ger])"),
        ("Schläger".into(), "windows-1252", 0)
    );
    // The second byte of ソ in Shift_JIS and of 許 in Big5 is 5C, a backslash in ASCII.
    assert_eq!(
        player(b"(;CA[Shift_JIS]PB[\x83\x5c])"),
        ("ソ".into(), "Shift_JIS", 0)
    );
    assert_eq!(
        player(b"(;CA[EUC-KR]PB[\xc0\xcc])"),
        ("이".into(), "EUC-KR", 0)
    );
    assert_eq!(player(b"(;CA[big5]PB[\xb3\x5c])"), ("許".into(), "Big5", 0));
}

#[test]
fn writer_adds_root_properties_and_breaks_lines() {
    let mut tree = GameTree::new();
    let root = tree.root();
    tree.node_mut(root).set("CA", "GBK");
    tree.node_mut(root).set("FF", "3");
    tree.node_mut(root).set("SZ", "19");
    tree.node_mut(root).set("C", "brackets ] and \\");
    let mut node = root;
    for index in 0..60 {
        node = tree.add_child(node);
        tree.node_mut(node)
            .set(if index % 2 == 0 { "B" } else { "W" }, "aa");
    }
    tree.add_child(node);
    tree.add_child(node);
    let games = vec![tree, GameTree::new()];
    let text = write(&Collection { games });
    assert!(
        text.starts_with("(;FF[4]GM[1]CA[UTF-8]SZ[19]C[brackets \\] and \\\\];B[aa];W[aa]"),
        "{text}"
    );
    assert!(
        text.ends_with("\n(;)\n(;))\n(;FF[4]GM[1]CA[UTF-8])\n"),
        "{text}"
    );
    assert!(text.lines().all(|line| line.len() <= 80), "{text}");
    // 47 characters of root properties and 5 moves, 4 lines of 13 moves, 3 moves, two variations, the second game.
    assert_eq!(text.lines().count(), 9, "{text}");
}

#[test]
fn other_game_types_are_preserved() {
    let text = write(&read("(;GM[2]FF[4]SZ[8])").collection);
    assert_eq!(text, "(;FF[4]GM[2]CA[UTF-8]SZ[8])\n");
}

#[test]
fn warnings_have_positions() {
    let parsed = read("(;C[a]\nxé;C[b]\r\n  C[again] B B[aa] $$;C[c])) ");
    let tree = &parsed.collection.games[0];
    assert_eq!(outline(tree), "abc");
    let second = tree
        .main_line()
        .nth(1)
        .map(|id| texts(tree.node(id).values("C")));
    assert_eq!(second, Some(vec!["b", "again"]));
    let positions: Vec<_> = parsed
        .warnings
        .iter()
        .map(|warning| match warning {
            ParseWarning::Syntax(error) => (error.line, error.column, error.found.as_str()),
            warning => panic!("unexpected warning: {warning}"),
        })
        .collect();
    assert_eq!(
        positions,
        [
            (2, 2, "'é'"),
            (2, 2, "'é'"),
            (3, 3, "'C'"),
            (3, 14, "'B'"),
            (3, 20, "'$'"),
            (3, 28, "')'")
        ]
    );
    assert_eq!(
        parsed.warnings[4].to_string(),
        "line 3, column 20: expected ';', '(', ')' or a property, found '$'"
    );
    assert_eq!(
        parsed.warning_summary(),
        Some(format!("{} (and 5 more)", parsed.warnings[0]))
    );
    let one = read("(;C[a];C[b] $)");
    assert_eq!(one.warning_summary(), Some(one.warnings[0].to_string()));
    assert_eq!(read("(;C[a])").warning_summary(), None);
}

fn random_text(rng: &mut Rng) -> String {
    const ALPHABET: [&str; 16] = [
        "a", "Z", "0", " ", "\n", "]", "[", "\\", ":", "(", ")", ";", "é", "碁", "🀄", "\n\n",
    ];
    let length = [0, 2, 9, 120][rng.below(4)];
    (0..length).map(|_| ALPHABET[rng.below(16)]).collect()
}

fn random_tree(rng: &mut Rng) -> GameTree {
    const NAMES: [&str; 8] = ["B", "W", "AB", "C", "LB", "KM", "XYZZY", "L1"];
    let mut tree = GameTree::new();
    let mut nodes = vec![tree.root()];
    for (name, value) in [("FF", "4"), ("GM", "1"), ("CA", "UTF-8")] {
        tree.node_mut(nodes[0]).set(name, value);
    }
    for _ in 0..rng.below(60) {
        // Usually extends the newest line, sometimes branches anywhere.
        let parent = if rng.chance(0.25) {
            rng.below(nodes.len())
        } else {
            nodes.len() - 1
        };
        let id = tree.add_child(nodes[parent]);
        nodes.push(id);
        for _ in 0..rng.below(4) {
            let name = NAMES[rng.below(NAMES.len())];
            let text = random_text(rng);
            let value = if rng.chance(1.0 / 3.0) {
                Value::composed(&text, &random_text(rng))
            } else {
                Value::from_text(&text)
            };
            let node = tree.node_mut(id);
            // A node has at most one move.
            if !matches!(name, "B" | "W") || !(node.has("B") || node.has("W")) {
                node.extend(name, vec![value]);
            }
        }
    }
    tree
}

#[test]
fn generated_trees_round_trip() {
    let mut rng = Rng::new(20_240_229);
    for round in 0..400 {
        let games = (0..1 + rng.below(3))
            .map(|_| random_tree(&mut rng))
            .collect();
        let collection = Collection { games };
        let text = write(&collection);
        let parsed = read(&text);
        assert_eq!(parsed.warnings, [], "round {round}: {text}");
        assert_eq!(parsed.collection, collection, "round {round}: {text}");
        assert_eq!(write(&parsed.collection), text, "round {round}");
    }
}

#[test]
fn generated_texts_round_trip_as_values() {
    let mut rng = Rng::new(7);
    for _ in 0..500 {
        let [first, second] = [(); 2].map(|()| random_text(&mut rng));
        assert_eq!(Value::from_text(&first).text(), first);
        let (left, right) = Value::composed(&first, &second)
            .composed_parts()
            .expect("a composed value");
        assert_eq!((left.text(), right.text()), (first, second));
    }
}
