//! The active members of the team, for the fields that choose among them.

use gateway::Result;
use serde::Deserialize;
use serde_json::json;

use crate::view::View;

/// The maximum number of pages of 200 members that a field reads.
const MOST_PAGES: usize = 10;

/// An active member of the team.
#[derive(Debug, Deserialize)]
pub(crate) struct Teammate {
    pub id: String,
    pub name: String,
}

/// Lists the active members of the team, at most 2,000. Empty if the viewer may not list members.
pub(crate) async fn list_teammates(view: &View<'_>) -> Result<Vec<Teammate>> {
    #[derive(Deserialize)]
    struct Page {
        equipe: Vec<Teammate>,
        next_cursor: Option<String>,
    }
    let mut teammates = vec![];
    if !view.may_call("list_team") {
        return Ok(teammates);
    }
    let mut cursor = None;
    for _ in 0..MOST_PAGES {
        let input = json!({ "limit": 200, "cursor": cursor });
        let page: Page = view.read("list_team", input).await?;
        teammates.extend(page.equipe);
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    Ok(teammates)
}
