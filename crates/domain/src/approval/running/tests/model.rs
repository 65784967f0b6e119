//! The machine against a reference model with roles, guests, deadlines and refusals.

use std::collections::{BTreeMap, BTreeSet};

use super::{Random, begin, id, stage, team};
use crate::{
    Role,
    approval::{
        Approval, AwaitedDecider, Decider, DecisionEffect, NotAllowed, Quorum, Stage, Verdict,
        WhenOverdue,
    },
};

/// The number that stands for all guests. Member 9 (`INVITING`), who is not barred, made their
/// links.
const GUEST: usize = 99;
const INVITING: usize = 9;

/// One stage of the model: the people whom it names, whether all of them must approve, and the
/// members to whom it is escalated.
struct Rule {
    members: Vec<usize>,
    role: Option<Role>,
    guests: bool,
    all: bool,
    when_overdue: WhenOverdue,
    notify: Vec<usize>,
}

/// The state of the model.
struct Model {
    rules: Vec<Rule>,
    barred: usize,
    stage: usize,
    is_overdue: bool,
    approved: BTreeSet<usize>,
    /// The active members with their roles.
    roles: BTreeMap<usize, Role>,
}

impl Model {
    fn role(&self, who: usize) -> Option<Role> {
        let role = self.roles.get(&who).copied();
        role.filter(|role| *role >= Role::Lider)
    }

    fn names(&self, who: usize) -> bool {
        let rule = &self.rules[self.stage];
        match who {
            GUEST => rule.guests,
            _ => {
                let role = self.role(who);
                role.is_some() && (rule.members.contains(&who) || rule.role == role)
            }
        }
    }

    /// Returns the people whom the stage names and who are not barred.
    fn needed(&self) -> Vec<usize> {
        let named = (0..10).chain([GUEST]).filter(|who| self.names(*who));
        named.filter(|who| *who != self.barred).collect()
    }

    /// Applies a decision to the model by the rules of the issue, independently of the machine.
    fn decide(&mut self, who: usize, verdict: Verdict) -> Result<DecisionEffect, NotAllowed> {
        let rule = &self.rules[self.stage];
        let escalated = self.is_overdue
            && rule.when_overdue == WhenOverdue::Escalate
            && rule.notify.contains(&who);
        let names_people = !rule.members.is_empty() || rule.role.is_some();
        let is_vacant = names_people && self.needed().iter().all(|who| *who == GUEST);
        let stands_in = who != GUEST
            && self.role(who).is_some()
            && (escalated || is_vacant || self.role(who) == Some(Role::Admin));
        if !self.names(who) && !stands_in {
            return Err(NotAllowed::NotDecider);
        }
        if verdict == Verdict::Refuse {
            return Ok(DecisionEffect::Refused);
        }
        if who == self.barred {
            return Err(NotAllowed::OwnPiece);
        }
        let is_new = self.approved.insert(who);
        let is_missing = |who: &usize| !self.approved.contains(who);
        if self.names(who) && rule.all && self.needed().iter().any(is_missing) {
            return Ok(match is_new {
                true => DecisionEffect::Waits,
                false => DecisionEffect::Repeated,
            });
        }
        if self.stage + 1 == self.rules.len() {
            return Ok(DecisionEffect::Complete);
        }
        self.stage += 1;
        self.is_overdue = false;
        self.approved.clear();
        Ok(DecisionEffect::Next)
    }
}

impl Rule {
    fn random(random: &mut Random) -> Self {
        let mut some =
            |of: usize| -> Vec<usize> { (0..6).filter(|_| random.below(of) == 0).collect() };
        let (mut members, notify) = (some(4), some(4));
        let role = [None, None, Some(Role::Lider), Some(Role::Admin)][random.below(4)];
        let guests = random.below(3) == 0;
        if members.is_empty() && role.is_none() && !guests {
            members.push(1);
        }
        Self {
            members,
            role,
            guests,
            all: random.below(2) == 0,
            when_overdue: [
                WhenOverdue::Hold,
                WhenOverdue::Remind,
                WhenOverdue::Escalate,
            ][random.below(3)],
            notify,
        }
    }

    fn to_stage(&self) -> Stage {
        Stage {
            role: self.role,
            guests: self.guests,
            quorum: match self.all {
                true => Quorum::All,
                false => Quorum::One,
            },
            hours: Some(1),
            when_overdue: self.when_overdue,
            notify: self.notify.iter().map(|number| id(*number)).collect(),
            ..stage(&self.members)
        }
    }
}

/// Asserts that an approval by each member for whom the machine waits has an effect, and that an
/// approval by a guest has an effect exactly if the machine waits for guests.
fn assert_awaited_decide(machine: &Approval, roles: &[(usize, Role)], what: &str) {
    let team = team(roles);
    let awaited = machine.waits_for(&team);
    assert!(!awaited.is_empty(), "{what}: the piece waits for nobody");
    let stage = machine.current().expect("a stage");
    let inviting = id(INVITING);
    let by_guest = Decider::Guest {
        invited_by: &inviting,
    };
    let approve = |by: Decider<'_>| {
        let effect = machine.clone().decide(Verdict::Approve, by, &team, 1);
        effect.is_ok_and(|effect| effect != DecisionEffect::Repeated)
    };
    for one in awaited {
        let AwaitedDecider::Member(member) = one else {
            continue;
        };
        // A member who is only reminded need not have the right to decide. A member who has
        // approved cannot approve again.
        let is_notified = machine.is_overdue && stage.notify.contains(&member);
        let is_only_reminded =
            stage.when_overdue == WhenOverdue::Remind && !stage.members.contains(&member);
        let has_approved = machine.has_voted(Decider::Member(&member));
        let is_exempt = is_notified && (is_only_reminded || has_approved);
        assert!(
            approve(Decider::Member(&member)) || is_exempt,
            "{what}: {member} is awaited in vain"
        );
    }
    assert_eq!(
        machine.waits_for_guests(&inviting, &team),
        approve(by_guest),
        "{what}: guests"
    );
}

#[test]
fn the_machine_agrees_with_the_model_of_roles_guests_deadlines_and_refusals() {
    let mut seen = BTreeMap::new();
    for seed in 1..=20_000_u64 {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let rules: Vec<Rule> = (0..=random.below(3))
            .map(|_| Rule::random(&mut random))
            .collect();
        let barred = random.below(8);
        let mut machine = begin(rules.iter().map(Rule::to_stage).collect(), &[barred]);
        // Member 0 is an admin, 1 to 4 are leads, and 5 is a criador.
        let roles = [
            (0, Role::Admin),
            (1, Role::Lider),
            (2, Role::Lider),
            (3, Role::Lider),
            (4, Role::Lider),
            (5, Role::Criador),
            (INVITING, Role::Admin),
        ];
        let mut model = Model {
            rules,
            barred,
            stage: 0,
            is_overdue: false,
            approved: BTreeSet::new(),
            roles: roles.into_iter().collect(),
        };
        for step in 0..14 {
            let what = format!("seed {seed}, step {step}");
            match random.below(10) {
                0 => drop(model.roles.remove(&random.below(6))),
                1 => {
                    let roles = [Role::Criador, Role::Lider, Role::Admin];
                    let role = roles[random.below(3)];
                    model.roles.insert(random.below(6), role);
                }
                2 => (machine.is_overdue, model.is_overdue) = (true, true),
                _ => {}
            }
            let people: Vec<(usize, Role)> = model.roles.clone().into_iter().collect();
            assert_awaited_decide(&machine, &people, &what);
            let who = [0, 1, 2, 3, 4, 5, GUEST, GUEST][random.below(8)];
            let verdict = match random.below(12) {
                0 => Verdict::Refuse,
                _ => Verdict::Approve,
            };
            let (member, inviting) = (id(who), id(INVITING));
            let by = match who {
                GUEST => Decider::Guest {
                    invited_by: &inviting,
                },
                _ => Decider::Member(&member),
            };
            let effect = machine.decide(verdict, by, &team(&people), 1);
            let expected = model.decide(who, verdict);
            assert_eq!(
                effect, expected,
                "{what}: {who} {verdict:?} {:?}",
                model.roles
            );
            *seen.entry(format!("{effect:?}")).or_insert(0_usize) += 1;
            if matches!(
                effect,
                Ok(DecisionEffect::Complete | DecisionEffect::Refused)
            ) {
                break;
            }
            assert_eq!(machine.stage, model.stage, "{what}");
        }
    }
    assert_eq!(seen.len(), 7, "not every outcome was reached: {seen:?}");
    assert!(seen.values().all(|count| *count > 100), "{seen:?}");
}
