//! Every `step` under an allocator that refuses.

use assert_no_alloc::assert_no_alloc;
use std::hint::black_box;
use tandem_signal::derivative::{BackwardDifference, Derivative, Lagrange};
use tandem_signal::filter::{Butterworth, FilterKind};
use tandem_signal::noise::{Quantiser, RateLimiter, Saturation, WhiteNoise};
use tandem_signal::record::el_centro_1940;

#[test]
fn steps_do_not_allocate() {
    let sos = Butterworth {
        order: 6,
        kind: FilterKind::Bandpass(0.5, 40.0),
        fs: 1000.0,
    }
    .design()
    .unwrap();
    let mut filter = sos.steady_state(0.0);
    let backward = BackwardDifference::new(0.001).unwrap();
    let mut difference = backward.state(0.0);
    let lagrange = Lagrange::new(Derivative::Second, 4, 0.001, 4).unwrap();
    let mut ring = lagrange.state(0.0);
    let mut noise = WhiteNoise::new(1.0, 1).unwrap();
    let quantiser = Quantiser::new(2.0_f64.powi(-18)).unwrap();
    let saturation = Saturation::new(3.8).unwrap();
    let limiter = RateLimiter::new(1.0, 0.001).unwrap();
    let mut rate = limiter.state(0.0);
    let record = el_centro_1940();
    let sum = assert_no_alloc(|| {
        let mut sum = 0.0;
        let mut time = 0.0;
        for _ in 0..40_000 {
            let value = record.at(time) + noise.next();
            sum += sos.step(&mut filter, value);
            sum += backward.step(&mut difference, value);
            sum += lagrange.step(&mut ring, value);
            sum += limiter.step(&mut rate, saturation.step(quantiser.step(value)));
            time += 0.001;
        }
        sos.settle(&mut filter, 1.0);
        sum
    });
    assert!(black_box(sum).is_finite());
}
