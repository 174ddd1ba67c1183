//! The curves as a picture: one file with nothing to load, told apart by dashes as well as by colour, and legible on a
//! light and on a dark page.

use super::curves::Curves;
use std::fmt::Write;

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 440.0;
/// Left, top, right and bottom of the plot.
const PLOT: [f64; 4] = [64.0, 44.0, 540.0, 384.0];
const STEPS: u32 = 200;

/// Colours of lines on light and on dark ground, and their dashes.
const LINES: [(&str, &str, &str); 6] = [
    ("#0072b2", "#56b4e9", ""),
    ("#b34700", "#ff9d5c", "8 4"),
    ("#007a5a", "#2fd6a8", "2 3"),
    ("#a2477d", "#e59ac6", "10 3 2 3"),
    ("#7a6a00", "#e0cf4a", "5 2"),
    ("#555555", "#bbbbbb", "1 4"),
];

pub(super) fn draw(curves: &Curves) -> String {
    let mut out = String::new();
    let [left, top, right, bottom] = PLOT;
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
         height=\"{HEIGHT}\" role=\"img\" aria-labelledby=\"title\">\n\
         <title id=\"title\">Probability that a pair is found, against its resemblance</title>\n<style>\n\
         text {{ font-family: sans-serif; font-size: 13px; }}\n.axis, .line {{ fill: none; }}\n.line {{ stroke-width: 2; }}"
    );
    // Plain rules and no variables, which not every viewer knows.
    out.push_str(&colours(["#ffffff", "#1f2328", "#d8dce0"], |line| line.0));
    let dark = colours(["#0d1117", "#e6edf3", "#30363d"], |line| line.1);
    let _ = writeln!(out, "@media (prefers-color-scheme: dark) {{\n{dark}}}\n</style>");
    let _ = writeln!(out, "<rect class=\"ground\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>");
    let heading = format!("threshold {}, signature of {} values", curves.threshold, curves.signature);
    let _ = writeln!(out, "<text x=\"{left}\" y=\"20\" style=\"font-weight: bold\">{heading}</text>");
    grid(&mut out);
    let x = at(curves.threshold, 0.0).0;
    let _ = writeln!(
        out,
        "<path class=\"axis\" stroke-dasharray=\"3 3\" d=\"M{x:.1} {top}V{bottom}\"/>\n\
         <text x=\"{:.1}\" y=\"{:.1}\" style=\"font-size: 11px\" text-anchor=\"middle\">threshold</text>",
        x,
        top - 6.0
    );
    let bands = curves.candidates.iter().map(|candidate| {
        let bands = candidate.bands;
        let label = format!("{}: {} bands of {} rows", candidate.name, bands.bands, bands.rows);
        // The chosen one is the whole line.
        let style = ["chosen", "looser", "stricter"].iter().position(|name| *name == candidate.name);
        (style.unwrap_or(0), label, Box::new(move |s| bands.probability(s)) as Box<dyn Fn(f64) -> f64>)
    });
    let sketches = curves.sketches.iter().enumerate().map(|(number, &rule)| {
        let label = format!("{} of {} entries agree", rule.agree, rule.of);
        (3 + number, label, Box::new(move |s| rule.probability(s)) as Box<dyn Fn(f64) -> f64>)
    });
    for (number, (style, label, of)) in bands.chain(sketches).enumerate() {
        let style = style % LINES.len();
        let (_, _, dashes) = LINES[style];
        let class = format!("class=\"line c{style}\" stroke-dasharray=\"{dashes}\"");
        let class = class.replace(" stroke-dasharray=\"\"", "");
        let _ = write!(out, "<path {class} d=\"");
        for step in 0..=STEPS {
            let s = f64::from(step) / f64::from(STEPS);
            let (x, y) = at(s, of(s));
            let _ = write!(out, "{}{x:.1} {y:.1}", if step == 0 { 'M' } else { 'L' });
        }
        let y = top + 8.0 + 22.0 * number as f64;
        let _ = writeln!(out, "\"/>\n<path {class} d=\"M{} {y}h28\"/>", right + 16.0);
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\" style=\"font-size: 11px\">{label}</text>",
            right + 50.0,
            y + 4.0
        );
    }
    out.push_str("</svg>\n");
    out
}

/// Rules for the ground, for what is written on it and its grid, and for each line.
fn colours(
    [ground, ink, grid]: [&str; 3],
    line: fn(&(&'static str, &'static str, &str)) -> &'static str,
) -> String {
    let mut rules = format!(
        ".ground {{ fill: {ground}; }}\ntext {{ fill: {ink}; }}\n.axis {{ stroke: {ink}; }}\n.grid {{ stroke: {grid}; }}\n"
    );
    for (number, colours) in LINES.iter().enumerate() {
        let _ = writeln!(rules, ".c{number} {{ stroke: {}; }}", line(colours));
    }
    rules
}

/// Where a resemblance and a probability lie.
fn at(s: f64, probability: f64) -> (f64, f64) {
    let [left, top, right, bottom] = PLOT;
    (left + s * (right - left), bottom - probability.clamp(0.0, 1.0) * (bottom - top))
}

fn grid(out: &mut String) {
    let [left, top, right, bottom] = PLOT;
    for fifth in 0..=5 {
        let value = f64::from(fifth) / 5.0;
        let (x, y) = at(value, value);
        let _ = writeln!(out, "<path class=\"grid\" d=\"M{left} {y:.1}H{right}M{x:.1} {top}V{bottom}\"/>");
        let _ =
            writeln!(out, "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{value}</text>", bottom + 18.0);
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>",
            left - 8.0,
            y + 4.0
        );
    }
    let _ = writeln!(out, "<path class=\"axis\" d=\"M{left} {top}V{bottom}H{right}\"/>");
    let middle = ((left + right) / 2.0, (top + bottom) / 2.0);
    let _ = writeln!(
        out,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">resemblance s of a pair</text>\n\
         <text transform=\"translate(20 {}) rotate(-90)\" text-anchor=\"middle\">probability that it is found</text>",
        middle.0,
        bottom + 40.0,
        middle.1
    );
}
