# Precision (whole lines) and recall (dashed) against k, as SVG. Lines: `set k precision recall`.
BEGIN {
  FS = "\t"; width = 640; height = 400; margin = 60
  split("#0060a0 #c04000 #208020", colours, " ")
}
function x(k) { return margin + k / 10 * (width - 2 * margin) }
function y(share) { return height - margin - share * (height - 2 * margin) }
{
  if (!($1 in number)) { number[$1] = ++sets; name[sets] = $1 }
  s = number[$1]; at = sprintf("%s%.1f %.1f", $2 == 0 ? "M" : "L", x($2), y($3))
  precision[s] = precision[s] at
  recall[s] = recall[s] sprintf("%s%.1f %.1f", $2 == 0 ? "M" : "L", x($2), y($4))
}
END {
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n", width, height
  print "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
  printf "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"black\"/>\n", margin, margin, height - margin, width - margin
  for (k = 0; k <= 10; k++) printf "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>\n", x(k), height - margin + 18, k
  for (t = 0; t <= 10; t += 2) {
    printf "<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/>\n", margin, y(t / 10), width - margin
    printf "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.1f</text>\n", margin - 8, y(t / 10) + 4, t / 10
  }
  for (s = 1; s <= sets; s++) {
    printf "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n", precision[s], colours[s]
    printf "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"5 3\"/>\n", recall[s], colours[s]
    printf "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>\n", margin + (s - 1) * 150, 30, colours[s], name[s]
  }
  printf "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">Hamming distance k; whole lines: precision, dashed: recall</text>\n", width / 2, height - 15
  print "</svg>"
}
