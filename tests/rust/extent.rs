//! How much of the long collections is tried: all with `./test --all`, otherwise a part that takes minutes.

/// `all` of a collection, or the `part` of it.
pub fn extent<T>(part: T, all: T) -> T {
    if std::env::var_os("GRANULE_TESTS").is_some_and(|value| value == "all") {
        all
    } else {
        part
    }
}
