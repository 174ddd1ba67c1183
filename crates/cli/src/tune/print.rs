//! What `tune` prints.

use super::corpus::{BINS, Estimate, Pairs};
use super::curves::Curves;
use super::plot::{self, Curve, Stroke};
use crate::size::human;
use onefold_detect::matching::Bands;
use serde_json::json;
use std::io::{Result, Write};

pub(super) fn text(out: &mut impl Write, curves: &Curves, estimate: Option<&Estimate>) -> Result<()> {
    heading(out, curves)?;
    candidates(out, curves)?;
    table(out, curves)?;
    plots(out, curves)?;
    estimate.map_or(Ok(()), |estimate| corpus(out, curves, estimate))
}

fn heading(out: &mut impl Write, curves: &Curves) -> Result<()> {
    let Curves { threshold, recall, signature, given, .. } = curves;
    if *given {
        writeln!(out, "threshold {threshold}, signature of {signature} values, bands as given")
    } else {
        writeln!(out, "threshold {threshold}, recall {recall}, signature of {signature} values")
    }
}

fn name(bands: Bands) -> String {
    format!("{}x{}", bands.bands, bands.rows)
}

fn candidates(out: &mut impl Write, curves: &Curves) -> Result<()> {
    let around = curves.around();
    let [below, at, above] = around.map(|s| format!("s={s:.2}"));
    writeln!(out, "\nb bands of r rows find a pair of resemblance s with probability 1 - (1 - s^r)^b")?;
    writeln!(out, "\n            bands   rows   keys a document   {below:>7}   {at:>7}   {above:>7}")?;
    for candidate in &curves.candidates {
        let Bands { bands, rows } = candidate.bands;
        let [below, at, above] = around.map(|s| candidate.bands.probability(s));
        let name = candidate.name;
        writeln!(
            out,
            "{name:<8} {bands:>8} {rows:>6} {bands:>17}   {below:>7.4}   {at:>7.4}   {above:>7.4}"
        )?;
    }
    Ok(())
}

fn table(out: &mut impl Write, curves: &Curves) -> Result<()> {
    write!(out, "\n     s")?;
    for candidate in &curves.candidates {
        write!(out, "  {:>8}", name(candidate.bands))?;
    }
    for rule in &curves.sketches {
        write!(out, "  {:>10}", format!("{} of {}", rule.agree, rule.of))?;
    }
    writeln!(out)?;
    for s in curves.points() {
        let s_text =
            if (s * 100.0 - (s * 100.0).round()).abs() < 1e-9 { format!("{s:.2}") } else { s.to_string() };
        write!(out, "{s_text:>6}")?;
        for candidate in &curves.candidates {
            write!(out, "  {:>8.4}", candidate.bands.probability(s))?;
        }
        for rule in &curves.sketches {
            write!(out, "  {:>10.4}", rule.probability(s))?;
        }
        writeln!(out, "{}", if curves.is_threshold(s) { "  <- threshold" } else { "" })?;
    }
    Ok(())
}

fn plots(out: &mut impl Write, curves: &Curves) -> Result<()> {
    let of: Vec<_> =
        curves.candidates.iter().map(|candidate| move |s: f64| candidate.bands.probability(s)).collect();
    let drawn: Vec<Curve<'_>> = curves
        .candidates
        .iter()
        .zip(&of)
        .map(|(candidate, of)| Curve {
            label: format!("{} {}", candidate.name, name(candidate.bands)),
            stroke: match candidate.name {
                "chosen" => Stroke::Solid,
                "looser" => Stroke::Dashed,
                _ => Stroke::Dotted,
            },
            of,
        })
        .collect();
    plot(out, "bands", &drawn, curves.threshold)?;
    let of: Vec<_> = curves.sketches.iter().map(|rule| move |s: f64| rule.probability(s)).collect();
    let drawn: Vec<Curve<'_>> = curves
        .sketches
        .iter()
        .zip(&of)
        .enumerate()
        .map(|(number, (rule, of))| Curve {
            label: format!("{} of {}", rule.agree, rule.of),
            stroke: [Stroke::Solid, Stroke::Dashed, Stroke::Dotted][number % 3],
            of,
        })
        .collect();
    plot(out, "sketches", &drawn, curves.threshold)
}

fn plot(out: &mut impl Write, what: &str, curves: &[Curve<'_>], mark: f64) -> Result<()> {
    let legend: Vec<String> =
        curves.iter().map(|curve| format!("{} {}", curve.stroke.name(), curve.label)).collect();
    writeln!(out, "\nprobability against resemblance, {what}: {}", legend.join(", "))?;
    write!(out, "{}", plot::draw(curves, mark))
}

fn number(value: f64) -> String {
    match value {
        v if v < 0.05 => format!("{v:.1e}"),
        v if v < 100.0 => format!("{v:.1}"),
        v if v < 1e7 => format!("{v:.0}"),
        v => format!("{v:.3e}"),
    }
}

fn with_error(pairs: Pairs) -> String {
    if pairs.expected == 0.0 {
        return "0".into();
    }
    if pairs.error == 0.0 {
        number(pairs.expected)
    } else {
        format!("{} ± {}", number(pairs.expected), number(pairs.error))
    }
}

fn corpus(out: &mut impl Write, curves: &Curves, estimate: &Estimate) -> Result<()> {
    let Estimate { documents, bad, texts, sampled, scale, .. } = estimate;
    writeln!(
        out,
        "\ncorpus      {documents} documents, {bad} bad; {texts} different texts that are not empty"
    )?;
    if *texts < 2 {
        return writeln!(out, "            too few to make a pair");
    }
    if sampled == texts {
        writeln!(out, "sample      all of them, each with each: no error of sampling")?;
    } else {
        let unseen = number(3.0 * scale);
        writeln!(
            out,
            "sample      {sampled} texts, each with each: a pair stands for {}; ± is the standard error;",
            number(*scale)
        )?;
        writeln!(
            out,
            "            of a kind of pair the sample has none of there may be up to {unseen} (95 %)"
        )?;
    }
    let error =
        onefold_detect::measure::estimate::ValueBits::B64.standard_error(curves.threshold, curves.signature);
    writeln!(
        out,
        "resemblance by signatures of {} values: ± {error:.3} a pair at the threshold",
        curves.signature
    )?;
    writeln!(out, "\n  resemblance   pairs")?;
    for (bin, pairs) in estimate.histogram.iter().enumerate().filter(|(_, pairs)| pairs.expected > 0.0) {
        let [from, to] = [bin, bin + 1].map(|edge| edge as f64 / BINS as f64);
        writeln!(out, "  {from:.2} to {to:.2}  {}", with_error(*pairs))?;
    }
    for (cost, candidate) in estimate.costs.iter().zip(&curves.candidates) {
        let of_sample = if *sampled == *texts { "pairs share" } else { "pairs of the sample share" };
        writeln!(out, "\n{} {}", candidate.name, name(candidate.bands))?;
        writeln!(out, "  candidates  {}; {} {of_sample} a bucket", with_error(cost.candidates), cost.met)?;
        writeln!(out, "  false ones  {}: below the threshold", with_error(cost.below))?;
        writeln!(out, "  keys        {}", human(cost.key_bytes))?;
        writeln!(out, "  comparing   {} s of one core", number(cost.compare_seconds))?;
    }
    writeln!(
        out,
        "\ncomparing two sets of {} shingles, as texts here have in the mean, takes {:.2} µs, measured now;\n\
         reading the texts of candidates again comes on top",
        estimate.shingles,
        estimate.compare_seconds * 1e6
    )
}

pub(super) fn json(curves: &Curves, estimate: Option<&Estimate>) -> serde_json::Value {
    let candidates = curves.candidates.iter().enumerate().map(|(number, candidate)| {
        let Bands { bands, rows } = candidate.bands;
        let [below, at, above] =
            curves.around().map(|s| json!({"s": s, "probability": candidate.bands.probability(s)}));
        let mut value = json!({
            "name": candidate.name,
            "bands": bands,
            "rows": rows,
            "keys_per_document": bands,
            "below": below,
            "at": at,
            "above": above,
        });
        if let Some(cost) = estimate.map(|estimate| estimate.costs[number]) {
            value["corpus"] = json!({
                "candidates": pairs(cost.candidates),
                "false_candidates": pairs(cost.below),
                "sample_candidates": cost.met,
                "key_bytes": cost.key_bytes,
                "compare_seconds": cost.compare_seconds,
            });
        }
        value
    });
    let curve = curves.points().into_iter().map(|s| {
        let bands: serde_json::Map<_, _> = curves
            .candidates
            .iter()
            .map(|candidate| (candidate.name.to_owned(), candidate.bands.probability(s).into()))
            .collect();
        let sketches: serde_json::Map<_, _> = curves
            .sketches
            .iter()
            .map(|rule| (format!("{}/{}", rule.agree, rule.of), rule.probability(s).into()))
            .collect();
        json!({"s": s, "bands": bands, "sketches": sketches})
    });
    let mut value = json!({
        "version": 1,
        "threshold": curves.threshold,
        "recall": if curves.given { None } else { Some(curves.recall) },
        "signature": curves.signature,
        "candidates": candidates.collect::<Vec<_>>(),
        "curve": curve.collect::<Vec<_>>(),
    });
    if let Some(estimate) = estimate {
        let histogram = estimate.histogram.iter().enumerate().map(|(bin, found)| {
            let [from, to] = [bin, bin + 1].map(|edge| edge as f64 / BINS as f64);
            json!({"from": from, "to": to, "pairs": pairs(*found)})
        });
        value["corpus"] = json!({
            "documents": estimate.documents,
            "bad": estimate.bad,
            "texts": estimate.texts,
            "sampled": estimate.sampled,
            "pairs_per_sampled_pair": estimate.scale,
            "histogram": histogram.collect::<Vec<_>>(),
            "mean_shingles": estimate.shingles,
            "compare_pair_seconds": estimate.compare_seconds,
        });
    }
    value
}

fn pairs(pairs: Pairs) -> serde_json::Value {
    json!({"expected": pairs.expected, "standard_error": pairs.error})
}
