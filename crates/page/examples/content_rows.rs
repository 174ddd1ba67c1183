//! Writes what `training/` learns from: for each page of FOLDER, rows of features and texts of blocks.
//!
//! `cargo run --release -p onefold-page --example content_rows -- FOLDER OUT` writes OUT.rows (per page: number of blocks
//! and of features as `u32`, then the features as `i16`, little-endian) and OUT.json (names and texts).

use std::io::{Read, Write};

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or_default();
    let out = arguments.next().unwrap_or_default();
    let mut paths: Vec<_> =
        fs_err::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.sort();
    let mut rows_file = std::io::BufWriter::new(fs_err::File::create(format!("{out}.rows"))?);
    let mut pages = Vec::new();
    for path in paths {
        let packed = fs_err::read(&path)?;
        let mut bytes = Vec::new();
        flate2::read::MultiGzDecoder::new(packed.as_slice()).read_to_end(&mut bytes)?;
        let html = onefold_page::decode(&bytes, None, true).text;
        let (mut rows, mut paths, mut texts) = (Vec::new(), Vec::new(), Vec::new());
        for (row, path, text) in onefold_page::content::training_rows(&html) {
            rows.push(row);
            paths.push(path);
            texts.push(text);
        }
        let width = rows.first().map_or(0, Vec::len);
        rows_file.write_all(&(rows.len() as u32).to_le_bytes())?;
        rows_file.write_all(&(width as u32).to_le_bytes())?;
        for row in rows {
            assert_eq!(row.len(), width);
            for number in row {
                rows_file.write_all(&number.to_le_bytes())?;
            }
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        pages.push(serde_json::json!({ "name": name, "blocks": texts, "paths": paths }));
    }
    rows_file.flush()?;
    fs_err::write(format!("{out}.json"), serde_json::to_vec(&pages)?)
}
