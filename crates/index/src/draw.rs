//! The pictures as SVG.

use crate::pictures::Pictures;
use std::fmt::Write as _;

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 320.0;
const MARGIN: f64 = 50.0;
/// Characters of a name.
const NAME: usize = 60;

impl Pictures {
    /// Where sorted neighbours differ first.
    pub fn leading_svg(&self) -> String {
        let title =
            format!("Highest bit in which neighbours among {} sorted fingerprints differ", self.documents);
        svg(&title, &self.leading, &[])
    }

    /// How full buckets are, with the fullest named.
    pub fn buckets_svg(&self) -> String {
        let name = |spike: &crate::pictures::Spike| {
            (spike.bucket, format!("{} like {}", spike.documents, spike.name()))
        };
        let named: Vec<(usize, String)> = self.spikes.iter().take(5).map(name).collect();
        let title = format!(
            "Documents by the ten leading bits of their fingerprints: {} documents, {} distinct, {} empty",
            self.documents, self.distinct, self.empty
        );
        svg(&title, &self.buckets, &named)
    }
}

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
    fn names_cannot_break_the_picture() {
        let picture = svg("a <b>", &[1, 0, 3], &[(2, "</text><script>".into())]);
        assert_eq!(picture.matches("<rect").count(), 3);
        assert!(!picture.contains("<script>"));
    }
}
