//! The web console.

mod agenda;
mod approval_stages;
mod approvals;
mod apps;
mod brand;
mod cards;
mod catalog;
mod documents;
mod emails;
mod figures;
mod filled;
mod finding;
mod forms;
mod frame;
mod image;
mod library;
mod live;
mod passwords;
mod people;
mod piece;
mod post_previews;
mod previews;
mod projects;
mod publishing;
mod remarks;
mod resent;
mod session;
mod today;
mod warnings;

use crate::support::{Answer, Client};

/// Returns the text of a page, without its markup.
pub fn visible_text(answer: &Answer) -> String {
    let mut text = String::new();
    let mut inside = false;
    for c in answer.text.chars() {
        match c {
            '<' => inside = true,
            '>' => {
                inside = false;
                text.push(' ');
            }
            _ if !inside => text.push(c),
            _ => {}
        }
    }
    text
}

/// Returns the value of the first hidden field with this name.
pub fn hidden_value(page: &Answer, name: &str) -> String {
    let mark = format!("name=\"{name}\" value=\"");
    let after = page.text.split_once(&mark).expect("the field").1;
    after.split('"').next().unwrap_or_default().to_owned()
}

/// Sends the form of an operation.
pub async fn submit_operation(
    browser: &Client,
    operation: &str,
    fields: &[(&str, &str)],
) -> Answer {
    browser
        .post_form(&format!("/acao/{operation}"), fields)
        .await
}
