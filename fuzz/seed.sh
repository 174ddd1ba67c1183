#!/bin/sh
# Fills corpus/ with the slices of real archives that the tests of onefold-formats use.
set -eu
cd "$(dirname "$0")"
data=../crates/formats/tests/data
mkdir -p corpus/reader_warc corpus/reader_arc corpus/gzip_members corpus/http_response corpus/visible_text corpus/decode corpus/extract corpus/url
cp "$data"/*.warc corpus/reader_warc/
cp "$data"/*.arc corpus/reader_arc/
cp "$data"/*.gz corpus/gzip_members/
for file in "$data"/*.warc; do
    sed -n '/^HTTP\//,$p' "$file" >"corpus/http_response/$(basename "$file")"
    cp "$file" corpus/visible_text/
    cp "$file" corpus/decode/
done
cp ../crates/page/tests/data/*.html corpus/extract/
grep -o 'http[^", ]*' ../crates/page/tests/data/url/crawler-commons/weird_to_normalized.csv | sort -u | while read -r url; do
    printf %s "$url" >"corpus/url/$(printf %s "$url" | cksum | cut -d' ' -f1)"
done
