//! WARC revisits: what takes the place of a duplicate, and revisits whose page was removed.
//!
//! A replay tool shows the payload of the record that a revisit refers to under the HTTP header of the revisit (pywb does
//! so, and finds that record by URL, date and payload digest). So the fields of that header that describe the body are
//! those of the record that holds it, and what a revisit says of its likeness is what the bytes say, not their header.

use super::{Run, keeper_of};
use crate::error::Error;
use crate::load::Loader;
use crate::piece::Names;
use crate::table::DocId;
use crate::verdicts::Fate;
use onefold_formats::http::Response;
use onefold_formats::source::Format;
use onefold_formats::warc::{ArcHeader, WarcHeader, is_field_value};
use onefold_run::Verdict;
use std::borrow::Cow;

/// The profile of revisits whose payload is that of the record they refer to, in WARC/1.0 and before (ISO 28500:2009, 6.7.2).
const IDENTICAL: &str = "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest";
/// The same in WARC/1.1 (ISO 28500:2017, 6.7.2).
const IDENTICAL_1_1: &str = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";
/// What profiles of our own start with; the standard has none for payloads that differ.
const OWN: &str = "urn:onefold:revisit:";
const SAME_TEXT: &str = "urn:onefold:revisit:same-text";

/// Fields of an HTTP header that describe the body behind it.
const OF_THE_BODY: [&str; 11] = [
    "Content-Encoding",
    "Transfer-Encoding",
    "Content-Length",
    "Content-Type",
    "Content-Range",
    "Content-MD5",
    "Content-Digest",
    "Repr-Digest",
    "Digest",
    "ETag",
    "Trailer",
];

/// What a record of an archive is to those who replay it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// What a server answered, or a file.
    Page,
    /// What a page was made into, as text.
    Conversion,
}

/// What a record of an archive holds.
struct Fetched<'a> {
    kind: Kind,
    /// The URL, as it stands in the record.
    url: Option<&'a [u8]>,
    /// The HTTP header with its blank line; empty if there is none.
    head: &'a [u8],
    response: Option<Response<'a>>,
    /// The bytes behind it, as they are stored.
    body: &'a [u8],
    /// Their type, where no HTTP header tells.
    content_type: Option<&'a str>,
    payload_digest: Option<&'a str>,
}

impl<'a> Fetched<'a> {
    fn of_warc(record: &'a [u8]) -> Option<Self> {
        let header = WarcHeader::parse(record)?;
        let is_http = matches!(header.get("WARC-Type"), Some(b"response" | b"revisit"));
        let kind = match header.get("WARC-Type") {
            Some(b"conversion") => Kind::Conversion,
            _ => Kind::Page,
        };
        let fetched = Self::of_block(header.block(record), header.text("Content-Type"), is_http);
        let payload_digest = header.text("WARC-Payload-Digest");
        Some(Fetched { kind, url: header.target_uri(), payload_digest, ..fetched })
    }

    fn of_arc(record: &'a [u8]) -> Option<Self> {
        let header = ArcHeader::parse(record)?;
        let fetched = Self::of_block(header.block(record), Some(header.content_type), true);
        Some(Fetched { url: Some(header.url), ..fetched })
    }

    fn of_block(block: &'a [u8], content_type: Option<&'a str>, is_http: bool) -> Self {
        let response = is_http.then(|| Response::parse(block)).flatten();
        let body = response.map_or(block, |response| response.body);
        let head = &block[..block.len() - body.len()];
        let content_type = content_type.filter(|known| !known.starts_with("application/http"));
        Fetched { kind: Kind::Page, url: None, head, response, body, content_type, payload_digest: None }
    }

    /// The body without its transfer coding.
    fn payload(&self) -> Cow<'a, [u8]> {
        self.response.map_or(Cow::Borrowed(self.body), |response| response.entity())
    }
}

/// How the payload of a removed document stands to that of its keeper.
enum Payloads {
    /// Equal as they are stored.
    Stored,
    /// Equal without their transfer codings.
    Equal,
    Unequal,
}

/// The keeper of a removed document, as far as it is known.
struct Keeper {
    names: Names,
    /// Its URL: byte for byte where it is in an archive, for replay tools look it up so.
    url: Option<Vec<u8>>,
    digest: Option<String>,
    /// The lines of its HTTP header that describe its body; `None` if it is in no archive of this run.
    describing: Option<Vec<Vec<u8>>>,
    payloads: Payloads,
    /// Whether who replays a revisit finds it: it is in an archive, of the document's kind, and its URL can be written. Of one
    /// in an index only its URL is known, and not whether it is in any archive.
    is_found: bool,
}

impl Keeper {
    /// The keeper of a document whose record is this.
    fn find(
        run: &Run<'_>,
        loader: &mut Loader<'_>,
        document: DocId,
        fetched: Option<&Fetched<'_>>,
    ) -> Result<Self, Error> {
        let Some(keeper) = keeper_of(run, document) else {
            let url = match run.fate(document) {
                Fate::Outside(index) => run.verdicts.outside[index].url.clone().map(String::into_bytes),
                _ => None,
            };
            let (names, payloads) = (Names::default(), Payloads::Unequal);
            return Ok(Keeper { names, url, digest: None, describing: None, payloads, is_found: false });
        };
        let names = run.table.names(keeper)?;
        let format = run.context.sources[run.table.source_of(keeper)].format;
        let record = loader.record(keeper)?;
        let kept = match format {
            Format::Warc => Fetched::of_warc(record),
            Format::Arc => Fetched::of_arc(record),
            _ => None,
        };
        let payloads = match (&kept, fetched) {
            (Some(kept), Some(fetched)) if kept.body == fetched.body => Payloads::Stored,
            (Some(kept), Some(fetched)) if kept.payload() == fetched.payload() => Payloads::Equal,
            _ => Payloads::Unequal,
        };
        let digest = kept.as_ref().and_then(|kept| kept.payload_digest).map(str::to_owned);
        let as_stored = kept.as_ref().and_then(|kept| kept.url).map(<[u8]>::to_vec);
        let url = as_stored.or_else(|| names.url.clone().map(String::into_bytes));
        let is_found = url.as_deref().is_none_or(is_field_value)
            && kept.as_ref().map(|kept| kept.kind) == fetched.map(|fetched| fetched.kind);
        Ok(Keeper { names, url, digest, describing: kept.as_ref().map(describing), payloads, is_found })
    }

    /// The profile of a revisit of what `document` was, in a record with this header.
    fn profile(&self, run: &Run<'_>, document: DocId, header: &WarcHeader<'_>) -> String {
        if !matches!(self.payloads, Payloads::Unequal) {
            let is_1_1 = header.version() == b"WARC/1.1";
            return (if is_1_1 { IDENTICAL_1_1 } else { IDENTICAL }).into();
        }
        let kind = match run.fate(document) {
            Fate::Outside(index) => run.verdicts.outside[index].kind(),
            Fate::Near(near) => near.kind(),
            Fate::Exact { .. } | Fate::Kept => Verdict::Exact,
        };
        match kind {
            Verdict::Exact => SAME_TEXT.into(),
            Verdict::Near => format!("{OWN}near-duplicate"),
            kind => format!("{OWN}{}", kind.name()),
        }
    }

    /// The HTTP header of a revisit made from the one it had. Where nothing is known of the body that will be shown behind
    /// it there is none, for then replay tools take that of the record they find.
    fn head<'h>(&self, fetched: &Fetched<'h>) -> Cow<'h, [u8]> {
        match (&self.payloads, &self.describing, fetched.response) {
            (Payloads::Stored, ..) => Cow::Borrowed(fetched.head),
            (_, Some(describing), Some(response)) => Cow::Owned(with_fields(response, describing)),
            _ => Cow::Borrowed(&[]),
        }
    }

    /// The fields of a revisit that say what it refers to.
    fn fields(&self) -> [(&str, &[u8]); 4] {
        fn bytes(text: &Option<String>) -> &[u8] {
            text.as_deref().unwrap_or_default().as_bytes()
        }
        [
            ("WARC-Refers-To", bytes(&self.names.record_id)),
            ("WARC-Refers-To-Target-URI", self.url.as_deref().unwrap_or_default()),
            ("WARC-Refers-To-Date", bytes(&self.names.date)),
            ("WARC-Payload-Digest", bytes(&self.digest)),
        ]
    }
}

fn is_of_the_body(field: &[&[u8]]) -> bool {
    let name = field[0].split(|&b| b == b':').next().unwrap_or_default().trim_ascii();
    OF_THE_BODY.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}

/// The lines that describe the body of a record.
fn describing(kept: &Fetched<'_>) -> Vec<Vec<u8>> {
    if let Some(response) = kept.response {
        let fields = response.lines().into_iter().skip(1).filter(|field| is_of_the_body(field));
        return fields.map(|field| field.join(&b"\r\n"[..])).collect();
    }
    let content_type = kept.content_type.map(|known| format!("Content-Type: {known}").into_bytes());
    content_type.into_iter().chain([format!("Content-Length: {}", kept.body.len()).into_bytes()]).collect()
}

/// A header with these fields in place of its own that describe a body.
fn with_fields(response: Response<'_>, describing: &[Vec<u8>]) -> Vec<u8> {
    let mut head = Vec::new();
    let own = response.lines();
    let status = own.first().into_iter();
    let rest = own.iter().skip(1).filter(|field| !field[0].is_empty() && !is_of_the_body(field));
    for line in status.chain(rest).flatten().copied().chain(describing.iter().map(Vec::as_slice)) {
        head.extend_from_slice(line);
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
    head
}

/// A revisit record in place of a duplicate: its header, that of its response, and whom it repeats. One whose keeper
/// would not be found stays as it is, for its page would be lost to replay; the evidence has its verdict.
pub(super) fn of_keeper(
    run: &Run<'_>,
    loader: &mut Loader<'_>,
    document: DocId,
    record: &[u8],
    new: &mut Vec<u8>,
) -> Result<(), Error> {
    let Some((header, fetched)) = WarcHeader::parse(record).zip(Fetched::of_warc(record)) else {
        return Ok(());
    };
    let keeper = Keeper::find(run, loader, document, Some(&fetched))?;
    if !keeper.is_found {
        new.extend_from_slice(record);
        return Ok(());
    }
    let (profile, head) = (keeper.profile(run, document, &header), keeper.head(&fetched));
    let mut fields = vec![("WARC-Type", &b"revisit"[..]), ("WARC-Profile", profile.as_bytes())];
    fields.extend(keeper.fields());
    fields.push(("WARC-Truncated", b"length"));
    put(&header, &fields, &head, new);
    Ok(())
}

/// A revisit of a removed document, turned to the one that was kept.
pub(super) fn turned(
    run: &Run<'_>,
    loader: &mut Loader<'_>,
    removed: DocId,
    record: &[u8],
    new: &mut Vec<u8>,
) -> Result<(), Error> {
    let Some((header, revisit)) = WarcHeader::parse(record).zip(Fetched::of_warc(record)) else {
        new.extend_from_slice(record);
        return Ok(());
    };
    let of_removed = loader.record(removed)?.to_vec();
    let keeper = Keeper::find(run, loader, removed, Fetched::of_warc(&of_removed).as_ref())?;
    // What it is a revisit of stayed as it is, too.
    if run.context.job.switches.annotate && !keeper.is_found {
        new.extend_from_slice(record);
        return Ok(());
    }
    let mut fields = keeper.fields().to_vec();
    let profile = keeper.profile(run, removed, &header);
    let known = header.text("WARC-Profile").unwrap_or_default();
    // Equal to what was equal, the same as what was the same: of two likenesses the looser holds.
    let loosens =
        matches!(keeper.payloads, Payloads::Unequal) && !(profile == SAME_TEXT && known.starts_with(OWN));
    if loosens {
        fields.push(("WARC-Profile", profile.as_bytes()));
    }
    let head = keeper.head(&revisit);
    if head == revisit.head {
        new.extend_from_slice(&header.rewritten(&fields));
        new.extend_from_slice(&record[header.len..]);
        return Ok(());
    }
    put(&header, &fields, &head, new);
    Ok(())
}

/// Appends a record with this header, these fields of it changed, and an HTTP header as its block.
fn put(header: &WarcHeader<'_>, fields: &[(&str, &[u8])], head: &[u8], new: &mut Vec<u8>) {
    let length = head.len().to_string();
    let content_type: &[u8] =
        if head.is_empty() { b"" } else { header.get("Content-Type").unwrap_or_default() };
    let of_the_block = [
        ("WARC-Block-Digest", &b""[..]),
        ("Content-Type", content_type),
        ("Content-Length", length.as_bytes()),
    ];
    new.extend_from_slice(&header.rewritten(&[fields, &of_the_block].concat()));
    new.extend_from_slice(head);
    new.extend_from_slice(b"\r\n\r\n");
}
