//! The machine explored whole: every state with every event.

use super::*;

/// The states that can be reached from `from`.
fn reachable(from: State, events: &dyn Fn(Event) -> bool) -> Vec<State> {
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
    let found = reachable(State::Init, &any);
    for state in &found {
        assert!(State::ALL.contains(state), "{state:?} is missing in ALL");
    }
    // Start-up ends with the second of the two reports: it never waits with both.
    let both = State::StartUp {
        pressure: true,
        manifold: true,
    };
    for state in State::ALL {
        assert_eq!(found.contains(&state), state != both, "{state:?}");
    }
    assert_eq!(State::ALL.len() * Event::all().count(), 16 * 21);
}

#[test]
fn nothing_moves_outside_centering_and_precor() {
    for state in State::ALL {
        let may_move = state.permits() != Permit::Nothing;
        let named = matches!(
            state,
            State::Centering(Centering::Moving | Centering::RampDown)
                | State::PreCor { held: false }
        );
        assert_eq!(may_move, named, "{state:?}");
    }
}

/// A transition that ends a motion says so: otherwise an executor could forget to hold.
#[test]
fn leaving_a_motion_holds_the_command() {
    for state in State::ALL {
        for event in Event::all() {
            let (to, actions) = next(state, event);
            let ends = state.permits() != Permit::Nothing && to.permits() == Permit::Nothing;
            if ends {
                assert!(actions.contains(Action::Hold), "{state:?} with {event:?}");
            }
            // From the test into the slow way back: the record of the test ends.
            if matches!(state, State::PreCor { .. }) && !matches!(to, State::PreCor { .. }) {
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
    for state in State::ALL {
        let (to, actions) = next(state, Event::Order(Order::EmergencyStop));
        assert!(matches!(to, State::Stopped { .. }), "{state:?}");
        if state != (State::Stopped { off: true }) {
            assert!(actions.contains(Action::HydraulicsOff) && actions.contains(Action::Hold));
        }
        assert!(matches!(
            next(state, Event::Order(Order::Stop)).0,
            State::Stopped { .. }
        ));
    }
}

/// From every state a test can be begun again: there is no dead end. Also without faults, and without luck.
#[test]
fn there_is_no_dead_end() {
    let good = |event: Event| {
        !matches!(
            event,
            Event::Verdict(_) | Event::DriverLost | Event::Pressure(false) | Event::Manifold(false)
        )
    };
    for state in State::ALL {
        assert!(
            reachable(state, &good).contains(&State::PreCor { held: false }),
            "no way back into the test from {state:?}"
        );
    }
}

/// Whatever happens short of the operator, an error is left by the operator only.
#[test]
fn only_the_operator_leaves_an_error() {
    for state in [
        State::Error { at_start: false },
        State::Error { at_start: true },
    ] {
        for event in Event::all().filter(|event| !matches!(event, Event::Order(_))) {
            assert!(
                matches!(next(state, event).0, State::Error { .. }),
                "{event:?}"
            );
        }
    }
    // And a held test goes on only when the operator says so.
    for event in Event::all().filter(|event| *event != Event::Order(Order::Resume)) {
        let (to, _) = next(State::PreCor { held: true }, event);
        assert_ne!(to, State::PreCor { held: false }, "{event:?}");
    }
}

/// The test is entered through pre-run alone, and pre-run from the start position alone.
#[test]
fn a_test_begins_at_the_start_position() {
    for state in State::ALL {
        for event in Event::all() {
            let (to, _) = next(state, event);
            if to == (State::PreCor { held: false }) && !matches!(state, State::PreCor { .. }) {
                assert_eq!(state, State::PreRun);
            }
            if to == State::PreRun && state != State::PreRun {
                let at_start = matches!(
                    state,
                    State::Centering(Centering::AtStart) | State::Error { at_start: true }
                );
                assert!(at_start, "{state:?}");
            }
        }
    }
}

#[test]
fn a_verdict_is_never_milder_than_asked() {
    let run = State::PreCor { held: false };
    let after = |verdict| next(run, Event::Verdict(verdict)).0;
    assert_eq!(after(Verdict::Continue), run);
    assert_eq!(after(Verdict::Warn), run);
    assert_eq!(after(Verdict::Hold), State::PreCor { held: true });
    assert_eq!(
        after(Verdict::RampDown),
        State::Centering(Centering::RampDown)
    );
    assert_eq!(after(Verdict::Trip), State::Error { at_start: false });
}

#[test]
fn orders_have_names_and_the_screen_learns_which_are_heard() {
    for order in Order::ALL {
        assert_eq!(Order::from_name(order.name()), Some(order));
    }
    let heard: Vec<_> = State::PreCor { held: true }.orders().collect();
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
