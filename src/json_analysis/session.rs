//! JSON session: reads requests and sends responses until the end of input.
//!
//! One thread reads the requests. It responds to actions and invalid requests immediately, and queues analysis queries
//! for the worker threads, which run the searches. If writing to the client fails, all searches stop and the session
//! ends.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

use serde_json::{Map, Value, json};

use super::fields::{Fields, RequestError, read_object};
use super::query::{Query, QueryTurn, Turn};
use super::response::{Diagnostic, DiagnosticKind, no_results};
use super::response_writer::ResponseWriter;
use super::settings::QuerySettings;
use super::worker::run_worker;
use crate::engine::identity::Identity;
use crate::eval::stack::SharedEvaluator;
use crate::game::point::BoardSize;
use crate::game::position::Position;
use crate::game::rules::Rules;
use crate::io::line_reader::LineReader;
use crate::io::protocol_log::ProtocolLog;
use crate::parallel::job_queue::JobQueue;
use crate::search::{Search, SearchConfig, ThreadPoolError, default_batch_size};

/// Maximum length of a request in bytes. Longer lines are rejected with an error response.
pub const MAX_REQUEST_BYTES: usize = 1 << 22;
/// Maximum number of queued positions. When the queue is full, no further requests are read.
const MAX_QUEUED_POSITIONS: usize = 100_000;
/// Client number in the job queue. A session has only one client, so the value is arbitrary.
const QUEUE_CLIENT_ID: u64 = 0;

/// Configuration of a session.
pub struct SessionSetup {
    /// Evaluator shared by all queries.
    pub evaluator: SharedEvaluator,
    pub identity: Identity,
    /// Maximum number of positions per evaluator batch, as reported to clients.
    pub max_batch_size: usize,
    /// Default settings of queries.
    pub settings: QuerySettings,
    /// Number of positions searched in parallel, at least one.
    pub workers: usize,
    /// Number of threads per search.
    pub threads: usize,
    /// Maximum number of leaves that each search thread evaluates in one batch. `None` uses the [default for the
    /// evaluator](default_batch_size).
    pub batch_size: Option<usize>,
    /// Maximum total size of all search trees, in bytes.
    pub tree_bytes: usize,
    /// Random seed.
    pub seed: u64,
    /// True to analyse the queued positions after the end of input; false to end the session immediately.
    pub finish_on_eof: bool,
    /// Log of all requests and responses.
    pub log: ProtocolLog,
}

/// Error that ends a session early.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// Reading from or writing to the client failed.
    #[error("lost the connection to the client: {0}")]
    Io(#[from] io::Error),
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
    #[error(transparent)]
    Search(#[from] ThreadPoolError),
    /// A worker thread panicked.
    #[error("a search thread ended because of an internal error")]
    WorkerPanicked,
}

/// State shared by all threads of a session.
struct Session {
    evaluator: SharedEvaluator,
    identity: Identity,
    max_batch_size: usize,
    /// Default settings of queries.
    settings: QuerySettings,
    queue: JobQueue<QueryTurn>,
    response_writer: ResponseWriter,
}

/// Runs a session until the end of input. With `finish_on_eof`, returns only after all queued positions have been
/// analysed.
///
/// # Errors
/// Returns an error if reading, writing or starting a thread fails. A closed output pipe ends the session without an
/// error.
pub fn run(
    setup: SessionSetup,
    input: impl Read + Send + 'static,
    output: Box<dyn Write + Send>,
) -> Result<(), SessionError> {
    let workers = setup.workers.max(1);
    let searches = (0..workers).map(|_| new_search(&setup, workers));
    let searches: Vec<Search> = searches.collect::<Result<_, _>>()?;
    let finish_on_eof = setup.finish_on_eof;
    let session = Arc::new(Session {
        evaluator: setup.evaluator,
        identity: setup.identity,
        max_batch_size: setup.max_batch_size,
        settings: setup.settings,
        queue: JobQueue::new(MAX_QUEUED_POSITIONS),
        response_writer: ResponseWriter::new(output, setup.log),
    });
    let mut threads = Vec::with_capacity(workers);
    for (number, search) in searches.into_iter().enumerate() {
        let session = Arc::clone(&session);
        let run = move || run_worker(&session.queue, &session.response_writer, search);
        threads.push(spawn_thread(format!("analysis-{number}"), run)?);
    }
    let reader_session = Arc::clone(&session);
    let read_input = move || {
        if let Err(error) = read_requests(&reader_session, BufReader::new(input)) {
            reader_session.response_writer.set_error(error);
        }
        if finish_on_eof {
            reader_session.queue.close();
        } else {
            reader_session.queue.abort();
        }
    };
    // This thread is not joined, because joining would block if the client stops reading the output but does not close
    // the input.
    spawn_thread("analysis-input".to_owned(), read_input)?;
    for thread in threads {
        thread.join().map_err(|_| SessionError::WorkerPanicked)?;
    }
    match session.response_writer.take_error() {
        Some(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

fn spawn_thread(
    name: String,
    run: impl FnOnce() + Send + 'static,
) -> Result<JoinHandle<()>, SessionError> {
    let thread = Builder::new().name(name).spawn(run);
    thread.map_err(SessionError::Thread)
}

fn new_search(setup: &SessionSetup, workers: usize) -> Result<Search, ThreadPoolError> {
    // Placeholder: every query sets the root position.
    let root = Position::new(BoardSize::STANDARD, Rules::default());
    let params = setup.settings.params.clone();
    let default = || default_batch_size(&*setup.evaluator, workers * setup.threads);
    let search = SearchConfig {
        threads: setup.threads,
        batch_size: setup.batch_size.unwrap_or_else(default),
        tree_bytes: setup.tree_bytes / workers,
        seed: setup.seed,
    };
    Search::new(Arc::clone(&setup.evaluator), root, params, search)
}

fn read_requests(session: &Session, input: impl BufRead) -> io::Result<()> {
    let mut lines = LineReader::new(input, MAX_REQUEST_BYTES);
    while let Some(line) = lines.next_line()? {
        if line.len() > MAX_REQUEST_BYTES {
            let message = format!("the request is longer than {MAX_REQUEST_BYTES} bytes");
            session.send_error(None, None, message);
        } else if !line.trim_ascii().is_empty() {
            session
                .response_writer
                .protocol_log()
                .write_line('<', String::from_utf8_lossy(&line).trim_end());
            session.handle_line(&line);
        }
    }
    Ok(())
}

impl Session {
    /// Handles a request: executes an action immediately, or queues the turns of a query.
    fn handle_line(&self, line: &[u8]) {
        let values = match read_object(line) {
            Ok(values) => values,
            Err(error) => {
                let message = format!("the request is not a JSON object: {error}");
                return self.send_error(None, None, message);
            }
        };
        let echo = values.contains_key("action").then(|| values.clone());
        let mut fields = Fields::new(values);
        let id: String = match fields.required("id") {
            Ok(id) => id,
            Err(error) => return self.send_error(Some(error.field), None, error.message),
        };
        let result = match fields.optional::<String>("action") {
            Ok(Some(action)) => self.run_action(&action, fields, echo.unwrap_or_default()),
            Ok(None) => self.enqueue(&id, fields),
            Err(error) => Err(error),
        };
        if let Err(error) = result {
            self.send_error(Some(error.field), Some(&id), error.message);
        }
    }

    /// Runs an action, adds its results to `response`, and sends `response`. The caller initialises `response` with the
    /// fields of the request.
    fn run_action(
        &self,
        action: &str,
        mut fields: Fields,
        mut response: Map<String, Value>,
    ) -> Result<(), RequestError> {
        let identity = &self.identity;
        match action {
            "query_version" => {
                response.insert("version".to_owned(), identity.version.as_str().into());
                // KataGo reports this value in builds without Git information.
                response.insert("git_hash".to_owned(), "<omitted>".into());
            }
            "query_models" => {
                let model = json!({
                    "name": identity.model,
                    "maxBatchSize": self.max_batch_size,
                    "usesHumanSLProfile": identity.takes_profile,
                });
                response.insert("models".to_owned(), json!([model]));
            }
            "clear_cache" => self.evaluator.reset(),
            "terminate" => {
                let id: String = fields.required("terminateId")?;
                self.terminate(&mut fields, |query| query.id == id)?;
            }
            "terminate_all" => self.terminate(&mut fields, |_| true)?,
            _ => {
                let message = format!(
                    "unknown action {action:?}; use one of query_version, query_models, clear_cache, terminate, \
                     terminate_all"
                );
                return Err(RequestError::new("action", message));
            }
        }
        self.send(&response);
        Ok(())
    }

    /// Ends the analysis of all queries that satisfy `matches`. If the request contains `turnNumbers`, only these turns
    /// are affected. Responds to queued turns immediately; running searches report what they have found so far.
    fn terminate(
        &self,
        fields: &mut Fields,
        matches: impl Fn(&Query) -> bool,
    ) -> Result<(), RequestError> {
        let turns: Option<Vec<Turn>> = fields.optional("turnNumbers")?;
        let turns = turns.as_ref();
        let is_listed =
            |number| turns.is_none_or(|turns| turns.iter().any(|turn| turn.0 == number));
        let terminated = self
            .queue
            .cancel_matching(|turn| matches(&turn.query) && is_listed(turn.number));
        for job in terminated {
            self.send(&no_results(&job.task));
        }
        Ok(())
    }

    fn enqueue(&self, id: &str, fields: Fields) -> Result<(), RequestError> {
        let (query, warnings) = Query::from_fields(id.to_owned(), fields, &self.settings)?;
        for warning in warnings {
            self.send(&Diagnostic {
                kind: DiagnosticKind::Warning(warning.message),
                field: Some(&warning.field),
                id: Some(id),
            });
        }
        let query = Arc::new(query);
        let turns = query.turns.iter().map(|&(number, priority)| {
            let query = Arc::clone(&query);
            (priority, QueryTurn { query, number })
        });
        self.queue.submit_all(QUEUE_CLIENT_ID, turns);
        Ok(())
    }

    fn send_error(&self, field: Option<&str>, id: Option<&str>, message: String) {
        let kind = DiagnosticKind::Error(message);
        self.send(&Diagnostic { kind, field, id });
    }

    fn send(&self, object: &impl serde::Serialize) {
        if !self.response_writer.send(object) {
            self.queue.abort();
        }
    }
}
