//! Answers any request with JSON, for programs that speak it.

use serde::Serialize;

use crate::{
    census::counted,
    check::checked,
    compare::compare,
    diff::{Differences, Nodes, models},
    error::Error,
    explain::explain,
    extract::saved,
    fix::{FixJob, fix, upgrade},
    json::{value, write_json},
    list::list,
    model::Open,
    request::Request,
    shape::shape,
    sizes::sizes,
};

/// The answer to a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// What the command prints with `--json`.
    pub json: String,
    /// Whether the command would end with exit code 1.
    pub fails: bool,
    /// The changed or extracted model, where no file is named for it.
    pub model: Option<Vec<u8>>,
}

/// Answers a request.
///
/// ```
/// use broadaxe_session::{answer::answer, stream};
/// let request = serde_json::from_str(r#"{"request": "check", "models": ["../../examples/face.onnx"], "targets": ["ncnn"]}"#).unwrap();
/// let response = answer(&request, &stream::open).unwrap();
/// assert!(response.fails && response.json.contains("\"differs\""));
/// ```
///
/// # Errors
/// Those of the request. Files that could not be used are entries of the JSON where a request is about several.
pub fn answer(request: &Request, open: Open<'_>) -> Result<Response, Error> {
    match request {
        Request::Check(request) => {
            let findings = checked(request, open)?;
            Ok(Response { fails: findings.fails, ..Response::new(&findings.found) })
        }
        Request::Fix(request) => changed(&fix(request, open)?),
        Request::Upgrade(request) => changed(&upgrade(request, open)?),
        Request::Extract(request) => {
            let found = saved(request, open)?;
            let response = Response::new(&found.record());
            Ok(Response { model: request.output.is_none().then_some(found.one.model), ..response })
        }
        Request::Census(request) => Ok(Response::new(&counted(request, open)?.record())),
        Request::Sizes(request) => Ok(Response::new(&sizes(request, open)?.record())),
        Request::List(request) => Ok(Response::new(&list(request, open)?.record())),
        Request::Diff(request) => {
            let read = models(request, open)?;
            let sides = read.each_ref().map(Nodes::new);
            let found = Differences::new(&sides);
            Ok(Response { fails: !found.is_equal(), ..Response::new(&found.record()) })
        }
        Request::Compare(request) => {
            let found = compare(request)?;
            Ok(Response { fails: found.is_refused(), ..Response::new(&value(found.json())) })
        }
        Request::Shape(request) => Ok(Response::new(&value(shape(request)?.json()))),
        Request::Explain(request) => Ok(Response::new(&explain(request, open)?.record())),
    }
}

fn changed(job: &FixJob<'_>) -> Result<Response, Error> {
    job.save()?;
    Ok(Response { fails: job.fails(), model: job.changed()?, ..Response::new(&job.record()) })
}

impl Response {
    /// Says why a request could not be answered: `{"error": {"kind": ..., "message": ...}}`.
    pub fn of_error(error: &Error) -> Self {
        Self { fails: true, ..Self::new(&error.to_json()) }
    }

    fn new(record: &impl Serialize) -> Self {
        let mut json = String::new();
        let _ = write_json(&mut json, record);
        Self { json, ..Self::default() }
    }
}
