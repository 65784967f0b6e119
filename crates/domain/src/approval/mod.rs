//! Approval in stages: the rules of a team, the plan that a submitted piece follows, and the state
//! machine of its decisions.
//!
//! A submitted piece keeps a copy of its rule ([`Plan`]), so a change of the rules never moves a
//! piece that waits. Rights come from the team as it is at the decision ([`Team`]): a member who
//! left, or whose role no longer approves, decides nothing and is not waited for.

mod fields;
mod plan;
mod rules;
mod running;
mod team;

pub use plan::{Plan, Quorum, Stage, WhenOverdue};
pub use rules::{Mention, Mentioned, PieceFacts, Reading, Rule, Rules};
pub use running::{
    Approval, AwaitedDecider, DecisionEffect, Entitlement, NotAllowed, Verdict, Vote,
};
pub use team::{Decider, Team, Voter};
