//! A command that may be written to a rig, and what those who stand around a rig may make of it.
#![allow(clippy::needless_pass_by_value)] // whoever is given a command uses it up

use crate::latest::{Reader, Writer, latest};
use std::ops::Deref;
use tandem_quantity::{Motion, copy_few, snapshot};

/// A command that the gate has let through: the only thing that [`crate::Rig::write`] takes.
///
/// It can be read like the [`Motion`] that it is, but nobody outside this crate can make one. It
/// borrows the state machine whose permit it goes by, and can be written once.
///
/// ```
/// fn sends(rig: &mut dyn tandem_safety::Rig, command: tandem_safety::Released<'_>) {
///     rig.write(command);
/// }
/// ```
///
/// A motion that has not been through the gate is none:
///
/// ```compile_fail,E0308
/// fn sends(rig: &mut dyn tandem_safety::Rig, command: &tandem_quantity::Motion) {
///     rig.write(command);
/// }
/// ```
///
/// and it cannot be made one by hand, only read:
///
/// ```
/// fn reads(released: &tandem_safety::Released<'_>) -> f64 {
///     let motion: &tandem_quantity::Motion = released;
///     motion.displacement[0]
/// }
/// ```
///
/// ```compile_fail,E0451
/// fn makes(motion: &tandem_quantity::Motion) -> tandem_safety::Released<'_> {
///     tandem_safety::Released { motion }
/// }
/// ```
///
/// nor changed, nor written twice:
///
/// ```compile_fail,E0596
/// fn changes(mut released: tandem_safety::Released<'_>) {
///     released.displacement[0] = 1.0;
/// }
/// ```
///
/// ```compile_fail,E0382
/// fn sends(rig: &mut dyn tandem_safety::Rig, command: tandem_safety::Released<'_>) {
///     rig.write(command);
///     rig.write(command);
/// }
/// ```
#[derive(Debug, PartialEq)]
pub struct Released<'a> {
    motion: &'a Motion,
}

impl<'a> Released<'a> {
    #[inline]
    pub(crate) fn new(motion: &'a Motion) -> Self {
        Self { motion }
    }
}

impl Deref for Released<'_> {
    type Target = Motion;

    #[inline]
    fn deref(&self) -> &Motion {
        self.motion
    }
}

/// Commands counted from another zero: displaced by what was set when the rig was put together, so
/// that every way between two commands stays what the gate has seen. The stroke is judged with
/// [`crate::SafetyGate::set_start`].
#[derive(Clone, Debug)]
pub struct Displaced {
    by: Vec<f64>,
    motion: Motion,
}

impl Displaced {
    /// By so much at each actuator, m.
    pub fn new(by: Vec<f64>) -> Self {
        let motion = Motion::at_rest(by.len());
        Self { by, motion }
    }

    /// How far, m.
    pub fn by(&self) -> &[f64] {
        &self.by
    }

    /// The command from the rig's own zero.
    #[inline]
    pub fn displace<'c>(&'c mut self, command: Released<'c>) -> Released<'c> {
        self.motion.copy_from(&command);
        for (x, by) in self.motion.displacement.iter_mut().zip(&self.by) {
            *x += by;
        }
        Released::new(&self.motion)
    }
}

/// Commands that do not get through whole: an actuator goes from where it was let to before towards
/// its command, and never beyond it.
#[derive(Clone, Debug)]
pub struct Following {
    motion: Motion,
}

snapshot!(Following { motion });

impl Following {
    /// From rest at zero.
    pub fn at_rest(actuators: usize) -> Self {
        let motion = Motion::at_rest(actuators);
        Self { motion }
    }

    /// What gets through of the command where an actuator can go so far, m; none: as it is told to.
    #[inline]
    pub fn follow<'c>(
        &'c mut self,
        command: Released<'c>,
        reach: impl Fn(usize) -> Option<f64>,
    ) -> Released<'c> {
        let through = &mut self.motion;
        for i in 0..through.len() {
            let x = command.displacement[i];
            match reach(i) {
                None => {
                    through.displacement[i] = x;
                    through.velocity[i] = command.velocity[i];
                    through.acceleration[i] = command.acceleration[i];
                }
                Some(reach) => {
                    let way = x - through.displacement[i];
                    through.displacement[i] += way.clamp(-reach, reach);
                    through.velocity[i] = 0.0;
                    through.acceleration[i] = 0.0;
                }
            }
        }
        Released::new(&self.motion)
    }
}

/// Both ends of a way for commands to a rig that goes by a clock of its own, in another thread.
pub fn hand_over(actuators: usize) -> (CommandSender, CommandReceiver) {
    let (commands, orders) = latest(3 * actuators);
    let last = Motion::at_rest(actuators);
    let command = last.clone();
    (
        CommandSender { commands, last },
        CommandReceiver { orders, command },
    )
}

/// The gate's side of a hand-over.
pub struct CommandSender {
    commands: Writer,
    last: Motion,
}

impl CommandSender {
    /// Makes this the newest command.
    #[inline]
    pub fn send(&mut self, command: Released<'_>) {
        self.last.copy_from(&command);
        self.send_last();
    }

    /// The last command stands; nothing moves on.
    pub fn hold(&mut self) {
        let mut faster = self.last.velocity.iter().chain(&self.last.acceleration);
        if faster.any(|v| *v != 0.0) {
            self.last.velocity.fill(0.0);
            self.last.acceleration.fill(0.0);
            self.send_last();
        }
    }

    #[inline]
    fn send_last(&mut self) {
        let Motion {
            displacement,
            velocity,
            acceleration,
        } = &self.last;
        self.commands
            .write([&displacement[..], &velocity[..], &acceleration[..]]);
    }
}

/// The rig's side of a hand-over.
pub struct CommandReceiver {
    orders: Reader,
    command: Motion,
}

impl CommandReceiver {
    /// The newest command that was sent, again and again until there is a newer one; none before
    /// the first.
    #[inline]
    pub fn newest(&mut self) -> Option<Released<'_>> {
        let (newest, count) = self.orders.read();
        if count == 0 {
            return None;
        }
        let n = self.command.len();
        let (displacement, faster) = newest.split_at(n);
        let (velocity, acceleration) = faster.split_at(n);
        copy_few(&mut self.command.displacement, displacement);
        copy_few(&mut self.command.velocity, velocity);
        copy_few(&mut self.command.acceleration, acceleration);
        Some(Released::new(&self.command))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f64, v: f64) -> Motion {
        Motion {
            displacement: vec![x],
            velocity: vec![v],
            acceleration: vec![0.0],
        }
    }

    #[test]
    fn a_command_is_displaced_and_nothing_else() {
        let mut displaced = Displaced::new(vec![0.25]);
        let command = at(0.5, 2.0);
        assert_eq!(*displaced.displace(Released::new(&command)), at(0.75, 2.0));
    }

    #[test]
    fn what_gets_through_lies_between_the_last_and_the_command() {
        let mut following = Following::at_rest(1);
        let command = at(1.0, 2.0);
        let mut follow =
            |reach: Option<f64>| following.follow(Released::new(&command), |_| reach).clone();
        assert_eq!(follow(Some(0.0)), at(0.0, 0.0));
        assert_eq!(follow(Some(0.25)), at(0.25, 0.0));
        assert_eq!(follow(Some(8.0)), at(1.0, 0.0));
        assert_eq!(follow(None), command);
    }

    #[test]
    fn a_command_is_handed_over_and_holds() {
        let (mut sender, mut receiver) = hand_over(1);
        // Who stands has nothing to say.
        sender.hold();
        assert_eq!(receiver.newest(), None);
        sender.send(Released::new(&at(0.5, 2.0)));
        for _ in 0..2 {
            assert_eq!(receiver.newest().as_deref(), Some(&at(0.5, 2.0)));
        }
        sender.hold();
        assert_eq!(receiver.newest().as_deref(), Some(&at(0.5, 0.0)));
        // Of several actuators every one has its own.
        let (mut sender, mut receiver) = hand_over(2);
        let command = Motion {
            displacement: vec![1.0, 2.0],
            velocity: vec![3.0, 4.0],
            acceleration: vec![5.0, 6.0],
        };
        sender.send(Released::new(&command));
        assert_eq!(receiver.newest().as_deref(), Some(&command));
    }
}
