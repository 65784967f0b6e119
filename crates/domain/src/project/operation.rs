//! The operations on a project: one variant per operation type, with its payload.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::Refusal;
use crate::{Capability, EventId, ItemId, MemberId, SectionId, VISIBLE, time::LocalDay};

/// One change of a project, both as requested and as recorded.
///
/// Its JSON is `{type, payload}`. Ids that an operation generates are part of the recorded payload
/// only, not of the published one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "payload")]
pub enum ProjectOperation {
    /// The first operation of every history. Clients cannot request it.
    #[serde(rename = "project.create")]
    #[schemars(skip)]
    CreateProject { title: Title, notes: Notes },
    /// Several operations applied in order and recorded as one revision. Clients send a list of
    /// operations, never this variant.
    #[serde(rename = "project.batch")]
    #[schemars(skip)]
    Batch { operations: Vec<ProjectOperation> },
    #[serde(rename = "section.add")]
    AddSection {
        #[serde(default)]
        #[schemars(skip)]
        section_id: SectionId,
        title: Title,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        position: Option<Position>,
    },
    #[serde(rename = "section.rename")]
    RenameSection { section_id: SectionId, title: Title },
    #[serde(rename = "section.move")]
    MoveSection {
        section_id: SectionId,
        position: Position,
    },
    #[serde(rename = "section.remove")]
    RemoveSection { section_id: SectionId },
    #[serde(rename = "item.add")]
    AddItem {
        section_id: SectionId,
        #[serde(default)]
        #[schemars(skip)]
        item_id: ItemId,
        title: Title,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        notes: Option<Notes>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        assignee_member_ids: Option<Assignees>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        due_on: Option<LocalDay>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        position: Option<Position>,
    },
    #[serde(rename = "item.update")]
    UpdateItem {
        item_id: ItemId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<Title>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        notes: Option<Notes>,
    },
    #[serde(rename = "item.move")]
    MoveItem {
        item_id: ItemId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section_id: Option<SectionId>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        position: Option<Position>,
    },
    #[serde(rename = "item.complete")]
    CompleteItem { item_id: ItemId },
    #[serde(rename = "item.reopen")]
    ReopenItem {
        item_id: ItemId,
        /// Assignees who have since left the team.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[schemars(skip)]
        former_member_ids: Vec<MemberId>,
    },
    #[serde(rename = "item.remove")]
    RemoveItem { item_id: ItemId },
    #[serde(rename = "item.assign")]
    AssignItem {
        item_id: ItemId,
        assignee_member_ids: Assignees,
    },
    #[serde(rename = "item.schedule")]
    ScheduleItem {
        item_id: ItemId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        due_on: Option<LocalDay>,
    },
    #[serde(rename = "item.link_event")]
    LinkEvent { item_id: ItemId, event_id: EventId },
    #[serde(rename = "item.unlink_event")]
    UnlinkEvent { item_id: ItemId, event_id: EventId },
    #[serde(rename = "project.rename")]
    RenameProject { title: Title },
    #[serde(rename = "project.describe")]
    DescribeProject { notes: Notes },
    #[serde(rename = "project.schedule")]
    ScheduleProject {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        starts_on: Option<LocalDay>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ends_on: Option<LocalDay>,
    },
    #[serde(rename = "project.archive")]
    ArchiveProject {},
    #[serde(rename = "project.restore")]
    RestoreProject {
        /// Members of the project who have since left the team.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[schemars(skip)]
        former_member_ids: Vec<MemberId>,
    },
    #[serde(rename = "member.add")]
    AddMember { member_id: MemberId },
    #[serde(rename = "member.remove")]
    RemoveMember { member_id: MemberId },
}

impl ProjectOperation {
    /// Returns the capability that the operation requires: to edit the content, or to manage the
    /// project.
    #[must_use]
    pub fn required_capability(&self) -> Capability {
        match self {
            Self::CreateProject { .. }
            | Self::Batch { .. }
            | Self::RenameProject { .. }
            | Self::DescribeProject { .. }
            | Self::ScheduleProject { .. }
            | Self::ArchiveProject {}
            | Self::RestoreProject { .. }
            | Self::AddMember { .. }
            | Self::RemoveMember { .. } => Capability::ProjectsManage,
            Self::AddSection { .. }
            | Self::RenameSection { .. }
            | Self::MoveSection { .. }
            | Self::RemoveSection { .. }
            | Self::AddItem { .. }
            | Self::UpdateItem { .. }
            | Self::MoveItem { .. }
            | Self::CompleteItem { .. }
            | Self::ReopenItem { .. }
            | Self::RemoveItem { .. }
            | Self::AssignItem { .. }
            | Self::ScheduleItem { .. }
            | Self::LinkEvent { .. }
            | Self::UnlinkEvent { .. } => Capability::ProjectsEdit,
        }
    }

    /// Returns an error if the operation is invalid in itself, whatever the project contains.
    pub fn require_valid(&self) -> Result<(), Refusal> {
        match self {
            Self::ScheduleProject {
                starts_on: Some(start),
                ends_on: Some(end),
            } if end < start => Err(Refusal::EndsBeforeStart),
            Self::AddItem {
                assignee_member_ids: Some(assignees),
                ..
            }
            | Self::AssignItem {
                assignee_member_ids: assignees,
                ..
            } => assignees.require_distinct(),
            _ => Ok(()),
        }
    }

    /// Returns the existing section and item that the operation refers to.
    pub(super) fn referenced_ids(&self) -> (Option<&SectionId>, Option<&ItemId>) {
        match self {
            Self::RenameSection { section_id, .. }
            | Self::MoveSection { section_id, .. }
            | Self::RemoveSection { section_id }
            | Self::AddItem { section_id, .. } => (Some(section_id), None),
            Self::MoveItem {
                item_id,
                section_id,
                ..
            } => (section_id.as_ref(), Some(item_id)),
            Self::UpdateItem { item_id, .. }
            | Self::CompleteItem { item_id }
            | Self::ReopenItem { item_id, .. }
            | Self::RemoveItem { item_id }
            | Self::AssignItem { item_id, .. }
            | Self::ScheduleItem { item_id, .. }
            | Self::LinkEvent { item_id, .. }
            | Self::UnlinkEvent { item_id, .. } => (None, Some(item_id)),
            Self::CreateProject { .. }
            | Self::Batch { .. }
            | Self::AddSection { .. }
            | Self::RenameProject { .. }
            | Self::DescribeProject { .. }
            | Self::ScheduleProject { .. }
            | Self::ArchiveProject {}
            | Self::RestoreProject { .. }
            | Self::AddMember { .. }
            | Self::RemoveMember { .. } => (None, None),
        }
    }

    /// Generates the id of the section or item that the operation adds, so that it can be recorded.
    #[must_use]
    pub fn with_new_ids(mut self, now: i64) -> Self {
        match &mut self {
            Self::AddSection { section_id, .. } => *section_id = SectionId::new(now),
            Self::AddItem { item_id, .. } => *item_id = ItemId::new(now),
            _ => {}
        }
        self
    }

    /// Returns the id of the section or item that the operation adds.
    #[must_use]
    pub fn added_id(&self) -> Option<String> {
        match self {
            Self::AddSection { section_id, .. } => Some(section_id.as_str().to_owned()),
            Self::AddItem { item_id, .. } => Some(item_id.as_str().to_owned()),
            _ => None,
        }
    }

    /// Adds the affected members who have left the team, so that they can be recorded.
    #[must_use]
    pub fn with_former_members(mut self, former: Vec<MemberId>) -> Self {
        if let Self::ReopenItem {
            former_member_ids, ..
        }
        | Self::RestoreProject { former_member_ids } = &mut self
        {
            *former_member_ids = former;
        }
        self
    }
}

macro_rules! text {
    ($($(#[$doc:meta])* $name:ident: $least:literal to $most:literal;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        pub struct $name(pub String);

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                let mut schema = json_schema!({ "type": "string", "maxLength": $most });
                if $least > 0 {
                    schema.insert("minLength".into(), $least.into());
                    schema.insert("pattern".into(), VISIBLE.as_str().into());
                }
                schema
            }
        }
    )+};
}

text! {
    /// The name of a project, a section or an item.
    Title: 1 to 200;
    /// Free text; empty when there is none.
    Notes: 0 to 10_000;
}

/// A position in a list, from 0. A position beyond the end means the end of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position(pub usize);

impl JsonSchema for Position {
    fn schema_name() -> Cow<'static, str> {
        "Position".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": 0, "maximum": 1000 })
    }
}

/// All assignees of an item, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assignees(pub Vec<MemberId>);

impl Assignees {
    /// Returns an error if an id is repeated. The schema compares only texts, but one id has
    /// several spellings. Malformed ids match no member, so they are not compared.
    fn require_distinct(&self) -> Result<(), Refusal> {
        let ids = self.0.iter().filter(|id| !id.as_str().is_empty());
        let ids: Vec<_> = ids.collect();
        let repeated = (1..ids.len()).any(|at| ids[..at].contains(&ids[at]));
        if repeated {
            Err(Refusal::Repeated)
        } else {
            Ok(())
        }
    }
}

impl JsonSchema for Assignees {
    fn schema_name() -> Cow<'static, str> {
        "Assignees".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let member = MemberId::json_schema(generator);
        json_schema!({ "type": "array", "items": member, "maxItems": 20, "uniqueItems": true })
    }
}
