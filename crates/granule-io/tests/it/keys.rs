//! The page of keys is that of the types.

use granule_io::scene::keys;
use std::path::Path;

#[test]
fn the_page_of_keys_is_up_to_date() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/KEYS.md");
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        written == keys(),
        "write it anew: granule schema --page > docs/KEYS.md"
    );
}

#[test]
fn every_link_of_the_page_leads_somewhere() {
    let page = keys();
    let headings: Vec<String> = (page.lines())
        .filter_map(|line| line.strip_prefix("## "))
        .map(str::to_lowercase)
        .collect();
    let links = page
        .split("](#")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    let mut count = 0;
    for link in links {
        assert!(headings.iter().any(|heading| heading == link), "{link}");
        count += 1;
    }
    assert!(count > 50, "{count}");
    assert!(page.contains("kg/s") && page.contains("| `mass_rate` | number |"));
}
