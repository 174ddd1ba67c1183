//! Facts of the prescan.

use super::*;

fn check(page: &str, expected: Option<&str>) {
    assert_eq!(declared_encoding(page.as_bytes()).map(Encoding::name), expected, "{page}");
}

#[test]
fn meta_charset_counts_in_any_spelling() {
    for page in [
        "<meta charset=koi8-r>",
        "<META CharSet='KOI8-R'>",
        "<meta/charset = \" koi8-r \" />",
        "<html><head><meta name=a content=b><meta id=x charset=koi8-r >",
        "<meta charset=koi8-r charset=utf-8>",
        "</p foo='>'><meta charset=koi8-r>",
        "a < b <1> <!x> <?php ?> </> <meta charset=koi8-r>",
    ] {
        check(page, Some("KOI8-R"));
    }
}

#[test]
fn content_counts_only_beside_http_equiv_content_type() {
    check("<meta http-equiv=Content-Type content='text/html; charset=big5'>", Some("Big5"));
    check("<meta content='text/html; charset = \"big5\"; x' http-equiv=content-type>", Some("Big5"));
    check("<meta http-equiv=content-type content='charset x charset=big5 y'>", Some("Big5"));
    check("<meta content='text/html; charset=big5'>", None);
    check("<meta http-equiv=refresh content='text/html; charset=big5'>", None);
    check("<meta http-equiv=content-type content='text/html; charset=\"big5'>", None);
    check("<meta http-equiv=content-type content='text/html'>", None);
}

#[test]
fn charset_beats_content_in_one_tag() {
    check("<meta http-equiv=content-type content='charset=big5' charset=koi8-r>", Some("KOI8-R"));
    check("<meta charset=koi8-r content='charset=big5'>", Some("KOI8-R"));
    check("<meta charset=unknown http-equiv=content-type content='charset=big5'>", None);
}

#[test]
fn an_unknown_label_leaves_the_word_to_the_next_tag() {
    check("<meta charset=unknown><meta charset=koi8-r>", Some("KOI8-R"));
}

#[test]
fn utf_16_in_meta_is_utf_8_and_x_user_defined_is_windows_1252() {
    check("<meta charset=utf-16>", Some("UTF-8"));
    check("<meta charset=utf-16be>", Some("UTF-8"));
    check("<meta charset=x-user-defined>", Some("windows-1252"));
}

#[test]
fn comments_and_attribute_values_hide_tags() {
    check("<!-- <meta charset=big5> --><meta charset=koi8-r>", Some("KOI8-R"));
    check("<!--><meta charset=koi8-r>", Some("KOI8-R"));
    check("<a title='<meta charset=big5>'><meta charset=koi8-r>", Some("KOI8-R"));
    check("<!-- <meta charset=big5>", None);
    check("<metadata charset=big5>", None);
}

#[test]
fn the_window_is_1024_bytes_and_a_cut_tag_does_not_count() {
    let tag = "<meta charset=big5>";
    check(&format!("{}{tag}", " ".repeat(1024 - tag.len())), Some("Big5"));
    for filler in 1024 - tag.len() + 1..1030 {
        check(&format!("{}{tag}", " ".repeat(filler)), None);
    }
    for unfinished in
        ["<", "<meta", "<meta ", "<meta charset", "<meta charset=", "<meta charset=big5", "<a", "<a b='"]
    {
        check(unfinished, None);
    }
}

#[test]
fn an_xml_declaration_is_the_last_resort() {
    check("<?xml version='1.0' encoding='euc-jp'?><html>", Some("EUC-JP"));
    check("<?xml version='1.0' encoding=\"utf-16\"?><html>", Some("UTF-8"));
    check("<?xml version='1.0' encoding='euc-jp'?><meta charset=koi8-r>", Some("KOI8-R"));
    check("<?xml version='1.0'?><p encoding='euc-jp'>", None);
    check(" <?xml encoding='euc-jp'?>", None);
    assert_eq!(declared_encoding(b"<\0?\0x\0m\0l\0"), Some(UTF_16LE));
    assert_eq!(declared_encoding(b"\0<\0?\0x\0m\0l"), Some(UTF_16BE));
}
