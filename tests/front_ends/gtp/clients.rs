//! `CLIENTS.md` lists every command, in the order of `list_commands`.

use super::answers;

const TABLE: &str = include_str!("../../../src/gtp/CLIENTS.md");

#[test]
fn client_table_lists_every_command() {
    let listed = &answers("list_commands\n")[0];
    let listed: Vec<&str> = listed.trim_start_matches("= ").lines().collect();
    let rows = TABLE.lines().filter_map(|line| line.strip_prefix("| `"));
    let documented: Vec<&str> = rows
        .filter_map(|row| {
            let (name, rest) = row.split_once('`')?;
            let cells: Vec<&str> = rest.split('|').map(str::trim).collect();
            assert_eq!(cells.len(), 4, "{row}");
            assert!(cells[1..3].iter().all(|cell| !cell.is_empty()), "{row}");
            Some(name)
        })
        .collect();
    assert_eq!(documented, listed);
}
