//! What is at which path. The description of the API is made of the same list.

mod batch;
mod check;
mod compare;
mod describe;
mod documents;
mod page;
mod pictures;
mod state;

use crate::app::App;
use crate::problem::{Code, Problem};
use axum::Router;
use axum::extract::{Query, State};
use axum::http::{HeaderValue, Uri, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
pub(crate) use pictures::Drawn;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// All routes.
pub(crate) fn router(app: Arc<App>) -> Router {
    let (router, mut api) = OpenApiRouter::with_openapi(describe::Api::openapi())
        .routes(routes!(check::check))
        .routes(routes!(documents::add))
        .routes(routes!(batch::batch))
        .routes(routes!(documents::get, documents::remove))
        .routes(routes!(compare::compare, compare::compare_with))
        .routes(routes!(state::stats))
        .routes(routes!(pictures::picture))
        .routes(routes!(state::health))
        .routes(routes!(state::ready))
        .routes(routes!(state::metrics))
        .split_for_parts();
    describe::tell_of_token(&mut api);
    let described = Bytes::from(api.to_json().unwrap_or_default());
    let describe = move || async move { json_bytes(described) };
    router
        .route("/openapi.json", axum::routing::get(describe))
        .merge(page::routes())
        .fallback(|| async { Problem::new(Code::NotFound, "nothing is here; ids are percent-encoded") })
        .method_not_allowed_fallback(|| async { Problem::new(Code::MethodNotAllowed, "not by this method") })
        .with_state(app)
}

/// What handlers get of the state.
type Shared = State<Arc<App>>;

/// Parameters of a query.
fn parameters<T: DeserializeOwned + Default>(uri: &Uri) -> Result<T, Problem> {
    if uri.query().is_none() {
        return Ok(T::default());
    }
    let parsed = Query::<T>::try_from_uri(uri);
    parsed.map(|query| query.0).map_err(|error| Problem::new(Code::InvalidRequest, error.body_text()))
}

fn json(value: &impl Serialize) -> Result<Response, Problem> {
    let bytes = serde_json::to_vec(value).map_err(|error| Problem::new(Code::Internal, error.to_string()))?;
    Ok(json_bytes(bytes.into()))
}

fn json_bytes(bytes: Bytes) -> Response {
    let mut response = bytes.into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
