//! How `dedup` uses URLs.

use crate::url::rules;
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use onefold_page::url::Rules;
use onefold_run::{Method, UrlEvidence, Versions};
use std::path::PathBuf;

/// What becomes of versions of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum VersionsKind {
    /// They are documents like any other
    All,
    /// The newest stays, the others go whatever they say
    Newest,
}

#[derive(Args, Clone, Debug, Default)]
pub(crate) struct UrlArgs {
    /// Documents of one canonical URL are versions of a page: keep all that differ, or the newest alone
    /// [default: all]
    ///
    /// Example: --versions newest --url-rules rules.json
    #[arg(
        long,
        value_name = "WHICH",
        hide_possible_values = true,
        help_heading = "URLs",
        hide_short_help = true
    )]
    versions: Option<VersionsKind>,
    /// Resemblance from which documents tied by a redirect, a revisit, rel=canonical or --url-rules are one page [default: 0.5]
    #[arg(long, value_name = "J", help_heading = "URLs", hide_short_help = true)]
    url_threshold: Option<f64>,
    /// Also compare documents whose URLs have one key by learned rules, as `url learn` writes them
    #[arg(long, value_name = "FILE", help_heading = "URLs", hide_short_help = true)]
    url_rules: Option<PathBuf>,
}

impl UrlArgs {
    /// Whether one of them was given.
    pub(crate) fn are_given(&self) -> bool {
        self.versions.is_some() || self.url_threshold.is_some() || self.url_rules.is_some()
    }

    /// What they say of a plan with this method.
    pub(crate) fn evidence(&self, method: Method) -> Result<(UrlEvidence, Option<Rules>)> {
        for (flag, given) in
            [("url-threshold", self.url_threshold.is_some()), ("url-rules", self.url_rules.is_some())]
        {
            if given && method == Method::Exact {
                bail!("--{flag} goes with methods that know resemblance, not with exact");
            }
        }
        let rules = self.url_rules.as_deref().map(rules::read).transpose()?;
        let defaults = UrlEvidence::default();
        let evidence = UrlEvidence {
            threshold: self.url_threshold.unwrap_or(defaults.threshold),
            versions: match self.versions {
                Some(VersionsKind::Newest) => Versions::Newest,
                Some(VersionsKind::All) | None => Versions::All,
            },
            rules: rules.as_ref().map(rules::digest),
        };
        Ok((evidence, rules))
    }
}
