//! Names on the command line, which are those of scene files.

use granule::law::LawName;
use granule::solver::Method;

/// A solver by its name.
pub fn parse_method(name: &str) -> Result<Method, String> {
    let known = [Method::Usual].into_iter().chain(Method::ALL);
    find(name, known, Method::name, "solvers")
}

/// A law by its name.
pub fn parse_law(name: &str) -> Result<LawName, String> {
    find(name, LawName::ALL.into_iter(), LawName::name, "laws")
}

fn find<T: Copy>(
    name: &str,
    mut known: impl Iterator<Item = T> + Clone,
    name_of: fn(T) -> &'static str,
    list: &str,
) -> Result<T, String> {
    let names: Vec<&str> = known.clone().map(name_of).collect();
    known
        .find(|one| name_of(*one) == name)
        .ok_or_else(|| format!("there are {}; see `granule list {list}`", names.join(", ")))
}
