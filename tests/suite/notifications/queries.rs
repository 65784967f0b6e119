//! Making the notifications of a batch takes a bounded number of queries, however many outbox rows and
//! people the batch has.

use serde_json::json;

use super::{CAIO, DAVI, Fixture};
use crate::support::plans::trace_each_query;
use store::outbox::{self, NewEntry};

impl Fixture {
    /// Makes the notifications of all changes so far; returns the number of SQL queries, without the
    /// inserts into `notifications`.
    async fn count_queries(&self) -> usize {
        self.app.app.worker().drain().await.expect("jobs");
        self.app.advance_clock(super::SOON);
        let queries = trace_each_query(async {
            self.app.app.worker().drain().await.expect("jobs");
        });
        let queries = queries.await;
        // Leaves out the inserts, because each notification has its own.
        let inserts = |sql: &&String| sql.contains("INTO notifications");
        queries.len() - queries.iter().filter(inserts).count()
    }

    async fn assign_many(&self, count: usize) {
        let people = [CAIO, DAVI].map(|one| self.id(one));
        let demands = (0..count).map(|number| {
            json!({ "title": format!("Peça {number}"), "assignee_id": people[number % 2] })
        });
        let input = json!({ "demandas": demands.collect::<Vec<_>>() });
        self.admin.post("/api/demandas", input).await.expect(200);
    }

    /// Adds outbox rows about publications that have ended.
    async fn end_publications(&self, count: usize) {
        let tx = self.app.begin().await;
        for number in 0..count {
            let entry = NewEntry {
                occurred_at: self.app.now(),
                kind: "publication_ended",
                resource_kind: "publication",
                resource_id: &format!("publicacao-{number}"),
                revision: None,
                project_id: None,
                actor_id: None,
                credential_id: None,
                auth_method: "system",
                facts: serde_json::Map::new(),
            };
            outbox::insert(&tx.conn(), entry).await.expect("inserts");
        }
        tx.commit().await.expect("commits");
    }
}

#[tokio::test]
async fn notifying_of_many_changes_takes_as_many_queries_as_of_a_few() {
    let team = Fixture::new().await;
    team.run_outbox_readers().await;
    team.assign_many(2).await;
    team.end_publications(2).await;
    let few = team.count_queries().await;
    team.assign_many(40).await;
    team.end_publications(40).await;
    let many = team.count_queries().await;
    assert!(many <= few + 6, "{many} queries for 80 rows, {few} for 4");
}
