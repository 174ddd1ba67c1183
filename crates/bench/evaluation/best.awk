# The cut by which answers are best told, out of all scores that occur. First file: pairs with their category; second:
# the listing of `onefold pairs`, the score being the larger of the fields FROM to TO. Prints the cut and what
# contained.awk prints of it; of several cuts of one F1 the strictest.
BEGIN { FS = "\t"; CONVFMT = "%.17g" }
function pair(a, b) { return a < b ? a "\t" b : b "\t" a }
FNR == 1 { next }
NR == FNR { category[pair($1, $2)] = $4; all[$4]++; next }
(pair($1, $2) in category) {
  ids = pair($1, $2)
  for (i = from; i <= to; i++) if ($i > score[ids]) score[ids] = $i + 0
}
END {
  truth = all["cut"] + all["light"]; best = -1
  for (some in score) cuts[score[some]]
  for (cut in cuts) {
    delete found
    for (some in score) if (score[some] >= cut + 0) found[category[some]]++
    hits = found["cut"] + found["light"]; listed = hits + found["heavy"] + found["non"]
    f1 = 2 * hits / (listed + truth)
    if (f1 > best || (f1 == best && cut + 0 > at)) {
      best = f1; at = cut + 0
      row = sprintf("%.3f | %.3f | %.3f | %d of %d | %d of %d | %d of %d | %d of %d", listed ? hits / listed : 1,
        hits / truth, f1, found["cut"], all["cut"], found["light"], all["light"], found["heavy"], all["heavy"],
        found["non"], all["non"])
    }
  }
  printf "%.3f\t%s\n", at, row
}
