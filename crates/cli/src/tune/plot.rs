//! Curves in a terminal, in braille: each character has two by four dots.
//!
//! ```text
//! 1.0 ┤      ⣀⠤⠒
//! 0.5 ┤   ⡠⠊
//! 0.0 ┼────────────
//! ```

use std::fmt::Write;

/// Characters a curve is wide and high; with the axis 80 columns in all.
const WIDTH: usize = 73;
const HEIGHT: usize = 14;
const MARGIN: usize = 6;

/// A curve and how it is drawn.
pub(super) struct Curve<'a> {
    pub(super) label: String,
    pub(super) stroke: Stroke,
    pub(super) of: &'a dyn Fn(f64) -> f64,
}

/// Told apart without colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stroke {
    Solid,
    /// Dots in groups of three with gaps as long.
    Dashed,
    /// Every fourth dot.
    Dotted,
}

impl Stroke {
    pub(super) fn name(self) -> &'static str {
        match self {
            Stroke::Solid => "solid",
            Stroke::Dashed => "dashed",
            Stroke::Dotted => "dotted",
        }
    }

    fn shows(self, step: usize) -> bool {
        match self {
            Stroke::Solid => true,
            Stroke::Dashed => step % 6 < 3,
            Stroke::Dotted => step.is_multiple_of(4),
        }
    }
}

/// Draws curves over 0 to 1, and a vertical line at `mark`; a line of 80 columns at most, each.
pub(super) fn draw(curves: &[Curve<'_>], mark: f64) -> String {
    let mut dots = Dots::new();
    for curve in curves {
        let (columns, rows) = (WIDTH * 2, HEIGHT * 4);
        let row_of = |x: usize| {
            let value = (curve.of)(x as f64 / (columns - 1) as f64).clamp(0.0, 1.0);
            ((1.0 - value) * (rows - 1) as f64).round() as usize
        };
        // Steps along the curve, so that dashes are as long where it is steep.
        let mut step = 0;
        let mut before = row_of(0);
        for x in 0..columns {
            let row = row_of(x);
            let between = before.min(row)..=before.max(row);
            let rows: Vec<usize> = if row < before { between.rev().collect() } else { between.collect() };
            for y in rows.iter().skip(usize::from(rows.len() > 1)) {
                if curve.stroke.shows(step) {
                    dots.set(x, *y);
                }
                step += 1;
            }
            before = row;
        }
    }
    dots.lines(mark)
}

struct Dots {
    cells: Vec<u8>,
}

impl Dots {
    fn new() -> Self {
        Dots { cells: vec![0; WIDTH * HEIGHT] }
    }

    fn set(&mut self, x: usize, y: usize) {
        // The order of dots in U+2800: down the left column, down the right, then the bottom row.
        const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
        self.cells[y / 4 * WIDTH + x / 2] |= BITS[y % 4][x % 2];
    }

    fn lines(&self, mark: f64) -> String {
        let mark = (mark * (WIDTH - 1) as f64).round() as usize;
        let mut out = String::new();
        for (number, row) in self.cells.chunks(WIDTH).enumerate() {
            let label = match number {
                0 => "1.0 ┤",
                n if n == HEIGHT / 2 => "0.5 ┤",
                n if n == HEIGHT - 1 => "0.0 ┤",
                _ => "    │",
            };
            let line: String = row
                .iter()
                .enumerate()
                .map(|(column, &cell)| match cell {
                    0 if column == mark => '┊',
                    0 => ' ',
                    _ => char::from_u32(0x2800 + u32::from(cell)).unwrap_or(' '),
                })
                .collect();
            let _ = writeln!(out, "{}", format!("{label} {line}").trim_end());
        }
        let axis: String = (0..WIDTH).map(|x| if x % 18 == 0 { '┬' } else { '─' }).collect();
        let _ = writeln!(out, "    └─{axis}");
        let mut ticks = " ".repeat(MARGIN + WIDTH - 1);
        for (tick, label) in ["0", ".25", ".5", ".75", "1"].iter().enumerate() {
            let at = MARGIN + tick * 18 - label.len() / 2;
            ticks.replace_range(at..(at + label.len()).min(ticks.len()), label);
        }
        let _ = writeln!(out, "{}", ticks.trim_end());
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(of: &dyn Fn(f64) -> f64, stroke: Stroke) -> Vec<String> {
        draw(&[Curve { label: String::new(), stroke, of }], 0.8).lines().map(str::to_owned).collect()
    }

    fn dots(lines: &[String]) -> u32 {
        let cell = |c: char| (c as u32).checked_sub(0x2800).filter(|bits| *bits < 256);
        lines.iter().flat_map(|line| line.chars()).filter_map(cell).map(u32::count_ones).sum()
    }

    #[test]
    fn a_line_is_eighty_columns_at_most() {
        for line in plot(&|s| s, Stroke::Solid) {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }

    #[test]
    fn a_diagonal_goes_from_corner_to_corner() {
        let lines = plot(&|s| s, Stroke::Solid);
        assert!(lines[0].ends_with(['⠉', '⡠', '⠊', '⠉', '⠈', '⠁', '⠤', '⠔', '⠋', '⣀']), "{}", lines[0]);
        assert!(lines[HEIGHT - 1].starts_with("0.0 ┤ ⣀"), "{}", lines[HEIGHT - 1]);
        assert_eq!(dots(&lines), WIDTH as u32 * 2);
    }

    #[test]
    fn a_step_is_drawn_through() {
        let lines = plot(&|s| f64::from(u8::from(s > 0.5)), Stroke::Solid);
        assert!(dots(&lines) > WIDTH as u32 * 2 + HEIGHT as u32 * 3);
        assert!(dots(&plot(&|s| s, Stroke::Dotted)) * 3 < dots(&plot(&|s| s, Stroke::Solid)));
    }

    #[test]
    fn the_mark_stands_where_no_curve_is() {
        assert!(plot(&|_| 0.0, Stroke::Solid)[3].ends_with('┊'));
    }
}
