# AUC and best F1 of scores on labelled pairs: lines `score label`, sorted by score, the best first.
{ if (NR > 1 && $1 != last) close_tie(); last = $1; if ($2 > 0) alike++; else unlike++ }
END { close_tie(); all = above; report() }
function close_tie() {
  wins += unlike * (above + alike / 2); above += alike; below += unlike
  steps++; hits[steps] = above; taken[steps] = above + below; cut[steps] = last
  alike = unlike = 0
}
function report(i, f1, best) {
  for (i = 1; i <= steps; i++) { f1 = 2 * hits[i] / (taken[i] + all); if (f1 > best) { best = f1; at = i } }
  printf "%.4f | %.4f | %.4g | %.4f | %.4f", wins / (all * below), best, cut[at], hits[at] / taken[at], hits[at] / all
}
