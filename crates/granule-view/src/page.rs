//! The page: what `viewer/` is built into, by `npm run build` there. `./test` builds it again and compares.

use crate::http::Answer;

/// Nothing comes from elsewhere, nothing runs that was not built, nobody frames the page.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; \
    img-src 'self' blob: data:; media-src 'self' blob:; connect-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

const TEXT: &str = "text/plain; charset=utf-8";

/// The file of the page with this name.
pub fn file(name: &str) -> Option<Answer> {
    let (kind, bytes): (_, &[u8]) = match name {
        "" | "index.html" => (
            "text/html; charset=utf-8",
            include_bytes!("../page/index.html"),
        ),
        "viewer.js" => (
            "text/javascript; charset=utf-8",
            include_bytes!("../page/viewer.js"),
        ),
        "viewer.css" => (
            "text/css; charset=utf-8",
            include_bytes!("../page/viewer.css"),
        ),
        "inter.woff2" => ("font/woff2", include_bytes!("../page/inter.woff2")),
        "icon.svg" => ("image/svg+xml", include_bytes!("../page/icon.svg")),
        "licences.md" => (TEXT, include_bytes!("../page/licences.md")),
        "inter-licence.txt" => (TEXT, include_bytes!("../page/inter-licence.txt")),
        _ => return None,
    };
    Some(Answer::ok(kind, bytes))
}
