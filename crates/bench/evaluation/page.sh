# The page itself; sourced by evaluation.sh, which has measured everything.
# shellcheck shell=bash disable=SC2154
cat <<P
# Evaluation

Made by \`crates/bench/evaluation.sh DATA\`; only the words are written by hand. All numbers but times and memory are the same
on every run. Those are of \`onefold pairs\` as \`/usr/bin/time\` tells them: wall seconds, CPU seconds (user and system) and
peak memory of the run of least CPU time out of ${RUNS:-3}, on $(nproc) cores of $(awk -F': ' '/^model name/ { print $2; exit }' /proc/cpuinfo).
Wall time depends on what else the machine does; trust CPU time.

Methods are explained in [algorithms.md](algorithms.md). Charsets, main content, pages in other frames and templates are
[at the end](#pages). Pairs are those of documents, copies included (\`--expand\`). The
threshold is 0.8 over sets of five-word shingles unless a row says otherwise.

## Which to use when

- **\`minhash\`** for nearly everything. It finds what \`join\` finds but for a pair in thousands, lists nothing below the
  threshold, and is the cheapest of those that do.
- **\`join\`** where one missed pair is one too many, for tests, and to know what the others miss. It reads the input twice.
- **\`exact\`** where copies are all you are after, or as a first look. It misses every page with another date on it.
- **\`simhash\`** where a fingerprint of eight bytes is all that can be kept of a document, and only very near copies matter.
  At k = 3 it misses more than half of the pairs below a resemblance of 0.9. A larger k finds more, and the more has
  verification to drop. It is no means to find all pairs at a threshold of resemblance.
- **\`combined\`** where documents cannot be read again. With \`--verify none\`, MinHash and SimHash together are right more often
  than MinHash alone, and find more than SimHash does at k = 3.
- **\`--containment\`** for excerpts and quotes: its value says how much was taken, whatever the length of the whole. On the
  short answers below, resemblance with a threshold chosen as well does nearly as much: sources have $source_words words on average
  and answers $answer_words, so neither is much longer. Shorter shingles find more rewriting.
- **\`--candidates rotate:N\`** for clusters by components, not for lists of pairs: eight rotations make nearly all ties.
- **The threshold** for what people call the same lies lower than 0.8: on pages judged by people F1 is best near 0.5.

## Pages of MDN at five dates

\`neardup/mdn_revisions\`: 11,497 documents. What is true is what \`join\` finds, $mdn_pairs pairs; the set's own list, made by
other code with another definition of a word, has $mdn_listed. Rows that decide by another measure (\`sketch\`, \`edit\`,
\`--sample\`) are held against the same truth: what they list beside it is not always wrong.

$(cat "$tmp/mdn.table")

## Generated documents

20,000 documents with 5 % exact and 15 % near copies planted over resemblances of 0.5 to 0.98 (seed 11); what is true
is what was planted, $generated_pairs pairs.

$(cat "$tmp/generated.table")

## Pages judged by people

\`neardup/webis_s3\`: 358 pairs of pages of ClueWeb09 (\`web\`), GOV2 (\`terabyte\`) and the Washington Post (\`core\`), 200 of
them judged to be near duplicates. Precision is over judged pairs; all that were judged not to be are hard.

$(cat "$tmp/webis.table")

At the threshold of 0.8 hardly anything is listed that people call different, and much is missed that they call the same.
Lower thresholds:

| flags | listed | precision | recall | F1 |
|---|---:|---:|---:|---:|
$(cat "$tmp/webis.thresholds")

Every measure by itself: the probability that a pair judged alike scores above one judged not (AUC), the best F1, and
the value from which it is reached.

| measure | AUC | F1 | best from | precision | recall |
|---|---:|---:|---:|---:|---:|
$(rows '^measure on' 5 "$tmp/webis.measures")
| resemblance as MinHash estimates it | $minhash_auc |
$(cat "$tmp/hamming.rows")

*Resemblance less differences* is J − log₁₀(1 + d)/10 over shingles of three words, d being the number of shingles that
one has and the other not: people who look at a diff forgive a long page its share of changes less than a short one.
The form and its factor were chosen on these very labels, so the gain over plain resemblance is an upper bound of what
to expect; unseen data may differ. By collection, each with its own best value:

| collection | AUC plain | less differences | gain | F1 plain | less differences | gain | best from, plain | less differences |
|---|---:|---:|---:|---:|---:|---:|---:|---:|
$(cat "$tmp/judged.rows")

It is worse than plain resemblance in AUC or F1 in: ${worse:-no collection}. As the last two columns show, the best value moves
from collection to collection for either, so try a threshold on a sample of your own:
\`onefold evaluate INPUT --truth labels.tsv\`.

With the value for each collection chosen on the two others, which is nearer to what unseen data will show:

| flags | precision | recall | F1 |
|---|---:|---:|---:|
$(cat "$tmp/held-out.rows")

*By rareness*, a shingle weighs ln(documents / documents with it) among the judged pages; *containment with length* is that of the
smaller times the root of the ratio of the numbers of shingles. Neither does better than shorter shingles do.

## SimHash by distance

Fingerprints of 64 bits over pairs of words, within k and unverified.

![Precision and recall of SimHash for k from 0 to 10](simhash-distance.svg)

$(cat "$tmp/distances.table")

By resemblance, on pairs of \`mdn_revisions\` that are not equal: the share of true pairs within k, and how many of all
within k are true.

$(cat "$tmp/simhash-by-resemblance")

## Rotations against tables

Near pairs of distinct texts of \`mdn_revisions\` within 3 bits. *Ties* are the merges by which pairs become components: of
many fingerprints that are nearly equal, neighbours meet and others do not, which costs pairs but, from eight rotations
on, hardly components. At this size reading costs more than tables or sorting.

$(cat "$tmp/rotate")

## Bits of a signature

128 values; pairs of \`mdn_revisions\` with a resemblance of 0.7 to 0.9, estimate against truth. The fast sketch draws without
replacement, so its error is below the formula's on short documents. Pairs of one page at several dates are not
independent of each other.

$(cat "$tmp/signature-bits")

## Containment

\`neardup/clough_stevenson\`: 95 short answers, each written from one of five sources by copying (*cut*), light revision,
heavy revision, or without it (*non*). An answer counts as found if it is listed with its source; cut and light are true.
For every length of shingles the best share by F1, out of all that occur:

| flags | precision | recall | F1 | cut | light | heavy | non |
|---|---:|---:|---:|---:|---:|---:|---:|
$(cat "$tmp/clough.best")

By resemblance instead, at the best threshold out of all that occur:

| flags | precision | recall | F1 | cut | light | heavy | non |
|---|---:|---:|---:|---:|---:|---:|---:|
$(cat "$tmp/clough.resemblance")

All shares for the default shingles:

| flags | precision | recall | F1 | cut | light | heavy | non |
|---|---:|---:|---:|---:|---:|---:|---:|
$(cat "$tmp/clough-shares")

What it costs: a key for every shingle that another document has too, where \`join\` alone has a few a document.

| set | flags | listed | of these contained | wall s | CPU s | MiB |
|---|---|---:|---:|---:|---:|---:|
$(cat "$tmp/containment.costs")

$(cat "$awks/pages.md")
P
