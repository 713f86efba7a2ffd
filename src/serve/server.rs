//! HTTP on the loopback interface, for clients that know the token. The only file that uses the crates for it, besides
//! `reply.rs`.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::fmt::Display;
use std::future::poll_fn;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use hyper::body::{Body as _, Bytes, Frame, Incoming};
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::http::request::Parts;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, oneshot};
use tokio::task::{AbortHandle, spawn_blocking};
use tokio::time::{sleep, timeout};

use text::go;

use super::answer::{self, Question};
use super::api::Api;
use super::objects::Silence;
use super::rbac::User;
use super::reply::{Body, Failure, Reply, ResponseHead};
use super::status::Status;

/// How many connections are open at once. Of those that have not shown the token, the oldest makes room for a new one.
const CONNECTIONS: usize = 256;

/// How long a client may take to send a request, or to send nothing between two requests.
const PATIENCE: Duration = Duration::from_secs(30);

/// The maximum length of the line and the headers of a request, in bytes.
const HEADERS: usize = 64 << 10;

/// The maximum length of what is posted, in bytes.
const POSTED: usize = 64 << 10;

/// How long a watch lasts if the client does not say, in seconds (apiserver, MinRequestTimeout).
const WATCH: u64 = 1800;

/// The length of the token in bytes.
const TOKEN: usize = 32;

/// The user whose password is the token.
const USER: &str = "kselect";

/// A server that has an address but does not answer yet.
pub struct Server {
    runtime: Runtime,
    listener: TcpListener,
    address: SocketAddr,
    token: String,
    stopper: Option<oneshot::Sender<()>>,
    stopped: oneshot::Receiver<()>,
}

/// Reports what happens while the server runs.
pub trait Log: Send + Sync {
    /// A request was answered with this status.
    fn request(&self, method: &str, url: &str, code: u16, message: Option<&str>, took: Duration);

    /// A problem that a client could not be told.
    fn problem(&self, problem: &dyn Display);
}

/// What the connections share.
struct Shared {
    api: Api,
    token: String,
    port: u16,
    log: Box<dyn Log>,
    /// The connections that have not shown the token, the oldest first.
    strangers: Mutex<VecDeque<(Arc<Connection>, AbortHandle)>>,
    open: AtomicUsize,
}

/// A connection.
struct Connection {
    /// Whether a request on it had the token.
    is_known: AtomicBool,
    /// Whether it was closed.
    is_closed: AtomicBool,
}

impl Server {
    /// Listens on a port of the loopback interface; 0 chooses a free one.
    ///
    /// # Errors
    ///
    /// The port is taken, or the system gives no random numbers.
    pub fn bind(port: u16) -> io::Result<Self> {
        // Each connection can have a thread, so that clients that do not read delay no others.
        let mut runtime = Builder::new_current_thread();
        let runtime = runtime.enable_io().enable_time().max_blocking_threads(CONNECTIONS).build()?;
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, port)))?;
        let address = listener.local_addr()?;
        let mut random = [0; TOKEN];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let token = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let (stopper, stopped) = oneshot::channel();
        Ok(Self { runtime, listener, address, token, stopper: Some(stopper), stopped })
    }

    /// What stops the server, also when it is dropped; only the first call gives one that works. Answers under way are not
    /// completed.
    pub fn stopper(&mut self) -> impl FnOnce() + use<> {
        let stopper = self.stopper.take();
        move || drop(stopper)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The beginning of every path, which carries the token: client-go sends other credentials only over TLS.
    pub fn prefix(&self) -> String {
        format!("/{}", self.token)
    }

    /// The address for any client.
    pub fn url(&self) -> String {
        format!("http://{}{}", self.address, self.prefix())
    }

    /// The address for clients that replace the whole path (`kubectl get --raw`): the token is the password of a user.
    /// Some clients refuse such addresses (those that use the `fetch` of web browsers).
    pub fn raw_url(&self) -> String {
        format!("http://{USER}:{}@{}", self.token, self.address)
    }

    /// Answers requests until it is stopped.
    pub fn run(self, api: Api, log: Box<dyn Log>) {
        let Self { runtime, listener, address, token, stopper, stopped } = self;
        let (strangers, open) = (Mutex::default(), AtomicUsize::new(0));
        let shared = Arc::new(Shared { api, token, port: address.port(), log, strangers, open });
        runtime.block_on(async {
            tokio::spawn(accept(listener, shared));
            let _ = stopped.await;
        });
        drop(stopper);
        runtime.shutdown_background();
    }
}

/// Accepts connections for ever.
async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => shared.admit(stream),
            // Too many files are open: connections that end make room.
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}

impl Shared {
    /// Serves a connection, if there is room for it.
    fn admit(self: &Arc<Self>, stream: TcpStream) {
        let mut strangers = self.strangers.lock().unwrap_or_else(PoisonError::into_inner);
        strangers.retain(|(connection, _)| {
            !connection.is_known.load(Ordering::Relaxed) && !connection.is_closed.load(Ordering::Relaxed)
        });
        if self.open.load(Ordering::Relaxed) >= CONNECTIONS {
            let Some((_, oldest)) = strangers.pop_front() else { return };
            oldest.abort();
        }
        let connection = Arc::new(Connection { is_known: false.into(), is_closed: false.into() });
        self.open.fetch_add(1, Ordering::Relaxed);
        let guard = OpenConnection { shared: Arc::clone(self), connection: Arc::clone(&connection) };
        let task = tokio::spawn(async move { serve(stream, &guard).await });
        strangers.push_back((connection, task.abort_handle()));
    }
}

/// A connection that counts as open until this is dropped.
struct OpenConnection {
    shared: Arc<Shared>,
    connection: Arc<Connection>,
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.connection.is_closed.store(true, Ordering::Relaxed);
        self.shared.open.fetch_sub(1, Ordering::Relaxed);
    }
}

async fn serve(stream: TcpStream, open: &OpenConnection) {
    let (shared, connection) = (&open.shared, &open.connection);
    let service = service_fn(move |request| {
        let (shared, connection) = (Arc::clone(shared), Arc::clone(connection));
        async move { Ok::<_, Infallible>(respond(request, shared, &connection).await) }
    });
    let _ = stream.set_nodelay(true);
    let mut http = hyper::server::conn::http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(PATIENCE).max_buf_size(HEADERS);
    // What a client does to its connection is no concern of others.
    let _ = http.serve_connection(TokioIo::new(stream), service).await;
}

async fn respond(request: Request<Incoming>, shared: Arc<Shared>, connection: &Connection) -> Response<Text> {
    let start = Instant::now();
    let (parts, body) = request.into_parts();
    let method = parts.method.as_str().to_owned();
    let url = shared.without_token(&parts.uri.to_string());
    let head = match question(parts, body, &shared, connection).await {
        Ok(question) => answer(question, &shared).await,
        Err(status) => ResponseHead::refusing(status),
    };
    shared.log.request(&method, &url, head.code, head.message.as_deref(), start.elapsed());
    response(head)
}

/// What a request asks, once it has shown the token.
async fn question(
    parts: Parts,
    body: Incoming,
    shared: &Shared,
    connection: &Connection,
) -> Result<Question, Status> {
    let path = shared.check(&parts.headers, parts.uri.path())?;
    connection.is_known.store(true, Ordering::Relaxed);
    let method = parts.method.as_str().to_owned();
    Ok(Question {
        user: impersonated(&parts.headers)?,
        body: posted(&method, body).await?,
        method,
        path,
        query: parts.uri.query().unwrap_or_default().to_owned(),
        accept: texts(&parts.headers, header::ACCEPT.as_str()).join(","),
    })
}

/// The user that the client acts as; `None` for the user of the kubeconfig (apiserver, endpoints/filters/impersonation).
fn impersonated(headers: &HeaderMap) -> Result<Option<User>, Status> {
    let [users, groups, uids] =
        ["User", "Group", "Uid"].map(|of| texts(headers, &format!("Impersonate-{of}")));
    match (users.first(), groups.is_empty() && uids.is_empty()) {
        (None, true) => Ok(None),
        (None, false) => {
            Err(Status::bad_request("groups or a uid are requested without impersonating a user"))
        }
        (Some(name), _) => {
            let groups = groups.into_iter().map(str::to_owned).collect();
            Ok(Some(User::impersonated(name, groups, uids.first().unwrap_or(&""))))
        }
    }
}

/// The values of a header that are text.
fn texts<'h>(headers: &'h HeaderMap, name: &str) -> Vec<&'h str> {
    headers.get_all(name).iter().filter_map(|value| std::str::from_utf8(value.as_bytes()).ok()).collect()
}

fn response(head: ResponseHead) -> Response<Text> {
    let ResponseHead { code, media_type, warnings, body, .. } = head;
    let mut response = Response::new(Text(body));
    *response.status_mut() = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    let json = HeaderValue::from_static("application/json");
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_str(&media_type).unwrap_or(json));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    for warning in warnings {
        let text: String = warning.chars().filter(|c| !c.is_control()).collect();
        let text = text.replace('\\', "\\\\").replace('"', "\\\"");
        if let Ok(warning) = HeaderValue::from_bytes(format!("299 - \"{text}\"").as_bytes()) {
            headers.append(header::WARNING, warning);
        }
    }
    response
}

impl Shared {
    /// The path that a request names, without the token.
    ///
    /// # Errors
    ///
    /// It does not come from a client of this machine that knows the token: a page in a browser sends an `Origin` or, after
    /// its name was bound to this address, another `Host`.
    fn check(&self, headers: &HeaderMap, path: &str) -> Result<String, Status> {
        let length = |(name, value): (&header::HeaderName, &HeaderValue)| name.as_str().len() + value.len();
        if path.len() + headers.iter().map(length).sum::<usize>() > HEADERS {
            return Err(Status::headers_too_large());
        }
        let mut hosts = headers.get_all(header::HOST).iter();
        let host = hosts.next().and_then(|host| host.to_str().ok()).unwrap_or_default();
        let names = ["127.0.0.1", "localhost", "[::1]"];
        let is_own = names.iter().any(|name| {
            host.strip_prefix(name).and_then(|rest| rest.strip_prefix(':'))
                == Some(self.port.to_string().as_str())
        });
        if !is_own || hosts.next().is_some() {
            return Err(Status::forbidden("the Host of the request is not the address of kselect serve"));
        }
        if headers.contains_key(header::ORIGIN) {
            return Err(Status::forbidden("requests from web pages are refused"));
        }
        let rest = path.strip_prefix('/').unwrap_or_default();
        let (first, rest) = rest.split_once('/').map_or((rest, None), |(first, rest)| (first, Some(rest)));
        if self.is_token(first) {
            return Ok(format!("/{}", rest.unwrap_or_default()));
        }
        let credentials = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let (scheme, value) = credentials.and_then(|value| value.split_once(' ')).unwrap_or_default();
        let is_known = match scheme {
            "Bearer" => self.is_token(value),
            "Basic" => go::base64_decode(value.as_bytes()).is_ok_and(|user| {
                user.strip_prefix(USER.as_bytes())
                    .and_then(|rest| rest.strip_prefix(b":"))
                    .and_then(|token| std::str::from_utf8(token).ok())
                    .is_some_and(|token| self.is_token(token))
            }),
            _ => false,
        };
        if is_known { Ok(path.to_owned()) } else { Err(Status::unauthorized()) }
    }

    /// Whether this is the token; takes as long for any text of its length.
    fn is_token(&self, text: &str) -> bool {
        let differences = text.bytes().zip(self.token.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
        text.len() == self.token.len() && differences == 0
    }

    fn without_token(&self, url: &str) -> String {
        let url = url.replace(&format!("/{}", self.token), "");
        if url.is_empty() { "/".to_owned() } else { url }
    }
}

/// What was posted; empty for other methods, for which it is not read.
async fn posted(method: &str, mut body: Incoming) -> Result<Vec<u8>, Status> {
    if method != "POST" {
        return Ok(Vec::new());
    }
    if body.size_hint().lower() > POSTED as u64 {
        return Err(Status::too_large());
    }
    let read = async {
        let mut bytes = Vec::new();
        while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
            let frame = frame.map_err(|_| Status::bad_request("the body cannot be read"))?;
            if let Ok(data) = frame.into_data() {
                bytes.extend_from_slice(&data);
            }
            if bytes.len() > POSTED {
                return Err(Status::too_large());
            }
        }
        Ok(bytes)
    };
    timeout(PATIENCE, read)
        .await
        .unwrap_or_else(|_| Err(Status::bad_request("the body did not arrive in time")))
}

/// Answers on a thread that may wait for files and for the client.
async fn answer(question: Question, shared: &Arc<Shared>) -> ResponseHead {
    let (sender, head) = oneshot::channel();
    let on_thread = Arc::clone(shared);
    spawn_blocking(move || {
        let mut reply = Reply::new(sender);
        let log = |problem: &dyn Display| on_thread.log.problem(problem);
        match answer::answer(&on_thread.api, &question, &mut reply, &log) {
            Ok(None) => reply.finish(),
            Ok(Some(silence)) => {
                if let Some(chunks) = reply.into_chunks() {
                    let runtime = tokio::runtime::Handle::current();
                    runtime.spawn(stay_silent(silence, chunks));
                }
            }
            Err(Failure::Gone) => (),
            Err(Failure::Status(_)) if reply.has_begun() => (),
            Err(Failure::Status(status)) => reply.refuse(status),
        }
    });
    head.await
        .unwrap_or_else(|_| ResponseHead::refusing(Status::internal("the request could not be answered")))
}

/// Keeps a watch open without events until its time is over or the client is gone.
async fn stay_silent(silence: Silence, chunks: mpsc::Sender<Bytes>) {
    let time = Duration::from_secs(silence.seconds.unwrap_or(WATCH));
    let is_gone = timeout(time, chunks.closed()).await.is_ok();
    if !is_gone && !silence.last.is_empty() {
        let _ = chunks.send(Bytes::from(silence.last)).await;
    }
}

/// The text of a response.
struct Text(Body);

impl hyper::body::Body for Text {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut self.0 {
            Body::Whole(text) if text.is_empty() => Poll::Ready(None),
            Body::Whole(text) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(text))))),
            Body::Chunks(chunks) => {
                chunks.poll_recv(context).map(|chunk| chunk.map(|chunk| Ok(Frame::data(chunk))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(&self.0, Body::Whole(text) if text.is_empty())
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        match &self.0 {
            Body::Whole(text) => hyper::body::SizeHint::with_exact(text.len() as u64),
            Body::Chunks(_) => hyper::body::SizeHint::default(),
        }
    }
}
