# What neighbours of rotated fingerprints are of the pairs within k: pairs, their share of what tables find, and the
# share of ties: merges by which pairs become connected components. First file: what tables find.
BEGIN { FS = "\t" }
function root(x) { while (parent[x] != "" && parent[x] != x) x = parent[x]; return x }
function tie(set, a, b) { a = root(set a); b = root(set b); if (a == b) return 0; parent[a] = b; return 1 }
FNR == 1 || $4 == "exact" { next }
NR == FNR { all++; all_ties += tie("t", $1, $2); next }
{ found++; ties += tie("r", $1, $2) }
END { printf "%d | %.4f | %.4f", found, found / all, ties / all_ties }
