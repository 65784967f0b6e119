//! The previous launch of the demo, with which the sales panel compares the current one. It has
//! sales only.

use domain::{
    MemberId, ProjectId, Revision,
    sales::{Purchase, PurchaseStatus, Utm},
    time::{DAY, HOUR, LocalDay, Millis},
};
use gateway::Result;
use store::{
    Conn,
    launches::{self, Launch},
    sales,
};

use super::sales::course_name;

const CODE: &str = "pao-em-casa-anterior";
const CURRENCY: &str = "BRL";
const PRICE: i64 = 39_700;
/// How many days ago the launch began.
const BEGUN: i32 = 61;
/// The number of sales on each day of the launch.
const SALES: [u32; 21] = [
    3, 2, 0, 1, 5, 4, 0, 0, 6, 3, 2, 1, 0, 4, 7, 3, 0, 2, 5, 9, 14,
];

/// Stores the launch of a project.
pub(super) async fn seed_earlier_launch(
    db: &Conn<'_>,
    project_id: ProjectId,
    member_id: &MemberId,
    now: Millis,
) -> Result<()> {
    let first = LocalDay::from_instant(now).plus_days(-BEGUN);
    let last = i32::try_from(SALES.len()).unwrap_or(0) - 1;
    let launch = Launch {
        project_id,
        revision: Revision::FIRST,
        name: course_name(now - i64::from(BEGUN) * DAY),
        starts_on: first,
        ends_on: first.plus_days(last),
        goal_cents: 2_500_000,
        currency: CURRENCY.into(),
        products: vec![CODE.into()],
        campaigns: vec![],
        code: Some(CODE.into()),
        updated_at: now - i64::from(BEGUN) * DAY,
        updated_by: member_id.clone(),
    };
    launches::save(db, &launch, None).await?;
    let mut purchases = vec![];
    for (index, number) in (0..).zip(SALES) {
        let noon = domain::time::start_of_day(first.plus_days(index).0) + 12 * HOUR;
        for sale in 0..number {
            purchases.push(build_purchase(
                index,
                sale,
                noon + i64::from(sale) * HOUR / 2,
            ));
        }
    }
    sales::save_purchases(db, purchases, now).await?;
    Ok(())
}

fn build_purchase(day: i32, sale: u32, occurred_at: Millis) -> Purchase {
    Purchase {
        store: "hotmart".into(),
        transaction_id: format!("HPA{day:02}{sale:03}"),
        occurred_at,
        status: PurchaseStatus::Approved,
        person: None,
        severed: false,
        product_id: CODE.into(),
        product: "Pão em Casa, turma anterior".into(),
        amount_cents: PRICE,
        refunded_cents: 0,
        currency: CURRENCY.into(),
        seller: None,
        launch: Some(CODE.into()),
        utm: Utm::default(),
    }
}
