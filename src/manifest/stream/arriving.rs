//! Streams that are processed as they arrive, without waiting for the rest.

use std::fs::File;
use std::io::{self, Read};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread;

/// How much of a pipe is read at once, in bytes: the capacity of a pipe.
const CHUNK: usize = 64 << 10;

/// How many chunks are read ahead. Only when none is left is a document processed before its block is full.
const AHEAD: usize = 16;

/// A reader whose data may arrive later.
pub trait Stream: Read + Send {
    /// Whether more can be read without waiting. For files this is always so.
    fn is_ready(&mut self) -> bool {
        true
    }

    /// Appends up to `most` bytes to `bytes`: those that are available, or else the first that arrive. Returns whether
    /// the stream has ended.
    ///
    /// # Errors
    ///
    /// The stream cannot be read.
    fn read_some(&mut self, most: usize, bytes: &mut Vec<u8>) -> io::Result<bool> {
        Read::take(self, most as u64).read_to_end(bytes).map(|read| read < most)
    }
}

impl Stream for Box<dyn Stream> {
    fn is_ready(&mut self) -> bool {
        (**self).is_ready()
    }

    fn read_some(&mut self, most: usize, bytes: &mut Vec<u8>) -> io::Result<bool> {
        (**self).read_some(most, bytes)
    }
}

impl Stream for File {}
impl Stream for &[u8] {}

/// A pipe or a terminal, which a thread of its own reads.
#[derive(Debug)]
pub struct Arriving {
    chunks: Receiver<io::Result<Vec<u8>>>,
    /// The last chunk received, and how much of it has been read.
    chunk: Vec<u8>,
    read: usize,
    /// The result of the stream once it has ended or failed; `None` before.
    end: Option<io::Result<()>>,
}

impl Arriving {
    /// Begins to read `pipe`.
    ///
    /// # Errors
    ///
    /// The thread cannot be created.
    pub fn new(pipe: impl Read + Send + 'static) -> io::Result<Self> {
        let (sender, chunks) = sync_channel(AHEAD);
        thread::Builder::new().name("arriving".to_owned()).spawn(move || pump(pipe, &sender))?;
        Ok(Self { chunks, chunk: Vec::new(), read: 0, end: None })
    }

    fn is_used_up(&self) -> bool {
        self.read == self.chunk.len() && self.end.is_none()
    }

    /// Stores what was received; `None` means the end.
    fn receive(&mut self, chunk: Option<io::Result<Vec<u8>>>) {
        match chunk {
            Some(Ok(chunk)) => (self.chunk, self.read) = (chunk, 0),
            Some(Err(error)) => self.end = Some(Err(error)),
            None => self.end = Some(Ok(())),
        }
    }
}

/// Reads `pipe` to its end, or until the receiver is gone.
fn pump(mut pipe: impl Read, chunks: &SyncSender<io::Result<Vec<u8>>>) {
    let mut buffer = vec![0; CHUNK];
    loop {
        let chunk = match pipe.read(&mut buffer) {
            Ok(0) => return,
            Ok(length) => Ok(buffer[..length].to_vec()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let failed = chunk.is_err();
        if chunks.send(chunk).is_err() || failed {
            return;
        }
    }
}

impl Read for Arriving {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut bytes = Vec::new();
        self.read_some(buffer.len(), &mut bytes)?;
        buffer[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }
}

impl Stream for Arriving {
    fn is_ready(&mut self) -> bool {
        if self.is_used_up() {
            match self.chunks.try_recv() {
                Err(TryRecvError::Empty) => return false,
                Err(TryRecvError::Disconnected) => self.receive(None),
                Ok(chunk) => self.receive(Some(chunk)),
            }
        }
        true
    }

    fn read_some(&mut self, most: usize, bytes: &mut Vec<u8>) -> io::Result<bool> {
        if self.is_used_up() {
            let chunk = self.chunks.recv().ok();
            self.receive(chunk);
        }
        if let Some(end) = &mut self.end {
            return std::mem::replace(end, Ok(())).map(|()| true);
        }
        let rest = &self.chunk[self.read..];
        let rest = &rest[..rest.len().min(most)];
        bytes.extend_from_slice(rest);
        self.read += rest.len();
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_read_before_the_rest_comes() {
        let (reader, mut writer) = io::pipe().unwrap();
        let mut arriving = Arriving::new(reader).unwrap();
        assert!(!arriving.is_ready());
        let mut buffer = [0; 100];
        io::Write::write_all(&mut writer, b"kind: Pod").unwrap();
        assert_eq!(arriving.read(&mut buffer).unwrap(), 9);
        assert!(!arriving.is_ready());
        drop(writer);
        assert_eq!(arriving.read(&mut buffer).unwrap(), 0);
        assert!(arriving.is_ready());
    }
}
