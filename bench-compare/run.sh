#!/usr/bin/env bash
# Onefold against other people's tools: installs and builds what is needed, makes a corpus unless one is given, runs,
# and prints a Markdown table on stdout.
#
#   bench-compare/run.sh [--peers-only] [--runs N] [--raw FILE] [--corpus FILE.jsonl --truth FILE.tsv [--wet FILE.wet.gz]]
#
# DOCUMENTS=20000 SEED=1       the corpus to make
# ONEFOLD=path                 a built binary, instead of building one
# ONEFOLD_COMPARE_CACHE=dir    where the Python environment, builds and corpora are kept
set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
ROOT=$(dirname "$HERE")
CACHE=${ONEFOLD_COMPARE_CACHE:-$HOME/.cache/onefold-compare}
DOCUMENTS=${DOCUMENTS:-20000} SEED=${SEED:-1}
mkdir -p "$CACHE"

given=false peers_only=false
for argument in "$@"; do
  case $argument in
    --corpus | --corpus=*) given=true ;;
    --peers-only) peers_only=true ;;
    -h | --help) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit ;;
  esac
done
options=()

echo "python environment" >&2
if ! cmp -s "$HERE/python/requirements.txt" "$CACHE/venv/requirements.txt"; then
  rm -rf "$CACHE/venv"
  python3 -m venv "$CACHE/venv"
  "$CACHE/venv/bin/pip" install --quiet --requirement "$HERE/python/requirements.txt" >&2
  cp "$HERE/python/requirements.txt" "$CACHE/venv/requirements.txt"
fi
options+=(--python "$CACHE/venv/bin/python")

# The peer crate is built for this very processor, the onefold binary as it is shipped.
echo "builds" >&2
(cd "$HERE" && RUSTFLAGS=-Ctarget-cpu=native CARGO_TARGET_DIR=$CACHE/target-peers cargo build --release --locked --quiet)
if ! $peers_only; then
  if [ -z "${ONEFOLD:-}" ]; then
    (cd "$ROOT" && CARGO_TARGET_DIR=$CACHE/target cargo build --release --quiet)
    ONEFOLD=$CACHE/target/release/onefold
  fi
  options+=(--onefold "$ONEFOLD")
fi

if ! $given; then
  echo "corpus" >&2
  (cd "$ROOT" && CARGO_TARGET_DIR=$CACHE/target cargo build --release --quiet -p onefold-testkit)
  corpus=$CACHE/c$DOCUMENTS-s$SEED
  generate=("$CACHE/target/release/onefold-generate" --documents "$DOCUMENTS" --seed "$SEED" --quiet --force)
  "${generate[@]}" --output "$corpus.jsonl" --truth "$corpus.truth.tsv"
  "${generate[@]}" --format wet --gzip --output "$corpus.wet.gz"
  options+=(--corpus "$corpus.jsonl" --truth "$corpus.truth.tsv" --wet "$corpus.wet.gz")
fi

exec "$CACHE/target-peers/release/onefold-bench-compare" "${options[@]}" "$@"
