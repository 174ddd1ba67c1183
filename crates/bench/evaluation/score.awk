# Precision, recall and F1 of a listing of pairs. First file: what is true, `id id value`, sorted out by the caller;
# second: the listing of `onefold pairs`. With labelled=1 value is 0 or 1 and only pairs in the first file count;
# else every pair of the first file is true and every other is false.
BEGIN { FS = "\t" }
function pair(a, b) { return a < b ? a "\t" b : b "\t" a }
NR == FNR { truth[pair($1, $2)] = $3; if (!labelled || $3 > 0) all++; next }
FNR > 1 {
  ids = pair($1, $2)
  if (ids in seen) next
  seen[ids]; listed++
  if (ids in truth) { judged++; if (!labelled || truth[ids] > 0) found++ }
  else if (!labelled) judged++
}
END {
  precision = judged ? found / judged : 1
  printf "%d | %.4f | %.4f | %.4f", listed, precision, found / all, 2 * found / (judged + all)
}
