#!/usr/bin/env bash
# The learning loop from end to end: a net of random weights plays against itself, a trainer learns from the newest
# games, and a match decides whether the net that comes of it plays on.
#
#     scripts/loop.sh DIR
#
# As it stands a toy of some minutes on one core. Begun again it goes on where it was stopped, by whatever: games are
# whole or not there, checkpoints and nets are replaced at once, and a generation is over when its line stands in
# DIR/generations.tsv. The settings are variables of the environment; those of a folder stay the same.
set -euo pipefail
trap 'exit 130' INT
trap 'exit 143' TERM

# The programs, and how many threads they take.
: "${HONINBO:=honinbo}" "${PYTHON:=python3}" "${THREADS:=1}"
: "${GENERATIONS:=8}" "${SIZE:=7}" "${RULES:=tromp-taylor}" "${KOMI:=9}" "${SEED:=1}"
# Of each generation: games played, and visits of a thorough and a quick search.
: "${GAMES:=240}" "${VISITS:=48}" "${FAST_VISITS:=10}" "${FULL_SHARE:=0.4}"
# Games that are all learnt from (of more a number that grows slowly), the share of searches in the value, steps of a
# generation, and the net.
: "${WINDOW:=480}" "${SEARCHED:=0.3}" "${STEPS:=250}" "${BATCH:=128}" "${BLOCKS:=3}" "${CHANNELS:=32}"
# The gate: games at most, visits of a move, and bounds of Elo and rates of error (--sprt) where it may end earlier.
: "${GATE_GAMES:=80}" "${GATE_VISITS:=24}" "${SPRT:=}"

scripts=$(cd "$(dirname "$0")" && pwd)
if [ $# -ne 1 ]; then
    echo "usage: loop.sh DIR" >&2
    exit 2
fi
mkdir -p "$1/nets" "$1/gates"
dir=$(cd "$1" && pwd)
history=$dir/generations.tsv

say() { printf '%s  %s\n' "$(date +%H:%M:%S)" "$*" >&2; }
net() { printf '%s/nets/%03d.safetensors' "$dir" "$1"; }
# As one word for any shell and for the engine, which know no other quotes than these; printf's %q writes others about
# letters that are foreign to the locale.
quoted() { printf "'%s'" "$(printf %s "$1" | sed "s/'/'\\\\''/g")"; }

# The samples of some game files, on a grid of the board's size, as a command for the trainer.
samples() {
    echo "$(quoted "$HONINBO") samples --threads $THREADS --seed {pass} --grid $SIZE --batch $BATCH --per-game 1000 $*"
}

# Trains up to that many steps in all on the samples of a command, and keeps the net as that of a generation.
train() {
    local generation=$1 steps=$2 source=$3
    "$PYTHON" "$scripts/train.py" --run "$dir/train" --samples "$source" --steps "$steps" --threads "$THREADS" \
        --compile off --name toy --blocks "$BLOCKS" --channels "$CHANNELS" --decay-from 1 --average 0.99 --warmup 50 \
        --log-steps 100 2>> "$dir/train.log" || { tail -n 1 "$dir/train.log" >&2; exit 1; }
    cp "$dir/train/net.safetensors" "$dir/net.part"
    mv "$dir/net.part" "$(net "$generation")"
}

# A player of the match.
player() {
    echo "--weights $(quoted "$(net "$1")") --visits $GATE_VISITS --threads 1 --memory 64 --resign 0 --precision f32"
}

# Openings of three stones anywhere, each played twice.
openings() {
    "$PYTHON" - "$SIZE" "$(((GATE_GAMES + 1) / 2))" "$SEED" <<'PYTHON'
import random
import sys

size, count, seed = map(int, sys.argv[1:])
random.seed(seed)
points = [f"{'ABCDEFGHJKLMNOPQRST'[column]}{row + 1}" for column in range(size) for row in range(size)]
for _ in range(count):
    print(*random.sample(points, 3))
PYTHON
}

# Plays the net of a generation against another one; the report goes to gates/.
gate() {
    local generation=$1 best=$2
    openings > "$dir/openings.txt"
    # shellcheck disable=SC2086
    "$HONINBO" match "$(player "$generation")" "$(player "$best")" --games "$GATE_GAMES" --concurrency "$THREADS" \
        --size "$SIZE" --rules "$RULES" --komi "$KOMI" --no-time --openings "$dir/openings.txt" --quiet \
        ${SPRT:+--sprt $SPRT} > "$dir/gates/$(printf %03d "$generation").txt"
}

# The line of a generation: the games and steps before it, the score against the best one before, Elo above the random
# net (the sum of the steps between the best ones; half a game each way keeps a clean score finite), and whether it is
# the best one now.
line() {
    local generation=$1 best=$2 elo=$3
    awk -v generation="$generation" -v best="$best" -v elo="$elo" -v games=$((generation * GAMES)) \
        -v steps=$((generation * STEPS)) '
        $1 == "together" {
            played = $2 + $3 + $4
            score = ($2 + $4 / 2 + 0.5) / (played + 1)
            gain = 400 * log(score / (1 - score)) / log(10)
            printf "%d\t%d\t%d\t%d\t%d-%d-%d\t%.0f\t%s\n", generation, games, steps, best, $2, $3, $4, elo + gain,
                (score > 0.5 ? "yes" : "no")
        }' "$dir/gates/$(printf %03d "$generation").txt"
}

# Adds a line to the history, all of it or nothing.
record() {
    { [ ! -f "$history" ] || cat "$history"; printf '%s\n' "$1"; } > "$history.part"
    mv "$history.part" "$history"
}

if [ ! -f "$history" ]; then
    say "a net of random weights"
    # The trainer learns planes and globals from the samples of any game.
    printf '(;GM[1]SZ[%s]RE[B+R];B[aa])' "$SIZE" > "$dir/any.sgf"
    train 0 0 "$(samples "$(quoted "$dir/any.sgf")")"
    record "$(printf '0\t0\t0\t-\t-\t0\tyes')"
fi

for ((generation = $(wc -l < "$history"); generation <= GENERATIONS; generation++)); do
    read -r best elo < <(awk '$7 == "yes" { best = $1 " " $6 } END { print best }' "$history")
    say "generation $generation: net $best plays up to game $((generation * GAMES))"
    "$HONINBO" selfplay --out "$dir/games" --weights "$(net "$best")" --games $((generation * GAMES)) --seed "$SEED" \
        --threads "$THREADS" --visits "$VISITS" --fast-visits "$FAST_VISITS" --full-share "$FULL_SHARE" \
        --sizes "$SIZE" --rules "$RULES" --komi "$KOMI" --handicap 0 --precision f32 --quiet >> "$dir/selfplay.log"
    say "generation $generation: trains up to step $((generation * STEPS))"
    train "$generation" $((generation * STEPS)) \
        "$(samples --window "$WINDOW" --searched "$SEARCHED" "$(quoted "$dir/games")/*.sgf")"
    say "generation $generation: plays against net $best"
    gate "$generation" "$best"
    record "$(line "$generation" "$best" "$elo")"
    say "generation $generation: $(tail -n 1 "$history")"
done

awk 'BEGIN { print "| generation | games | steps | against | won-lost-drawn | Elo | plays on |\n|---|---|---|---|---|---|---|" }
    { print "| " $1 " | " $2 " | " $3 " | " $4 " | " $5 " | " $6 " | " $7 " |" }' "$history"
