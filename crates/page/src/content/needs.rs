//! Pages that only script, a form or a login can fill: the deep web.
//!
//! They have little text of their own, and that text is about the means, not the matter. Compared as if it were
//! content, all pages of such a site would be one.

use crate::html::meta::Meta;

/// What a page needs before it shows its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// A script puts the content in, or sends the reader on.
    Script,
    /// A form asks what is wanted.
    Form,
    /// Only those who log in see it.
    Login,
}

impl Needs {
    /// Its name in counts.
    pub fn name(self) -> &'static str {
        match self {
            Needs::Script => "script",
            Needs::Form => "form",
            Needs::Login => "login",
        }
    }
}

/// With fewer words, what is there is not the content.
const FEW_WORDS: usize = 60;
/// A login page has some words more about itself.
const FEW_WORDS_AT_LOGIN: usize = 150;

/// What a page with this text needs, if anything.
pub(super) fn of(meta: &Meta, text: &str) -> Option<Needs> {
    let words = text.split_ascii_whitespace().take(FEW_WORDS_AT_LOGIN).count();
    if meta.passwords > 0 && words < FEW_WORDS_AT_LOGIN {
        return Some(Needs::Login);
    }
    if words >= FEW_WORDS {
        return None;
    }
    let asks_for_script = || {
        let lower = text.to_ascii_lowercase();
        ["javascript", "java script", "loading", "browser"].iter().any(|word| lower.contains(word))
    };
    if meta.fields > 0 && meta.forms > 0 && !meta.has_script_root {
        Some(Needs::Form)
    } else if meta.has_script_root
        || !meta.refresh.is_empty()
        || (meta.scripts > 0 && (words < 10 || asks_for_script()))
    {
        Some(Needs::Script)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Needs;
    use crate::content::{Content, extract_html};

    fn check(html: &str, expected: Option<Needs>) {
        for content in [Content::Main, Content::Plateau, Content::All] {
            assert_eq!(extract_html(html, content).needs, expected, "{html} {content:?}");
        }
    }

    #[test]
    fn a_page_filled_by_script_is_told() {
        check("<title>Shop</title><div id=root></div><script src=app.js></script>", Some(Needs::Script));
        check("<p>Please enable JavaScript to use this site.</p><script>x</script>", Some(Needs::Script));
        check("<meta http-equiv=refresh content='0; url=/next'>", Some(Needs::Script));
    }

    #[test]
    fn a_form_and_a_login_are_told() {
        check("<form><input name=q><button>Find a flight</button></form>", Some(Needs::Form));
        check("<form>Name <input type=email> <input type=Password> Sign in</form>", Some(Needs::Login));
    }

    #[test]
    fn pages_with_text_of_their_own_need_nothing() {
        let text = "Some words that are read by people who came for them. ".repeat(20);
        check(&format!("<script>x</script><form><input></form><p>{text}"), None);
        check("<p>Short, but a page.", None);
    }
}
