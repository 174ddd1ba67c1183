//! A fetched page as what is worth comparing.
//!
//! [`charset`] turns fetched bytes into text the way a browser does, [`html`] turns HTML into the text a reader
//! sees, [`content`] takes from it what the reader came for and what the page says of itself, and [`url`] puts
//! addresses into forms to compare by. But for a URL that is none, nothing here fails: pages of a crawl are broken as a rule, and the HTML and
//! Encoding standards say what each broken page means, so every input has an answer.
//!
//! ```
//! let page = b"<meta charset=windows-1251><title>\xcf\xf0\xe8\xe2\xe5\xf2</title><p>un<b>believ</b>able";
//! let decoded = onefold_page::decode(page, None, onefold_page::looks_like_html(page));
//! let mut text = String::new();
//! onefold_page::visible_text(&decoded.text, &mut text);
//! assert_eq!(text, "Привет\nunbelievable");
//! ```

pub mod charset;
pub mod content;
pub mod file;
pub mod html;
pub mod records;
#[cfg(feature = "evaluate")]
pub mod score;
pub mod template;
pub mod url;

pub use charset::{Decoded, decode};
pub use content::{Content, Page, extract, extract_html};
pub use html::{looks_like_html, visible_text};
