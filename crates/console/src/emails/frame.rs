//! The frame of a draft's page: title, tabs and actions.

use maud::{Markup, html};

use super::reading::Draft;
use crate::{forms::operation_form, links::percent_encode, text, view::View};

/// A tab of the page.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tab {
    Preview,
    Html,
    Replace,
}

/// Draws the page of a draft with the content of one tab.
pub(super) fn draw_page(view: &View<'_>, draft: &Draft, tab: Tab, content: &Markup) -> Markup {
    let path = format!("/emails/{}", percent_encode(&draft.template_id));
    let tabs = [
        (Tab::Preview, "Prévia", String::new()),
        (Tab::Html, "HTML e metadados", "?aba=html".to_owned()),
        (Tab::Replace, "Localizar e trocar", "?aba=trocar".to_owned()),
    ];
    html! {
        p class="crumbs" { a href=(view.href_to("/emails")) { "E-mails" } }
        h1 { (draft.template_id) }
        p class="soft" {
            (text::format_count(draft.html_length)) " caracteres, " (text::time_tag(&draft.updated_at))
            @if let Some(name) = &draft.updated_by_name { ", por " (name) }
        }
        nav class="tabs" aria-label="Partes do rascunho" {
            @for (to, label, query) in &tabs {
                a href=(view.href_to(&format!("{path}{query}"))) aria-current=[(*to == tab).then_some("page")] { (label) }
            }
        }
        (content)
        @if tab == Tab::Preview && view.may_call("delete_email_draft") {
            details {
                summary { "Apagar o rascunho" }
                p { "O HTML e os metadados deixam de existir. Não há como desfazer." }
                (operation_form(view, "delete_email_draft", "/emails", &html! {
                    input type="hidden" name="templateId" value=(draft.template_id);
                    input type="hidden" name="expected_updated_at" value=(draft.updated_at);
                    button type="submit" class="danger" { "Apagar " (draft.template_id) }
                }))
            }
        }
    }
}
