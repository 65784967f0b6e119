//! The reducer: one operation applied to a project, without I/O and without a clock.

use super::{
    Assignees, Item, ItemStatus, MOST_EVENTS, MOST_ITEMS, MOST_MEMBERS, MOST_SECTIONS, Operation,
    Position, Project, ProjectStatus, Section,
};
use crate::domain::{EventId, ItemId, MemberId, SectionId};

/// What an operation changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Touched {
    /// It was so already.
    Nothing,
    /// Name, description, status or dates.
    Header,
    Section(SectionId),
    Item(ItemId),
    RemovedSection(Section),
    /// With the section it was in.
    RemovedItem(SectionId, Item),
    /// Who is in the project, and the items that somebody who left was to do.
    Members(Vec<ItemId>),
}

/// Why an operation does not apply. The project is as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    NotFound(&'static str),
    SectionNotEmpty(usize),
    Archived,
    /// Of what there would be too many, and how many there may be.
    TooMany(&'static str, usize),
    /// The same member stands twice in the list.
    Repeated,
    /// It would end before it starts.
    EndsBeforeStart,
}

impl Project {
    /// Applies one operation, wholly or not at all.
    pub fn apply(&mut self, operation: &Operation) -> Result<Touched, Refusal> {
        use Operation as O;
        let at_rest = matches!(operation, O::RestoreProject {} | O::ArchiveProject {});
        if self.status == ProjectStatus::Archived && !at_rest {
            return Err(Refusal::Archived);
        }
        match operation {
            O::CreateProject { title, notes } => {
                self.name.clone_from(&title.0);
                self.description.clone_from(&notes.0);
                Ok(Touched::Header)
            }
            O::RenameProject { title } => Ok(header(set(&mut self.name, &title.0))),
            O::DescribeProject { notes } => Ok(header(set(&mut self.description, &notes.0))),
            O::ScheduleProject { starts_on, ends_on } => {
                if matches!((starts_on, ends_on), (Some(start), Some(end)) if end < start) {
                    return Err(Refusal::EndsBeforeStart);
                }
                let started = set(&mut self.starts_on, starts_on);
                Ok(header(set(&mut self.ends_on, ends_on) || started))
            }
            O::ArchiveProject {} => Ok(header(set(&mut self.status, &ProjectStatus::Archived))),
            O::RestoreProject {} => Ok(header(set(&mut self.status, &ProjectStatus::Active))),
            O::AddMember { member_id } => self.add_member(member_id),
            O::RemoveMember { member_id } => Ok(self.remove_member(member_id)),
            O::AddSection { section_id, title } => self.add_section(section_id, &title.0),
            O::RenameSection { section_id, title } => {
                let at = self.require_section(section_id)?;
                let renamed = set(&mut self.sections[at].title, &title.0);
                Ok(section(section_id, renamed))
            }
            O::MoveSection {
                section_id,
                position,
            } => {
                let from = self.require_section(section_id)?;
                let to = position.0.min(self.sections.len() - 1);
                let moved = self.sections.remove(from);
                self.sections.insert(to, moved);
                Ok(section(section_id, from != to))
            }
            O::RemoveSection { section_id } => {
                let at = self.require_section(section_id)?;
                match self.sections[at].items.len() {
                    0 => Ok(Touched::RemovedSection(self.sections.remove(at))),
                    items => Err(Refusal::SectionNotEmpty(items)),
                }
            }
            O::AddItem { .. } => self.add_item(operation),
            O::MoveItem {
                item_id,
                section_id,
                position,
            } => self.move_item(item_id, section_id.as_ref(), *position),
            O::RemoveItem { item_id } => {
                let (at, place) = self.require_item(item_id)?;
                let section = &mut self.sections[at];
                let removed = section.items.remove(place);
                Ok(Touched::RemovedItem(section.id.clone(), removed))
            }
            O::UpdateItem { item_id, .. }
            | O::CompleteItem { item_id }
            | O::ReopenItem { item_id }
            | O::AssignItem { item_id, .. }
            | O::ScheduleItem { item_id, .. }
            | O::LinkEvent { item_id, .. }
            | O::UnlinkEvent { item_id, .. } => {
                let (at, place) = self.require_item(item_id)?;
                let changed = self.sections[at].items[place].apply(operation)?;
                Ok(item(item_id, changed))
            }
        }
    }

    fn require_section(&self, id: &SectionId) -> Result<usize, Refusal> {
        self.section(id).ok_or(Refusal::NotFound("seção"))
    }

    fn require_item(&self, id: &ItemId) -> Result<(usize, usize), Refusal> {
        self.item(id).ok_or(Refusal::NotFound("item"))
    }

    fn add_member(&mut self, id: &MemberId) -> Result<Touched, Refusal> {
        if self.members.contains(id) {
            return Ok(Touched::Nothing);
        }
        room(self.members.len(), "pessoas", MOST_MEMBERS)?;
        self.members.push(id.clone());
        Ok(Touched::Members(vec![]))
    }

    /// Out of the header, and off what is still to do; done items keep who did them.
    fn remove_member(&mut self, id: &MemberId) -> Touched {
        let known = self.members.len();
        self.members.retain(|member| member != id);
        let items = self.sections.iter_mut().flat_map(|s| &mut s.items);
        let mut left = vec![];
        for item in items.filter(|item| item.status == ItemStatus::Open) {
            let assigned = item.assignee_member_ids.len();
            item.assignee_member_ids.retain(|member| member != id);
            if item.assignee_member_ids.len() < assigned {
                left.push(item.id.clone());
            }
        }
        if left.is_empty() && self.members.len() == known {
            return Touched::Nothing;
        }
        Touched::Members(left)
    }

    fn add_section(&mut self, id: &SectionId, title: &str) -> Result<Touched, Refusal> {
        room(self.sections.len(), "seções", MOST_SECTIONS)?;
        self.sections.push(Section {
            id: id.clone(),
            title: title.to_owned(),
            items: vec![],
        });
        Ok(Touched::Section(id.clone()))
    }

    fn add_item(&mut self, operation: &Operation) -> Result<Touched, Refusal> {
        let Operation::AddItem {
            section_id,
            item_id,
            title,
            notes,
            assignee_member_ids,
            due_on,
        } = operation
        else {
            return Ok(Touched::Nothing);
        };
        let at = self.require_section(section_id)?;
        let assignees = assignee_member_ids.as_ref();
        assignees.map_or(Ok(()), distinct)?;
        room(self.counts().items, "itens", MOST_ITEMS)?;
        self.sections[at].items.push(Item {
            id: item_id.clone(),
            title: title.0.clone(),
            notes: notes.as_ref().map_or_else(String::new, |n| n.0.clone()),
            status: ItemStatus::Open,
            assignee_member_ids: assignees.map_or_else(Vec::new, |ids| ids.0.clone()),
            due_on: *due_on,
            event_ids: vec![],
        });
        Ok(Touched::Item(item_id.clone()))
    }

    fn move_item(
        &mut self,
        id: &ItemId,
        to: Option<&SectionId>,
        position: Option<Position>,
    ) -> Result<Touched, Refusal> {
        let from = self.require_item(id)?;
        let section = to.map_or(Ok(from.0), |to| self.require_section(to))?;
        let moved = self.sections[from.0].items.remove(from.1);
        let items = &mut self.sections[section].items;
        let place = position.map_or(items.len(), |p| p.0.min(items.len()));
        items.insert(place, moved);
        Ok(item(id, from != (section, place)))
    }
}

impl Item {
    fn apply(&mut self, operation: &Operation) -> Result<bool, Refusal> {
        use Operation as O;
        Ok(match operation {
            O::UpdateItem { title, notes, .. } => {
                let titled = title.as_ref().is_some_and(|t| set(&mut self.title, &t.0));
                let noted = notes.as_ref().is_some_and(|n| set(&mut self.notes, &n.0));
                titled || noted
            }
            O::CompleteItem { .. } => set(&mut self.status, &ItemStatus::Done),
            O::ReopenItem { .. } => set(&mut self.status, &ItemStatus::Open),
            O::AssignItem {
                assignee_member_ids,
                ..
            } => {
                distinct(assignee_member_ids)?;
                set(&mut self.assignee_member_ids, &assignee_member_ids.0)
            }
            O::ScheduleItem { due_on, .. } => set(&mut self.due_on, due_on),
            O::LinkEvent { event_id, .. } => self.link(event_id)?,
            O::UnlinkEvent { event_id, .. } => {
                let linked = self.event_ids.len();
                self.event_ids.retain(|id| id != event_id);
                self.event_ids.len() < linked
            }
            _ => false,
        })
    }

    fn link(&mut self, event_id: &EventId) -> Result<bool, Refusal> {
        if self.event_ids.contains(event_id) {
            return Ok(false);
        }
        room(self.event_ids.len(), "eventos no item", MOST_EVENTS)?;
        self.event_ids.push(event_id.clone());
        Ok(true)
    }
}

fn header(changed: bool) -> Touched {
    if changed {
        Touched::Header
    } else {
        Touched::Nothing
    }
}

fn section(id: &SectionId, changed: bool) -> Touched {
    if changed {
        Touched::Section(id.clone())
    } else {
        Touched::Nothing
    }
}

fn item(id: &ItemId, changed: bool) -> Touched {
    if changed {
        Touched::Item(id.clone())
    } else {
        Touched::Nothing
    }
}

/// Whether the value is another one now.
fn set<T: PartialEq + Clone>(slot: &mut T, value: &T) -> bool {
    let changed = slot != value;
    if changed {
        slot.clone_from(value);
    }
    changed
}

fn room(used: usize, what: &'static str, most: usize) -> Result<(), Refusal> {
    if used < most {
        Ok(())
    } else {
        Err(Refusal::TooMany(what, most))
    }
}

/// The schema compares texts; one id can be written in two ways. A malformed one is nobody's,
/// however often.
fn distinct(assignees: &Assignees) -> Result<(), Refusal> {
    let ids: Vec<_> = assignees
        .0
        .iter()
        .filter(|id| !id.as_str().is_empty())
        .collect();
    let repeated = (1..ids.len()).any(|at| ids[..at].contains(&ids[at]));
    if repeated {
        Err(Refusal::Repeated)
    } else {
        Ok(())
    }
}
