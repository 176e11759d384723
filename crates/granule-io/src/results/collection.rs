//! The `.pvd` collection: which file shows what at which time.

use super::atomic::write_atomically;
use super::{ReadError, WriteError};
use std::fmt::Write as _;
use std::path::Path;

/// What a file of a collection shows. ParaView shows the parts of a time together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Bodies (part 0).
    Bodies,
    /// Walls (part 1).
    Walls,
    /// Contacts (part 2).
    Contacts,
    /// The surfaces of bodies that are no spheres (part 3).
    Shapes,
    /// The periodic cell (part 4).
    Cell,
    /// Images of bodies that reach into the cell (part 5).
    Images,
}

impl Part {
    pub(super) const ALL: [Self; 6] = [
        Self::Bodies,
        Self::Walls,
        Self::Contacts,
        Self::Shapes,
        Self::Cell,
        Self::Images,
    ];

    fn number(self) -> u32 {
        match self {
            Self::Bodies => 0,
            Self::Walls => 1,
            Self::Contacts => 2,
            Self::Shapes => 3,
            Self::Cell => 4,
            Self::Images => 5,
        }
    }

    /// The first word of the names of its files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bodies => "bodies",
            Self::Walls => "walls",
            Self::Contacts => "contacts",
            Self::Shapes => "shapes",
            Self::Cell => "cell",
            Self::Images => "images",
        }
    }
}

/// One file of a collection.
#[derive(Debug, Clone, PartialEq)]
pub struct CollectionEntry {
    /// s.
    pub time: f64,
    /// What it shows.
    pub part: Part,
    /// Its path, relative to the collection's folder, with forward slashes.
    pub file: String,
}

/// The list of a run's frames.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Collection {
    /// The files, in the order of time.
    pub entries: Vec<CollectionEntry>,
}

impl Collection {
    /// Writes the list, under a temporary name first, so that it is usable at any moment.
    pub fn write(&self, path: &Path) -> Result<(), WriteError> {
        let mut xml = String::from(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" \
             byte_order=\"LittleEndian\">\n<Collection>\n",
        );
        for entry in &self.entries {
            let _ = writeln!(
                xml,
                "<DataSet timestep=\"{:?}\" group=\"\" part=\"{}\" name=\"{}\" file=\"{}\"/>",
                entry.time,
                entry.part.number(),
                entry.part.name(),
                entry.file
            );
        }
        xml.push_str("</Collection>\n</VTKFile>\n");
        write_atomically(path, &[xml.as_bytes()])
    }

    /// Reads a list; parts that this program does not write are left out.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        let text = std::fs::read_to_string(path).map_err(|source| ReadError::io(path, source))?;
        let document = roxmltree::Document::parse(&text)
            .map_err(|error| ReadError::malformed(path, error.to_string()))?;
        let mut entries = Vec::new();
        for node in document
            .descendants()
            .filter(|node| node.has_tag_name("DataSet"))
        {
            let number = node.attribute("part").unwrap_or("0");
            let known = Part::ALL
                .into_iter()
                .find(|part| part.number().to_string() == number);
            let Some(part) = known else { continue };
            let time = node.attribute("timestep").and_then(|t| t.parse().ok());
            match (time, node.attribute("file")) {
                (Some(time), Some(file)) => {
                    entries.push(CollectionEntry {
                        time,
                        part,
                        file: file.to_owned(),
                    });
                }
                _ => {
                    let what = "a <DataSet> needs a numeric `timestep` and a `file`";
                    return Err(ReadError::malformed(path, what));
                }
            }
        }
        Ok(Self { entries })
    }
}
