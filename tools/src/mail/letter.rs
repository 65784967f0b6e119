//! Formats an e-mail as HTML with inline styles, and as plain text with the same content.
//!
//! The HTML is small and has one column, so that it can be read on a telephone. Mail programs in dark
//! mode use the dark colours of the `style` element; other programs use the light colours.

use std::fmt::Write;

use domain::Brand;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The colour of buttons if the team has no brand colour.
const ACCENT: [u8; 3] = [0x8f, 0x2d, 0x1e];
/// The background of the page in dark mode, as in [`DARK`].
const DARK_GROUND: [u8; 3] = [0x17, 0x19, 0x1b];
/// The font of all texts.
const FONT: &str = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const DARK: &str = ":root{color-scheme:light dark;supported-color-schemes:light dark}\
    @media (prefers-color-scheme:dark){.page{background:#17191b!important}\
    .ink{color:#ece9e2!important}.soft{color:#b5b9bd!important}\
    .line{border-color:#3d4247!important}\
    .button{border-color:#8b9096!important}.brand{border-color:#8b9096!important}}";

/// The name and the colour of the team.
pub(super) struct Team {
    pub name: String,
    color: [u8; 3],
}

impl Team {
    pub fn new(brand: Option<&Brand>) -> Self {
        let name = brand.map(|brand| domain::visible_line(&brand.name));
        let name = name.filter(|name| !name.is_empty());
        Self {
            name: name.unwrap_or_else(|| "Pauta".to_owned()),
            color: brand
                .and_then(|brand| brand.colors.first().copied())
                .unwrap_or(ACCENT),
        }
    }
}

/// A line of an e-mail, with a link.
pub(super) struct Item {
    pub text: String,
    pub link: String,
}

/// The content of an e-mail.
#[derive(Default)]
pub(super) struct Letter {
    pub subject: String,
    /// The sentences before the items.
    pub before: Vec<String>,
    pub items: Vec<Item>,
    /// The label and the address of the button.
    pub button: Option<(&'static str, String)>,
    /// The sentences after the button.
    pub after: Vec<String>,
    /// The links at the end.
    pub links: Vec<(&'static str, String)>,
    /// The URL at which the member unsubscribes from e-mails of this kind.
    pub unsubscribe: Option<String>,
}

impl Letter {
    pub fn to_text(&self, team: &Team) -> String {
        let mut text = String::new();
        let mut add = |part: &str| {
            let _ = write!(text, "{part}\n\n");
        };
        add(&self.subject);
        for sentence in &self.before {
            add(sentence);
        }
        for item in &self.items {
            add(&format!("- {}\n  {}", item.text, item.link));
        }
        if let Some((label, address)) = &self.button {
            add(&format!("{label}:\n{address}"));
        }
        for sentence in &self.after {
            add(sentence);
        }
        add(&format!("--\n{}, pela Pauta", team.name));
        for (label, address) in &self.links {
            add(&format!("{label}:\n{address}"));
        }
        text.truncate(text.trim_end().len());
        text
    }

    pub fn to_html(&self, team: &Team) -> String {
        let color = css_color(team.color);
        let page = html! {
            (DOCTYPE)
            html lang="pt-BR" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="supported-color-schemes" content="light dark";
                    title { (self.subject) }
                    style { (PreEscaped(DARK)) }
                }
                body class="page" style="margin:0;padding:0;background:#ffffff" {
                    main class="page" style={ "display:block;background:#ffffff;padding:24px 16px;" (FONT) } {
                        div class=[is_dark(team.color).then_some("brand")] style={ "max-width:560px;margin:0 auto;border-top:4px solid " (color) ";padding-top:16px" } {
                            p class="soft" style="margin:0 0 20px;font-size:14px;line-height:20px;color:#5a6168" { (team.name) }
                            h1 class="ink" style="margin:0 0 16px;font-size:20px;line-height:28px;font-weight:600;color:#1d2327;overflow-wrap:anywhere" { (self.subject) }
                            @for sentence in &self.before { (paragraph(sentence)) }
                            @for item in &self.items { (draw_item(item)) }
                            @if let Some((label, address)) = &self.button { (draw_button(label, address, team)) }
                            @for sentence in &self.after { (paragraph(sentence)) }
                            (draw_end(&self.links))
                        }
                    }
                }
            }
        };
        page.into_string()
    }
}

fn paragraph(sentence: &str) -> Markup {
    html! {
        p class="ink" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1d2327;overflow-wrap:anywhere" { (sentence) }
    }
}

fn draw_item(item: &Item) -> Markup {
    html! {
        p class="line" style="margin:0;padding:12px 0;border-bottom:1px solid #dcdfe2;font-size:16px;line-height:24px;overflow-wrap:anywhere" {
            a class="ink" href=(item.link) style="color:#1d2327;text-decoration:underline" { (item.text) }
        }
    }
}

fn draw_button(label: &str, address: &str, team: &Team) -> Markup {
    let (ground, ink) = (css_color(team.color), choose_text_color(team.color));
    let style = format!(
        "display:inline-block;padding:12px 20px;border:1px solid {ground};border-radius:6px;\
         background:{ground};color:{ink};font-size:16px;line-height:24px;font-weight:600;text-decoration:none"
    );
    let class = is_dark(team.color).then_some("button");
    html! { p style="margin:20px 0" { a href=(address) class=[class] style=(style) { (label) } } }
}

fn draw_end(links: &[(&'static str, String)]) -> Markup {
    html! {
        @if !links.is_empty() {
            p class="soft" style="margin:24px 0 0;font-size:14px;line-height:24px;color:#5a6168" {
                @for (number, (label, address)) in links.iter().enumerate() {
                    @if number > 0 { " · " }
                    a class="soft" href=(address) style="color:#5a6168;text-decoration:underline" { (label) }
                }
            }
        }
    }
}

fn css_color([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Returns white or black, whichever is easier to read on this colour (WCAG 2).
fn choose_text_color(color: [u8; 3]) -> &'static str {
    // Above this luminance, black has the higher contrast.
    if luminance(color) > 0.179 {
        "#000000"
    } else {
        "#ffffff"
    }
}

/// True if this colour has a contrast of less than 3 to 1 with the background in dark mode (WCAG 2), so
/// that an element in this colour needs a border there.
fn is_dark(color: [u8; 3]) -> bool {
    luminance(color) + 0.05 < 3.0 * (luminance(DARK_GROUND) + 0.05)
}

/// Returns the relative luminance of a colour (WCAG 2).
fn luminance(color: [u8; 3]) -> f64 {
    let [red, green, blue] = color.map(|part| {
        let part = f64::from(part) / 255.0;
        match part <= 0.04045 {
            true => part / 12.92,
            false => ((part + 0.055) / 1.055).powf(2.4),
        }
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_button_can_be_read_on_its_colour() {
        for (color, ink) in [
            ([0, 0, 0], "#ffffff"),
            ([0x8f, 0x2d, 0x1e], "#ffffff"),
            ([0xff, 0xd5, 0x4f], "#000000"),
            ([255, 255, 255], "#000000"),
        ] {
            assert_eq!(choose_text_color(color), ink, "{color:?}");
        }
    }

    #[test]
    fn a_dark_brand_has_an_edge_in_dark_programs() {
        let letter = Letter {
            button: Some(("Abrir", "https://a.test/".into())),
            ..Letter::default()
        };
        for (color, has_edge) in [
            ([0x0b, 0x1f, 0x3a], true),
            ([0, 0, 0], true),
            ([0x8f, 0x2d, 0x1e], true),
            ([0xff, 0xd5, 0x4f], false),
            ([0x1f, 0x9d, 0x55], false),
        ] {
            let team = Team {
                name: "Time".into(),
                color,
            };
            let html = letter.to_html(&team);
            assert_eq!(html.contains("class=\"button\""), has_edge, "{color:?}");
            assert_eq!(html.contains("class=\"brand\""), has_edge, "{color:?}");
        }
    }

    #[test]
    fn html_is_escaped_and_the_text_has_the_same_links() {
        let letter = Letter {
            subject: "Assunto".into(),
            before: vec!["Ana <script>".into()],
            items: vec![Item {
                text: "\"Peça\" & mais".into(),
                link: "https://a.test/eventos/1".into(),
            }],
            button: Some(("Abrir", "https://a.test/?a=1&b=2".into())),
            after: vec![],
            links: vec![("Preferências", "https://a.test/p".into())],
            unsubscribe: None,
        };
        let team = Team::new(None);
        let html = letter.to_html(&team);
        assert!(
            !html.contains("<script>") && html.contains("&amp;b=2"),
            "{html}"
        );
        assert!(!html.contains("src=") && !html.contains("url("), "{html}");
        let text = letter.to_text(&team);
        for link in ["https://a.test/eventos/1", "https://a.test/?a=1&b=2"] {
            assert!(text.contains(link), "{text}");
        }
    }
}
