//! Short names of clients, from their `User-Agent`.

/// Browsers, each with its token in the `User-Agent`. A browser may also send the tokens of
/// browsers further down the list.
const BROWSERS: [(&str, &str); 6] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];

/// Systems, each with its token in the `User-Agent`. An Android browser also sends the token of Linux,
/// and an iPhone also sends the token of Mac OS X, so these systems come later in the list.
const SYSTEMS: [(&str, &str); 7] = [
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
];

/// Returns the browser with its system (`Chrome no Android`). For any other client, returns the first
/// product with its version (`claude-code 2.1.7`).
pub(super) fn short_name(client: &str) -> String {
    let named = |list: &[(&str, &'static str)]| {
        let entry = list.iter().find(|(token, _)| client.contains(token));
        entry.map(|(_, name)| *name)
    };
    let browser = client
        .starts_with("Mozilla/")
        .then(|| named(&BROWSERS))
        .flatten();
    match (browser, named(&SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser} no {system}"),
        (Some(browser), None) => browser.to_owned(),
        (None, _) => {
            let product = client.split_whitespace().next().unwrap_or(client);
            product.replacen('/', " ", 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_are_named_with_their_system_and_programs_with_their_version() {
        let android = "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) \
            Chrome/142.0.0.0 Mobile Safari/537.36";
        let iphone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 \
            (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1";
        let edge = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) \
            Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0";
        for (client, name) in [
            (android, "Chrome no Android"),
            (iphone, "Safari no iPhone"),
            (edge, "Edge no Windows"),
            ("Mozilla/5.0", "Mozilla 5.0"),
            ("claude-code/2.1.7 (cli)", "claude-code 2.1.7"),
            ("curl/8.4.0", "curl 8.4.0"),
            ("Claude-User", "Claude-User"),
            ("", ""),
        ] {
            assert_eq!(short_name(client), name);
        }
    }
}
