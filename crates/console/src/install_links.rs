//! Links that open a client and add this service's MCP server to it.
//!
//! A link contains only the address of the server. The client then signs in through the browser. The
//! formats are documented by Cursor (<https://cursor.com/docs/mcp/install-links>) and by VS Code
//! (<https://code.visualstudio.com/api/extension-guides/ai/mcp#create-an-mcp-installation-url>).

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::json;

use crate::links::percent_encode;

/// The name of the server in the client.
const NAME: &str = "pauta";

/// Returns the link that adds the server to Cursor.
#[must_use]
pub fn cursor_link(mcp_url: &str) -> String {
    let config = STANDARD.encode(json!({ "url": mcp_url }).to_string());
    let config = percent_encode(&config);
    format!("cursor://anysphere.cursor-deeplink/mcp/install?name={NAME}&config={config}")
}

/// Returns the link that adds the server to VS Code.
#[must_use]
pub fn vscode_link(mcp_url: &str) -> String {
    let config = json!({ "name": NAME, "type": "http", "url": mcp_url }).to_string();
    format!("vscode:mcp/install?{}", percent_encode(&config))
}

/// Returns a web address that redirects to the link for VS Code, for texts in which only web addresses
/// become links.
#[must_use]
pub fn vscode_web_link(mcp_url: &str) -> String {
    let config = percent_encode(&json!({ "type": "http", "url": mcp_url }).to_string());
    format!("https://insiders.vscode.dev/redirect/mcp/install?name={NAME}&config={config}")
}

#[cfg(test)]
mod tests {
    use percent_encoding::percent_decode_str;
    use serde_json::Value;

    use super::*;

    /// An address that contains every character with a special meaning in one of the encodings.
    const ADDRESS: &str = "https://x.com.br:8443/a+b%20c/api/mcp?perfil=diretorio&x=\"<>~ç";

    fn decode(text: &str) -> Vec<u8> {
        percent_decode_str(text).collect()
    }

    #[test]
    fn each_link_decodes_to_the_address_of_the_server() {
        let cursor = cursor_link(ADDRESS);
        let prefix = "cursor://anysphere.cursor-deeplink/mcp/install?name=pauta&config=";
        let config = cursor.strip_prefix(prefix).expect("the link of Cursor");
        let config = STANDARD.decode(decode(config)).expect("Base64");
        let config: Value = serde_json::from_slice(&config).expect("JSON");
        assert_eq!(config, json!({ "url": ADDRESS }));

        let vscode = vscode_link(ADDRESS);
        let config = vscode.strip_prefix("vscode:mcp/install?").expect("a link");
        let config: Value = serde_json::from_slice(&decode(config)).expect("JSON");
        assert_eq!(
            config,
            json!({ "name": "pauta", "type": "http", "url": ADDRESS })
        );

        let web = vscode_web_link(ADDRESS);
        let prefix = "https://insiders.vscode.dev/redirect/mcp/install?name=pauta&config=";
        let config = web.strip_prefix(prefix).expect("a link");
        let config: Value = serde_json::from_slice(&decode(config)).expect("JSON");
        assert_eq!(config, json!({ "type": "http", "url": ADDRESS }));
    }

    #[test]
    fn links_have_only_characters_that_an_address_and_an_attribute_may_have() {
        for link in [
            cursor_link(ADDRESS),
            vscode_link(ADDRESS),
            vscode_web_link(ADDRESS),
        ] {
            let plain = |c: char| c.is_ascii_alphanumeric() || "-._~:/?&=%".contains(c);
            assert!(link.chars().all(plain), "{link}");
        }
    }
}
