//! The machine explored whole: every state with every event.

use super::*;

/// The states that can be reached from `from`.
fn reachable(from: MachineState, events: &dyn Fn(Event) -> bool) -> Vec<MachineState> {
    let mut found = vec![from];
    let mut at = 0;
    while at < found.len() {
        for event in Event::all().filter(|event| events(*event)) {
            let (to, _) = next(found[at], event);
            if !found.contains(&to) {
                found.push(to);
            }
        }
        at += 1;
    }
    found
}

fn any(_: Event) -> bool {
    true
}

#[test]
fn the_list_of_states_is_whole_and_all_but_one_are_reached() {
    let found = reachable(MachineState::Init, &any);
    for state in &found {
        assert!(
            MachineState::ALL.contains(state),
            "{state:?} is missing in ALL"
        );
    }
    // Start-up ends with the second of the two reports: it never waits with both.
    let both = MachineState::StartUp {
        pressure: true,
        manifold: true,
    };
    for state in MachineState::ALL {
        assert_eq!(found.contains(&state), state != both, "{state:?}");
    }
    assert_eq!(MachineState::ALL.len() * Event::all().count(), 16 * 21);
}

#[test]
fn nothing_moves_outside_centering_and_precor() {
    for state in MachineState::ALL {
        let may_move = state.permits() != Movement::Nothing;
        let named = matches!(
            state,
            MachineState::Centering(Centering::Moving | Centering::RampDown)
                | MachineState::PreCor { held: false }
        );
        assert_eq!(may_move, named, "{state:?}");
    }
}

/// A transition that ends a motion says so: otherwise an executor could forget to hold.
#[test]
fn leaving_a_motion_holds_the_command() {
    for state in MachineState::ALL {
        for event in Event::all() {
            let (to, actions) = next(state, event);
            let ends = state.permits() != Movement::Nothing && to.permits() == Movement::Nothing;
            if ends {
                assert!(actions.contains(Action::Hold), "{state:?} with {event:?}");
            }
            // From the test into the slow way back: the record of the test ends.
            if matches!(state, MachineState::PreCor { .. })
                && !matches!(to, MachineState::PreCor { .. })
            {
                assert!(
                    actions.contains(Action::EndTest),
                    "{state:?} with {event:?}"
                );
            }
        }
    }
}

#[test]
fn an_emergency_stop_reaches_stopped_from_everywhere_and_at_once() {
    for state in MachineState::ALL {
        let (to, actions) = next(state, Event::Order(Order::EmergencyStop));
        assert!(matches!(to, MachineState::Stopped { .. }), "{state:?}");
        if state != (MachineState::Stopped { off: true }) {
            assert!(actions.contains(Action::HydraulicsOff) && actions.contains(Action::Hold));
        }
        assert!(matches!(
            next(state, Event::Order(Order::Stop)).0,
            MachineState::Stopped { .. }
        ));
    }
}

/// From every state a test can be begun again: there is no dead end. Also without faults, and
/// without luck.
#[test]
fn there_is_no_dead_end() {
    let good = |event: Event| {
        !matches!(
            event,
            Event::Verdict(_) | Event::DriverLost | Event::Pressure(false) | Event::Manifold(false)
        )
    };
    for state in MachineState::ALL {
        assert!(
            reachable(state, &good).contains(&MachineState::PreCor { held: false }),
            "no way back into the test from {state:?}"
        );
    }
}

/// Whatever happens short of the operator, an error is left by the operator only.
#[test]
fn only_the_operator_leaves_an_error() {
    for state in [
        MachineState::Error { at_start: false },
        MachineState::Error { at_start: true },
    ] {
        for event in Event::all().filter(|event| !matches!(event, Event::Order(_))) {
            assert!(
                matches!(next(state, event).0, MachineState::Error { .. }),
                "{event:?}"
            );
        }
    }
    // And a held test goes on only when the operator says so.
    for event in Event::all().filter(|event| *event != Event::Order(Order::Resume)) {
        let (to, _) = next(MachineState::PreCor { held: true }, event);
        assert_ne!(to, MachineState::PreCor { held: false }, "{event:?}");
    }
}

/// The test is entered through pre-run alone, and pre-run from the start position alone.
#[test]
fn a_test_begins_at_the_start_position() {
    for state in MachineState::ALL {
        for event in Event::all() {
            let (to, _) = next(state, event);
            if to == (MachineState::PreCor { held: false })
                && !matches!(state, MachineState::PreCor { .. })
            {
                assert_eq!(state, MachineState::PreRun);
            }
            if to == MachineState::PreRun && state != MachineState::PreRun {
                let at_start = matches!(
                    state,
                    MachineState::Centering(Centering::AtStart)
                        | MachineState::Error { at_start: true }
                );
                assert!(at_start, "{state:?}");
            }
        }
    }
}

#[test]
fn a_verdict_is_never_milder_than_asked() {
    let run = MachineState::PreCor { held: false };
    let after = |verdict| next(run, Event::Verdict(verdict)).0;
    assert_eq!(after(Verdict::Continue), run);
    assert_eq!(after(Verdict::Warn), run);
    assert_eq!(after(Verdict::Hold), MachineState::PreCor { held: true });
    assert_eq!(
        after(Verdict::RampDown),
        MachineState::Centering(Centering::RampDown)
    );
    assert_eq!(
        after(Verdict::Trip),
        MachineState::Error { at_start: false }
    );
}

#[test]
fn orders_have_names_and_the_screen_learns_which_are_heard() {
    for order in Order::ALL {
        assert_eq!(Order::from_name(order.name()), Some(order));
    }
    let heard: Vec<_> = MachineState::PreCor { held: true }.orders().collect();
    assert_eq!(
        heard,
        [
            Order::EmergencyStop,
            Order::Stop,
            Order::Centre,
            Order::Resume
        ]
    );
}

/// What an event makes of a state, row by row as the diagram at the head of the module has it;
/// whatever is not in the table changes nothing.
fn row(state: MachineState, event: Event) -> Option<(MachineState, &'static [Action])> {
    use Action::{EndTest, Hold, HydraulicsOff, Prepare, RampPressure, Tell};
    use Event as E;
    use MachineState as S;
    use Order as O;
    let moving = S::Centering(Centering::Moving);
    let at_start = S::Centering(Centering::AtStart);
    let error = S::Error { at_start: false };
    let stopping = S::Stopped { off: false };
    let is_off = state == S::Stopped { off: true };
    let lost = matches!(
        event,
        E::Pressure(false) | E::Manifold(false) | E::HydraulicsOff
    );
    let held_by = |event| matches!(event, E::Order(O::Pause) | E::Verdict(Verdict::Hold));
    let bad = matches!(event, E::Verdict(Verdict::RampDown | Verdict::Trip));
    Some(match (state, event) {
        (_, E::Order(O::EmergencyStop)) if !is_off => {
            (stopping, &[Hold, EndTest, HydraulicsOff, Tell])
        }
        (_, E::Order(O::Stop)) if !is_off && state != stopping => {
            (stopping, &[Hold, EndTest, RampPressure])
        }
        (S::Init | S::Stopped { off: true }, E::Order(O::Start)) => {
            let waits = S::StartUp {
                pressure: false,
                manifold: false,
            };
            (waits, &[Hold])
        }
        (S::Stopped { off: false }, E::HydraulicsOff) => (S::Stopped { off: true }, &[]),
        (S::StartUp { pressure, manifold }, _) => {
            let (pressure, manifold) = match event {
                E::Pressure(pressure) => (pressure, manifold),
                E::Manifold(manifold) => (pressure, manifold),
                E::HydraulicsOff => (false, false),
                _ => return None,
            };
            if pressure && manifold {
                (moving, &[])
            } else {
                (S::StartUp { pressure, manifold }, &[])
            }
        }
        (S::Centering(_) | S::PreRun | S::PreCor { .. }, _) if lost => {
            (error, &[Hold, EndTest, Tell])
        }
        (S::Centering(Centering::Moving | Centering::Held), E::AtStart) => (at_start, &[Hold]),
        (S::Centering(Centering::RampDown), E::AtStart) => {
            (S::Error { at_start: true }, &[Hold, Tell])
        }
        (S::Centering(Centering::Moving), _) if held_by(event) => {
            (S::Centering(Centering::Held), &[Hold])
        }
        (S::Centering(Centering::RampDown), _) if held_by(event) => (error, &[Hold, Tell]),
        (S::Centering(Centering::Held), E::Order(O::Resume | O::Centre)) => (moving, &[]),
        (S::Centering(Centering::AtStart), E::Order(O::Next)) => (S::PreRun, &[Prepare]),
        (S::Centering(Centering::AtStart), E::Order(O::Centre)) => (moving, &[]),
        (S::Centering(_), _) if bad => (error, &[Hold, Tell]),
        (S::PreRun, E::DriverReady) => (S::PreCor { held: false }, &[]),
        (S::PreRun, E::DriverLost | E::Verdict(Verdict::Hold)) => {
            (S::Error { at_start: true }, &[Hold, EndTest, Tell])
        }
        (S::PreRun, _) if bad => (S::Error { at_start: true }, &[Hold, EndTest, Tell]),
        (S::PreRun, E::Order(O::Pause | O::Centre)) => (at_start, &[Hold, EndTest]),
        (S::PreCor { held: false }, _) if held_by(event) => (S::PreCor { held: true }, &[Hold]),
        (S::PreCor { held: true }, E::Order(O::Resume)) => (S::PreCor { held: false }, &[]),
        (S::PreCor { .. }, E::Verdict(Verdict::Trip) | E::DriverLost) => {
            (error, &[Hold, EndTest, Tell])
        }
        (S::PreCor { .. }, E::Verdict(Verdict::RampDown)) => {
            (S::Centering(Centering::RampDown), &[Hold, EndTest, Tell])
        }
        (S::PreCor { .. }, E::Complete | E::Order(O::Centre)) => (moving, &[Hold, EndTest]),
        (S::Error { at_start: true }, E::Order(O::Next)) => (S::PreRun, &[Prepare]),
        (S::Error { .. }, E::Order(O::Centre)) => (moving, &[]),
        _ => return None,
    })
}

#[test]
fn every_state_with_every_event() {
    let all = [
        Action::Hold,
        Action::Prepare,
        Action::HydraulicsOff,
        Action::RampPressure,
        Action::Tell,
        Action::EndTest,
    ];
    for state in MachineState::ALL {
        for event in Event::all() {
            let (to, actions) = next(state, event);
            let (expected, listed) = row(state, event).unwrap_or((state, &[]));
            assert_eq!(to, expected, "{state:?} with {event:?}");
            for action in all {
                let is_listed = listed.contains(&action);
                let text = format!("{state:?} with {event:?}: {action:?}");
                assert_eq!(actions.contains(action), is_listed, "{text}");
            }
        }
    }
    let mut events: Vec<Event> = Event::all().collect();
    events.dedup();
    assert_eq!(events.len(), 21);
}

/// The words that records and screens keep.
#[test]
fn states_have_their_names() {
    let names = [
        "init",
        "start-up",
        "start-up",
        "start-up",
        "start-up",
        "centering",
        "centering-held",
        "at-start",
        "ramp-down",
        "pre-run",
        "running",
        "held",
        "error",
        "error",
        "stopping",
        "stopped",
    ];
    assert_eq!(MachineState::ALL.map(MachineState::name), names);
    for state in MachineState::ALL {
        // A title says the name in words, with what is done in it.
        let first = match state {
            MachineState::Stopped { off: false } => "Stopping",
            MachineState::Centering(Centering::RampDown) => "Ramping down",
            MachineState::Centering(_) => "Centering",
            MachineState::StartUp { .. } => "Start-up",
            MachineState::PreRun => "Pre-run",
            MachineState::PreCor { held: false } => "Running",
            MachineState::PreCor { held: true } => "Held",
            MachineState::Error { .. } => "Error",
            MachineState::Init => "Init",
            MachineState::Stopped { off: true } => "Stopped",
        };
        assert!(state.title().starts_with(first), "{}", state.title());
    }
    let orders = [
        "emergency-stop",
        "stop",
        "centre",
        "pause",
        "resume",
        "next",
        "start",
    ];
    assert_eq!(Order::ALL.map(Order::name), orders);
    assert_eq!(Order::from_name("halt"), None);
    let heard: Vec<_> = MachineState::Init.orders().collect();
    assert_eq!(heard, [Order::EmergencyStop, Order::Stop, Order::Start]);
    assert_eq!(
        MachineState::PreCor { held: false }.permits(),
        Movement::Test
    );
    assert_eq!(
        MachineState::Centering(Centering::Moving).permits(),
        Movement::ToStart
    );
    assert_eq!(
        MachineState::Centering(Centering::Held).permits(),
        Movement::Nothing
    );
}
