//! The reducer: applies an operation to a project, without I/O and without a clock.

use std::collections::BTreeSet;

use super::refusal::Refusal;
use super::{
    Item, ItemStatus, MOST_EVENTS, MOST_ITEMS, MOST_MEMBERS, MOST_SECTIONS, Notes, Position,
    Project, ProjectOperation, ProjectStatus, Section, Title,
};
use crate::{EventId, ItemId, MemberId, SectionId};

/// The part of a project that an operation changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Touched {
    /// Nothing changed, because the project already had the requested state.
    Nothing,
    /// The name, the description, the status or the dates.
    Header,
    Section(SectionId),
    Item(ItemId),
    RemovedSection(Section),
    /// The removed item and the section that contained it.
    RemovedItem(SectionId, Item),
    /// The members of the project, and the items that were assigned to the removed members.
    Members(Vec<ItemId>),
}

impl Project {
    /// Returns an error if the operation refers to a section or an item that is not in the project.
    pub fn require_referenced(&self, operation: &ProjectOperation) -> Result<(), Refusal> {
        let (section, item) = operation.referenced_ids();
        item.map_or(Ok(()), |id| self.require_item(id).map(drop))?;
        section.map_or(Ok(()), |id| self.require_section(id).map(drop))
    }

    /// Returns the members whose assignments become active again through this operation.
    #[must_use]
    pub fn reactivated_members(&self, operation: &ProjectOperation) -> BTreeSet<MemberId> {
        let mut ids = BTreeSet::new();
        match operation {
            ProjectOperation::ReopenItem { item_id, .. } => {
                let item = self.item_indices(item_id);
                let item = item.map(|(at, place)| &self.sections[at].items[place]);
                let done = item.filter(|item| item.status == ItemStatus::Done);
                ids.extend(
                    done.into_iter()
                        .flat_map(|i| &i.assignee_member_ids)
                        .cloned(),
                );
            }
            ProjectOperation::RestoreProject { .. } if self.status == ProjectStatus::Archived => {
                ids.extend(self.members.iter().cloned());
                let items = self.sections.iter().flat_map(|s| &s.items);
                let open = items.filter(|item| item.status == ItemStatus::Open);
                ids.extend(open.flat_map(|i| &i.assignee_member_ids).cloned());
            }
            _ => {}
        }
        ids
    }

    /// Applies one operation completely or not at all.
    ///
    /// An operation is checked first for validity, then for the existence of its section and item,
    /// then for conflicts with the state of the project.
    pub fn apply(&mut self, operation: &ProjectOperation) -> Result<Touched, Refusal> {
        use ProjectOperation as O;
        operation.require_valid()?;
        self.require_referenced(operation)?;
        let at_rest = matches!(
            operation,
            O::RestoreProject { .. } | O::ArchiveProject {} | O::Batch { .. }
        );
        if self.status == ProjectStatus::Archived && !at_rest {
            return Err(Refusal::Archived);
        }
        match operation {
            O::CreateProject { title, notes } => {
                self.name.clone_from(&title.0);
                self.description.clone_from(&notes.0);
                Ok(Touched::Header)
            }
            O::Batch { operations } => self.apply_all(operations),
            O::RenameProject { title } => Ok(header_if_changed(set_if_different(
                &mut self.name,
                &title.0,
            ))),
            O::DescribeProject { notes } => Ok(header_if_changed(set_if_different(
                &mut self.description,
                &notes.0,
            ))),
            O::ScheduleProject { starts_on, ends_on } => {
                let started = set_if_different(&mut self.starts_on, starts_on);
                Ok(header_if_changed(
                    set_if_different(&mut self.ends_on, ends_on) || started,
                ))
            }
            O::ArchiveProject {} => Ok(header_if_changed(set_if_different(
                &mut self.status,
                &ProjectStatus::Archived,
            ))),
            O::RestoreProject { former_member_ids } => Ok(self.restore_project(former_member_ids)),
            O::AddMember { member_id } => self.add_member(member_id),
            O::RemoveMember { member_id } => {
                Ok(self.remove_members(std::slice::from_ref(member_id)))
            }
            O::AddSection {
                section_id,
                title,
                position,
            } => self.add_section(section_id, &title.0, *position),
            O::RenameSection { section_id, title } => {
                let at = self.require_section(section_id)?;
                let renamed = set_if_different(&mut self.sections[at].title, &title.0);
                Ok(section_if_changed(section_id, renamed))
            }
            O::MoveSection {
                section_id,
                position,
            } => {
                let from = self.require_section(section_id)?;
                let to = position.0.min(self.sections.len() - 1);
                let moved = self.sections.remove(from);
                self.sections.insert(to, moved);
                Ok(section_if_changed(section_id, from != to))
            }
            O::RemoveSection { section_id } => {
                let at = self.require_section(section_id)?;
                match self.sections[at].items.len() {
                    0 => Ok(Touched::RemovedSection(self.sections.remove(at))),
                    items => Err(Refusal::SectionNotEmpty(items)),
                }
            }
            O::AddItem {
                section_id,
                item_id,
                title,
                notes,
                assignee_member_ids,
                due_on,
                position,
            } => {
                let item = Item {
                    id: item_id.clone(),
                    title: title.0.clone(),
                    notes: notes.as_ref().map_or_else(String::new, |n| n.0.clone()),
                    status: ItemStatus::Open,
                    assignee_member_ids: assignee_member_ids
                        .as_ref()
                        .map_or_else(Vec::new, |ids| ids.0.clone()),
                    due_on: *due_on,
                    event_ids: vec![],
                };
                self.add_item(section_id, item, *position)
            }
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
            O::UpdateItem {
                item_id,
                title,
                notes,
            } => self.change_item(item_id, |item| {
                Ok(item.update_texts(title.as_ref(), notes.as_ref()))
            }),
            O::CompleteItem { item_id } => self.change_item(item_id, |item| {
                Ok(set_if_different(&mut item.status, &ItemStatus::Done))
            }),
            O::ReopenItem {
                item_id,
                former_member_ids,
            } => self.change_item(item_id, |item| Ok(item.reopen_item(former_member_ids))),
            O::AssignItem {
                item_id,
                assignee_member_ids: ids,
            } => self.change_item(item_id, |item| {
                Ok(set_if_different(&mut item.assignee_member_ids, &ids.0))
            }),
            O::ScheduleItem { item_id, due_on } => self.change_item(item_id, |item| {
                Ok(set_if_different(&mut item.due_on, due_on))
            }),
            O::LinkEvent { item_id, event_id } => {
                self.change_item(item_id, |item| item.link_event(event_id))
            }
            O::UnlinkEvent { item_id, event_id } => {
                self.change_item(item_id, |item| Ok(item.unlink_event(event_id)))
            }
        }
    }

    /// Applies all operations in order, or none of them.
    fn apply_all(&mut self, operations: &[ProjectOperation]) -> Result<Touched, Refusal> {
        let mut after = self.clone();
        let mut last = Touched::Nothing;
        for operation in operations {
            match after.apply(operation)? {
                Touched::Nothing => {}
                touched => last = touched,
            }
        }
        *self = after;
        Ok(last)
    }

    /// Changes one item. The result says whether the item changed.
    fn change_item(
        &mut self,
        id: &ItemId,
        change: impl FnOnce(&mut Item) -> Result<bool, Refusal>,
    ) -> Result<Touched, Refusal> {
        let (at, place) = self.require_item(id)?;
        let changed = change(&mut self.sections[at].items[place])?;
        Ok(item_if_changed(id, changed))
    }

    fn require_section(&self, id: &SectionId) -> Result<usize, Refusal> {
        self.section_index(id).ok_or(Refusal::NotFound("seção"))
    }

    fn require_item(&self, id: &ItemId) -> Result<(usize, usize), Refusal> {
        self.item_indices(id).ok_or(Refusal::NotFound("item"))
    }

    fn add_member(&mut self, id: &MemberId) -> Result<Touched, Refusal> {
        if self.members.contains(id) {
            return Ok(Touched::Nothing);
        }
        require_room(self.members.len(), "pessoas", MOST_MEMBERS)?;
        self.members.push(id.clone());
        Ok(Touched::Members(vec![]))
    }

    /// Makes an archived project active again, without the members who have since left the team.
    fn restore_project(&mut self, former: &[MemberId]) -> Touched {
        if !set_if_different(&mut self.status, &ProjectStatus::Active) {
            return Touched::Nothing;
        }
        match self.remove_members(former) {
            Touched::Nothing => Touched::Header,
            released => released,
        }
    }

    /// Removes members from the project and from its open items; done items keep their assignees.
    fn remove_members(&mut self, ids: &[MemberId]) -> Touched {
        let known = self.members.len();
        self.members.retain(|member| !ids.contains(member));
        let items = self.sections.iter_mut().flat_map(|s| &mut s.items);
        let mut left = vec![];
        for item in items.filter(|item| item.status == ItemStatus::Open) {
            let assigned = item.assignee_member_ids.len();
            item.assignee_member_ids
                .retain(|member| !ids.contains(member));
            if item.assignee_member_ids.len() < assigned {
                left.push(item.id.clone());
            }
        }
        if left.is_empty() && self.members.len() == known {
            return Touched::Nothing;
        }
        Touched::Members(left)
    }

    fn add_section(
        &mut self,
        id: &SectionId,
        title: &str,
        position: Option<Position>,
    ) -> Result<Touched, Refusal> {
        require_room(self.sections.len(), "seções", MOST_SECTIONS)?;
        let section = Section {
            id: id.clone(),
            title: title.to_owned(),
            items: vec![],
        };
        self.sections
            .insert(insertion_index(position, self.sections.len()), section);
        Ok(Touched::Section(id.clone()))
    }

    fn add_item(
        &mut self,
        section: &SectionId,
        item: Item,
        position: Option<Position>,
    ) -> Result<Touched, Refusal> {
        let at = self.require_section(section)?;
        require_room(self.count_contents().items, "itens", MOST_ITEMS)?;
        let id = item.id.clone();
        let items = &mut self.sections[at].items;
        items.insert(insertion_index(position, items.len()), item);
        Ok(Touched::Item(id))
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
        let to = insertion_index(position, items.len());
        items.insert(to, moved);
        Ok(item_if_changed(id, from != (section, to)))
    }
}

impl Item {
    fn update_texts(&mut self, title: Option<&Title>, notes: Option<&Notes>) -> bool {
        let titled = title.is_some_and(|title| set_if_different(&mut self.title, &title.0));
        let noted = notes.is_some_and(|notes| set_if_different(&mut self.notes, &notes.0));
        titled || noted
    }

    /// Marks an item as open and removes the assignees who have left the team.
    fn reopen_item(&mut self, former: &[MemberId]) -> bool {
        let reopened = set_if_different(&mut self.status, &ItemStatus::Open);
        if reopened {
            self.assignee_member_ids.retain(|id| !former.contains(id));
        }
        reopened
    }

    fn link_event(&mut self, event_id: &EventId) -> Result<bool, Refusal> {
        if self.event_ids.contains(event_id) {
            return Ok(false);
        }
        require_room(self.event_ids.len(), "eventos no item", MOST_EVENTS)?;
        self.event_ids.push(event_id.clone());
        Ok(true)
    }

    fn unlink_event(&mut self, event_id: &EventId) -> bool {
        let linked = self.event_ids.len();
        self.event_ids.retain(|id| id != event_id);
        self.event_ids.len() < linked
    }
}

/// Returns the index for an insertion: the requested position, or the end of the list.
fn insertion_index(position: Option<Position>, length: usize) -> usize {
    position.map_or(length, |position| position.0.min(length))
}

fn header_if_changed(changed: bool) -> Touched {
    if changed {
        Touched::Header
    } else {
        Touched::Nothing
    }
}

fn section_if_changed(id: &SectionId, changed: bool) -> Touched {
    if changed {
        Touched::Section(id.clone())
    } else {
        Touched::Nothing
    }
}

fn item_if_changed(id: &ItemId, changed: bool) -> Touched {
    if changed {
        Touched::Item(id.clone())
    } else {
        Touched::Nothing
    }
}

/// Assigns the value to the slot; returns true if the slot changed.
fn set_if_different<T: PartialEq + Clone>(slot: &mut T, value: &T) -> bool {
    let changed = slot != value;
    if changed {
        slot.clone_from(value);
    }
    changed
}

fn require_room(used: usize, what: &'static str, most: usize) -> Result<(), Refusal> {
    if used < most {
        Ok(())
    } else {
        Err(Refusal::TooMany(what, most))
    }
}
