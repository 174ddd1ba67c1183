//! Question: is the text right for files whose encoding is known?
//!
//! `cargo run --release -p onefold-page --example charset_accuracy -- FOLDER` reads FOLDER/ENCODING/FILE, decodes each
//! file without a header, and prints encoding, name, `right` or `wrong`, and what was guessed. Right is the text
//! that the folder's encoding decodes to; encodings the web does not know are marked `unknown`.
#![allow(clippy::print_stdout)]

use encoding_rs::Encoding;

fn main() -> std::io::Result<()> {
    let folder = std::env::args_os().nth(1).unwrap_or_else(|| "charset".into());
    let mut paths = Vec::new();
    for encoding in fs_err::read_dir(folder)? {
        for file in fs_err::read_dir(encoding?.path())? {
            paths.push(file?.path());
        }
    }
    paths.sort();
    for path in paths {
        let bytes = fs_err::read(&path)?;
        let label = path
            .parent()
            .and_then(|folder| folder.file_name())
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let decoded = onefold_page::decode(&bytes, None, onefold_page::looks_like_html(&bytes));
        let verdict = match expected(&label, &bytes) {
            Some(text) if text == decoded.text => "right",
            Some(_) => "wrong",
            None => "unknown",
        };
        println!("{label}\t{name}\t{verdict}\t{}\t{}", decoded.charset, decoded.replaced);
    }
    Ok(())
}

/// The text in the encoding of a Python codec's name.
fn expected(label: &str, bytes: &[u8]) -> Option<String> {
    let wide = |unit: usize, little: bool| -> Option<String> {
        let number = |chunk: &[u8]| {
            let digits: Vec<u8> = if little { chunk.iter().rev().copied().collect() } else { chunk.to_vec() };
            digits.iter().fold(0u32, |number, &byte| number << 8 | u32::from(byte))
        };
        let text: String = if unit == 4 {
            bytes.chunks_exact(4).map(|chunk| char::from_u32(number(chunk)).unwrap_or('\u{fffd}')).collect()
        } else {
            let units: Vec<u16> = bytes.chunks_exact(2).map(|chunk| number(chunk) as u16).collect();
            String::from_utf16_lossy(&units)
        };
        Some(text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned))
    };
    let name = match label {
        "utf_16" => return wide(2, bytes.starts_with(b"\xff\xfe")),
        "utf_16_le" => return wide(2, true),
        "utf_16_be" => return wide(2, false),
        "utf_32" => return wide(4, bytes.starts_with(b"\xff\xfe")),
        "utf_32_le" => return wide(4, true),
        "utf_32_be" => return wide(4, false),
        "utf_8" | "ascii" => "utf-8",
        "cp932" => "shift_jis",
        "cp949" => "euc-kr",
        "iso8859_1" => "windows-1252",
        "tis_620" => "windows-874",
        "iso8859_9" => "windows-1254",
        "iso2022_jp" => "iso-2022-jp",
        "mac_cyrillic" => "x-mac-cyrillic",
        _ => label,
    };
    let spelled = name.replace("iso8859_", "iso-8859-").replace('_', "-");
    let encoding = Encoding::for_label_no_replacement(spelled.as_bytes())?;
    Some(encoding.decode(bytes).0.into_owned())
}
