//! A plot of cost against documents, as SVG, from a table of `documents<TAB>cpu_seconds` lines.

use std::fmt::Write;
use std::io::Read;
use std::process::ExitCode;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
const MARGIN: f64 = 60.0;

pub(crate) fn run() -> ExitCode {
    let mut table = String::new();
    if let Err(error) = std::io::stdin().read_to_string(&mut table) {
        eprintln!("error: standard input: {error}");
        return ExitCode::from(2);
    }
    let points: Vec<(f64, f64)> = table
        .lines()
        .filter_map(|line| {
            let mut fields = line.split('\t');
            Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
        })
        .collect();
    if points.len() < 2 {
        eprintln!("error: expected two or more lines of documents and CPU seconds");
        return ExitCode::from(2);
    }
    print!("{}", svg(&points));
    ExitCode::SUCCESS
}

fn svg(points: &[(f64, f64)]) -> String {
    let largest = points.iter().fold((0.0, 0.0), |(x, y): (f64, f64), p| (x.max(p.0), y.max(p.1)));
    let x = |documents: f64| MARGIN + documents / largest.0 * (WIDTH - 2.0 * MARGIN);
    let y = |seconds: f64| HEIGHT - MARGIN - seconds / largest.1 * (HEIGHT - 2.0 * MARGIN);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <path d=\"M{MARGIN} {MARGIN}V{}H{}\" fill=\"none\" stroke=\"black\"/>\n",
        HEIGHT - MARGIN,
        WIDTH - MARGIN
    );
    // The straight line through the first point: what linear growth would cost.
    let slope = points[0].1 / points[0].0;
    let _ = writeln!(
        out,
        "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"gray\" stroke-dasharray=\"4\"/>",
        x(0.0),
        y(0.0),
        x(largest.0),
        y(slope * largest.0)
    );
    let path: Vec<String> = points.iter().map(|&(d, s)| format!("{:.1} {:.1}", x(d), y(s))).collect();
    let _ = writeln!(
        out,
        "<path d=\"M{}\" fill=\"none\" stroke=\"#0060a0\" stroke-width=\"2\"/>",
        path.join("L")
    );
    for &(documents, seconds) in points {
        let (cx, cy) = (x(documents), y(seconds));
        let _ = writeln!(out, "<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"3\" fill=\"#0060a0\"/>");
        let _ = writeln!(
            out,
            "<text x=\"{cx:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{seconds:.1} s</text>",
            cy - 8.0
        );
        let thousand = documents / 1000.0;
        let below = HEIGHT - MARGIN + 18.0;
        let _ =
            writeln!(out, "<text x=\"{cx:.1}\" y=\"{below}\" text-anchor=\"middle\">{thousand:.0} k</text>");
    }
    let _ = writeln!(
        out,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">documents</text>",
        WIDTH / 2.0,
        HEIGHT - 15.0
    );
    out.push_str("<text x=\"15\" y=\"40\">CPU seconds of `onefold pairs`; dashed: linear from the first point</text>\n</svg>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_drawn() {
        assert_eq!(svg(&[(100.0, 1.0), (200.0, 2.0)]).matches("<circle").count(), 2);
    }
}
