//! A project as shown in responses.

use std::collections::{BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::Serialize;

use domain::{
    ItemId, MemberId, ProjectId, Revision, SectionId,
    project::{Item, Project, ProjectStatus, Section, Touched},
    time::{LocalDay, Timestamp},
};
use gateway::Result;
use store::{Conn, members, projects::Stored};

/// Um projeto.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ProjectView {
    pub(super) id: ProjectId,
    #[serde(flatten)]
    header: Header,
    /// Seções, em ordem.
    sections: Vec<Section>,
    counts: Counted,
    /// A revisão a enviar em `expected_revision`.
    revision: Revision,
    /// O mesmo que `revision`.
    api_revision: Revision,
    updated_at: Timestamp,
    created_at: Timestamp,
    created_by: MemberId,
    created_by_name: Option<String>,
}

/// O que vale para o projeto inteiro.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Header {
    name: String,
    /// Vazia quando não há.
    description: String,
    status: ProjectStatus,
    /// Começo, uma data de Brasília.
    starts_on: Option<LocalDay>,
    /// Fim, uma data de Brasília.
    ends_on: Option<LocalDay>,
    /// Quem participa, na ordem em que entrou.
    members: Vec<Person>,
}

/// Uma pessoa.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Person {
    id: MemberId,
    name: Option<String>,
}

/// Quanto um projeto tem.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub(super) struct Counted {
    pub sections: i64,
    pub items: i64,
    pub open: i64,
    pub done: i64,
    pub members: i64,
}

impl Counted {
    fn from_project(project: &Project) -> Self {
        let counts = project.count_contents();
        let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        Self {
            sections: count(counts.sections),
            items: count(counts.items),
            open: count(counts.items - counts.done),
            done: count(counts.done),
            members: count(counts.members),
        }
    }
}

/// Returns the ids of the members of the project.
fn member_ids(project: &Project) -> BTreeSet<&MemberId> {
    project.members.iter().collect()
}

impl Header {
    /// Loads the current names of the project's members, and builds the view.
    async fn load(project: &Project, db: &Conn<'_>) -> Result<Self> {
        let names = members::load_names(db, member_ids(project)).await?;
        Ok(Self::from_project(project, &names))
    }

    fn from_project(project: &Project, names: &HashMap<MemberId, String>) -> Self {
        let person = |id: &MemberId| Person {
            name: names.get(id).cloned(),
            id: id.clone(),
        };
        Self {
            name: project.name.clone(),
            description: project.description.clone(),
            status: project.status,
            starts_on: project.starts_on,
            ends_on: project.ends_on,
            members: project.members.iter().map(person).collect(),
        }
    }
}

impl ProjectView {
    /// Loads the names of the project's members, and builds the view with all sections and items.
    pub(super) async fn load(stored: Stored, db: &Conn<'_>) -> Result<Self> {
        let mut ids = member_ids(&stored.project);
        ids.insert(&stored.created_by);
        let mut names = members::load_names(db, ids).await?;
        Ok(Self {
            header: Header::from_project(&stored.project, &names),
            counts: Counted::from_project(&stored.project),
            sections: stored.project.sections,
            id: stored.id,
            revision: stored.revision,
            api_revision: stored.revision,
            updated_at: Timestamp(stored.updated_at),
            created_at: Timestamp(stored.created_at),
            created_by_name: names.remove(&stored.created_by),
            created_by: stored.created_by,
        })
    }

    pub(super) fn sections_mut(&mut self) -> &mut Vec<Section> {
        &mut self.sections
    }
}

/// O que a operação tocou, como ficou.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct Changed {
    /// Verdadeiro quando o que segue saiu do projeto.
    removed: bool,
    /// O cabeçalho, quando mudou o projeto inteiro.
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<Header>,
    #[serde(skip_serializing_if = "Option::is_none")]
    section: Option<PlacedSection>,
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<PlacedItem>,
    /// Itens que a pessoa retirada tinha a fazer, e que ficaram sem ela.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unassigned_item_ids: Vec<ItemId>,
}

/// Uma seção e seu lugar.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PlacedSection {
    id: SectionId,
    title: String,
    /// Lugar no projeto, a partir de 0; nulo depois de removida.
    position: Option<usize>,
    /// Quantos itens tem.
    items: usize,
}

/// Um item e seu lugar.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PlacedItem {
    #[serde(flatten)]
    item: Item,
    section_id: SectionId,
    /// Lugar na seção, a partir de 0; nulo depois de removido.
    position: Option<usize>,
}

impl PlacedSection {
    fn from_section(section: &Section, position: Option<usize>) -> Self {
        Self {
            id: section.id.clone(),
            title: section.title.clone(),
            position,
            items: section.items.len(),
        }
    }
}

impl Changed {
    /// Builds the view of the part that an operation changed; `None` when nothing changed.
    pub(super) async fn load_changed_part(
        touched: Touched,
        project: &Project,
        db: &Conn<'_>,
    ) -> Result<Option<Self>> {
        let mut changed = Self::default();
        match touched {
            Touched::Nothing => return Ok(None),
            Touched::Header => {
                changed.project = Some(Header::load(project, db).await?);
            }
            Touched::Members(items) => {
                changed.project = Some(Header::load(project, db).await?);
                changed.unassigned_item_ids = items;
            }
            Touched::Section(id) => {
                let at = project.section_index(&id);
                changed.section =
                    at.map(|at| PlacedSection::from_section(&project.sections[at], Some(at)));
            }
            Touched::RemovedSection(section) => {
                changed.removed = true;
                changed.section = Some(PlacedSection::from_section(&section, None));
            }
            Touched::Item(id) => {
                changed.item = project.item_indices(&id).map(|(at, place)| PlacedItem {
                    section_id: project.sections[at].id.clone(),
                    item: project.sections[at].items[place].clone(),
                    position: Some(place),
                });
            }
            Touched::RemovedItem(section, item) => {
                changed.removed = true;
                changed.item = Some(PlacedItem {
                    section_id: section,
                    item,
                    position: None,
                });
            }
        }
        Ok(Some(changed))
    }
}
