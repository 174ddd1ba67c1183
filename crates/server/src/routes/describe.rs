//! What the description of the API says of all paths.

use crate::metrics::Route;
use crate::problem::ProblemBody;
use utoipa::OpenApi;
use utoipa::openapi::path::Operation;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, ResponseBuilder};

/// The frame of the description. A token is asked for where the server was given one.
#[derive(OpenApi)]
#[openapi(
    info(title = "Onefold", description = "Have we seen this page?", license(name = "MIT OR Apache-2.0")),
    components(schemas(ProblemBody)),
    security((), ("token" = []))
)]
pub(super) struct Api;

/// Tells of the token, and of the answer without it.
pub(super) fn tell_of_token(api: &mut utoipa::openapi::OpenApi) {
    let mut token = Http::new(HttpAuthScheme::Bearer);
    token.description = Some("The token of --token-file, where the server was given one".into());
    let components = api.components.get_or_insert_default();
    components.security_schemes.insert("token".into(), RefOr::T(SecurityScheme::Http(token)));
    let problem = ContentBuilder::new().schema(Some(Ref::from_schema_name("ProblemBody"))).build();
    let refused = ResponseBuilder::new()
        .description("A token is needed, or it is another one")
        .content("application/problem+json", problem)
        .build();
    for (path, item) in &mut api.paths.paths {
        if Route::of(path).is_open() {
            continue;
        }
        let operations: [&mut Option<Operation>; 3] = [&mut item.get, &mut item.post, &mut item.delete];
        for operation in operations.into_iter().flatten() {
            operation.responses.responses.insert("401".into(), refused.clone().into());
        }
    }
}
