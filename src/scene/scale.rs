//! From data to pixels and back: linear and logarithmic scales.

/// How an axis maps values to pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    domain: [f64; 2],
    range: [f64; 2],
    is_log: bool,
}

impl Scale {
    /// Equal steps: `domain` onto `range` (pixels, in any direction). An empty domain is made one wide.
    pub fn linear(domain: [f64; 2], range: [f64; 2]) -> Self {
        let [low, high] = domain;
        let high = if low == high { low + 1.0 } else { high };
        Self { domain: [low, high], range, is_log: false }
    }

    /// Equal factors. Ends that are not positive are moved to where they can be drawn.
    pub fn log(domain: [f64; 2], range: [f64; 2]) -> Self {
        let high = if 0.0 < domain[1] { domain[1] } else { 1.0 };
        let low = if 0.0 < domain[0] { domain[0] } else { high / 1e6 };
        let high = if low == high { low * 10.0 } else { high };
        Self { domain: [low.log10(), high.log10()], range, is_log: true }
    }

    /// The pixel of a value; `None` when it has no place (not finite, or not positive on a log scale).
    pub fn px(&self, value: f64) -> Option<f64> {
        let value = if self.is_log { value.log10() } else { value };
        let share = (value - self.domain[0]) / (self.domain[1] - self.domain[0]);
        share.is_finite().then(|| self.range[0] + share * (self.range[1] - self.range[0]))
    }

    /// The value of a pixel.
    pub fn value(&self, px: f64) -> f64 {
        let share = (px - self.range[0]) / (self.range[1] - self.range[0]);
        let value = self.domain[0] + share * (self.domain[1] - self.domain[0]);
        if self.is_log { 10f64.powf(value) } else { value }
    }
}
