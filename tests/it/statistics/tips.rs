//! What tooltips say of numbers that were computed.

use super::open;
use crate::support::rows::{page, wanted};
use lanescope::analysis::statistics::Options;
use lanescope::base::number::{exact, without_noise};
use lanescope::wire::rows::Source;

#[test]
fn tips_of_means_have_no_noise_of_arithmetic() {
    // Ten slices of 2,396,691 ns in all.
    let slice = |at: usize| {
        let dur = if at == 0 { "239.670" } else { "239.669" };
        format!(r#"{{"ph":"X","pid":1,"tid":1,"name":"f","ts":{},"dur":{dur}}}"#, 1_000 * at)
    };
    let events: Vec<String> = (0..10).map(slice).collect();
    let mut doc = open(&format!("[{}]", events.join(",")));
    let reply = page(&mut doc, Source::Statistics(Options::default()), wanted(None, ""));
    let mean = reply.page.columns.iter().position(|column| column.title == "Mean").unwrap();
    assert_eq!(reply.page.rows[0][mean].full, "239.6691 µs");
}

#[test]
fn whole_numbers_and_those_of_a_file_keep_their_digits() {
    for value in [0.1, 251.345, 9_007_199_254_740_991.0, 0.001, 1e300, -2.5, 123_456_789_012.345] {
        assert_eq!(exact(without_noise(value)), exact(value));
    }
    assert_eq!(exact(without_noise(0.1 + 0.2)), "0.3");
}
