//! `granule reproduce --report`: every table and figure of the papers on one page.
//!
//! A target is shown as it was kept, at the paper's size, where that takes long; and as it comes out now at its
//! quick size. What it does and what differs stands in the README of the folder `reproduce`, what the papers
//! have in its `items.toml`.

mod html;
mod items;
mod marks;
mod notes;
mod page;

use crate::reproduce::{Error, Gate, Options, Record, Target};
use items::Items;
use notes::Notes;
use std::path::Path;

/// The name of the page in its folder.
pub const PAGE: &str = "report.html";

/// A target on the page.
pub struct Section {
    /// Which.
    pub target: &'static Target,
    /// As it is kept.
    pub kept: Vec<Record>,
    /// As it comes out now, or why it does not.
    pub fresh: Result<Record, Error>,
}

impl Section {
    /// Runs a target at its quick size, and looks for what is kept of it.
    pub fn of(target: &'static Target, options: &Options) -> Result<Self, Error> {
        options.say(target.id);
        Ok(Self {
            target,
            kept: Record::kept(target.id)?,
            fresh: target.record(options),
        })
    }
}

/// Writes the page.
pub fn write(sections: &[Section], folder: &Path) -> Result<(), Error> {
    let (items, gate) = (Items::kept()?, Gate::kept()?);
    let text = page::page(sections, &items, &Notes::kept(), &gate);
    let path = folder.join(PAGE);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&path, text))
        .map_err(|source| Error::Write { path, source })
}

#[cfg(test)]
mod tests;
