//! The scanner against two others that do the job by the book.
//!
//! `by_tokens` puts html5ever's tokenizer in the scanner's place and keeps the rules: the texts must be equal,
//! byte for byte. `by_tree` shares nothing with this crate but the lists of names: html5ever builds the whole
//! tree and the text is read off it, so it also shows where dropping the tree makes a difference.

use std::cell::{Cell, RefCell};

use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tokenizer::states::{Rawtext, Rcdata, ScriptData};
use html5ever::tokenizer::{
    BufferQueue, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

use super::rules::{Content, Rules};
use super::tag::Tag;

struct Sink<'out> {
    rules: RefCell<Rules<'out>>,
    hides_raw: Cell<bool>,
}

impl TokenSink for Sink<'_> {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut rules = self.rules.borrow_mut();
        match token {
            Token::CharacterTokens(text) if !self.hides_raw.get() => rules.decoded_text(&text),
            Token::TagToken(tag) if tag.kind == TagKind::EndTag => {
                self.hides_raw.set(false);
                rules.end_tag(Tag::of(&tag.name));
            }
            Token::TagToken(tag) => {
                let content = rules.start_tag(Tag::of(&tag.name), tag.self_closing);
                self.hides_raw.set(matches!(content, Content::HiddenRaw | Content::Script));
                return match content {
                    Content::Markup => TokenSinkResult::Continue,
                    Content::WithReferences => TokenSinkResult::RawData(Rcdata),
                    Content::Raw | Content::HiddenRaw => TokenSinkResult::RawData(Rawtext),
                    Content::Script => TokenSinkResult::RawData(ScriptData),
                    Content::Plaintext => TokenSinkResult::Plaintext,
                };
            }
            _ => {}
        }
        TokenSinkResult::Continue
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.rules.borrow().is_in_svg()
    }
}

/// The visible text by our rules over html5ever's tokens.
pub(super) fn by_tokens(html: &str) -> String {
    let mut out = String::new();
    let sink = Sink { rules: RefCell::new(Rules::new(&mut out)), hides_raw: Cell::new(false) };
    let tokenizer = Tokenizer::new(sink, TokenizerOpts { discard_bom: false, ..Default::default() });
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(html));
    // A finished script makes the tokenizer pause.
    while !input.is_empty() {
        let _ = tokenizer.feed(&input);
    }
    tokenizer.end();
    tokenizer.sink.rules.into_inner().finish();
    out
}

enum Step {
    Enter(Handle),
    EndLine,
}

/// The visible text read off html5ever's tree.
pub(super) fn by_tree(html: &str) -> String {
    let dom = html5ever::parse_document(RcDom::default(), Default::default()).one(html);
    let mut title = None;
    let mut text = String::new();
    let mut steps = vec![Step::Enter(dom.document.clone())];
    while let Some(step) = steps.pop() {
        let Step::Enter(node) = step else {
            text.push('\n');
            continue;
        };
        match &node.data {
            NodeData::Text { contents } => text.push_str(&contents.borrow().replace('\n', " ")),
            NodeData::Element { name, .. } => {
                match &*name.local {
                    "script" | "style" | "noscript" | "template" | "svg" | "iframe" | "noembed"
                    | "noframes" => {
                        continue;
                    }
                    "title" => {
                        if title.is_none() {
                            title = Some(node.children.borrow().iter().map(text_of).collect::<String>());
                        }
                        continue;
                    }
                    _ => {}
                }
                if Tag::of(&name.local).ends_line {
                    text.push('\n');
                    steps.push(Step::EndLine);
                }
            }
            _ => {}
        }
        steps.extend(node.children.borrow().iter().rev().cloned().map(Step::Enter));
    }
    let title = title.unwrap_or_default().replace('\n', " ");
    let lines = std::iter::once(title.as_str()).chain(text.split('\n'));
    let folded = lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    folded.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

fn text_of(node: &Handle) -> String {
    match &node.data {
        NodeData::Text { contents } => contents.borrow().to_string(),
        _ => String::new(),
    }
}
