//! Orders of the operator, from any number of threads to the loop, without a wait on either side.
//!
//! A pending order is one bit. Giving an order sets it, the loop takes all bits at once at the
//! beginning of a tick: both are one atomic instruction. Nothing can be full, an emergency stop
//! never queues behind anything, and of orders given within one tick the strictest comes first.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use tandem_safety::machine::Order;

#[derive(Debug, Default)]
struct Shared {
    pending: AtomicU32,
    heartbeats: AtomicU64,
    /// A stop or an emergency stop has been ordered at some time.
    stop: Arc<AtomicBool>,
}

/// The operator's side: give orders from a screen, a signal handler, a link. Clones give to the
/// same loop.
#[derive(Clone, Debug)]
pub struct Console(Arc<Shared>);

/// The loop's side.
#[derive(Debug)]
pub struct Orders(Arc<Shared>);

/// A console and the loop's side of it.
pub fn console() -> (Console, Orders) {
    let shared = Arc::new(Shared::default());
    (Console(Arc::clone(&shared)), Orders(shared))
}

fn bit(order: Order) -> u32 {
    1 << order as u32
}

impl Console {
    /// Gives an order. It is heard at the next tick, or not at all where the state does not allow
    /// it ([`tandem_safety::machine::MachineState::orders`] says which do).
    pub fn give(&self, order: Order) {
        if matches!(order, Order::Stop | Order::EmergencyStop) {
            self.0.stop.store(true, Ordering::Relaxed);
        }
        self.0.pending.fetch_or(bit(order), Ordering::Release);
    }

    /// The operator is still there. With `limits.operator_timeout` the loop acts when these stay
    /// away.
    pub fn heartbeat(&self) {
        self.0.heartbeats.fetch_add(1, Ordering::Relaxed);
    }
}

impl Orders {
    /// The orders given since the last call, the strictest first.
    #[inline]
    pub fn take(&mut self) -> impl Iterator<Item = Order> + use<> {
        let pending = self.0.pending.swap(0, Ordering::Acquire);
        Order::ALL
            .into_iter()
            .filter(move |order| pending & bit(*order) != 0)
    }

    /// True once a stop has been ordered: for whoever waits beside the loop, such as the server of
    /// an external integrator.
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0.stop)
    }

    /// How often the operator has been heard.
    #[inline]
    pub fn heartbeats(&self) -> u64 {
        self.0.heartbeats.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_come_once_and_the_strictest_first() {
        let (console, mut orders) = console();
        assert_eq!(orders.take().next(), None);
        console.give(Order::Resume);
        let other = console.clone();
        other.give(Order::EmergencyStop);
        other.give(Order::Pause);
        other.give(Order::Pause);
        let taken: Vec<_> = orders.take().collect();
        assert_eq!(taken, [Order::EmergencyStop, Order::Pause, Order::Resume]);
        assert_eq!(orders.take().next(), None);
    }

    /// While another thread gives an order without a rest, none that is given beside it is lost.
    #[test]
    fn no_order_is_lost_between_threads() {
        const GIVEN: [Order; 3] = [Order::EmergencyStop, Order::Centre, Order::Pause];
        let (console, mut orders) = console();
        let over = Arc::new(AtomicBool::new(false));
        let restless = {
            let (console, over) = (console.clone(), Arc::clone(&over));
            std::thread::spawn(move || {
                let mut times = 0_u64;
                while !over.load(Ordering::Relaxed) {
                    console.give(Order::Resume);
                    console.heartbeat();
                    times += 1;
                }
                times
            })
        };
        let begun = std::time::Instant::now();
        while begun.elapsed().as_millis() < 500 {
            for order in GIVEN {
                console.give(order);
            }
            let taken: Vec<_> = orders.take().filter(|o| *o != Order::Resume).collect();
            assert_eq!(taken, GIVEN);
        }
        over.store(true, Ordering::Relaxed);
        let times = restless.join().unwrap();
        assert!(times > 0);
        assert_eq!(orders.heartbeats(), times);
    }

    /// An order that is given while others are taken is among these or the next.
    #[test]
    fn no_order_is_lost_between_two_looks() {
        let (console, mut orders) = console();
        let heard = Arc::new(AtomicU64::new(0));
        let over = Arc::new(AtomicBool::new(false));
        let giver = {
            let (heard, over) = (Arc::clone(&heard), Arc::clone(&over));
            std::thread::spawn(move || {
                for n in 0.. {
                    console.give(Order::Pause);
                    while heard.load(Ordering::Acquire) <= n {
                        if over.load(Ordering::Relaxed) {
                            return;
                        }
                        std::hint::spin_loop();
                    }
                }
            })
        };
        // Long enough for many thousands, or for some where both threads share a core.
        let begun = std::time::Instant::now();
        while begun.elapsed().as_millis() < 500 || heard.load(Ordering::Relaxed) < 20 {
            for order in orders.take() {
                assert_eq!(order, Order::Pause);
                heard.fetch_add(1, Ordering::Release);
            }
            assert!(begun.elapsed().as_secs() < 60, "{heard:?} heard");
        }
        over.store(true, Ordering::Relaxed);
        giver.join().unwrap();
    }
}
