#!/usr/bin/env bash
# Builds all fuzz targets and runs those named, or all of them: ./run.sh SECONDS [TARGET...]
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:-60}
shift || true
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  targets=($(sed -n 's/^path = "fuzz_targets\/\(.*\)\.rs"$/\1/p' Cargo.toml))
fi

# What cargo-fuzz passes, without a sanitizer, which only nightly compilers have. A target of its own keeps build
# scripts from being instrumented.
host=$(rustc -vV | sed -n 's/^host: //p')
coverage="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4
  -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table
  -Cllvm-args=-sanitizer-coverage-trace-compares"
export RUSTFLAGS="--cfg fuzzing -Cdebug-assertions -Coverflow-checks -Ccodegen-units=16 ${coverage//$'\n'/ }"
cargo build --quiet --release --locked --target "$host"
programs=${CARGO_TARGET_DIR:-target}/$host/release
./seed.sh

run() {
  local target=$1
  mkdir -p "artifacts/$target" "corpus/$target"
  if ! "$programs/$target" "corpus/$target" -max_total_time="$seconds" -seed=1 -timeout=60 -rss_limit_mb=2048 \
    -artifact_prefix="artifacts/$target/" -print_final_stats=1 >"artifacts/$target.log" 2>&1; then
    tail -n 40 "artifacts/$target.log" >&2
    echo "fuzz: $target failed; see fuzz/artifacts/$target" >&2
    return 1
  fi
  echo "fuzz: $target: $(sed -n 's/^stat::number_of_executed_units: //p' "artifacts/$target.log") runs"
}
export -f run
export programs seconds
printf '%s\n' "${targets[@]}" | xargs -P 2 -I{} bash -c 'run {}'
