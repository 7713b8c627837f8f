//! A teacher in a separate process, such as `scripts/serve_teacher.py` on a GPU.
//!
//! The process reads requests from standard input and writes responses, in the same order, to standard output. All
//! numbers are stored in little-endian order:
//!
//! 1. On start, the process writes a line of JSON with `format` `honinbo-teacher`, `version` 1 and the numbers of
//!    `planes` and `globals`, which must match [`KataInputVersion::V7`].
//! 2. Request: `u32` n, height and width of the grid; `i8` planes `[n, 22, height, width]`; `f32` globals `[n, 19]`.
//!    Boards are placed in the top left corner of the grid.
//! 3. Response: `f32` policy logits `[n, height * width + 1]`, a pass last; `f32` values `[n, 9]`; `f32` ownership
//!    `[n, height, width]`. The values are the probabilities of win, loss and no result, the lead, the mean and
//!    standard deviation of the score, the variance time, and the errors of win minus loss and of the score. The last
//!    three are NaN if unknown.
//!
//! All values are from the perspective of the side to move.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use parking_lot::{Condvar, Mutex};
use serde::Deserialize;

use crate::encode::katago::{KataEncoder, KataInputVersion, KataOptions};
use crate::eval::calibration;
use crate::eval::network::write_evaluation;
use crate::eval::{EvalError, Evaluation, Evaluator, KataDetails, Request, UncertaintyEstimates};
use crate::game::point::BoardSize;
use crate::net::model::NetOutput;
use crate::net::readout::ValueEstimate;
use crate::parallel::scratch_pool::ScratchPool;

const INPUT_VERSION: KataInputVersion = KataInputVersion::V7;
const FORMAT: &str = "honinbo-teacher";
const VERSION: u32 = 1;
/// Maximum length, in bytes, of the handshake, which is the first line of the teacher's output.
const MAX_HANDSHAKE_BYTES: u64 = 1 << 16;
/// Number of values per position in a response, excluding policy and ownership.
const VALUES_PER_POSITION: usize = 9;

/// Evaluator that sends its requests to a teacher process. Several threads can use it concurrently.
#[derive(Debug)]
pub struct TeacherProcess {
    child: Mutex<Child>,
    input: Mutex<ProcessInput>,
    output: Mutex<ProcessOutput>,
    /// Notified when a response has been read.
    response_read: Condvar,
    scratch: ScratchPool<RequestEncoder>,
}

#[derive(Debug)]
struct ProcessInput {
    /// `None` once the pipe has been closed, which makes the process exit.
    pipe: Option<ChildStdin>,
    /// Number of requests written.
    requests_written: u64,
}

#[derive(Debug)]
struct ProcessOutput {
    pipe: BufReader<ChildStdout>,
    /// Number of responses read.
    responses_read: u64,
    /// True after an error. Later responses then cannot be matched to their requests.
    is_broken: bool,
}

/// Encoder of requests, with reusable buffers for a request and its response.
#[derive(Debug, Default)]
struct RequestEncoder {
    planes_encoder: KataEncoder,
    planes: Vec<f32>,
    bytes: Vec<u8>,
}

#[derive(Deserialize)]
struct Handshake {
    format: String,
    version: u32,
    planes: usize,
    globals: usize,
}

impl TeacherProcess {
    /// Starts a teacher process and checks the first line of its output. `command` contains the program, followed by
    /// its arguments.
    ///
    /// # Errors
    /// Returns an error if `command` is empty, if the process cannot be started, or if it uses another protocol.
    pub fn start(command: &[String]) -> io::Result<Self> {
        let (program, arguments) = command
            .split_first()
            .ok_or_else(|| io::Error::other("the command is empty"))?;
        let mut child = Command::new(program)
            .args(arguments)
            .env(calibration::TIMING_ENV_VARIABLE, calibration::WAIT_VALUE)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let mut output = BufReader::new(output.ok_or_else(process_ended)?);
        check_handshake(&mut output)?;
        Ok(Self {
            child: Mutex::new(child),
            input: Mutex::new(ProcessInput {
                pipe: input,
                requests_written: 0,
            }),
            output: Mutex::new(ProcessOutput {
                pipe: output,
                responses_read: 0,
                is_broken: false,
            }),
            response_read: Condvar::new(),
            scratch: ScratchPool::default(),
        })
    }

    /// Sends the request in `encoder.bytes` and replaces these bytes with the response, which must have `response_len`
    /// bytes.
    fn exchange(&self, encoder: &mut RequestEncoder, response_len: usize) -> io::Result<()> {
        let request_number = {
            let mut input = self.input.lock();
            let pipe = input.pipe.as_mut().ok_or_else(process_ended)?;
            pipe.write_all(&encoder.bytes)?;
            pipe.flush()?;
            input.requests_written += 1;
            input.requests_written
        };
        let mut output = self.output.lock();
        let must_wait = |output: &mut ProcessOutput| {
            !output.is_broken && output.responses_read + 1 != request_number
        };
        self.response_read.wait_while(&mut output, must_wait);
        encoder.bytes.resize(response_len, 0);
        let result = match output.is_broken {
            true => Err(process_ended()),
            false => output.pipe.read_exact(&mut encoder.bytes),
        };
        output.responses_read += 1;
        output.is_broken |= result.is_err();
        self.response_read.notify_all();
        result
    }
}

fn check_handshake(output: &mut BufReader<ChildStdout>) -> io::Result<()> {
    let mut line = String::new();
    output.take(MAX_HANDSHAKE_BYTES).read_line(&mut line)?;
    if line.is_empty() {
        return Err(process_ended());
    }
    let handshake: Handshake = serde_json::from_str(&line).map_err(|error| {
        io::Error::other(format!(
            "the program does not follow the teacher protocol: {error}"
        ))
    })?;
    let expected = (
        FORMAT,
        VERSION,
        INPUT_VERSION.plane_count(),
        INPUT_VERSION.global_count(),
    );
    let Handshake {
        format,
        version,
        planes,
        globals,
    } = handshake;
    match (format.as_str(), version, planes, globals) == expected {
        true => Ok(()),
        false => Err(io::Error::other(format!(
            "the teacher process uses {format} version {version} with {planes} planes and {globals} globals, but {} version {} \
             with {} planes and {} globals is needed",
            expected.0, expected.1, expected.2, expected.3
        ))),
    }
}

/// Returns the message for an I/O error on the pipes. If the process has ended, it may have written the reason to
/// standard error.
fn describe_error(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe => process_ended().to_string(),
        _ => error.to_string(),
    }
}

fn process_ended() -> io::Error {
    io::Error::other("the teacher process has ended")
}

impl Evaluator for TeacherProcess {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        assert_eq!(requests.len(), evaluations.len(), "one slot per request");
        if requests.is_empty() {
            return Ok(());
        }
        let grid = smallest_grid(requests);
        self.scratch.with(|encoder| {
            encoder.write(requests, grid);
            let per_position = 4 * (2 * grid.area() + 1 + VALUES_PER_POSITION);
            self.exchange(encoder, requests.len() * per_position)
                .map_err(|error| EvalError::Network(describe_error(&error)))?;
            let response = Response::new(&encoder.bytes, requests.len(), grid);
            for (index, (request, evaluation)) in requests.iter().zip(evaluations).enumerate() {
                let output = response.output(index, transformed_size(request));
                write_evaluation(&output, request, request.symmetry, evaluation);
                evaluation.check_finite()?;
            }
            Ok(())
        })
    }
}

/// Closes the input of the process, which makes it exit, and waits until it has exited.
impl Drop for TeacherProcess {
    fn drop(&mut self) {
        self.input.lock().pipe = None;
        let _ = self.child.lock().wait();
    }
}

/// Returns the board size of a request after its symmetry has been applied.
fn transformed_size(request: &Request<'_>) -> BoardSize {
    request.symmetry.map_size(request.position.size())
}

/// Returns the smallest grid on which the boards of all requests fit.
fn smallest_grid(requests: &[Request<'_>]) -> BoardSize {
    let max_side = |side: fn(&BoardSize) -> usize| {
        let sides = requests
            .iter()
            .map(|request| side(&transformed_size(request)));
        sides.max().unwrap_or(0)
    };
    BoardSize::new(
        max_side(|size| size.width()),
        max_side(|size| size.height()),
    )
    .expect("sides of boards")
}

impl RequestEncoder {
    /// Encodes `requests` in `self.bytes` as a single request to the process.
    fn write(&mut self, requests: &[Request<'_>], grid: BoardSize) {
        let Self {
            planes_encoder: katago,
            planes,
            bytes,
        } = self;
        bytes.clear();
        for header_value in [requests.len(), grid.height(), grid.width()] {
            bytes.extend((header_value as u32).to_le_bytes());
        }
        let mut globals = vec![0.0; requests.len() * INPUT_VERSION.global_count()];
        let chunks = globals.chunks_exact_mut(INPUT_VERSION.global_count());
        for (request, globals) in requests.iter().zip(chunks) {
            let size = transformed_size(request);
            planes.resize(INPUT_VERSION.plane_count() * size.area(), 0.0);
            let options = KataOptions::default();
            katago.encode(
                INPUT_VERSION,
                request.position,
                request.symmetry,
                options,
                planes,
                globals,
            );
            for plane in planes.chunks_exact(size.area()) {
                let start = bytes.len();
                bytes.resize(start + grid.area(), 0);
                for (row, values) in plane.chunks_exact(size.width()).enumerate() {
                    let offset = start + row * grid.width();
                    for (cell, value) in bytes[offset..].iter_mut().zip(values) {
                        *cell = *value as u8;
                    }
                }
            }
        }
        bytes.extend(globals.into_iter().flat_map(f32::to_le_bytes));
    }
}

/// Response from the process, split into its arrays.
struct Response<'a> {
    grid: BoardSize,
    policy: &'a [u8],
    values: &'a [u8],
    ownership: &'a [u8],
}

impl<'a> Response<'a> {
    fn new(bytes: &'a [u8], count: usize, grid: BoardSize) -> Self {
        let (policy, remaining) = bytes.split_at(4 * count * (grid.area() + 1));
        let (values, ownership) = remaining.split_at(4 * count * VALUES_PER_POSITION);
        Self {
            grid,
            policy,
            values,
            ownership,
        }
    }

    /// Returns the network output for position `index` of the request. `size` is the board size of this position after
    /// its symmetry has been applied.
    fn output(&self, index: usize, size: BoardSize) -> NetOutput {
        let area = self.grid.area();
        let policy = decode_f32_row(self.policy, index, area + 1);
        let values = decode_f32_row(self.values, index, VALUES_PER_POSITION);
        let [
            win,
            loss,
            no_result,
            lead,
            mean,
            deviation,
            variance_time,
            value,
            score,
        ] = values[..]
        else {
            unreachable!("each position has {VALUES_PER_POSITION} numbers");
        };
        let errors = UncertaintyEstimates {
            variance_time,
            value,
            score,
        };
        NetOutput {
            policy: crop_to_board(&policy, self.grid, size),
            pass: policy.last().copied(),
            value_estimate: ValueEstimate {
                value: win - loss,
                no_result,
                lead: Some(lead),
                details: Some(KataDetails {
                    score_mean: mean,
                    score_mean_square: mean * mean + deviation * deviation,
                    errors: (!variance_time.is_nan()).then_some(errors),
                }),
            },
            ownership: Some(crop_to_board(
                &decode_f32_row(self.ownership, index, area),
                self.grid,
                size,
            )),
        }
    }
}

/// Decodes row `index` of an `f32` array with `width` columns.
fn decode_f32_row(bytes: &[u8], index: usize, width: usize) -> Vec<f32> {
    let row = &bytes[4 * index * width..][..4 * width];
    let (values, _) = row.as_chunks();
    values
        .iter()
        .map(|&bytes| f32::from_le_bytes(bytes))
        .collect()
}

/// Returns the values that belong to a board of `size` in the top left corner of `grid`.
fn crop_to_board(values: &[f32], grid: BoardSize, size: BoardSize) -> Vec<f32> {
    let rows = values.chunks(grid.width()).take(size.height());
    rows.flat_map(|row| &row[..size.width()]).copied().collect()
}
