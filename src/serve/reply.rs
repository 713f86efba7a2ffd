//! The answer to a request, written while it is made: short ones are sent as a whole, long ones in chunks.

use hyper::body::Bytes;
use tokio::sync::{mpsc, oneshot};

use super::status::Status;

/// How much of an answer is kept before it is sent in chunks, in bytes.
const CHUNK: usize = 256 << 10;

/// How many chunks wait for a slow client.
const WAITING: usize = 2;

/// The beginning of an answer.
#[derive(Debug)]
pub struct ResponseHead {
    /// The HTTP status.
    pub code: u16,
    /// The media type.
    pub media_type: String,
    /// What the client shows to its user.
    pub warnings: Vec<String>,
    /// The rest.
    pub body: Body,
    /// Why the request is refused; `None` if it is not.
    pub message: Option<String>,
}

/// The media type of most replies.
const JSON: &str = "application/json";

impl ResponseHead {
    /// The reply that refuses a request.
    pub fn refusing(status: Status) -> Self {
        let body = Body::Whole(status.json().to_string().into());
        let (media_type, warnings) = (JSON.to_owned(), Vec::new());
        Self { code: status.code, media_type, warnings, body, message: Some(status.message) }
    }
}

/// The text of an answer.
#[derive(Debug)]
pub enum Body {
    /// All of it.
    Whole(Bytes),
    /// Chunks, until the sender is dropped.
    Chunks(mpsc::Receiver<Bytes>),
}

/// Why an answer ends early.
#[derive(Debug)]
pub enum Failure {
    /// It is an error.
    Status(Status),
    /// The client does not read any further.
    Gone,
}

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        Self::Status(status)
    }
}

/// Writes an answer.
#[derive(Debug, Default)]
pub struct Reply {
    head: Option<oneshot::Sender<ResponseHead>>,
    chunks: Option<mpsc::Sender<Bytes>>,
    /// The HTTP status of the answer.
    pub code: u16,
    /// Its media type.
    pub media_type: String,
    /// What the client shows to its user. Warnings that come after the first chunk are lost.
    pub warnings: Vec<String>,
    /// The text that was not sent yet.
    pub text: String,
}

impl Reply {
    /// An answer whose beginning goes to `head`.
    pub fn new(head: oneshot::Sender<ResponseHead>) -> Self {
        Self { head: Some(head), code: 200, media_type: JSON.to_owned(), ..Self::default() }
    }

    /// Whether part of the answer was sent.
    pub fn has_begun(&self) -> bool {
        self.chunks.is_some()
    }

    /// Sends what was written if that is a lot.
    ///
    /// # Errors
    ///
    /// The client is gone.
    pub fn advance(&mut self) -> Result<(), Failure> {
        if self.text.len() < CHUNK { Ok(()) } else { self.flush() }
    }

    /// Sends what was written.
    ///
    /// # Errors
    ///
    /// The client is gone.
    pub fn flush(&mut self) -> Result<(), Failure> {
        let text = std::mem::take(&mut self.text);
        self.send(text)
    }

    /// Sends bytes that need not be text, after what was sent.
    ///
    /// # Errors
    ///
    /// The client is gone.
    pub fn send(&mut self, bytes: impl Into<Bytes>) -> Result<(), Failure> {
        let bytes = bytes.into();
        if let Some(head) = self.head.take() {
            let (sender, receiver) = mpsc::channel(WAITING);
            head.send(self.beginning(Body::Chunks(receiver))).map_err(|_| Failure::Gone)?;
            self.chunks = Some(sender);
        }
        if bytes.is_empty() {
            return Ok(());
        }
        self.chunks.as_ref().ok_or(Failure::Gone)?.blocking_send(bytes).map_err(|_| Failure::Gone)
    }

    /// Sends a refusal in place of the text.
    pub fn refuse(mut self, status: Status) {
        if let Some(head) = self.head.take() {
            let _ = head.send(ResponseHead::refusing(status));
        }
    }

    /// Sends the rest.
    pub fn finish(mut self) {
        match self.head.take() {
            Some(head) => {
                let text = std::mem::take(&mut self.text);
                let _ = head.send(self.beginning(Body::Whole(text.into())));
            }
            None => drop(self.flush()),
        }
    }

    /// Sends what was written, and returns the way to send more.
    pub fn into_chunks(mut self) -> Option<mpsc::Sender<Bytes>> {
        self.flush().ok()?;
        self.chunks.take()
    }

    fn beginning(&mut self, body: Body) -> ResponseHead {
        let (media_type, warnings) =
            (std::mem::take(&mut self.media_type), std::mem::take(&mut self.warnings));
        ResponseHead { code: self.code, media_type, warnings, body, message: None }
    }
}
