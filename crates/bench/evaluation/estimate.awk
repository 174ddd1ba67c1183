# Error of estimates from signatures of n values cut to b bits. First file: true resemblances; second: estimates.
# Prints pairs, mean error, root of the mean square, and that which the formula expects of these very pairs.
BEGIN { FS = "\t"; chance = bits < 64 ? 2 ^ -bits : 0 }
function pair(a, b) { return a < b ? a "\t" b : b "\t" a }
FNR == 1 || $4 == "exact" { next }
NR == FNR { if ($3 >= 0.7 && $3 < 0.9) truth[pair($1, $2)] = $3; next }
(pair($1, $2) in truth) {
  j = truth[pair($1, $2)]; p = j + (1 - j) * chance
  error = $3 - j; pairs++; sum += error; squares += error * error
  expected += p * (1 - p) / n / (1 - chance) ^ 2
}
END {
  printf "%d | %+.4f | %.4f | %.4f", pairs, sum / pairs, sqrt(squares / pairs), sqrt(expected / pairs)
}
