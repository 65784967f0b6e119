//! Checks the approval rules of the team in the configuration.

use serde_json::Value;

use super::people::People;
use domain::{
    Fault,
    approval::{Mention, Mentioned, Rules},
};
use gateway::{Context, Error, Result};
use store::projects;

/// Refuses (400) invalid rules, with all faults at once.
pub(crate) async fn require_valid_rules(ctx: &Context<'_>, value: &Value) -> Result<()> {
    let reading = Rules::parse_rules(value);
    let mut faults = reading.faults;
    faults.extend(find_unknown_ids(ctx, &reading.mentions).await?);
    match faults.is_empty() {
        true => Ok(()),
        false => Err(Error::from_faults(faults)),
    }
}

async fn find_unknown_ids(ctx: &Context<'_>, mentions: &[Mention]) -> Result<Vec<Fault>> {
    if mentions.is_empty() {
        return Ok(vec![]);
    }
    let db = ctx.db();
    let projects = mentions.iter().filter_map(|one| match &one.id {
        Mentioned::Project(id) => Some(id),
        Mentioned::Approver(_) => None,
    });
    let projects = projects::find_existing(&db, projects).await?;
    let people = People::load(&db).await?;
    let faults = mentions.iter().filter_map(|one| {
        let (rule, message) = match &one.id {
            Mentioned::Project(id) if !projects.contains(id) => {
                ("exists", "não é de um projeto; veja `list_projects`")
            }
            Mentioned::Approver(id) if !people.is_active(id) => {
                ("exists", "não é de um membro ativo; veja `list_team`")
            }
            Mentioned::Approver(id) if !people.may_approve(id) => (
                "capability",
                "é de quem não aprova: só líderes e admins podem estar aqui",
            ),
            _ => return None,
        };
        Some(Fault {
            field: one.field.clone(),
            rule: rule.into(),
            message: message.into(),
        })
    });
    Ok(faults.collect())
}
