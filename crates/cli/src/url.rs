//! `onefold url`: URLs in the forms they are compared by, a line for each URL that comes in.

mod learn;
mod lines;
pub(crate) mod rules;

use crate::args::{Url, UrlCommand};
use crate::interrupt::Waiting;
use crate::terminal::{escape, note, tsv_field};
use anyhow::{Context, Result};
use lines::Lines;
use onefold_page::url::{Rules, canonical, key, site};
use serde_json::{Map, Value};
use std::io::{BufWriter, Write};

/// The forms of a URL by name, of those asked for; a URL without a host has no site.
type Forms = Vec<(&'static str, Option<String>)>;

/// Whether all were URLs.
pub(crate) fn run(arguments: &Url) -> Result<bool> {
    if let Some(UrlCommand::Learn(arguments)) = &arguments.command {
        return learn::run(arguments).map(|()| true);
    }
    // Nothing is made that an interrupt would have to take back.
    let _waiting = Waiting::begin();
    let mut printer = Printer {
        out: BufWriter::new(crate::terminal::stdout()),
        names: names(arguments),
        rules: arguments.url_rules.as_deref().map(rules::read).transpose()?.unwrap_or_default(),
        json: arguments.json,
        all: true,
    };
    if !arguments.json && printer.names.len() > 1 {
        writeln!(printer.out, "url\t{}", printer.names.join("\t"))?;
    }
    if arguments.urls.is_empty() {
        printer.stdin()?;
    }
    for url in &arguments.urls {
        if url == "-" {
            printer.stdin()?;
        } else {
            printer.print(url, Ok(()))?;
        }
    }
    printer.out.flush()?;
    Ok(printer.all)
}

/// Forms asked for: one, or all.
fn names(arguments: &Url) -> Vec<&'static str> {
    let asked = [("canonical", arguments.canonical), ("key", arguments.key), ("site", arguments.site)];
    let one: Vec<_> = asked.iter().filter(|(_, asked)| *asked).map(|(name, _)| *name).collect();
    if one.is_empty() { asked.map(|(name, _)| name).to_vec() } else { one }
}

struct Printer<W: Write> {
    out: W,
    names: Vec<&'static str>,
    rules: Rules,
    json: bool,
    all: bool,
}

impl<W: Write> Printer<W> {
    fn stdin(&mut self) -> Result<()> {
        let mut lines = Lines::new(std::io::stdin().lock());
        while let Some((line, read)) = lines.next().context("standard input")? {
            self.print(&line, read)?;
        }
        Ok(())
    }

    /// Prints the forms of a URL, unless reading it told already why it is none.
    fn print(&mut self, url: &str, read: Result<(), String>) -> Result<()> {
        let forms =
            read.and_then(|()| forms(url, &self.names, &self.rules).map_err(|error| error.to_string()));
        if let Err(reason) = &forms {
            self.all = false;
            // What was said so far comes before what went wrong.
            self.out.flush()?;
            note!("{}: {reason}", escape(url).replace('\n', "\\n"));
        }
        if self.json {
            let mut object = Map::from_iter([("version".into(), 1.into()), ("url".into(), url.into())]);
            let (forms, error) = match forms {
                Ok(forms) => (forms, None),
                Err(reason) => (self.names.iter().map(|name| (*name, None)).collect(), Some(reason)),
            };
            object.extend(forms.into_iter().map(|(name, form)| (name.to_owned(), Value::from(form))));
            object.extend(error.map(|reason| ("error".to_owned(), reason.into())));
            return Ok(writeln!(self.out, "{}", Value::Object(object))?);
        }
        let mut fields = Vec::new();
        if self.names.len() > 1 {
            let mut field = String::new();
            tsv_field(url, &mut field);
            fields.push(escape(&field));
        }
        match forms {
            Ok(forms) => fields.extend(forms.into_iter().map(|(_, form)| form.unwrap_or_default())),
            Err(_) => fields.resize(fields.len() + self.names.len(), String::new()),
        }
        Ok(writeln!(self.out, "{}", fields.join("\t"))?)
    }
}

fn forms(url: &str, names: &[&'static str], rules: &Rules) -> Result<Forms, onefold_page::url::UrlError> {
    let form = |name: &'static str| {
        Ok(match name {
            "canonical" => (name, Some(canonical(url)?)),
            "key" => (name, Some(rules.apply(&key(url)?))),
            _ => (name, site(url)?),
        })
    };
    names.iter().map(|name| form(name)).collect()
}
