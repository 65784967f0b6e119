//! The reducer under random interleavings of writers: the history always reproduces the project.
//!
//! `PAUTA_TEST_INTERLEAVINGS=1000000` runs a million interleavings.

use std::{collections::HashSet, time::Instant};

use domain::{
    EventId, ItemId, MemberId, SectionId,
    project::{
        Assignees, MOST_ITEMS, MOST_SECTIONS, Notes, Position, Project, ProjectOperation, Refusal,
        Title, Touched,
    },
    time::LocalDay,
};

use crate::support::{Random, count_from};

impl Random {
    /// Returns one of a few ids, so that operations often name the same resource.
    fn shared_id(&mut self, of: usize) -> String {
        format!("0198c0de-0000-7000-8000-{:012}", self.random_below(of))
    }

    fn fresh_id(&mut self) -> String {
        let (high, low) = (self.next_number(), self.next_number());
        let tail = low & 0xffff_ffff_ffff;
        format!(
            "{:08x}-{:04x}-7000-8000-{tail:012x}",
            high >> 32,
            high & 0xffff
        )
    }

    fn random_text(&mut self) -> String {
        const TEXTS: [&str; 6] = ["a", "ação", "🎉 \"\\", "\u{1}\u{2028}", "", "b\r\nc"];
        TEXTS[self.random_below(TEXTS.len())].into()
    }

    fn random_day(&mut self) -> Option<LocalDay> {
        let days = ["\"2026-09-01\"", "\"2028-02-29\"", "\"9999-12-31\""];
        let day = days.get(self.random_below(4))?;
        Some(serde_json::from_str(day).expect("a date"))
    }

    fn random_section_id(&mut self, read: &Project) -> SectionId {
        match read
            .sections
            .get(self.random_below(read.sections.len() + 1))
        {
            Some(section) => section.id.clone(),
            None => self.shared_id(3).as_str().into(),
        }
    }

    fn random_item_id(&mut self, read: &Project) -> ItemId {
        let items: Vec<_> = read
            .sections
            .iter()
            .flat_map(|section| &section.items)
            .collect();
        match items.get(self.random_below(items.len() + 1)) {
            Some(item) => item.id.clone(),
            None => self.shared_id(3).as_str().into(),
        }
    }

    fn random_assignees(&mut self) -> Assignees {
        let count = self.random_below(3);
        Assignees(
            (0..count)
                .map(|_| self.shared_id(4).as_str().into())
                .collect(),
        )
    }

    /// A random operation of a client that has read this project.
    fn random_operation(&mut self, read: &Project) -> ProjectOperation {
        use ProjectOperation as O;
        let title = Title(self.random_text());
        let notes = Notes(self.random_text());
        let person: MemberId = self.shared_id(4).as_str().into();
        let event: EventId = self.shared_id(4).as_str().into();
        let position = Position(self.random_below(6));
        match self.random_below(28) {
            0..=2 => O::AddSection {
                section_id: self.fresh_id().as_str().into(),
                title,
                position: (self.random_below(2) == 0).then_some(position),
            },
            3 => O::RenameSection {
                section_id: self.random_section_id(read),
                title,
            },
            4 => O::MoveSection {
                section_id: self.random_section_id(read),
                position,
            },
            5 | 6 => O::RemoveSection {
                section_id: self.random_section_id(read),
            },
            7..=10 => O::AddItem {
                section_id: self.random_section_id(read),
                item_id: self.fresh_id().as_str().into(),
                title,
                notes: (self.random_below(2) == 0).then_some(notes),
                assignee_member_ids: (self.random_below(2) == 0).then(|| self.random_assignees()),
                due_on: self.random_day(),
                position: (self.random_below(2) == 0).then_some(position),
            },
            11 => O::UpdateItem {
                item_id: self.random_item_id(read),
                title: (self.random_below(2) == 0).then_some(title),
                notes: (self.random_below(2) == 0).then_some(notes),
            },
            12..=14 => O::MoveItem {
                item_id: self.random_item_id(read),
                section_id: (self.random_below(2) == 0).then(|| self.random_section_id(read)),
                position: (self.random_below(2) == 0).then_some(position),
            },
            15 => O::CompleteItem {
                item_id: self.random_item_id(read),
            },
            16 => O::ReopenItem {
                item_id: self.random_item_id(read),
                former_member_ids: self.random_assignees().0,
            },
            17 => O::RemoveItem {
                item_id: self.random_item_id(read),
            },
            18 => O::AssignItem {
                item_id: self.random_item_id(read),
                assignee_member_ids: self.random_assignees(),
            },
            19 => O::ScheduleItem {
                item_id: self.random_item_id(read),
                due_on: self.random_day(),
            },
            20 => O::LinkEvent {
                item_id: self.random_item_id(read),
                event_id: event,
            },
            21 => O::UnlinkEvent {
                item_id: self.random_item_id(read),
                event_id: event,
            },
            22 => O::RenameProject { title },
            23 => O::DescribeProject { notes },
            24 => O::ScheduleProject {
                starts_on: self.random_day(),
                ends_on: self.random_day(),
            },
            25 if self.random_below(4) == 0 => O::ArchiveProject {},
            25 => O::RestoreProject {
                former_member_ids: self.random_assignees().0,
            },
            26 => O::AddMember { member_id: person },
            _ => O::RemoveMember { member_id: person },
        }
    }
}

/// The stored project and its log of operations.
struct Kept {
    project: Project,
    log: Vec<ProjectOperation>,
}

impl Kept {
    fn new() -> Self {
        let creation = ProjectOperation::CreateProject {
            title: Title("P".into()),
            notes: Notes(String::new()),
        };
        let mut project = Project::default();
        project.apply(&creation).expect("an empty project takes it");
        Self {
            project,
            log: vec![creation],
        }
    }

    /// Applies and records an operation, or refuses it without a change.
    fn apply_and_record(&mut self, operation: ProjectOperation) -> Result<Touched, Refusal> {
        let before = self.project.clone();
        let outcome = self.project.apply(&operation);
        match &outcome {
            Ok(Touched::Nothing) => assert_eq!(self.project, before, "{operation:?}"),
            Ok(_) => {
                assert_ne!(self.project, before, "{operation:?}");
                self.log.push(operation);
            }
            Err(_) => assert_eq!(self.project, before, "{operation:?}"),
        }
        outcome
    }

    /// Asserts that replaying the JSON of the log on an empty project produces the stored JSON.
    fn assert_replays(&self) {
        let mut replayed = Project::default();
        for operation in &self.log {
            let text = serde_json::to_string(operation).expect("JSON");
            let read: ProjectOperation = serde_json::from_str(&text).expect("an operation");
            replayed.apply(&read).expect("the operation applied before");
        }
        let stored = serde_json::to_string(&self.project).expect("JSON");
        assert_eq!(serde_json::to_string(&replayed).expect("JSON"), stored);
        assert_eq!(
            serde_json::from_str::<Project>(&stored).expect("a project"),
            self.project
        );
    }

    /// Asserts that ids are unique, no item is lost, and no limit is exceeded.
    fn assert_invariants(&self) {
        let items = self
            .project
            .sections
            .iter()
            .flat_map(|section| &section.items);
        let mut ids: Vec<&str> = items.clone().map(|item| item.id.as_str()).collect();
        ids.extend(
            self.project
                .sections
                .iter()
                .map(|section| section.id.as_str()),
        );
        let distinct: HashSet<_> = ids.iter().collect();
        assert_eq!(distinct.len(), ids.len(), "an id occurs twice");
        let mut here = 0_usize;
        for operation in &self.log {
            match operation {
                ProjectOperation::AddItem { .. } => here += 1,
                ProjectOperation::RemoveItem { .. } => here -= 1,
                _ => {}
            }
        }
        assert_eq!(items.count(), here, "an item was lost or duplicated");
        assert!(here <= MOST_ITEMS && self.project.sections.len() <= MOST_SECTIONS);
    }
}

/// Runs random clients that read, choose an operation and write. A stale client either reads again
/// or applies its operation to the current project. Returns the number of recorded operations.
fn run_interleaving(seed: u64) -> usize {
    let mut random = Random::new(seed);
    let mut kept = Kept::new();
    let clients = 2 + random.random_below(3);
    let mut read = vec![(kept.project.clone(), kept.log.len()); clients];
    for _ in 0..8 + random.random_below(16) {
        let client = random.random_below(clients);
        let wanted = random.random_operation(&read[client].0);
        let stale = read[client].1 != kept.log.len();
        if stale && random.random_below(2) == 0 {
            read[client] = (kept.project.clone(), kept.log.len());
            continue;
        }
        if kept.apply_and_record(wanted).is_ok() {
            read[client] = (kept.project.clone(), kept.log.len());
        }
    }
    kept.assert_replays();
    kept.assert_invariants();
    kept.log.len()
}

fn interleaving_count() -> u64 {
    count_from("PAUTA_TEST_INTERLEAVINGS", 50_000)
}

#[test]
fn the_history_of_any_interleaving_reproduces_the_project() {
    let (count, begun) = (interleaving_count(), Instant::now());
    let workers = 2;
    let run = move |worker: u64| {
        let seeds = (0..count).filter(move |seed| seed % workers == worker);
        seeds
            .map(|seed| run_interleaving(seed.wrapping_mul(0x5851_f42d_4c95_7f2d)))
            .sum::<usize>()
    };
    let recorded: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers)
            .map(|worker| scope.spawn(move || run(worker)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("no interleaving fails"))
            .sum()
    });
    assert!(
        recorded as u64 > count * 4,
        "too few operations were recorded"
    );
    println!(
        "{count} interleavings, {recorded} operations recorded, {:?}",
        begun.elapsed()
    );
}

#[test]
fn ten_thousand_operations_are_replayed() {
    let (mut random, mut kept) = (Random::new(7), Kept::new());
    while kept.log.len() < 10_000 {
        let wanted = random.random_operation(&kept.project);
        let _ = kept.apply_and_record(wanted);
    }
    kept.assert_replays();
    kept.assert_invariants();
}
