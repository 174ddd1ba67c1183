# F1 on labelled pairs with the cut of each collection chosen on the others alone, out of all scores that occur there.
# First file: the listing of `onefold pairs`; second: labels with a header, a label in field 3 and a collection in
# field 6. A pair that is not listed has a score below all others.
BEGIN { FS = "\t"; LEAST = -10 }
function pair(a, b) { return a < b ? a "\t" b : b "\t" a }
FNR == 1 { next }
NR == FNR { score[pair($1, $2)] = $3 + 0; next }
{
  ids = pair($1, $2); n++; label[n] = $3 > 0; collection[n] = $6; collections[$6]
  value[n] = ids in score ? score[ids] : LEAST
  all += label[n]
}
# The cut of the best F1 on all collections but one; of several, the strictest.
function cut_without(which, i, j, hits, taken, true, f1, best, at) {
  for (i = 1; i <= n; i++) if (collection[i] != which) true += label[i]
  for (i = 1; i <= n; i++) if (collection[i] != which && value[i] > LEAST) {
    hits = taken = 0
    for (j = 1; j <= n; j++) if (collection[j] != which && value[j] >= value[i]) { taken++; hits += label[j] }
    f1 = 2 * hits / (taken + true)
    if (f1 > best || (f1 == best && value[i] > at)) { best = f1; at = value[i] }
  }
  return at
}
END {
  for (which in collections) {
    cut = cut_without(which)
    for (i = 1; i <= n; i++) if (collection[i] == which && value[i] >= cut) { taken++; hits += label[i] }
  }
  printf "%.4f | %.4f | %.4f", hits / taken, hits / all, 2 * hits / (taken + all)
}
