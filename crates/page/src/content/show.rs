//! A page about pages: what was kept of each, and what was dropped.

use super::clean::{Writer, escape};
use super::{Content, lines};

/// The lines of decoded HTML in order, those that are dropped marked as such; goes into a [`show_section`].
pub fn show_html(html: &str, content: Content) -> String {
    let (outline, taken) = lines(html, content);
    let mut writer = Writer::new(&outline);
    for (index, &is_taken) in taken.iter().enumerate() {
        writer.line(index, if is_taken { "kept" } else { "dropped" });
    }
    writer.finish()
}

/// The lines of a text, all kept; goes into a [`show_section`].
pub fn show_text(text: &str) -> String {
    super::clean_text(text).replace("<p>", "<p class=kept>")
}

/// The lines of one page under its name; goes behind [`SHOW_HEAD`].
pub fn show_section(name: &str, lines: &str) -> String {
    let mut out = String::from("<section>\n<p class=name>");
    escape(name, &mut out);
    out.push_str("</p>\n");
    out.push_str(lines);
    out.push_str("</section>\n");
    out
}

/// What the page starts with. It needs nothing from elsewhere, and its end tags may be left out.
pub const SHOW_HEAD: &str = "<!doctype html>
<html lang=en>
<meta charset=utf-8>
<meta name=viewport content=\"width=device-width\">
<title>Kept and dropped</title>
<style>
:root { color-scheme: light dark; --kept: light-dark(#1b7a3d, #6fd08c); --ink: light-dark(#1c1c1c, #e6e6e6);
  --faint: light-dark(#8a3b3b, #d08f8f); --paper: light-dark(#fdfdfb, #17181a); --line: light-dark(#d8d8d2, #3a3c40); }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 0; }
main { max-width: 46rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; overflow-wrap: anywhere; }
section { border-top: 1px solid var(--line); margin-top: 2rem; }
.name, header { font: 0.85rem/1.5 ui-monospace, monospace; }
p.kept, :is(li, td, th, dt, dd, caption, pre, h1, h2, h3, h4, h5, h6) > .kept { border-left: 3px solid var(--kept);
  padding-left: 0.6rem; }
.dropped { color: var(--faint); text-decoration: line-through; text-decoration-thickness: 1px; opacity: 0.85; }
a { color: inherit; }
table { border-collapse: collapse; } td, th { border: 1px solid var(--line); padding: 0.2rem 0.5rem; text-align: left; }
pre { white-space: pre-wrap; }
</style>
<main>
<header><span class=kept>Kept lines</span> have a bar, <span class=dropped>dropped lines</span> are struck out.</header>
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_and_dropped_lines_are_told_apart_and_nothing_runs() {
        let words = "Some words that are read by people who came for them. ".repeat(12);
        let html = format!(
            "<nav><ul><li><a href=/>Home</a><li><a href=/b>Shop</a></ul></nav><article><h1>On birds</h1><p>{words}</p></article>\
             <script>alert(1)</script>"
        );
        let part = show_html(&html, Content::Main);
        assert!(part.contains("<li><span class=dropped><a href=\"/\">Home</a></span></li>"), "{part}");
        assert!(part.contains("<p class=kept>Some words"), "{part}");
        let page = [SHOW_HEAD, &show_section("<b>x", &part)].concat();
        assert!(page.contains("&lt;b&gt;x") && !page.contains("alert") && !page.contains("<script"));
        assert!(page.starts_with("<!doctype html>") && page.contains("light dark"));
        assert_eq!(show_text("a & b\n\nc"), "<p class=kept>a &amp; b</p>\n<p class=kept>c</p>\n");
    }
}
