# Answers listed with their source, against what they were written as. First file: pairs with their category.
BEGIN { FS = "\t" }
function pair(a, b) { return a < b ? a "\t" b : b "\t" a }
FNR == 1 { next }
NR == FNR { category[pair($1, $2)] = $4; all[$4]++; next }
(pair($1, $2) in category) && !(pair($1, $2) in seen) { seen[pair($1, $2)]; found[category[pair($1, $2)]]++ }
END {
  hits = found["cut"] + found["light"]; listed = hits + found["heavy"] + found["non"]
  printf "%.3f | %.3f | %.3f | %d of %d | %d of %d | %d of %d | %d of %d", listed ? hits / listed : 1,
    hits / (all["cut"] + all["light"]), 2 * hits / (listed + all["cut"] + all["light"]),
    found["cut"], all["cut"], found["light"], all["light"], found["heavy"], all["heavy"], found["non"], all["non"]
}
