//! Whether a document was seen. Nothing is changed.

use super::{Shared, json, parameters};
use crate::answers::AnswerLine;
use crate::app::App;
use crate::body;
use crate::input::{Content, Names, Submission};
use crate::problem::{Code, Problem, ProblemBody};
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::response::Response;
use onefold_index::{Answer, Match, Tie, Verdict};
use serde::Deserialize;
use utoipa::IntoParams;

/// What is asked of a check.
#[derive(Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct CheckQuery {
    /// All matches, and not the best only.
    #[serde(default)]
    all: bool,
    /// Id of a page that is sent as it is.
    id: Option<String>,
    /// URL of a page that is sent as it is.
    url: Option<String>,
}

/// Say whether a document was seen, and change nothing
#[utoipa::path(
    post,
    path = "/v1/check",
    params(CheckQuery),
    request_body(content((Submission = "application/json"), (String = "text/html"), (String = "text/plain"))),
    responses(
        (status = 200, description = "The verdict", body = AnswerLine),
        (status = "default", description = "A problem", body = ProblemBody, content_type = "application/problem+json")
    )
)]
pub(super) async fn check(State(app): Shared, request: Request<Body>) -> Result<Response, Problem> {
    let (head, body) = request.into_parts();
    let CheckQuery { all, id, url } = parameters(&head.uri)?;
    let (bytes, room) = body::whole(&head.headers, body, &app.limits, &app.admission).await?;
    let names = Names { id, url, seen: None };
    let input = body::document(&head.headers, bytes, names)?;
    if let Content::Fingerprint(fingerprint) = input.content {
        needs_fingerprints(&app)?;
        let name = input.name().map(str::to_owned);
        if !all {
            // It takes microseconds, less than handing it to another thread.
            return json(&AnswerLine::new(name, nearest(&app, fingerprint)?));
        }
        let ticket = app.admission.enter(Some(room))?;
        let index = std::sync::Arc::clone(&app.index);
        let matches = app.pool.run(ticket, move |_| {
            let near = index.check_fingerprint(fingerprint, true)?;
            near.into_iter().map(|near| matched(&index, near)).collect::<Result<Vec<_>, Problem>>()
        });
        return json(&AnswerLine::all(name, matches.await?));
    }
    let ticket = app.admission.enter(Some(room))?;
    let index = std::sync::Arc::clone(&app.index);
    let name = input.name().map(str::to_owned);
    let line = app.pool.run(ticket, move |desk| {
        let (sketch, _) = input.sketch(desk, 0);
        Ok(if all {
            AnswerLine::all(name, index.matches(&sketch)?)
        } else {
            AnswerLine::new(name, index.check(&sketch)?)
        })
    });
    json(&line.await?)
}

/// Says no to a fingerprint where the index compares by something else.
pub(super) fn needs_fingerprints(app: &App) -> Result<(), Problem> {
    if app.takes_fingerprints() {
        return Ok(());
    }
    let rule = app.index.settings().rule.name();
    let detail = format!("this index compares by {rule}: expected text or html, found a fingerprint");
    Err(Problem::new(Code::FingerprintUnsupported, detail))
}

fn nearest(app: &App, fingerprint: u64) -> Result<Answer, Problem> {
    let near = app.index.check_fingerprint(fingerprint, false)?;
    let matched = near.into_iter().next().map(|near| matched(&app.index, near)).transpose()?;
    let verdict = if matched.is_some() { Verdict::Near } else { Verdict::New };
    Ok(Answer { verdict, matched, known: false })
}

fn matched(index: &onefold_index::Index, (number, distance): (u64, u32)) -> Result<Match, Problem> {
    let (id, url) = index.names(number)?.unwrap_or_default();
    Ok(Match {
        id,
        url,
        number,
        tie: Tie::Distance(distance),
        distance: Some(distance),
        near_rule: index.settings().rule.name(),
    })
}
