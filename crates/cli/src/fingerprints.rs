//! `onefold fingerprints`.

use crate::args::{FingerprintFormat, Fingerprints};
use crate::dedup::{listing, plan};
use crate::progress::Bars;
use crate::scratch::Scratch;
use crate::terminal::{note, tsv_field};
use anyhow::Result;
use onefold_detect::measure::estimate::ValueBits;
use onefold_pipeline::{FingerprintsSummary, Job};
use onefold_run::{Method, Plan};
use std::io::{BufWriter, Write};

pub(crate) fn run(arguments: &Fingerprints) -> Result<()> {
    let bars = Bars::new(arguments.machine.quiet);
    let scratch = Scratch::new(&arguments.machine)?;
    if arguments.format == FingerprintFormat::Tsv {
        arguments.sketches.check_without_signatures()?;
    }
    let plan = shaped(arguments, plan(&arguments.input, &arguments.sketches.matching())?)?;
    let bits = plan.simhash.bits;
    let job = listing(plan, (&arguments.input, &arguments.machine), &scratch, &bars)?;
    let work = scratch.path()?.join("work");
    let outcome = match arguments.format {
        FingerprintFormat::Tsv => {
            let mut out = BufWriter::with_capacity(1 << 16, crate::terminal::stdout());
            // Written once reading has succeeded.
            let mut header = "id\tdigest\tfingerprint\ttokens\n";
            let mut line = String::new();
            let counts = onefold_pipeline::fingerprints(&job, &work, &mut |found| {
                out.write_all(std::mem::take(&mut header).as_bytes())?;
                line.clear();
                tsv_field(found.id, &mut line);
                let (digest, fingerprint) = (found.digest, bits.hex(found.fingerprint));
                Ok(writeln!(out, "{line}\t{digest:032x}\t{fingerprint}\t{}", found.tokens)?)
            });
            if counts.is_ok() {
                out.write_all(header.as_bytes())?;
            }
            out.flush()?;
            counts
        }
        FingerprintFormat::Parquet => {
            parquet(&job, &work, &scratch.path()?.join("fingerprints.parquet"), bits)
        }
    };
    bars.finish();
    let summary = outcome?;
    if !arguments.machine.quiet {
        let counts = summary.counts;
        note!("read {} documents, {} bad", counts.read, counts.bad);
        crate::terminal::first_bad(summary.first_bad.as_deref());
    }
    Ok(())
}

/// A plan that makes the sketches asked for: signatures go into Parquet alone.
fn shaped(arguments: &Fingerprints, plan: Plan) -> Result<Plan> {
    let method = match arguments.format {
        FingerprintFormat::Tsv => Method::Simhash,
        FingerprintFormat::Parquet => Method::Combined,
    };
    let mut plan = Plan { method, signature_bits: ValueBits::B32, ..plan };
    // Nothing is compared, so that any distance and any bands will do.
    plan.simhash.hamming = 0;
    Ok(plan.tuned(Some((1, 1)))?)
}

#[cfg(feature = "parquet")]
fn parquet(
    job: &Job<'_>,
    work: &std::path::Path,
    path: &std::path::Path,
    bits: onefold_detect::sketch::Bits,
) -> Result<FingerprintsSummary, onefold_pipeline::Error> {
    use onefold_formats::parquet::{Cell, ColumnType, TableWriter};
    let columns = [
        ("id", ColumnType::Text),
        ("digest", ColumnType::Text),
        ("fingerprint", ColumnType::Text),
        ("tokens", ColumnType::UInt),
        ("signature", ColumnType::UIntList),
    ];
    let mut writer = TableWriter::create(fs_err::File::create(path)?, &columns)?;
    let mut values = Vec::new();
    let counts = onefold_pipeline::fingerprints(job, work, &mut |found| {
        let digest = format!("{:032x}", found.digest);
        values.clear();
        values.extend(
            found.signature.as_chunks::<4>().0.iter().map(|value| u64::from(u32::from_le_bytes(*value))),
        );
        let row = [
            Cell::Text(found.id),
            Cell::Text(&digest),
            Cell::Text(&bits.hex(found.fingerprint)),
            Cell::UInt(found.tokens.into()),
            Cell::UIntList(&values),
        ];
        Ok(writer.push(&row)?)
    })?;
    writer.finish()?;
    std::io::copy(&mut fs_err::File::open(path)?, &mut crate::terminal::stdout())?;
    Ok(counts)
}

#[cfg(not(feature = "parquet"))]
fn parquet(
    _: &Job<'_>,
    _: &std::path::Path,
    _: &std::path::Path,
    _: onefold_detect::sketch::Bits,
) -> Result<FingerprintsSummary, onefold_pipeline::Error> {
    let message = "--format parquet: this program was built without Parquet";
    Err(onefold_pipeline::Error::Unsupported(message.into()))
}
