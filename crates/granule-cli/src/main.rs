//! The command `granule`.

fn main() {}
