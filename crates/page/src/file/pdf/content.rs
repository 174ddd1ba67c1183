//! What pages show, as lines.
//!
//! Text is shown at places. A text that starts where the one before it ended goes on with it, after a gap it is
//! another word, and beside the line it is on another line.

use std::collections::HashMap;
use std::rc::Rc;

use super::document::{Document, dict};
use super::font::Font;
use super::object::{Dict, Lexer, Object, Token, is_white};
use super::{Budget, FileError};
use crate::file::{FileType, MAX_UNPACKED_BYTES};

/// Forms within forms at most.
const MAX_FORMS: usize = 8;
/// Saved states at most.
const MAX_SAVED: usize = 256;
/// Operands of one operator at most; what comes before them is forgotten.
const MAX_OPERANDS: usize = 1 << 16;
/// What looking up a font or a part of a page costs beside its bytes.
const STEP: usize = 16;
/// What showing a form costs beside its bytes.
const FORM: usize = 4096;

/// A gap of more than this share of the size parts words.
const WORD_GAP: f64 = 0.18;
/// A step aside of more than this share of the size parts lines.
const LINE_GAP: f64 = 0.4;

type Matrix = [f64; 6];
const IDENTITY: Matrix = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];

/// The first, then the second.
fn product(first: Matrix, then: Matrix) -> Matrix {
    let [a, b, c, d, e, f] = first;
    let [g, h, i, j, k, l] = then;
    [a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + l]
}

#[derive(Clone)]
struct State {
    page: Matrix,
    font: Option<Rc<Font>>,
    size: f64,
    leading: f64,
    char_space: f64,
    word_space: f64,
    stretch: f64,
}

/// Reads pages one after the other.
pub(super) struct Reader<'d, 'a> {
    document: &'d Document<'a>,
    pub(super) out: String,
    fonts: HashMap<u32, Rc<Font>>,
    state: State,
    text: Matrix,
    line: Matrix,
    /// Where the last text ended, on the page.
    end: Option<(f64, f64)>,
}

impl<'d, 'a> Reader<'d, 'a> {
    pub(super) fn new(document: &'d Document<'a>) -> Self {
        let state = State {
            page: IDENTITY,
            font: None,
            size: 1.0,
            leading: 0.0,
            char_space: 0.0,
            word_space: 0.0,
            stretch: 1.0,
        };
        Reader {
            document,
            out: String::new(),
            fonts: HashMap::new(),
            state,
            text: IDENTITY,
            line: IDENTITY,
            end: None,
        }
    }

    /// Appends the text of a page.
    pub(super) fn page(
        &mut self,
        page: &Dict,
        resources: &Dict,
        budget: &mut Budget,
    ) -> Result<(), FileError> {
        let Some(contents) = page.get("Contents") else { return Ok(()) };
        let Some(found) = self.document.find(contents, budget)? else { return Ok(()) };
        let mut bytes = Vec::new();
        match &found.object {
            Object::Array(parts) => {
                for part in parts {
                    budget.pay(STEP)?;
                    if let Some(part) = self.document.find(part, budget)? {
                        bytes.extend(self.document.data(&part, budget)?);
                        bytes.push(b'\n');
                    }
                }
            }
            _ => bytes = self.document.data(&found, budget)?,
        }
        let first = Reader::new(self.document).state;
        self.state = first;
        self.end = None;
        self.out.push('\n');
        self.run(&bytes, resources, 0, budget)
    }

    fn run(
        &mut self,
        bytes: &[u8],
        resources: &Dict,
        depth: usize,
        budget: &mut Budget,
    ) -> Result<(), FileError> {
        budget.pay(bytes.len())?;
        let mut lexer = Lexer::new(bytes);
        let mut saved: Vec<State> = Vec::new();
        let mut operands: Vec<Object> = Vec::new();
        while !lexer.rest().is_empty() {
            let before = lexer.at;
            if let Some(object) = lexer.object() {
                if operands.len() >= MAX_OPERANDS {
                    operands.clear();
                }
                operands.push(object);
                continue;
            }
            // What was no object is read again as a word.
            let failed_at = lexer.at;
            lexer.at = before;
            match lexer.token() {
                Some(Token::Word(b"q")) if saved.len() < MAX_SAVED => saved.push(self.state.clone()),
                Some(Token::Word(b"Q")) => self.state = saved.pop().unwrap_or_else(|| self.state.clone()),
                Some(Token::Word(b"ID")) => skip_image(&mut lexer),
                Some(Token::Word(b"Do")) => {
                    if let Some(Object::Name(name)) = operands.last()
                        && depth < MAX_FORMS
                    {
                        self.form(name, resources, depth, budget)?;
                    }
                }
                Some(Token::Word(b"Tf")) => self.set_font(&operands, resources, budget)?,
                Some(Token::Word(word)) => self.operate(word, &operands),
                None => break,
                _ => lexer.at = failed_at.max(lexer.at),
            }
            operands.clear();
            if self.out.len() as u64 > MAX_UNPACKED_BYTES {
                return Err(FileError::TooLarge(FileType::Pdf));
            }
        }
        Ok(())
    }

    fn form(
        &mut self,
        name: &[u8],
        resources: &Dict,
        depth: usize,
        budget: &mut Budget,
    ) -> Result<(), FileError> {
        budget.pay(FORM)?;
        let Some(forms) = self.document.dict(resources, "XObject", budget)? else { return Ok(()) };
        let Some((_, form)) = forms.0.iter().find(|(key, _)| key == name) else { return Ok(()) };
        let Some(found) = self.document.find(form, budget)? else { return Ok(()) };
        let Object::Dict(form) = &found.object else { return Ok(()) };
        if !form.is("Subtype", "Form") {
            return Ok(());
        }
        let own = self.document.dict(form, "Resources", budget)?;
        let bytes = self.document.data(&found, budget)?;
        let outer = self.state.clone();
        if let Some(Object::Array(matrix)) = self.document.get(form, "Matrix", budget)? {
            self.state.page = product(matrix_of(&matrix), self.state.page);
        }
        self.run(&bytes, own.as_ref().unwrap_or(resources), depth + 1, budget)?;
        self.state = outer;
        Ok(())
    }

    fn set_font(
        &mut self,
        operands: &[Object],
        resources: &Dict,
        budget: &mut Budget,
    ) -> Result<(), FileError> {
        let [.., Object::Name(name), Object::Number(size)] = operands else { return Ok(()) };
        self.state.size = *size;
        self.state.font = None;
        budget.pay(STEP)?;
        let Some(fonts) = self.document.dict(resources, "Font", budget)? else { return Ok(()) };
        let Some((_, font)) = fonts.0.iter().find(|(key, _)| key == name) else { return Ok(()) };
        if let Object::Reference(number) = font
            && let Some(known) = self.fonts.get(number)
        {
            self.state.font = Some(Rc::clone(known));
            return Ok(());
        }
        let Some(found) = self.document.find(font, budget)?.and_then(|found| dict(found.object)) else {
            return Ok(());
        };
        let read = Rc::new(Font::read(self.document, &found, budget)?);
        if let Object::Reference(number) = font {
            self.fonts.insert(*number, Rc::clone(&read));
        }
        self.state.font = Some(read);
        Ok(())
    }

    fn operate(&mut self, word: &[u8], operands: &[Object]) {
        let number = |from_end: usize| {
            let at = operands.len().checked_sub(from_end)?;
            operands.get(at)?.number()
        };
        match word {
            b"cm" => self.state.page = product(matrix_of(operands), self.state.page),
            b"BT" => (self.text, self.line) = (IDENTITY, IDENTITY),
            b"Tm" => (self.text, self.line) = (matrix_of(operands), matrix_of(operands)),
            b"Td" | b"TD" => {
                let (Some(x), Some(y)) = (number(2), number(1)) else { return };
                if word == b"TD" {
                    self.state.leading = -y;
                }
                self.next_line(x, y);
            }
            b"T*" => self.next_line(0.0, -self.state.leading),
            b"TL" => self.state.leading = number(1).unwrap_or(0.0),
            b"Tc" => self.state.char_space = number(1).unwrap_or(0.0),
            b"Tw" => self.state.word_space = number(1).unwrap_or(0.0),
            b"Tz" => self.state.stretch = number(1).unwrap_or(100.0) / 100.0,
            b"Tj" => self.show_last(operands),
            b"'" => {
                self.next_line(0.0, -self.state.leading);
                self.show_last(operands);
            }
            b"\"" => {
                if let (Some(word_space), Some(char_space)) = (number(3), number(2)) {
                    (self.state.word_space, self.state.char_space) = (word_space, char_space);
                }
                self.next_line(0.0, -self.state.leading);
                self.show_last(operands);
            }
            b"TJ" => {
                let Some(Object::Array(parts)) = operands.last() else { return };
                for part in parts {
                    match part {
                        Object::Text(text) => self.show(text),
                        Object::Number(back) => {
                            self.advance(-back / 1000.0 * self.state.size * self.state.stretch);
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn next_line(&mut self, x: f64, y: f64) {
        self.line = product([1.0, 0.0, 0.0, 1.0, x, y], self.line);
        self.text = self.line;
    }

    fn advance(&mut self, x: f64) {
        self.text = product([1.0, 0.0, 0.0, 1.0, x, 0.0], self.text);
    }

    fn show_last(&mut self, operands: &[Object]) {
        if let Some(Object::Text(text)) = operands.last() {
            self.show(text);
        }
    }

    fn show(&mut self, bytes: &[u8]) {
        let Some(font) = self.state.font.clone() else { return };
        let [a, b, c, d, x, y] = product(self.text, self.state.page);
        let along = a.hypot(b);
        let size = (self.state.size * c.hypot(d)).abs();
        if let Some((end_x, end_y)) = self.end
            && along > 0.0
        {
            let (step_x, step_y) = (x - end_x, y - end_y);
            let ahead = (step_x * a + step_y * b) / along;
            let aside = (step_y * a - step_x * b) / along;
            if aside.abs() > size * LINE_GAP {
                self.out.push('\n');
            } else if (ahead > size * WORD_GAP || ahead < -size) && !self.out.ends_with([' ', '\n']) {
                self.out.push(' ');
            }
        }
        let State { char_space, word_space, size, stretch, .. } = self.state;
        let mut width = 0.0;
        let mut shown = String::new();
        font.show(bytes, &mut shown, |code_width, is_blank| {
            let extra = char_space + if is_blank { word_space } else { 0.0 };
            width += (code_width * font.scale * size + extra) * stretch;
        });
        self.out
            .extend(shown.chars().map(|char| if char.is_control() || char == '\u{a0}' { ' ' } else { char }));
        self.advance(width);
        let [.., x, y] = product(self.text, self.state.page);
        self.end = Some((x, y));
    }
}

fn matrix_of(operands: &[Object]) -> Matrix {
    let mut matrix = IDENTITY;
    let from = operands.len().saturating_sub(6);
    for (place, object) in matrix.iter_mut().zip(&operands[from..]) {
        *place = object.number().unwrap_or(*place);
    }
    matrix
}

/// Moves behind the data of a picture that stands in the content.
fn skip_image(lexer: &mut Lexer<'_>) {
    let rest = lexer.rest();
    let ends = memchr::memmem::find_iter(rest, b"EI");
    let white = |at: usize| rest.get(at).is_none_or(|&byte| is_white(byte));
    let end = ends.into_iter().find(|&at| at > 0 && white(at - 1) && white(at + 2));
    lexer.at += end.map_or(rest.len(), |at| at + 2);
}
