//! The server from outside, over real connections.

mod common;
mod control;
mod hostile;
mod messages;
mod strange;
