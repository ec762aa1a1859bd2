//! The arguments that are asked: drawn ones, and those at which functions change.

/// Draws numbers; a counter, mixed (Steele, Lea and Flood's `SplitMix`).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn even(&mut self, (low, high): (f64, f64)) -> f64 {
        low + (self.bits() >> 11) as f64 * 2f64.powi(-53) * (high - low)
    }

    /// Draws of any bits, of exponents within 32 of 1, or twice evenly from a range.
    pub(crate) fn number(&mut self, kind: usize, range: (f64, f64)) -> f64 {
        let bits = self.bits();
        match kind % 4 {
            0 => f64::from_bits(bits),
            1 => f64::from_bits(bits & 0x800f_ffff_ffff_ffff | (1023 - 32 + (bits >> 52 & 63)) << 52),
            _ => self.even(range),
        }
    }

    /// Draws a second argument near x or independent of it: as `number`, or near x, or such that x to its power is finite.
    pub(crate) fn second(&mut self, name: &str, x: f64, kind: usize, range: (f64, f64)) -> f64 {
        if kind % 4 < 3 {
            return self.number(kind, range);
        }
        if name == "pow" {
            return self.even((-1080.0, 1030.0)) / x.abs().log2();
        }
        let step = 2f64.powi(-((self.bits() % 60) as i32));
        x * (1.0 + step * self.even((-1.0, 1.0)))
    }
}

/// Adds a number, its neighbours and their negatives.
fn around(numbers: &mut Vec<f64>, x: f64) {
    for x in [x, x.next_up(), x.next_down()] {
        numbers.extend([x, -x]);
    }
}

/// Lists where functions begin, end or change: the ends of f64's ranges, powers of two, halves, multiples of pi / 2,
/// where results overflow or vanish, and the f64 nearest to a multiple of pi / 2; all with their neighbours.
pub(crate) fn edges() -> Vec<f64> {
    let mut numbers = corners();
    (-1074..=1023).for_each(|k| around(&mut numbers, 2f64.powi(k / 2) * 2f64.powi(k - k / 2)));
    (1..=2200).for_each(|k| around(&mut numbers, 0.5 * f64::from(k)));
    (1..=20_000).for_each(|k| around(&mut numbers, f64::from(k) * std::f64::consts::FRAC_PI_2));
    numbers
}

/// Lists the most important edges.
pub(crate) fn corners() -> Vec<f64> {
    let mut numbers = vec![0.0, -0.0, f64::MAX, f64::MIN];
    let more = [
        5e-324,
        f64::MIN_POSITIVE,
        f64::MIN_POSITIVE.next_down(),
        f64::EPSILON,
        f64::from(f32::MIN_POSITIVE),
        f64::from(f32::MAX),
        1e-300,
        1e-30,
        1e-5,
        1.0,
        2.0,
        3.0,
        0.5,
        0.25,
        1.5,
        10.0,
        1023.0,
        1024.0,
        1074.0,
        1075.0,
        88.722_839_052_068_35,
        103.972_077_083_991_8,
        709.782_712_893_384,
        710.475_860_073_943_9,
        745.133_219_101_941_1,
        708.396_418_532_264_1,
        36.736_800_569_677_1,
        18.714_973_875_118_524,
        5.921_587_195_794_507,
        38.485_408_335_56,
        4e5,
        2.7e8,
        4e-9,
        1e22,
        1e30,
        1e300,
        5.319_372_648_326_541e255,
    ];
    for x in more {
        around(&mut numbers, x);
    }
    numbers
}
