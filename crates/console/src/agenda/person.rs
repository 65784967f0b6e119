//! Finds the person for the filter of the agenda. A team may be too large for a list of names, so
//! the viewer types a name, and the service looks the person up.

use gateway::Result;
use serde::Deserialize;
use serde_json::json;

use super::events::Event;
use crate::view::View;

/// The maximum number of people to choose from when a name is ambiguous.
const MOST_FOUND: u8 = 30;
/// The maximum number of pages of 200 people to read when looking for one person's name.
const MOST_PAGES: usize = 10;

/// A member of the team.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Person {
    pub id: String,
    pub name: String,
}

/// The people whose name or id a text in the filter matches.
pub(super) enum Named {
    One(Person),
    /// No person or several people match this name. Contains the matching people.
    Unclear(Vec<Person>),
}

/// Returns true if the text is an id, as in links, and not a typed name.
pub(super) fn is_id(text: &str) -> bool {
    let hyphens = [8, 13, 18, 23];
    let fits = |(at, c): (usize, char)| match hyphens.contains(&at) {
        true => c == '-',
        false => c.is_ascii_hexdigit(),
    };
    text.len() == 36 && text.char_indices().all(fits)
}

/// Finds the people with a typed name. If the text is the whole name of exactly one person, returns only
/// that person, without the people whose names only contain the text.
pub(super) async fn find_people(view: &View<'_>, typed: &str) -> Result<Named> {
    #[derive(Deserialize)]
    struct Found {
        grupos: Vec<Group>,
    }
    #[derive(Deserialize)]
    struct Group {
        resultados: Vec<Item>,
    }
    #[derive(Deserialize)]
    struct Item {
        id: String,
        titulo: String,
    }
    let typed: String = typed.trim().chars().take(200).collect();
    if !view.may_call("list_team") {
        return Ok(Named::Unclear(vec![]));
    }
    let input = json!({ "q": typed, "tipos": "pessoa", "limite": MOST_FOUND });
    let found: Found = view.read("search_everything", input).await?;
    let people = found.grupos.into_iter().flat_map(|group| group.resultados);
    let mut people: Vec<Person> = people
        .map(|item| Person {
            id: item.id,
            name: item.titulo,
        })
        .collect();
    let same = |person: &&Person| person.name.to_lowercase() == typed.to_lowercase();
    let exact: Vec<Person> = people.iter().filter(same).cloned().collect();
    if let [one] = exact.as_slice() {
        return Ok(Named::One(one.clone()));
    }
    Ok(match people.len() {
        1 => Named::One(people.remove(0)),
        _ => Named::Unclear(people),
    })
}

/// Returns the name of a member: from an event that is assigned to this member or, without such an
/// event, from the team.
pub(super) async fn person_name<'e>(
    view: &View<'_>,
    id: &str,
    mut events: impl Iterator<Item = &'e Event>,
) -> Result<Option<String>> {
    let of_event = |event: &Event| {
        let at = event.assignee_member_ids.iter().position(|one| one == id)?;
        event.assignees_names.get(at).cloned()
    };
    if let Some(name) = events.find_map(of_event) {
        return Ok(Some(name));
    }
    name_in_team(view, id).await
}

/// Reads the name of a member of the team. `None` if the viewer may not see the team, or the id is not
/// of an active member.
pub(crate) async fn name_in_team(view: &View<'_>, id: &str) -> Result<Option<String>> {
    #[derive(Deserialize)]
    struct Team {
        equipe: Vec<Person>,
        next_cursor: Option<String>,
    }
    if !view.may_call("list_team") {
        return Ok(None);
    }
    let mut cursor = None;
    for _ in 0..MOST_PAGES {
        let input = json!({ "limit": 200, "cursor": cursor });
        let team: Team = view.read("list_team", input).await?;
        if let Some(person) = team.equipe.into_iter().find(|person| person.id == id) {
            return Ok(Some(person.name));
        }
        cursor = team.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_not_ids() {
        assert!(is_id("0198c0de-0000-7000-8000-000000000001"));
        for name in [
            "",
            "Ana",
            "0198c0de-0000-7000-8000-00000000000",
            "0198c0de-0000-7000-8000-00000000000é",
        ] {
            assert!(!is_id(name), "{name}");
        }
    }
}
