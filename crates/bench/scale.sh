#!/usr/bin/env bash
# Does cost grow linearly in documents? Generates WET-like corpora, runs `onefold pairs` on each and prints
# documents, CPU seconds, wall seconds, peak MiB, bytes. Usage: scale.sh FOLDER [DOCUMENTS…]
set -euo pipefail
folder=$1; shift
[ $# -gt 0 ] || set -- 100000 200000 500000 1000000 2000000
root=$(cd "$(dirname "$0")/../.." && pwd)
cargo build --release --quiet --manifest-path "$root/Cargo.toml" -p onefold-cli -p onefold-testkit
mkdir -p "$folder"
for documents in "$@"; do
  corpus=$folder/$documents.wet
  # 9 kB a document: 2 million documents are 18 GB.
  [ -s "$corpus" ] || "$root/target/release/onefold-generate" --documents "$documents" --bytes $((documents * 9000)) \
    --format wet --seed 1 --output "$corpus" --quiet
  # Once to have the file in memory as far as it fits.
  cat "$corpus" > /dev/null
  python3 - "$documents" "$corpus" "$root/target/release/onefold" "$folder/$documents.pairs.tsv" <<'P'
import os, resource, subprocess, sys, time
documents, corpus, binary, out = sys.argv[1:]
start = time.time()
with open(out, 'wb') as pairs:
    subprocess.run([binary, 'pairs', corpus, '--memory', '4GiB', '--quiet'], stdout=pairs, check=True)
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(documents, round(usage.ru_utime + usage.ru_stime, 2), round(time.time() - start, 2),
      usage.ru_maxrss // 1024, os.path.getsize(corpus), sep='\t', flush=True)
P
  [ "${KEEP:-}" ] || [ "$documents" = 2000000 ] || rm "$corpus"
done
