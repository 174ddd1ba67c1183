//! Text without its template: the lines that recur on most pages of a site.
//!
//! What recurs is learned by whoever has seen the pages; here is what a line is, and what dropping leaves.

/// The lines of a text that may be template: without the white space around them, and not empty.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

/// The text without the lines that are template; `None` where that is all of it or nothing of what has words, for no page is
/// emptied.
///
/// ```
/// let text = "Share this\nThe news of today.\nShare this";
/// let rest = onefold_page::template::without(text, |line| line == "Share this");
/// assert_eq!(rest.as_deref(), Some("The news of today."));
/// ```
pub fn without(text: &str, mut is_template: impl FnMut(&str) -> bool) -> Option<String> {
    let mut rest = String::with_capacity(text.len());
    let mut dropped = false;
    for line in lines(text) {
        if is_template(line) {
            dropped = true;
            continue;
        }
        if !rest.is_empty() {
            rest.push('\n');
        }
        rest.push_str(line);
    }
    (dropped && rest.contains(char::is_alphanumeric)).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_page_is_emptied_and_one_without_template_is_left_alone() {
        assert_eq!(without("a\n b \n–", |line| line != "–"), None);
        assert_eq!(without("a\nb", |_| false), None);
        assert_eq!(without("a\n b \n\nc", |line| line == "c").as_deref(), Some("a\nb"));
    }
}
