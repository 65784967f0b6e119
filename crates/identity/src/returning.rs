//! Where a browser goes after a person has signed in: a path of this service.

use gateway::{Context, Services};
use url::form_urlencoded::Serializer;

/// A longer path is not kept.
pub(crate) const LONGEST: usize = 8_000;

/// The path, if it is one of this service; the first page otherwise.
pub(crate) fn path(given: Option<&str>) -> &str {
    let is_path = |path: &&str| {
        let plain = |byte: u8| byte.is_ascii_graphic() && byte != b'\\';
        path.starts_with('/')
            && !path.starts_with("//")
            && path.len() <= LONGEST
            && path.bytes().all(plain)
    };
    given.filter(is_path).unwrap_or("/")
}

/// The address of a path.
pub(crate) fn address(services: &Services, path: &str) -> String {
    format!("{}{path}", services.public_url)
}

/// A page of this service that leads on to the path.
pub(crate) fn by_way_of(ctx: &Context<'_>, page: &str, back: &str) -> String {
    let query = Serializer::new(String::new())
        .append_pair("volta", back)
        .finish();
    format!("{}{page}?{query}", ctx.services.public_url)
}

#[cfg(test)]
mod tests {
    use super::path;

    #[test]
    fn only_paths_of_this_service_are_kept() {
        for kept in ["/", "/authorize?a=b&c=%2F", "/eventos/x#y"] {
            assert_eq!(path(Some(kept)), kept);
        }
        for other in [
            "//evil.test",
            "/\\evil.test",
            "https://evil.test",
            "javascript:alert(1)",
            "evil.test",
            "/a\nb",
            "/a b",
            "",
            &"/".repeat(2),
            &format!("/{}", "a".repeat(8_000)),
        ] {
            assert_eq!(path(Some(other)), "/", "{other}");
        }
        assert_eq!(path(None), "/");
    }
}
