//! Approval in stages: the rules of a team, the plan that a submitted piece follows, and the state
//! machine of its decisions.
//!
//! A submitted piece keeps a copy of its rule ([`Plan`]), so a change of the rules never changes
//! the stages of a piece that waits for approval. The right to decide comes from the team at the
//! time of the decision ([`Team`]): a member who has left, or whose role may no longer approve,
//! cannot decide, and no stage waits for this member.

mod fields;
mod plan;
mod rules;
mod running;
mod team;

pub use plan::{Plan, Quorum, Stage, WhenOverdue};
pub use rules::{Mention, Mentioned, ParsedRules, PieceFacts, Rule, Rules};
pub use running::{
    Approval, AwaitedDecider, DecisionEffect, Entitlement, NotAllowed, Verdict, Vote,
};
pub use team::{Decider, Team, Voter};
