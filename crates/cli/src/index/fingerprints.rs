//! Fingerprints of an index: many looked up at once, and how they lie.

use super::args::{PicturesArgs, QueryBatch};
use super::open;
use crate::terminal::{note, tsv_field};
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
    let mut out = BufWriter::with_capacity(1 << 16, crate::terminal::stdout());
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
        note!("{} fingerprints, {} pairs", fingerprints.len(), pairs.len());
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
            bail!("line {}: expected 16 hexadecimal digits, found {:?}", number + 1, shortened(text))
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
    put("leading.svg", pictures.leading_svg())?;
    put("buckets.svg", pictures.buckets_svg())?;
    Ok(())
}

fn table<'a>(header: &str, counts: impl Iterator<Item = &'a u64>) -> String {
    let mut out = format!("{header}\n");
    for (place, count) in counts.enumerate() {
        let _ = writeln!(out, "{place}\t{count}");
    }
    out
}

/// What is shown of a field that is not what it should be.
fn shortened(text: &str) -> String {
    let mut shown: String = text.chars().take(40).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

fn spikes(pictures: &Pictures) -> Result<String> {
    let mut out = String::from("bucket\tdocuments\tfingerprint\tsame\texample\tbegins\n");
    if pictures.empty > 0 {
        writeln!(out, "\t{0}\t\t{0}\tempty pages\t", pictures.empty)?;
    }
    for spike in &pictures.spikes {
        write!(out, "{}\t{}\t{:016x}\t{}\t", spike.bucket, spike.documents, spike.fingerprint, spike.same)?;
        tsv_field(&spike.example, &mut out);
        out.push('\t');
        tsv_field(spike.begins.as_deref().unwrap_or_default(), &mut out);
        out.push('\n');
    }
    Ok(out)
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
}
