# Share of true pairs that a listing has, by resemblance in steps of 0.05, equal texts left out; then of all of them,
# and the share of listed pairs that are true. First file: `id id resemblance kind` of all true pairs.
BEGIN { FS = "\t" }
function pair(a, b) { return a < b ? a "\t" b : b "\t" a }
FNR == 1 { next }
$4 == "exact" { next }
NR == FNR {
  ids = pair($1, $2); step[ids] = int(($3 + 1e-9) * 20); if (step[ids] > 19) step[ids] = 19
  all[step[ids]]++; total++; next
}
{ listed++; ids = pair($1, $2); if (ids in step) { found[step[ids]]++; hits++ } }
END {
  for (i = 16; i < 20; i++) printf "%.4f | ", found[i] / all[i]
  printf "%.4f | %.4f", hits / total, hits / listed
}
