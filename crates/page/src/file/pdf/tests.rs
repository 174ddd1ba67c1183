#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::time::{Duration, Instant};

use super::*;

/// A file of these objects, without a table of them.
fn pdf(objects: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n".to_vec();
    for (number, body) in objects {
        writeln!(file, "{number} 0 obj").unwrap();
        file.extend_from_slice(body);
        file.extend_from_slice(b"\nendobj\n");
    }
    file.extend_from_slice(b"trailer <</Root 1 0 R>>\n%%EOF");
    file
}

fn stream(dict: &str, data: &[u8]) -> Vec<u8> {
    let mut out = format!("<<{dict} /Length {}>>\nstream\n", data.len()).into_bytes();
    out.extend_from_slice(data);
    out.extend_from_slice(b"\nendstream");
    out
}

fn packed(dict: &str, data: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(data).unwrap();
    stream(&format!("{dict} /Filter /FlateDecode"), &packer.finish().unwrap())
}

/// A file of one page with this content, a plain font `F` and more objects.
fn page(content: Vec<u8>, more: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut objects = vec![
        (1, b"<</Type/Catalog/Pages 2 0 R>>".to_vec()),
        (2, b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec()),
        (
            3,
            b"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R>>/XObject<</X 6 0 R>>>>>>"
                .to_vec(),
        ),
        (4, content),
        (5, b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_vec()),
    ];
    objects.extend_from_slice(more);
    pdf(&objects)
}

fn check(content: &str, expected: &str) {
    let file = page(packed("", content.as_bytes()), &[]);
    assert_eq!(text(&file).map(|(text, _)| text), Ok(expected.to_owned()), "{content}");
}

#[test]
fn places_make_words_and_lines() {
    check("BT /F 10 Tf (Hello) Tj ( world) Tj 0 -12 Td (next) Tj ET", "Hello world\nnext");
    check("BT /F 10 Tf [(H) 20 (ello) -400 (world)] TJ T* 12 TL (same\\051) ' ET", "Hello world\nsame)");
    check("BT /F 10 Tf 1 0 0 1 50 700 Tm (left) Tj 1 0 0 1 200 700 Tm (right) Tj ET", "left right");
    check("q 1 0 0 1 0 50 cm BT /F 9 Tf <48 69> Tj ET Q BT /F 9 Tf (low) Tj ET", "Hi\nlow");
    check("BI /W 1 /H 1 ID \x01(x) Tj\x02 EI BT /F 9 Tf (caf\\351 \\200) Tj ET", "café €");
}

#[test]
fn objects_in_streams_and_forms_are_read() {
    let inner = b"3 0 6 72 <</Type/Page/Contents 4 0 R/Resources<</XObject<</X 7 0 R>>>>>>             null";
    let file = pdf(&[
        (1, b"<</Type/Catalog/Pages 2 0 R>>".to_vec()),
        (2, b"<</Kids[3 0 R]/Resources<</Font<</F 5 0 R>>>>>>".to_vec()),
        (9, packed("/Type /ObjStm /N 2 /First 9", inner)),
        (4, stream("", b"q /X Do Q")),
        (5, b"<</Subtype/Type1/Encoding<</Differences[65/uni20AC/eacute]>>>>".to_vec()),
        (7, stream("/Subtype /Form /Resources <</Font<</F 5 0 R>>>>", b"BT /F 9 Tf (AB) Tj ET")),
    ]);
    assert_eq!(text(&file).unwrap().0, "€é");
}

#[test]
fn a_file_without_a_root_gives_its_loose_pages_and_one_without_pages_is_damaged() {
    let file = page(stream("", b"BT /F 9 Tf (here) Tj ET"), &[]);
    let cut = &file[..memchr::memmem::find(&file, b"trailer").unwrap()];
    assert_eq!(text(cut).unwrap().0, "here");
    assert!(matches!(text(b"%PDF-1.4\nnothing"), Err(FileError::Damaged { .. })));
    let locked = [page(stream("", b""), &[]), b"trailer <</Encrypt 9 0 R>>".to_vec()].concat();
    assert_eq!(text(&locked), Err(FileError::Encrypted(FileType::Pdf)));
}

/// Files that ask for endless work; each must end, soon.
#[test]
fn hostile_files_end_within_bounds() {
    let zeros = vec![b' '; 100 << 20];
    let bomb = packed("", &zeros);
    let form =
        |content: &str| stream("/Subtype /Form /Resources <</XObject<</X 6 0 R>>>>", content.as_bytes());
    let repeated: String = "4 0 R ".repeat(100_000);
    let kids: String = "2 0 R 3 0 R ".repeat(50_000);
    let deep = format!("{}{}", "[".repeat(200_000), "<<".repeat(200_000));
    let cyclic_pages = pdf(&[
        (1, b"<</Pages 2 0 R>>".to_vec()),
        (2, format!("<</Kids[{kids}]>>").into_bytes()),
        (3, b"<</Kids[2 0 R 3 0 R]>>".to_vec()),
    ]);
    let repeated_bomb = pdf(&[
        (1, b"<</Pages 3 0 R>>".to_vec()),
        (3, format!("<</Contents[{repeated}]>>").into_bytes()),
        (4, bomb.clone()),
    ]);
    let chain = (10..60).map(|number| (number, format!("{} 0 R", number + 1).into_bytes()));
    let files = [
        ("unpacks to much", page(bomb, &[])),
        (
            "shows itself",
            page(stream("", b"/X Do"), &[(6, form("/X Do /X Do /X Do /X Do /X Do /X Do /X Do /X Do"))]),
        ),
        ("pages in a circle", cyclic_pages),
        ("one content often", repeated_bomb),
        ("deep arrays", page(deep.clone().into_bytes(), &[(7, deep.into_bytes())])),
        ("a chain of references", page(b"10 0 R".to_vec(), &chain.collect::<Vec<_>>())),
        ("length that refers to itself", page(b"<</Length 4 0 R>>\nstream\nBT".to_vec(), &[])),
        ("many marks", b"1 0 obj ".repeat(1 << 20)),
        ("many trailers", [b"%PDF-1.4 ".to_vec(), b"trailer <<".repeat(1 << 18)].concat()),
        ("streams without an end", b"1 0 obj<</Type/ObjStm/First 9>>stream\n".repeat(1 << 15)),
        ("words without an end", page(stream("", &b"(((((".repeat(1 << 20)), &[])),
    ];
    for (name, file) in files {
        let started = Instant::now();
        let _ = text(&file);
        assert!(started.elapsed() < Duration::from_secs(10), "{name}: {:?}", started.elapsed());
    }
    assert_eq!(text(&page(packed("", &vec![b' '; 300 << 20]), &[])), Err(FileError::TooLarge(FileType::Pdf)));
}
