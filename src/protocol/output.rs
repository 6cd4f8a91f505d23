//! The one place that writes.

use std::io::Write;

use super::reply::Reply;

/// Writes replies, each as one whole line with one write and one flush: some managers drop
/// partial lines. After the first failure (the manager has gone) it writes nothing more.
#[derive(Debug)]
pub(super) struct Output<W> {
    writer: W,
    closed: bool,
}

impl<W: Write> Output<W> {
    /// An output to `writer`.
    pub(super) const fn new(writer: W) -> Self {
        Self {
            writer,
            closed: false,
        }
    }

    /// Writes one reply.
    pub(super) fn say(&mut self, reply: &Reply) {
        if self.closed {
            return;
        }
        let line = format!("{reply}\n");
        let written = self.writer.write_all(line.as_bytes());
        self.closed = written.and_then(|()| self.writer.flush()).is_err();
    }

    /// Whether nobody listens any more.
    pub(super) const fn is_closed(&self) -> bool {
        self.closed
    }
}
