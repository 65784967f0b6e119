//! Stages of the sales funnel that people have reached.

use std::collections::BTreeMap;

use domain::{sales::CrmStage, sha256_hex, time::Millis};

use crate::{
    Bind, Conn, Result,
    many::{ROWS, bind_rows},
    turns::{Turn, take_turn},
};

/// Saves stages. A stored stage is not saved again, even after its person was erased. Returns the
/// number of new stages.
pub async fn save(db: &Conn<'_>, stages: Vec<CrmStage>, now: Millis) -> Result<usize> {
    take_turn(db, Turn::Sales).await?;
    let distinct: BTreeMap<String, CrmStage> = stages
        .into_iter()
        .map(|one| (stage_id(&one), one))
        .collect();
    let distinct: Vec<(String, CrmStage)> = distinct.into_iter().collect();
    let mut new = 0;
    for batch in distinct.chunks(ROWS) {
        let rows = batch.iter().map(|(id, one)| {
            [
                id.as_str().into(),
                one.person.value(),
                one.stage.as_str().into(),
                one.occurred_at.into(),
                one.launch.as_deref().into(),
                now.into(),
            ]
        });
        let (rows, values) = bind_rows(rows);
        let sql = format!(
            "INSERT INTO crm_stages (id, person, stage, occurred_at, launch, updated_at)
             VALUES {rows} ON CONFLICT (id) DO NOTHING"
        );
        new += usize::try_from(db.run(&sql, values).await?).unwrap_or(0);
    }
    Ok(new)
}

/// Returns the id of a stage, equal in every report of the same stage.
fn stage_id(one: &CrmStage) -> String {
    let launch = one.launch.as_deref().unwrap_or_default();
    let parts = [
        one.person.as_str(),
        &one.stage,
        &one.occurred_at.to_string(),
        launch,
    ];
    sha256_hex(parts.join("\n").as_bytes())
}
