#!/usr/bin/env bash
# The complete learning loop: a net with random weights plays against itself, a trainer learns from the newest games,
# and a match decides whether the resulting net replaces the best one.
#
#     scripts/loop.sh DIR
#
# With the default settings, a toy that runs for some minutes on one core. The loop can be stopped at any time and
# started again: games, checkpoints and nets are written atomically, and a generation is complete when its line is in
# DIR/generations.tsv. Settings are environment variables and must stay the same for a folder.
set -euo pipefail
trap 'exit 130' INT
trap 'exit 143' TERM

# Programs and number of threads.
: "${HONINBO:=honinbo}" "${PYTHON:=python3}" "${THREADS:=1}"
: "${GENERATIONS:=8}" "${SIZE:=7}" "${RULES:=tromp-taylor}" "${KOMI:=9}" "${SEED:=1}"
# Per generation: number of games, and visits of full and fast searches.
: "${GAMES:=240}" "${VISITS:=48}" "${FAST_VISITS:=10}" "${FULL_SHARE:=0.4}"
# Number of games in the training window (which grows slowly with more games), weight of the search value, and, per
# generation, training steps; then the sizes of the net.
: "${WINDOW:=480}" "${SEARCHED:=0.3}" "${STEPS:=250}" "${BATCH:=128}" "${BLOCKS:=3}" "${CHANNELS:=32}"
# Gate: maximum number of games, visits per move, and Elo bounds and error rates (--sprt) for an early end.
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
# Quotes a word for any shell and for the engine, which supports only these quotes; printf's %q uses others for letters
# outside the locale.
quoted() { printf "'%s'" "$(printf %s "$1" | sed "s/'/'\\\\''/g")"; }

# Prints the trainer's command for the samples of game files, on a grid of the board's size.
samples() {
    echo "$(quoted "$HONINBO") samples --threads $THREADS --seed {pass} --grid $SIZE --batch $BATCH --per-game 1000 $*"
}

# Trains up to a total number of steps on the samples of a command, and saves the net as that of a generation.
train() {
    local generation=$1 steps=$2 source=$3
    "$PYTHON" "$scripts/train.py" --run "$dir/train" --samples "$source" --steps "$steps" --threads "$THREADS" \
        --compile off --name toy --blocks "$BLOCKS" --channels "$CHANNELS" --decay-from 1 --average 0.99 --warmup 50 \
        --log-steps 100 2>> "$dir/train.log" || { tail -n 1 "$dir/train.log" >&2; exit 1; }
    cp "$dir/train/net.safetensors" "$dir/net.part"
    mv "$dir/net.part" "$(net "$generation")"
}

# Prints the options of a player in the match.
player() {
    echo "--weights $(quoted "$(net "$1")") --visits $GATE_VISITS --threads 1 --memory 64 --resign 0 --precision f32"
}

# Prints openings of three random stones; each is played twice.
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

# Plays a match of a generation's net against another one; the report is written to gates/.
gate() {
    local generation=$1 best=$2
    openings > "$dir/openings.txt"
    # shellcheck disable=SC2086
    "$HONINBO" match "$(player "$generation")" "$(player "$best")" --games "$GATE_GAMES" --concurrency "$THREADS" \
        --size "$SIZE" --rules "$RULES" --komi "$KOMI" --no-time --openings "$dir/openings.txt" --quiet \
        ${SPRT:+--sprt $SPRT} > "$dir/gates/$(printf %03d "$generation").txt"
}

# Prints the line of a generation: games and steps so far, the score against the previous best net, Elo above the random
# net (the sum of the gains of the best nets; half a game each way keeps a clean score finite), and whether it is the
# new best net.
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

# Appends a line to the history, atomically.
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
