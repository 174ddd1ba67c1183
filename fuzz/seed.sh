#!/bin/sh
# Fills corpus/ with the real files that the tests of onefold-formats and onefold-page use, and with seeds/: Parquet as Arrow's
# Python writes it, segments of indexes, changes to their stores, and what was once a fault.
set -eu
cd "$(dirname "$0")"
data=../crates/formats/tests/data
mkdir -p corpus/reader_warc corpus/reader_arc corpus/gzip_members corpus/http_response corpus/visible_text corpus/decode corpus/extract corpus/url \
    corpus/clean_html corpus/pdf corpus/file corpus/old_office corpus/json_fields corpus/reader_csv \
    corpus/parquet corpus/index_segment corpus/index_store corpus/url_rules corpus/records
cp "$data"/*.warc corpus/reader_warc/
cp "$data"/*.arc corpus/reader_arc/
cp "$data"/*.gz corpus/gzip_members/
for file in "$data"/*.warc; do
    sed -n '/^HTTP\//,$p' "$file" >"corpus/http_response/$(basename "$file")"
    cp "$file" corpus/visible_text/
    cp "$file" corpus/decode/
done
cp ../crates/page/tests/data/*.html corpus/extract/
cp ../crates/page/tests/data/*.html corpus/clean_html/
files=../crates/page/tests/data/files
cp "$files"/* corpus/file/
# Targets put the first bytes in front.
tail -c +10 "$files/story.pdf" >corpus/pdf/story
printf '1 0 obj <</Pages 2 0 R>> endobj 2 0 obj <</Kids[3 0 R]>> endobj 3 0 obj <</Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>> endobj 4 0 obj <<>> stream\nBT /F 9 Tf (a) Tj [(b) -300 (c)] TJ ET\nendstream endobj 5 0 obj <</Subtype/Type1>> endobj trailer <</Root 1 0 R>>' >corpus/pdf/small
for name in story.doc ships.xls; do
    tail -c +9 "$files/$name" >"corpus/old_office/$name"
done
gzip -dc "$files/slides.ppt.gz" | tail -c +9 >corpus/old_office/slides.ppt
printf '{"id":"a","text":"some \\u00e9 text","url":null,"n":[1,{"x":2.5e3}]}' >corpus/json_fields/line
printf 'id,text\n1,"a ""quoted""\nfield"\n2,plain\n' >corpus/reader_csv/table
grep -o 'http[^", ]*' ../crates/page/tests/data/url/crawler-commons/weird_to_normalized.csv | sort -u | while read -r url; do
    printf %s "$url" >"corpus/url/$(printf %s "$url" | cksum | cut -d' ' -f1)"
done
cp seeds/url/* corpus/url/
cp seeds/parquet/* corpus/parquet/
# The first byte chooses the index that a segment belongs to.
{ printf '\000'; cat ../crates/index/tests/fixtures/v1/0.segment; } >corpus/index_segment/bands
{ printf '\001'; cat seeds/index_segment/coded.segment; } >corpus/index_segment/coded
{ printf '\002'; cat seeds/index_segment/plain.segment; } >corpus/index_segment/plain
cp seeds/index_store/* corpus/index_store/
for choice in 000 001 002 200 201 202; do
    printf "\\$choice" >"corpus/index_store/whole-$choice"
    # A bit in the header, and in four pages.
    printf "\\$choice\\000\\011\\000\\001\\001\\002\\000\\001\\002\\020\\000\\001\\003\\000\\017\\200\\004\\004\\000\\377" >"corpus/index_store/changes-$choice"
done
rule='"support":3,"refuted":0,"confidence":1.0,"example":["",""]'
printf 'http://example.org/print/a.php?sid=1&b=2\n{"version":1,"keys":9,"unstable":0,"min_support":3,"min_confidence":0.9,"rules":[{"host":"org,example","kind":"parameter","text":"sid",%s},{"host":"org,example","kind":"substring","text":"/print",%s},{"host":"org,example","kind":"suffix","text":".php",%s}]}' \
    "$rule" "$rule" "$rule" >corpus/url_rules/rules
shop=../tests/data/shop
{ cat "$shop/axe.html"; printf '\f'; cat "$shop/lamp.html"; printf '\f'; cat "$shop/kettle.html"; } >corpus/records/shop
printf '<h1>a</h1><ul><li><b>c:</b> d<p>e<li><b>c:</b> f<p>g</ul>\f<h1>h</h1><ul><li><b>c:</b> i<p>j<li><b>c:</b> k<p>l</ul>' >corpus/records/small
