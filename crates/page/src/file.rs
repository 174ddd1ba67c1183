//! Files that are not HTML: what they are, by their content, and their text.
//!
//! A name or a header may lie, the first bytes hardly do. Text comes with a line a paragraph, row or line on a slide
//! or page. Libraries and losers: docs/decisions/0012-file-types.md.
//! Every reader is bounded: what a file unpacks to is cut off at [`MAX_UNPACKED_BYTES`] with an error, nothing
//! recurses, and a damaged file is an error with a reason, never a panic.

mod declared;
#[cfg(feature = "office")]
mod epub;
#[cfg(feature = "office")]
mod office;
#[cfg(feature = "office")]
mod ole;
#[cfg(feature = "pdf")]
mod pdf;
mod rtf;
mod sniff;
#[cfg(feature = "office")]
mod zipped;

pub use declared::payload_type;
pub use sniff::file_type;

use crate::content::{Content, Page, extract};

/// How much a packed file may unpack to, all its parts together.
pub const MAX_UNPACKED_BYTES: u64 = 64 << 20;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum FileType {
    Html,
    /// Plain text, Markdown and the like.
    Text,
    /// XML that is not XHTML: feeds, sitemaps.
    Xml,
    Pdf,
    Docx,
    Pptx,
    Xlsx,
    Odt,
    Odp,
    Ods,
    Epub,
    Rtf,
    /// Word of before 2007.
    Doc,
    /// Excel of before 2007.
    Xls,
    /// PowerPoint of before 2007.
    Ppt,
    Image,
    /// Sound and film.
    Media,
    Archive,
    Font,
    /// Programs and style sheets.
    Script,
    /// JSON and the like.
    Data,
    Other,
}

impl FileType {
    /// Its name in counts.
    pub fn name(self) -> &'static str {
        match self {
            FileType::Html => "html",
            FileType::Text => "text",
            FileType::Xml => "xml",
            FileType::Pdf => "pdf",
            FileType::Docx => "docx",
            FileType::Pptx => "pptx",
            FileType::Xlsx => "xlsx",
            FileType::Odt => "odt",
            FileType::Odp => "odp",
            FileType::Ods => "ods",
            FileType::Epub => "epub",
            FileType::Rtf => "rtf",
            FileType::Doc => "doc",
            FileType::Xls => "xls",
            FileType::Ppt => "ppt",
            FileType::Image => "image",
            FileType::Media => "media",
            FileType::Archive => "archive",
            FileType::Font => "font",
            FileType::Script => "script",
            FileType::Data => "data",
            FileType::Other => "other",
        }
    }

    /// Whether text is read from files of this type.
    pub fn has_text(self) -> bool {
        match self {
            FileType::Image
            | FileType::Media
            | FileType::Archive
            | FileType::Font
            | FileType::Script
            | FileType::Data
            | FileType::Other => false,
            FileType::Pdf => cfg!(feature = "pdf"),
            FileType::Html | FileType::Text | FileType::Xml | FileType::Rtf => true,
            _ => cfg!(feature = "office"),
        }
    }
}

/// Why a file gives no text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// Files of this type are not read.
    #[error("no text is read from files of the type {}", .0.name())]
    NotRead(FileType),
    /// The file is damaged.
    #[error("damaged {} file: {reason}", kind.name())]
    Damaged {
        /// What it is.
        kind: FileType,
        /// What is wrong.
        reason: String,
    },
    /// It unpacks to more, or asks for more work, than is allowed.
    #[error("{} file unpacks to more than is read of one", .0.name())]
    TooLarge(FileType),
    /// Only a key opens it.
    #[error("encrypted {} file", .0.name())]
    Encrypted(FileType),
}

/// Extracts the content of any fetched file: HTML and text as [`extract`] does, others as their type asks.
///
/// ```
/// use onefold_page::file::{FileError, FileType, extract_file};
///
/// let page = extract_file(br"{\rtf1 Hello \b world\b0.\par}", None, Default::default()).unwrap();
/// assert_eq!(page.text, "Hello world.");
/// let image = extract_file(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", None, Default::default());
/// assert_eq!(image, Err(FileError::NotRead(FileType::Image)));
/// ```
pub fn extract_file(bytes: &[u8], charset: Option<&str>, content: Content) -> Result<Page, FileError> {
    let kind = file_type(bytes);
    let text = match kind {
        FileType::Html | FileType::Text => return Ok(extract(bytes, charset, content)),
        FileType::Xml => {
            // A feed's markup is no text; its words are between the tags.
            let decoded = crate::decode(bytes, charset, true);
            let mut text = String::new();
            crate::visible_text(&decoded.text, &mut text);
            // Feeds hold pages as text.
            if text.contains("</") {
                let inner = std::mem::take(&mut text);
                crate::visible_text(&inner, &mut text);
            }
            text
        }
        FileType::Rtf => rtf::text(bytes),
        #[cfg(feature = "office")]
        FileType::Docx | FileType::Pptx | FileType::Xlsx | FileType::Odt | FileType::Odp | FileType::Ods => {
            office::text(bytes, kind)?
        }
        #[cfg(feature = "office")]
        FileType::Epub => epub::text(bytes)?,
        #[cfg(feature = "office")]
        FileType::Doc | FileType::Xls | FileType::Ppt => ole::text(bytes, kind)?,
        #[cfg(feature = "pdf")]
        FileType::Pdf => {
            let (text, title) = pdf::text(bytes)?;
            return Ok(Page { text, title, charset: encoding_rs::UTF_8.name(), ..Page::default() });
        }
        _ => return Err(FileError::NotRead(kind)),
    };
    Ok(Page { text, charset: encoding_rs::UTF_8.name(), ..Page::default() })
}

#[cfg(test)]
mod tests;
