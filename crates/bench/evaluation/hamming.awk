# Scores `bits that agree, label` of labelled pairs, by fingerprint. First file: `onefold fingerprints`.
BEGIN {
  FS = "\t"
  split("0 1 1 2 1 2 2 3 1 2 2 3 2 3 3 4", ones, " ")
  for (i = 0; i < 16; i++) value[substr("0123456789abcdef", i + 1, 1)] = i
}
function xor(a, b, bit, out) {
  for (bit = 8; bit >= 1; bit /= 2) { out += (int(a / bit) % 2 != int(b / bit) % 2) * bit }
  return out + 0
}
FNR == 1 { next }
NR == FNR { fingerprint[$1] = $3; next }
{
  apart = 0; a = fingerprint[$1]; b = fingerprint[$2]
  for (i = 1; i <= length(a); i++) apart += ones[xor(value[substr(a, i, 1)], value[substr(b, i, 1)]) + 1]
  print 4 * length(a) - apart, $3
}
