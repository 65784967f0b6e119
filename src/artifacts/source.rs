use gateway::{OutputForm, Registry, Spec};
use identity::authorization::PRIVACY_PATH;

use super::examples::Examples;

/// The path of the documents, below the public URL.
const FOLDER: &str = "/api/ai/";
/// The value of `?perfil=` in the MCP address that an app directory lists.
pub(crate) const DIRECTORY_PROFILE: &str = "diretorio";

/// The inputs of rendering.
pub(super) struct Source<'a> {
    pub registry: &'a Registry,
    /// The public URL, without a trailing slash.
    pub url: &'a str,
    /// The URL of the hosted issuer; `None` with the embedded identity provider.
    pub issuer: Option<&'a str>,
    pub examples: &'a Examples,
}

impl Source<'_> {
    /// Returns the routes of the registry that return a document of this module.
    pub(super) fn document_routes(&self) -> impl Iterator<Item = &Spec> {
        let specs = self.registry.pages.iter().map(|page| &page.spec);
        specs.filter(|spec| {
            matches!(spec.output, OutputForm::Document(_)) && spec.path.starts_with(FOLDER)
        })
    }

    /// Returns the address of the MCP endpoint.
    pub(super) fn mcp_url(&self) -> String {
        format!("{}{}", self.url, self.registry.mcp_path())
    }

    /// Returns the MCP address for an app directory.
    pub(super) fn directory_url(&self) -> String {
        format!("{}?perfil={DIRECTORY_PROFILE}", self.mcp_url())
    }

    /// Returns the name of the marketplace for Claude Code.
    pub(super) fn marketplace_name(&self) -> String {
        marketplace_name(self.url)
    }

    /// Returns the address of a document.
    pub(super) fn document_url(&self, file_name: &str) -> String {
        document_url(self.url, file_name)
    }

    /// Returns the address of the page that says which data the service stores.
    pub(super) fn privacy_url(&self) -> String {
        format!("{}{}", self.url, PRIVACY_PATH)
    }
}

/// Returns the address of a document below a public URL.
pub(super) fn document_url(public_url: &str, file_name: &str) -> String {
    format!("{public_url}{FOLDER}{file_name}")
}

/// Returns the name of the marketplace: the public host and path. Names differ between installations,
/// because a user may add the marketplaces of several installations, and Claude Code requires unique
/// names.
fn marketplace_name(public_url: &str) -> String {
    let (_, address) = public_url.split_once("://").unwrap_or(("", public_url));
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = address.chars().map(plain).collect();
    let words: Vec<&str> = name.split('-').filter(|word| !word.is_empty()).collect();
    words.join("-").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marketplace_name_is_derived_from_the_public_url() {
        for (url, name) in [
            ("https://pauta.example.com.br", "pauta-example-com-br"),
            ("https://Example.org/pauta", "example-org-pauta"),
            ("http://[2001:db8::1]:8080", "2001-db8-1-8080"),
        ] {
            assert_eq!(marketplace_name(url), name, "{url}");
        }
    }
}
