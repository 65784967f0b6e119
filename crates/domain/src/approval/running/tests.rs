mod model;

use std::sync::LazyLock;

use super::*;
use crate::approval::plan::WhenOverdue;

fn by_guest() -> Decider<'static> {
    static LEAD: LazyLock<MemberId> = LazyLock::new(|| id(9));
    Decider::Guest { invited_by: &LEAD }
}

fn id(number: usize) -> MemberId {
    format!("0198c0de-0000-7000-8000-{number:012}").into()
}

fn stage(members: &[usize]) -> Stage {
    Stage {
        name: "Revisão".into(),
        members: members.iter().map(|number| id(*number)).collect(),
        role: None,
        guests: false,
        quorum: Quorum::One,
        hours: None,
        notify: vec![],
        when_overdue: WhenOverdue::Hold,
    }
}

fn begin(stages: Vec<Stage>, barred: &[usize]) -> Approval {
    let plan = Plan {
        name: "regra".into(),
        stages,
        barred: barred.iter().map(|number| id(*number)).collect(),
    };
    Approval::begin(plan, 0)
}

fn team(members: &[(usize, Role)]) -> Team {
    Team::new(members.iter().map(|(number, role)| (id(*number), *role)))
}

fn approve(
    approval: &mut Approval,
    number: usize,
    team: &Team,
) -> Result<DecisionEffect, NotAllowed> {
    approval.decide(Verdict::Approve, Decider::Member(&id(number)), team, 1)
}

const LEADS: [(usize, Role); 4] = [
    (1, Role::Lider),
    (2, Role::Lider),
    (3, Role::Lider),
    (9, Role::Admin),
];

#[test]
fn stages_are_decided_in_order_by_their_deciders() {
    let team = team(&LEADS);
    let mut one = begin(vec![stage(&[1]), stage(&[2])], &[]);
    assert_eq!(approve(&mut one, 2, &team), Err(NotAllowed::NotDecider));
    assert_eq!(approve(&mut one, 1, &team), Ok(DecisionEffect::Next));
    assert_eq!(approve(&mut one, 1, &team), Err(NotAllowed::NotDecider));
    assert_eq!(approve(&mut one, 2, &team), Ok(DecisionEffect::Complete));
}

#[test]
fn a_member_who_may_not_approve_decides_nothing_although_a_stage_names_them() {
    let team = team(&[(1, Role::Criador), (2, Role::Lider)]);
    let mut one = begin(vec![stage(&[1, 2])], &[]);
    assert_eq!(approve(&mut one, 1, &team), Err(NotAllowed::NotDecider));
    assert_eq!(one.waits_for(&team), [AwaitedDecider::Member(id(2))]);
}

#[test]
fn quorum_all_needs_every_member_who_can_approve_and_one_guest() {
    let mut every = stage(&[1, 2]);
    (every.quorum, every.guests) = (Quorum::All, true);
    let full = team(&LEADS);
    let mut one = begin(vec![every], &[]);
    assert_eq!(approve(&mut one, 1, &full), Ok(DecisionEffect::Waits));
    assert_eq!(approve(&mut one, 1, &full), Ok(DecisionEffect::Repeated));
    assert_eq!(one.votes.len(), 1);
    let guest = one.decide(Verdict::Approve, by_guest(), &full, 1);
    assert_eq!(guest, Ok(DecisionEffect::Waits));
    assert_eq!(one.waits_for(&full), [AwaitedDecider::Member(id(2))]);
    // The last awaited member has left. The member who has already approved can complete the stage.
    let left = team(&[(1, Role::Lider), (9, Role::Admin)]);
    assert!(one.waits_for_member(&id(1), &left));
    assert_eq!(approve(&mut one, 1, &left), Ok(DecisionEffect::Complete));
}

#[test]
fn guests_decide_only_where_a_stage_says_so() {
    let team = team(&LEADS);
    let mut guests = stage(&[]);
    guests.guests = true;
    let mut one = begin(vec![stage(&[1]), guests], &[]);
    assert!(!one.is_decider(by_guest(), &team));
    assert_eq!(approve(&mut one, 1, &team), Ok(DecisionEffect::Next));
    assert!(one.is_decider(by_guest(), &team));
    assert_eq!(one.entitlement(Decider::Member(&id(1)), &team), None);
    let guest = one.decide(Verdict::Approve, by_guest(), &team, 1);
    assert_eq!(guest, Ok(DecisionEffect::Complete));
    assert!(begin(vec![], &[]).is_decider(by_guest(), &team));
}

#[test]
fn leads_decide_a_stage_without_members_who_can_approve() {
    let team = team(&LEADS);
    let mut one = begin(vec![stage(&[7, 8])], &[]);
    assert_eq!(
        one.waits_for(&team),
        [
            AwaitedDecider::Role(Role::Lider),
            AwaitedDecider::Role(Role::Admin)
        ]
    );
    assert_eq!(
        one.entitlement(Decider::Member(&id(3)), &team),
        Some(Entitlement::Substitute)
    );
    assert_eq!(approve(&mut one, 3, &team), Ok(DecisionEffect::Complete));
    // Guests still decide a stage whose members cannot approve.
    let mut with_guests = stage(&[7]);
    with_guests.guests = true;
    let mut one = begin(vec![with_guests], &[]);
    assert!(one.waits_for(&team).contains(&AwaitedDecider::Guest));
    let guest = one.decide(Verdict::Approve, by_guest(), &team, 1);
    assert_eq!(guest, Ok(DecisionEffect::Complete));
}

#[test]
fn nobody_approves_their_own_piece_but_may_refuse_it() {
    let team = team(&LEADS);
    let mut one = begin(vec![stage(&[1])], &[1, 9]);
    assert_eq!(approve(&mut one, 1, &team), Err(NotAllowed::OwnPiece));
    assert_eq!(approve(&mut one, 9, &team), Err(NotAllowed::OwnPiece));
    let refusal = one.decide(Verdict::Refuse, Decider::Member(&id(1)), &team, 1);
    assert_eq!(refusal, Ok(DecisionEffect::Refused));
    // The author is the only decider, so the stage would wait forever without substitutes.
    assert_eq!(approve(&mut one, 2, &team), Ok(DecisionEffect::Complete));
    let mut free = begin(vec![], &[1]);
    assert_eq!(approve(&mut free, 1, &team), Err(NotAllowed::OwnPiece));
    assert_eq!(approve(&mut free, 2, &team), Ok(DecisionEffect::Complete));
}

#[test]
fn a_passed_deadline_adds_people_and_never_approves() {
    let team = team(&LEADS);
    for (end, waits, entitlement) in [
        (WhenOverdue::Hold, false, None),
        (WhenOverdue::Remind, true, None),
        (WhenOverdue::Escalate, true, Some(Entitlement::Escalated)),
    ] {
        let mut late = stage(&[1]);
        (late.hours, late.notify, late.when_overdue) = (Some(1), vec![id(2)], end);
        let mut one = begin(vec![late, stage(&[3])], &[]);
        assert!(one.due_at.is_some());
        assert!(!one.waits_for_member(&id(2), &team));
        one.is_overdue = true;
        assert_eq!(one.waits_for_member(&id(2), &team), waits, "{end}");
        assert_eq!(one.entitlement(Decider::Member(&id(2)), &team), entitlement);
        assert_eq!(approve(&mut one, 1, &team), Ok(DecisionEffect::Next));
        assert_eq!((one.is_overdue, one.due_at), (false, None));
    }
}

/// The reference model: a stage is complete if a person whom it does not name, but who may decide,
/// approves, or if enough of the people whom it names have approved. Returns the expected effect of
/// an approval by `who`, or `None` if `who` may not approve.
fn predict_effect(
    stages: &[(Vec<usize>, bool)],
    barred: usize,
    approvals: &mut Vec<Vec<usize>>,
    (who, active): (usize, &[usize]),
) -> Option<&'static str> {
    let (members, all) = &stages[approvals.len() - 1];
    let able: Vec<_> = members
        .iter()
        .filter(|one| active.contains(one) && **one != barred)
        .collect();
    let named = members.contains(&who);
    if !active.contains(&who) || who == barred || !(named || able.is_empty() || who == 0) {
        return None;
    }
    let voted = approvals.last_mut().expect("a stage");
    let repeats = voted.contains(&who);
    voted.push(who);
    if named && *all && !able.iter().all(|one| voted.contains(one)) {
        return Some(if repeats { "repeated" } else { "waits" });
    }
    approvals.push(vec![]);
    Some(match approvals.len() > stages.len() {
        true => "complete",
        false => "next",
    })
}

/// A pseudo-random generator (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(end).expect("small")).expect("small")
    }
}

#[test]
fn the_machine_agrees_with_the_reference_model() {
    let mut seen = std::collections::BTreeMap::new();
    for seed in 1..=20_000_u64 {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let count = 1 + random.below(3);
        // Member 0 is an admin, members 1 to 5 are leads. The number 6 stands for no member.
        let stages: Vec<(Vec<usize>, bool)> = (0..count)
            .map(|_| {
                let members = (0..6).filter(|_| random.below(3) == 0).collect::<Vec<_>>();
                let members = if members.is_empty() { vec![1] } else { members };
                (members, random.below(2) == 0)
            })
            .collect();
        let barred = random.below(7);
        let plan = stages.iter().map(|(members, all)| {
            let quorum = if *all { Quorum::All } else { Quorum::One };
            Stage {
                quorum,
                ..stage(members)
            }
        });
        let mut machine = begin(plan.collect(), &[barred]);
        let mut active: Vec<usize> = (0..6).collect();
        let mut approvals = vec![vec![]];
        for _ in 0..12 {
            if random.below(4) == 0 {
                let left = random.below(6);
                active.retain(|one| *one != left);
            }
            let who = random.below(6);
            let roles = active.iter().map(|number| {
                let role = if *number == 0 {
                    Role::Admin
                } else {
                    Role::Lider
                };
                (id(*number), role)
            });
            let effect = approve(&mut machine, who, &Team::new(roles));
            let expected = predict_effect(&stages, barred, &mut approvals, (who, &active));
            let effect = effect.ok().map(|effect| match effect {
                DecisionEffect::Repeated => "repeated",
                DecisionEffect::Waits => "waits",
                DecisionEffect::Next => "next",
                DecisionEffect::Complete => "complete",
                DecisionEffect::Refused => "refused",
            });
            assert_eq!(
                effect, expected,
                "seed {seed}: {stages:?} {barred} {who} {active:?}"
            );
            *seen.entry(effect).or_insert(0) += 1;
            if effect == Some("complete") {
                break;
            }
            assert_eq!(machine.stage, approvals.len() - 1);
        }
    }
    assert_eq!(seen.len(), 5, "not every outcome was reached: {seen:?}");
}
