//! JSON for people: a line for each wall's position, but not one for each number of a mesh.

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};
use std::io::{self, Write};

/// How deep in a file values have lines of their own.
const DEPTH: usize = 3;

/// A value as JSON whose first levels are indented and whose inner ones are compact.
pub(super) fn to_json(value: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut text = Vec::new();
    let layout = Layout {
        depth: 0,
        outer: PrettyFormatter::new(),
        inner: CompactFormatter,
    };
    value.serialize(&mut Serializer::with_formatter(&mut text, layout))?;
    Ok(text)
}

struct Layout {
    depth: usize,
    outer: PrettyFormatter<'static>,
    inner: CompactFormatter,
}

/// Passes a call on to the layout of the level that it belongs to.
macro_rules! by_level {
    ($self:ident.$call:ident($($argument:expr),*)) => {
        if $self.depth <= DEPTH {
            $self.outer.$call($($argument),*)
        } else {
            $self.inner.$call($($argument),*)
        }
    };
}

impl Formatter for Layout {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        by_level!(self.begin_array(writer))
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        let ended = by_level!(self.end_array(writer));
        self.depth -= 1;
        ended
    }

    fn begin_array_value<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        by_level!(self.begin_array_value(writer, first))
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        by_level!(self.end_array_value(writer))
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        by_level!(self.begin_object(writer))
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        let ended = by_level!(self.end_object(writer));
        self.depth -= 1;
        ended
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        by_level!(self.begin_object_key(writer, first))
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        by_level!(self.begin_object_value(writer))
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        by_level!(self.end_object_value(writer))
    }
}
