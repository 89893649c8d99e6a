//! Messages on stdin and stdout, of which none is lost.
//!
//! The service polls `receive` beside its other work, and drops it when that work is ready first. `receive` answers a request that
//! is none by itself: dropped in the middle of that answer, it would leave the host waiting for ever. So no answer waits here: it is
//! written at once, and `receive` gives way only while it reads.

use std::io::{self, Stdout, Write as _};
use std::pin::Pin;
use std::task::{Context, Poll};

use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncWrite, Stdin};

pub(super) struct Stdio(AsyncRwTransport<RoleServer, Stdin, AtOnce>);

pub(super) fn stdio() -> Stdio {
    Stdio(AsyncRwTransport::new_server(tokio::io::stdin(), AtOnce(io::stdout())))
}

impl Transport<RoleServer> for Stdio {
    type Error = io::Error;

    fn send(&mut self, message: TxJsonRpcMessage<RoleServer>) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        self.0.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        // A task that has done much is made to give way, wherever it is: also between a bad request and its answer.
        tokio::task::unconstrained(self.0.receive()).await
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.0.close().await
    }
}

/// Writes without giving way. A host that does not read its answers is waited for, as by any program that prints.
struct AtOnce(Stdout);

impl AsyncWrite for AtOnce {
    fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(self.0.write(bytes))
    }

    fn poll_flush(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.0.flush())
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(context)
    }
}
