//! Fingerprints of an index: many looked up at once, and how they lie.

use super::args::{PicturesArgs, QueryBatch};
use super::open;
use crate::terminal::tsv_field;
use anyhow::{Context, Result, bail};
use onefold_index::{Options, Pictures};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Write as _;
use std::io::{BufRead, BufWriter, Read, Write};
use std::path::Path;

pub(super) fn query_batch(arguments: &QueryBatch) -> Result<()> {
    let index = open(&arguments.dir, Options::default())?;
    let name = arguments.fingerprints.display();
    let reader: Box<dyn Read> = match arguments.fingerprints.as_path() {
        path if path == Path::new("-") => Box::new(std::io::stdin()),
        path => Box::new(fs_err::File::open(path)?),
    };
    let (ids, fingerprints) =
        read(std::io::BufReader::new(reader)).with_context(|| format!("{name}: cannot be read"))?;
    let threads = arguments
        .threads
        .map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
    let pairs = index.query_batch(&fingerprints, threads)?;
    let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout());
    out.write_all(b"query\tid\tdistance\n")?;
    let mut names: HashMap<u64, String> = HashMap::new();
    let mut line = String::new();
    for pair in &pairs {
        let name = match names.entry(pair.number) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let stored = index.get_number(pair.number)?;
                new.insert(stored.map(|stored| stored.id).unwrap_or_default())
            }
        };
        line.clear();
        tsv_field(&ids[pair.query as usize], &mut line);
        line.push('\t');
        tsv_field(name, &mut line);
        writeln!(line, "\t{}", pair.distance)?;
        out.write_all(line.as_bytes())?;
    }
    out.flush()?;
    if !arguments.quiet {
        eprintln!("{} fingerprints, {} pairs", fingerprints.len(), pairs.len());
    }
    Ok(())
}

/// Reads a table with the columns `id` and `fingerprint`, as `onefold fingerprints` makes it, or bare fingerprints a line.
fn read(reader: impl BufRead) -> Result<(Vec<String>, Vec<u64>)> {
    let (mut ids, mut fingerprints) = (Vec::new(), Vec::new());
    let mut columns = None;
    for (number, line) in reader.lines().enumerate() {
        let line = line?;
        let fields: Vec<&str> = line.split('\t').collect();
        if number == 0 {
            let place = |name| fields.iter().position(|field| *field == name);
            columns = place("id").zip(place("fingerprint"));
            if columns.is_some() {
                continue;
            }
        }
        let (id, text) = match columns {
            Some((id, fingerprint)) => (fields.get(id).copied(), fields.get(fingerprint).copied()),
            None => (Some(fields[0]), Some(fields[0])),
        };
        let (Some(id), Some(text)) = (id, text) else { bail!("line {}: columns are missing", number + 1) };
        if text.is_empty() && columns.is_some() {
            // An empty document has no fingerprint.
            continue;
        }
        let fingerprint = u64::from_str_radix(text, 16).ok().filter(|_| text.len() == 16);
        let Some(fingerprint) = fingerprint else {
            bail!("line {}: expected 16 hexadecimal digits, found {text:?}", number + 1)
        };
        ids.push(id.to_owned());
        fingerprints.push(fingerprint);
    }
    Ok((ids, fingerprints))
}

pub(super) fn pictures(arguments: &PicturesArgs) -> Result<()> {
    let index = open(&arguments.dir, Options::default())?;
    let pictures = index.pictures()?;
    fs_err::create_dir_all(&arguments.output)?;
    let put = |name: &str, text: String| fs_err::write(arguments.output.join(name), text);
    put("leading.tsv", table("position\tpairs", pictures.leading.iter()))?;
    put("buckets.tsv", table("bucket\tdocuments", pictures.buckets.iter()))?;
    put("spikes.tsv", spikes(&pictures)?)?;
    let title =
        format!("Highest bit in which neighbours among {} sorted fingerprints differ", pictures.documents);
    put("leading.svg", svg(&title, &pictures.leading, &[]))?;
    let named: Vec<(usize, String)> = pictures
        .spikes
        .iter()
        .take(5)
        .map(|spike| (spike.bucket, format!("{} like {}", spike.documents, spike.example)))
        .collect();
    let title = format!(
        "Documents by the ten leading bits of their fingerprints: {} documents, {} distinct, {} empty",
        pictures.documents, pictures.distinct, pictures.empty
    );
    put("buckets.svg", svg(&title, &pictures.buckets, &named))?;
    Ok(())
}

fn table<'a>(header: &str, counts: impl Iterator<Item = &'a u64>) -> String {
    let mut out = format!("{header}\n");
    for (place, count) in counts.enumerate() {
        let _ = writeln!(out, "{place}\t{count}");
    }
    out
}

fn spikes(pictures: &Pictures) -> Result<String> {
    let mut out = String::from("bucket\tdocuments\tfingerprint\tsame\texample\n");
    for spike in &pictures.spikes {
        write!(out, "{}\t{}\t{:016x}\t{}\t", spike.bucket, spike.documents, spike.fingerprint, spike.same)?;
        tsv_field(&spike.example, &mut out);
        out.push('\n');
    }
    Ok(out)
}

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 320.0;
const MARGIN: f64 = 50.0;
/// Characters of a name.
const NAME: usize = 60;

/// Bars, with names on some.
fn svg(title: &str, counts: &[u64], named: &[(usize, String)]) -> String {
    let most = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let step = (WIDTH - 2.0 * MARGIN) / counts.len().max(1) as f64;
    let x = |place: usize| MARGIN + place as f64 * step;
    let height = |count: u64| count as f64 / most * (HEIGHT - 2.0 * MARGIN);
    let floor = HEIGHT - MARGIN;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"{MARGIN}\" y=\"20\" font-size=\"13\">{}</text>\n",
        escape(title)
    );
    for (place, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (left, tall) = (x(place), height(count));
        let wide = (step * 0.9).max(0.5);
        let _ = writeln!(
            out,
            "<rect x=\"{left:.2}\" y=\"{:.2}\" width=\"{wide:.2}\" height=\"{tall:.2}\" fill=\"#0060a0\"><title>{place}: {count}</title></rect>",
            floor - tall
        );
    }
    for (line, (place, name)) in named.iter().enumerate() {
        let short: String = name.chars().take(NAME).collect();
        let (left, top) = (x(*place), MARGIN + 14.0 * line as f64);
        let anchor = if left > WIDTH / 2.0 { "end" } else { "start" };
        let _ = writeln!(
            out,
            "<text x=\"{left:.1}\" y=\"{top:.1}\" text-anchor=\"{anchor}\" fill=\"#a03000\">{}</text>",
            escape(&short)
        );
    }
    let end = counts.len().saturating_sub(1);
    let _ = writeln!(out, "<path d=\"M{MARGIN} {floor}H{}\" stroke=\"black\"/>", WIDTH - MARGIN);
    let _ = writeln!(out, "<text x=\"{MARGIN}\" y=\"{}\">0</text>", floor + 15.0);
    let _ = writeln!(
        out,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{end}</text>",
        WIDTH - MARGIN,
        floor + 15.0
    );
    let _ = writeln!(
        out,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{most:.0}</text>",
        MARGIN - 5.0,
        MARGIN + 4.0
    );
    out.push_str("</svg>\n");
    out
}

/// Text from outside in XML: markup written out, controls left out.
fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_file_are_read() {
        let table = "id\tdigest\tfingerprint\ttokens\na\tx\t00000000000000ff\t3\nb\tx\t\t0\n";
        assert_eq!(read(table.as_bytes()).unwrap(), (vec!["a".into()], vec![255]));
        assert_eq!(read(&b"00000000000000ff\n"[..]).unwrap().1, [255]);
        assert!(read(&b"ff\n"[..]).is_err() && read(&b"id\tfingerprint\nx\n"[..]).is_err());
    }

    #[test]
    fn names_cannot_break_the_picture() {
        let picture = svg("a <b>", &[1, 0, 3], &[(2, "</text><script>".into())]);
        assert_eq!(picture.matches("<rect").count(), 3);
        assert!(!picture.contains("<script>"));
    }
}
