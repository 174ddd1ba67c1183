//! Elements that the outline of a page tells apart.

/// An element; what is not named here is `Other`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
#[allow(missing_docs)]
pub(crate) enum Element {
    Other,
    A,
    Address,
    Article,
    Aside,
    Base,
    Blockquote,
    Body,
    Bold,
    Br,
    Button,
    Caption,
    Code,
    Dd,
    Details,
    Dialog,
    Div,
    Dl,
    Dt,
    Fieldset,
    Figcaption,
    Figure,
    Footer,
    Form,
    H1,
    H2,
    H3,
    H4,
    H5,
    H6,
    Head,
    Header,
    Hr,
    Html,
    Inline,
    Input,
    Label,
    Legend,
    Li,
    Link,
    List,
    Main,
    Meta,
    Nav,
    Option,
    P,
    Pre,
    Script,
    Section,
    Select,
    Summary,
    Table,
    TableRows,
    Td,
    Textarea,
    Th,
    Title,
    Tr,
    Void,
}

/// Longer names are `Other`.
const MAX_NAME_LEN: usize = 10;

impl Element {
    /// The element of a tag's name, in any case.
    pub(crate) fn of(name: &[u8]) -> Element {
        let mut lower = [0; MAX_NAME_LEN];
        let Some(lower) = lower.get_mut(..name.len()) else { return Element::Other };
        lower.copy_from_slice(name);
        lower.make_ascii_lowercase();
        match &*lower {
            b"a" => Element::A,
            b"address" => Element::Address,
            b"article" => Element::Article,
            b"aside" => Element::Aside,
            b"base" => Element::Base,
            b"blockquote" => Element::Blockquote,
            b"body" => Element::Body,
            b"b" | b"strong" => Element::Bold,
            b"br" => Element::Br,
            b"button" => Element::Button,
            b"caption" => Element::Caption,
            b"code" | b"kbd" | b"samp" | b"tt" | b"var" => Element::Code,
            b"dd" => Element::Dd,
            b"details" => Element::Details,
            b"dialog" => Element::Dialog,
            b"div" | b"center" => Element::Div,
            b"dl" => Element::Dl,
            b"dt" => Element::Dt,
            b"fieldset" => Element::Fieldset,
            b"figcaption" => Element::Figcaption,
            b"figure" => Element::Figure,
            b"footer" => Element::Footer,
            b"form" => Element::Form,
            b"h1" => Element::H1,
            b"h2" => Element::H2,
            b"h3" => Element::H3,
            b"h4" => Element::H4,
            b"h5" => Element::H5,
            b"h6" => Element::H6,
            b"head" => Element::Head,
            b"header" => Element::Header,
            b"hr" => Element::Hr,
            b"html" => Element::Html,
            b"abbr" | b"big" | b"cite" | b"del" | b"em" | b"font" | b"i" | b"ins" | b"mark" | b"q" | b"s"
            | b"small" | b"span" | b"sub" | b"sup" | b"time" | b"u" | b"picture" | b"nobr" | b"bdi"
            | b"bdo" | b"strike" | b"ruby" | b"rt" | b"rp" | b"dfn" | b"data" => Element::Inline,
            b"input" => Element::Input,
            b"label" => Element::Label,
            b"legend" => Element::Legend,
            b"li" => Element::Li,
            b"link" => Element::Link,
            b"ul" | b"ol" | b"menu" | b"dir" => Element::List,
            b"main" => Element::Main,
            b"meta" => Element::Meta,
            b"nav" => Element::Nav,
            b"option" | b"optgroup" => Element::Option,
            b"p" => Element::P,
            b"pre" | b"listing" | b"xmp" => Element::Pre,
            b"script" => Element::Script,
            b"section" => Element::Section,
            b"select" => Element::Select,
            b"summary" => Element::Summary,
            b"table" => Element::Table,
            b"tbody" | b"thead" | b"tfoot" => Element::TableRows,
            b"td" => Element::Td,
            b"textarea" => Element::Textarea,
            b"th" => Element::Th,
            b"title" => Element::Title,
            b"tr" => Element::Tr,
            b"img" | b"embed" | b"wbr" | b"area" | b"col" | b"source" | b"track" | b"param" => Element::Void,
            _ => Element::Other,
        }
    }

    /// Never has content, and so is never open.
    pub(crate) const fn is_void(self) -> bool {
        matches!(
            self,
            Element::Void
                | Element::Br
                | Element::Hr
                | Element::Input
                | Element::Link
                | Element::Meta
                | Element::Base
        )
    }

    /// Is part of a line: not kept in the tree.
    pub(crate) const fn is_inline(self) -> bool {
        matches!(self, Element::A | Element::Bold | Element::Code | Element::Inline | Element::Label)
    }

    /// 1 to 6 for headings, else 0.
    pub(crate) const fn heading_level(self) -> u8 {
        let (first, last) = (Element::H1 as u8, Element::H6 as u8);
        if self as u8 >= first && self as u8 <= last { self as u8 - first + 1 } else { 0 }
    }

    /// Stops the search for an open element that an end tag or start tag would close.
    pub(crate) const fn is_table_part(self) -> bool {
        matches!(
            self,
            Element::Table | Element::TableRows | Element::Tr | Element::Td | Element::Th | Element::Caption
        )
    }
}
