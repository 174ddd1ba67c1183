#!/usr/bin/env bash
# Makes docs/evaluation.md, docs/simhash-distance.svg and the measured tables of docs/algorithms.md.
# Usage: evaluation.sh DATA [ONEFOLD]
# DATA has neardup/{webis_s3,mdn_revisions,clough_stevenson}; the generated set is made by onefold-generate, or is
# PREFIX.jsonl and PREFIX.truth.tsv with PREFIX from $GENERATED. ONEFOLD is the binary, else built. All but times and memory
# is the same on every run; $RUNS runs are timed and the least CPU time is told.
set -euo pipefail
export LC_ALL=C.UTF-8
data=$1/neardup
root=$(cd "$(dirname "$0")/../.." && pwd)
awks=$root/crates/bench/evaluation
onefold=${2:-}
if [ -z "$onefold" ]; then
  cargo build --release --quiet --manifest-path "$root/Cargo.toml" -p onefold-cli
  onefold=$root/target/release/onefold
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
generated=${GENERATED:-}
if [ -z "$generated" ]; then
  generated=$tmp/generated-set
  cargo build --release --quiet --manifest-path "$root/Cargo.toml" -p onefold-testkit
  "$root/target/release/onefold-generate" --documents 20000 --seed 11 --quiet \
    --output "$generated.jsonl" --truth "$generated.truth.tsv"
fi
webis=$data/webis_s3/docs.jsonl.gz
mdn=$data/mdn_revisions/docs.jsonl.gz
clough=$data/clough_stevenson/docs.jsonl.gz

# Lists pairs into a file: FILE INPUT FLAGS….
pairs() { local out=$1; shift; "$onefold" pairs "$@" --quiet > "$out"; }
# The same, timed: prints `wall | CPU | MiB` of the run of least CPU time.
timed() {
  local out=$1; shift
  for _ in $(seq "${RUNS:-3}"); do
    /usr/bin/time -f '%e %U %S %M' -o "$tmp/time" "$onefold" pairs "$@" --quiet > "$out"
    cat "$tmp/time"
  done | awk '{ cpu = $2 + $3 } NR == 1 || cpu < best { best = cpu; wall = $1; most = $4 }
    END { printf "%.2f | %.2f | %.0f", wall, best, most / 1024 }'
}
# Rows of a fixed-width table of `onefold evaluate` as Markdown: the last N fields are cells, what is before them a name.
rows() {
  awk -v from="$1" -v cells="$2" '$0 ~ from { on = 1; next } on && NF == 0 { exit } on {
    name = $1; for (i = 2; i <= NF - cells; i++) name = name " " $i
    printf "| %s |", name; for (i = NF - cells + 1; i <= NF; i++) printf " %s |", $i; print ""
  }' "$3"
}

methods=(
  '--method exact'
  '--method minhash'
  '--method minhash --sketch classic'
  '--method minhash --verify none'
  '--method minhash --sketch classic --signature 100 --verify sketch:90/100'
  '--method minhash --verify edit:0.8'
  '--method minhash --sample mod:4'
  '--method simhash'
  '--method simhash --hamming 7'
  '--method simhash --weight tfidf'
  '--method simhash --verify none'
  '--method simhash --candidates rotate:8'
  '--method combined'
  '--method combined --verify none'
  '--method join'
)
# A row a method: INPUT TRUTH [labelled=1].
table() {
  echo '| flags | listed | precision | recall | F1 | wall s | CPU s | MiB |'
  echo '|---|---:|---:|---:|---:|---:|---:|---:|'
  for flags in "${methods[@]}"; do
    # shellcheck disable=SC2086 # flags are words
    cost=$(timed "$tmp/listed.tsv" "$1" --expand $flags)
    score=$(awk -v "${3:-labelled=0}" -f "$awks/score.awk" "$2" "$tmp/listed.tsv")
    echo "| \`$flags\` | $score | $cost |"
  done
}

# mdn_revisions: what is true is what join finds.
pairs "$tmp/mdn-join.tsv" "$mdn" --method join --expand
tail -n +2 "$tmp/mdn-join.tsv" > "$tmp/mdn.truth"
mdn_pairs=$(wc -l < "$tmp/mdn.truth")
mdn_listed=$(zcat "$data/mdn_revisions/exact_pairs_j05.tsv.gz" | awk -F'\t' 'NR > 1 && $3 >= 0.8' | wc -l)
table "$mdn" "$tmp/mdn.truth" > "$tmp/mdn.table"
"$onefold" evaluate "$mdn" --oracle --methods exact --distances --quiet > "$tmp/mdn.distances"

# Generated: what is true is what was planted.
awk -F'\t' '$3 >= 0.8' "$generated.truth.tsv" > "$tmp/generated.truth"
generated_pairs=$(wc -l < "$tmp/generated.truth")
table "$generated.jsonl" "$tmp/generated.truth" > "$tmp/generated.table"
"$onefold" evaluate "$generated.jsonl" --truth "$generated.truth.tsv" --methods exact --distances --quiet \
  > "$tmp/generated.distances"

# webis_s3: what is true is what people judged.
zcat "$data/webis_s3/pairs.tsv.gz" > "$tmp/labels.tsv"
tail -n +2 "$tmp/labels.tsv" > "$tmp/webis.truth"
table "$webis" "$tmp/webis.truth" labelled=1 > "$tmp/webis.table"
for threshold in 0.7 0.6 0.5 0.4; do
  pairs "$tmp/listed.tsv" "$webis" --threshold $threshold --expand
  echo "| \`--method minhash --threshold $threshold\` | $(awk -v labelled=1 -f "$awks/score.awk" "$tmp/webis.truth" "$tmp/listed.tsv") |"
done > "$tmp/webis.thresholds"
"$onefold" evaluate "$webis" --truth "$tmp/labels.tsv" --methods exact --distances --quiet > "$tmp/webis.measures"
# Estimates of sketches are measures too.
pairs "$tmp/listed.tsv" "$webis" --verify none --bands 128 --rows 1 --expand
awk -F'\t' 'function pair(a, b) { return a < b ? a "\t" b : b "\t" a }
  NR == FNR { estimate[pair($1, $2)] = $3; next } { print estimate[pair($1, $2)] + 0, $3 }' \
  "$tmp/listed.tsv" "$tmp/webis.truth" | sort -gr > "$tmp/scores"
minhash_auc=$(awk -f "$awks/auc.awk" "$tmp/scores")
for features in word:1 word:2 word:5; do
  "$onefold" fingerprints "$webis" --features $features --quiet > "$tmp/fingerprints.tsv"
  awk -f "$awks/hamming.awk" "$tmp/fingerprints.tsv" "$tmp/labels.tsv" | sort -gr > "$tmp/scores"
  echo "| bits of SimHash that agree, \`--features $features\` | $(awk -f "$awks/auc.awk" "$tmp/scores") |"
done > "$tmp/hamming.rows"
for collection in web terabyte core; do
  awk -F'\t' -v which=$collection 'NR == 1 || $6 == which' "$tmp/labels.tsv" > "$tmp/some.tsv"
  "$onefold" evaluate "$webis" --truth "$tmp/some.tsv" --methods exact --quiet > "$tmp/webis-$collection"
done
cp "$tmp/webis.measures" "$tmp/webis-all"
for collection in all web terabyte core; do
  rows '^measure on' 5 "$tmp/webis-$collection" | awk -F' *[|] *' -v which=$collection '
    $2 == "resemblance" { auc = $3; f1 = $4; cut = $5 }
    $2 == "resemblance less differences" {
      printf "| %s | %.4f | %.4f | %+.4f | %.4f | %.4f | %+.4f | %.2f | %.2f |\n", which, auc, $3, $3 - auc, f1, $4, $4 - f1, cut, $5
    }'
done > "$tmp/judged.rows"
worse=$(awk -F' *[|] *' '$2 != "all" && ($5 < 0 || $8 < 0) { printf "%s`%s`", sep, $2; sep = ", " }' "$tmp/judged.rows")

# With the cut of each collection chosen on the others.
for flags in '--shingle word:5' '--shingle word:3' '--shingle word:3 --verify less-differences'; do
  # shellcheck disable=SC2086 # flags are words
  pairs "$tmp/listed.tsv" "$webis" --method join --threshold 0.001 --expand $flags
  echo "| \`$flags\` | $(awk -f "$awks/held_out.awk" "$tmp/listed.tsv" "$tmp/labels.tsv") |"
done > "$tmp/held-out.rows"

# Containment.
zcat "$data/clough_stevenson/pairs.tsv.gz" > "$tmp/clough.tsv"
read -r source_words answer_words <<< "$("$onefold" fingerprints "$clough" --quiet | awk -F'\t' '
  NR > 1 { which = $1 ~ /^orig/; all[which]++; words[which] += $4 }
  END { printf "%.0f %.0f\n", words[1] / all[1], words[0] / all[0] }')"
for shingle in word:5 word:4 word:3 word:2; do
  # All that share anything, with their scores: the best cut is one of those.
  pairs "$tmp/listed.tsv" "$clough" --method join --threshold 1 --containment 0.001 --shingle $shingle
  IFS=$'\t' read -r cut score <<< "$(awk -v from=5 -v to=6 -f "$awks/best.awk" "$tmp/clough.tsv" "$tmp/listed.tsv")"
  echo "| \`--containment $cut --shingle $shingle\` | $score |" >> "$tmp/clough.best"
  pairs "$tmp/listed.tsv" "$clough" --method join --threshold 0.001 --shingle $shingle
  IFS=$'\t' read -r cut score <<< "$(awk -v from=3 -v to=3 -f "$awks/best.awk" "$tmp/clough.tsv" "$tmp/listed.tsv")"
  echo "| \`--threshold $cut --shingle $shingle\` | $score |" >> "$tmp/clough.resemblance"
done
for share in $(seq 0.05 0.05 0.95); do
  pairs "$tmp/listed.tsv" "$clough" --method join --threshold 1 --containment "$share"
  echo "| \`--containment $share\` | $(awk -f "$awks/contained.awk" "$tmp/clough.tsv" "$tmp/listed.tsv") |"
done > "$tmp/clough-shares"
# What looking for contained documents costs beside what it goes with.
for set in mdn_revisions generated; do
  case $set in generated) input=$generated.jsonl ;; *) input=$mdn ;; esac
  for flags in '--method minhash' '--method minhash --containment 0.9' '--method join' '--method join --containment 0.9'; do
    # shellcheck disable=SC2086 # flags are words
    cost=$(timed "$tmp/listed.tsv" "$input" $flags)
    echo "| $set | \`$flags\` | $(tail -n +2 "$tmp/listed.tsv" | wc -l) | $(grep -c contained "$tmp/listed.tsv" || true) | $cost |"
  done
done > "$tmp/containment.costs"

# SimHash by distance.
{
  for set in mdn generated webis; do
    file=$tmp/$set.distances; [ $set = webis ] && file=$tmp/webis.measures
    case $set in mdn) name=mdn_revisions ;; webis) name=webis_s3 ;; *) name=$set ;; esac
    rows '^  k' 3 "$file" | awk -F' *[|] *' -v name=$name -v OFS='\t' '{ print name, $2, $4, $5 }'
  done
} > "$tmp/distances.tsv"
awk -f "$awks/plot.awk" "$tmp/distances.tsv" > "$root/docs/simhash-distance.svg"
{
  echo '| k | mdn precision | recall | generated precision | recall | webis precision | recall |'
  echo '|---:|---:|---:|---:|---:|---:|---:|'
  awk -F'\t' '{ row[$2] = row[$2] " " $3 " | " $4 " |" } END { for (k = 0; k <= 10; k++) print "| " k " |" row[k] }' "$tmp/distances.tsv"
} > "$tmp/distances.table"

# SimHash by resemblance and features.
{
  echo '| features, k | 0.80–0.85 | 0.85–0.90 | 0.90–0.95 | 0.95–1 | all below 1 | precision, unverified |'
  echo '|---|---:|---:|---:|---:|---:|---:|'
  for choice in 'word:5 3' 'word:3 3' 'word:2 3' 'word:1 3' 'word:5 7' 'word:2 7'; do
    read -r features k <<< "$choice"
    pairs "$tmp/listed.tsv" "$mdn" --method simhash --hamming "$k" --features "$features" --verify none --expand
    echo "| \`$features\`, $k | $(awk -f "$awks/by_resemblance.awk" "$tmp/mdn-join.tsv" "$tmp/listed.tsv") |"
  done
} > "$tmp/simhash-by-resemblance"

# Rotations.
{
  echo '| candidates | pairs within 3 | of those by tables | ties of components | wall s | CPU s | MiB |'
  echo '|---|---:|---:|---:|---:|---:|---:|'
  cost=$(timed "$tmp/tables.tsv" "$mdn" --method simhash --verify none)
  echo "| \`tables\` | $(awk -f "$awks/rotate.awk" "$tmp/tables.tsv" "$tmp/tables.tsv") | $cost |"
  for rotations in 1 2 4 8 16 32 64; do
    cost=$(timed "$tmp/listed.tsv" "$mdn" --method simhash --verify none --candidates rotate:$rotations)
    echo "| \`rotate:$rotations\` | $(awk -f "$awks/rotate.awk" "$tmp/tables.tsv" "$tmp/listed.tsv") | $cost |"
  done
} > "$tmp/rotate"

# Bits of signatures.
pairs "$tmp/half.tsv" "$mdn" --method join --threshold 0.5
{
  echo '| bits | bytes a document | pairs | mean error | RMS error | by the formula | wall s | CPU s | MiB |'
  echo '|---:|---:|---:|---:|---:|---:|---:|---:|---:|'
  for bits in 8 16 32 64; do
    cost=$(timed "$tmp/listed.tsv" "$mdn" --threshold 0.5 --verify none --signature-bits $bits)
    echo "| $bits | $((128 * bits / 8)) | $(awk -v bits=$bits -v n=128 -f "$awks/estimate.awk" "$tmp/half.tsv" "$tmp/listed.tsv") | $cost |"
  done
} > "$tmp/signature-bits"

# shellcheck source=/dev/null
. "$awks/page.sh" > "$tmp/page.md"
mv "$tmp/page.md" "$root/docs/evaluation.md"
# Times and memory stay out of the other document, so that it does not change from run to run.
mkdir "$tmp/measured"
cp "$tmp/simhash-by-resemblance" "$tmp/measured"
for name in rotate signature-bits; do
  awk -F'|' -v OFS='|' '{ NF -= 4; print $0 "|" }' "$tmp/$name" > "$tmp/measured/$name"
done
awk -v folder="$tmp/measured" '
  /^<!-- measured: / { print; name = $3; while ((getline line < (folder "/" name)) > 0) print line; skip = 1; next }
  /^<!-- end -->/ { skip = 0 }
  !skip { print }' "$root/docs/algorithms.md" > "$tmp/algorithms.md"
cat "$tmp/algorithms.md" > "$root/docs/algorithms.md"
