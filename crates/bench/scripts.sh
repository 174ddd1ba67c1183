#!/usr/bin/env bash
# What does a byte of other scripts cost, against one of English? Generates a corpus of each script, runs `onefold dedup`
# on them in turns and prints a Markdown table of the least CPU seconds. Usage: scripts.sh FOLDER [ROUNDS]
set -euo pipefail
folder=$1 rounds=${2:-4}
root=$(cd "$(dirname "$0")/../.." && pwd)
cargo build --release --quiet --manifest-path "$root/Cargo.toml" -p onefold-cli -p onefold-testkit
mkdir -p "$folder"
scripts=(latin accented cyrillic arabic chinese japanese thai)
for script in "${scripts[@]}"; do
  [ -s "$folder/$script.jsonl" ] || "$root/target/release/onefold-generate" --documents 20000 --seed 5 --script "$script" \
    --output "$folder/$script.jsonl" --quiet
done
python3 - "$root/target/release/onefold" "$folder" "$rounds" "${scripts[@]}" <<'P'
import os, resource, shutil, subprocess, sys
binary, folder, rounds, scripts = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
def cpu(corpus):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    shutil.rmtree(folder + '/out', ignore_errors=True)
    subprocess.run([binary, 'dedup', corpus, '--output', folder + '/out', '--quiet'], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
least = {script: float('inf') for script in scripts}
for _ in range(rounds):
    for script in scripts:
        least[script] = min(least[script], cpu(f'{folder}/{script}.jsonl'))
size = {script: os.path.getsize(f'{folder}/{script}.jsonl') for script in scripts}
english = least['latin'] / size['latin']
print('| script | MB | CPU s | cost a byte |\n|---|---:|---:|---:|')
for script in scripts:
    print(f'| {script} | {size[script] / 1e6:.0f} | {least[script]:.2f} | {least[script] / size[script] / english:.2f} |')
P
