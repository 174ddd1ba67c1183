//! Question: how many bytes of HTML a second does `visible_text` take on one core?
//!
//! `cargo run --release -p onefold-page --example html_speed -- FOLDER` reads every file of the folder into
//! memory, decodes it, and times seven rounds over all of them; the best and the median count.
#![allow(clippy::print_stdout)]

use std::time::Instant;

fn main() -> std::io::Result<()> {
    let folder = std::env::args_os().nth(1).unwrap_or_else(|| "crates/page/tests/data".into());
    let mut pages = Vec::new();
    for entry in fs_err::read_dir(folder)? {
        let bytes = fs_err::read(entry?.path())?;
        pages.push(onefold_page::decode(&bytes, None, true).text.into_owned());
    }
    let bytes: usize = pages.iter().map(String::len).sum();
    let mut out = String::with_capacity(bytes);
    let mut seconds: Vec<f64> = (0..7)
        .map(|_| {
            out.clear();
            let start = Instant::now();
            pages.iter().for_each(|page| onefold_page::visible_text(page, &mut out));
            start.elapsed().as_secs_f64()
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    let rate = |seconds: f64| bytes as f64 / seconds / 1e6;
    println!("{} pages, {bytes} bytes of HTML, {} of text", pages.len(), out.len());
    println!("{:.0} MB/s best, {:.0} MB/s median", rate(seconds[0]), rate(seconds[3]));
    Ok(())
}
