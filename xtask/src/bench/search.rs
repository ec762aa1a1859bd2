//! Searches for workloads that are slower than they should be, among workloads drawn at random.
//!
//! A table of workloads invites tuning to the table. So what is judged here are properties that hold for every expression,
//! shape and layout:
//!
//! | property | what is violated |
//! |---|---|
//! | `peer` | no peer of the same accuracy is ahead by more than a tenth |
//! | `parts` | an expression needs no more time than its operators, one by one, on the values that they have in it |
//! | `neighbour` | a shape that differs in one dim, by one or by a factor of 2, costs at most 1.25 times as much per element, apart from what a call costs whatever its shape |
//! | `traffic` | an expression of up to two light operators needs at most 1.3 times as long as moving the bytes, or as its arithmetic in the first-level cache |
//! | `level` | the best level of instructions is not slower than a lower one by more than a twentieth |
//! | `threads` | two threads need no more time than one |
//!
//! A ratio is taken within one run, from minima. One that violates a property is measured again, with more readings, and counts
//! if it does so again. Broadaxe's processes are new ones then: where the system puts the pages of large operands decides about
//! a tenth, and stays the same while a process lives. Then the case is made simpler as long as it still violates the property.

mod draw;

use std::{
    collections::BTreeMap,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use broadaxe_testing::random::Random;
use serde::Serialize;

use self::draw::Case;
use super::{
    OWN,
    engine::{Engine, Role},
    exchange,
    figure::Figures,
    peers, programs, record, target,
    time::{self, Manner, Programs},
};

/// The peers that can be as fast: the others always make new results.
const RIVALS: [&str; 5] = ["numpy", "torch", "numexpr", "onnxruntime", "openvino"];
/// The lower levels that Broadaxe is also run at.
const LEVELS: [&str; 2] = ["avx2", "baseline"];
/// The time in which a case that violates a property is made simpler, and the share of all time that may go into that.
const SIMPLIFYING: Duration = Duration::from_secs(10);
const SIMPLIFYING_SHARE: u32 = 4;
/// The rounds of readings; twice as many where a case that violates a property is made simpler.
const ROUNDS: usize = 3;
/// The rounds of readings after which a violation counts.
const AGAIN_ROUNDS: usize = 12;
/// The elements below which all results are compared with the reference.
const CHECKED: u64 = 1 << 18;
/// How often as long as Broadaxe a peer may need to be read again.
const PATIENCE: f64 = 2.0;
/// The neighbours of a shape that are looked at.
const NEIGHBOURS: usize = 3;
/// The microseconds below which what a call costs is more than a hundredth.
const BRIEF_US: f64 = 10.0;
/// The bounds of the three classes of time, in microseconds.
const CLASSES: [(f64, &str); 3] = [(20.0, "below 20 us"), (200.0, "20 to 200 us"), (f64::INFINITY, "above 200 us")];

/// A property: its name, the largest ratio that keeps it, and the shortest time it is asked of, in microseconds.
struct Property {
    name: &'static str,
    most: f64,
    from_us: f64,
}

const PEER: Property = Property { name: "peer", most: 1.1, from_us: 0.0 };
const PARTS: Property = Property { name: "parts", most: 1.05, from_us: 0.0 };
const NEIGHBOUR: Property = Property { name: "neighbour", most: 1.25, from_us: 0.0 };
const MOVING: Property = Property { name: "traffic", most: 1.3, from_us: 20.0 };
const LEVEL: Property = Property { name: "level", most: 1.05, from_us: 0.0 };
const THREADS: Property = Property { name: "threads", most: 1.05, from_us: 0.0 };
const PROPERTIES: [&Property; 6] = [&PEER, &PARTS, &NEIGHBOUR, &MOVING, &LEVEL, &THREADS];

/// What was asked for.
#[derive(Debug, PartialEq)]
pub(super) struct SearchArgs {
    pub(super) seconds: u64,
    pub(super) seed: u64,
}

impl Default for SearchArgs {
    fn default() -> Self {
        Self { seconds: 300, seed: 1 }
    }
}

/// A ratio that a property limits.
#[derive(Clone, Debug)]
struct Ratio {
    property: &'static str,
    value: f64,
    /// The time of Broadaxe.
    own_us: f64,
    threads: usize,
    /// What it is compared with.
    against: String,
}

impl Ratio {
    /// Compares the time of Broadaxe with another one, in microseconds.
    fn new(property: &Property, own_us: f64, other_us: f64, threads: usize, against: &str) -> Self {
        Self { property: property.name, value: own_us / other_us, own_us, threads, against: against.to_owned() }
    }
}

/// A violation, for the record.
#[derive(Debug, Serialize)]
struct Found {
    property: &'static str,
    ratio: f64,
    own_us: f64,
    threads: usize,
    against: String,
    /// The drawn case, as a line of a table of workloads, and the simplest that violates the property too.
    drawn: String,
    simplest: String,
}

/// How often a property was asked in a class of times, and violated.
#[derive(Debug, Default)]
struct Tally {
    asked: usize,
    violated: usize,
}

/// Runs the search, prints what it finds, and records it.
pub(super) fn run(root: &Path, args: &SearchArgs, threads: &[usize], keep: bool) -> Result<(), String> {
    let mut search = Search::start(root, args.seed, threads)?;
    let budget = Duration::from_secs(args.seconds);
    while search.start.elapsed() < budget {
        search.next()?;
    }
    search.report(args);
    if keep { record::put(root, &format!("search {}", args.seed), &search.found, false) } else { Ok(()) }
}

/// The state of a search.
struct Search<'a> {
    random: Random,
    programs: Programs,
    engines: Vec<Engine>,
    threads: &'a [usize],
    folder: std::path::PathBuf,
    cases: usize,
    start: Instant,
    /// The time that went into simplifying.
    simplifying: Duration,
    wrong: Vec<String>,
    found: Vec<Found>,
    /// By property and class of time.
    tallies: BTreeMap<(&'static str, &'static str), Tally>,
}

impl<'a> Search<'a> {
    fn start(root: &Path, seed: u64, threads: &'a [usize]) -> Result<Self, String> {
        let programs = programs(root)?;
        let mut engines = own_engines(&programs)?;
        let python = peers::install(&target(root), &RIVALS.map(str::to_owned))?;
        let most = threads.iter().copied().max().unwrap_or(1);
        for peer in RIVALS {
            engines.push(Engine::start(peer, Role::Peer, &mut peers::command(root, &python, peer), most)?);
        }
        Ok(Self {
            random: Random::new(seed),
            programs,
            engines,
            threads,
            folder: exchange(root),
            cases: 0,
            start: Instant::now(),
            simplifying: Duration::ZERO,
            wrong: Vec::new(),
            found: Vec::new(),
            tallies: BTreeMap::new(),
        })
    }

    /// Draws a case and asks all properties of it.
    fn next(&mut self) -> Result<(), String> {
        let case = Case::draw(&mut self.random);
        let neighbours = self.some_neighbours(&case);
        self.cases += 1;
        for ratio in self.ratios(&case, &neighbours, None, ROUNDS)? {
            let Some(property) = PROPERTIES.into_iter().find(|own| own.name == ratio.property) else { continue };
            if ratio.own_us < property.from_us {
                continue;
            }
            let class = CLASSES.iter().find(|(most, _)| ratio.own_us < *most).map_or("", |(_, name)| name);
            let is_violated = ratio.value > property.most;
            let again = if is_violated { self.again(&case, &neighbours, &ratio)? } else { None };
            let tally = self.tallies.entry((property.name, class)).or_default();
            tally.asked += 1;
            if let Some(again) = again.filter(|again| again.value > property.most) {
                tally.violated += 1;
                self.keep(&case, &again, property)?;
            }
        }
        Ok(())
    }

    fn some_neighbours(&mut self, case: &Case) -> Vec<Case> {
        let mut all = case.neighbours();
        while all.len() > NEIGHBOURS {
            all.swap_remove(self.random.below(all.len()));
        }
        all
    }

    /// Measures a ratio once more, with more readings and new processes of Broadaxe.
    fn again(&mut self, case: &Case, neighbours: &[Case], before: &Ratio) -> Result<Option<Ratio>, String> {
        for own in own_engines(&self.programs)? {
            if let Some(engine) = self.engines.iter_mut().find(|engine| engine.name == own.name) {
                *engine = own;
            }
        }
        self.put_first(&before.against);
        let all = self.ratios(case, neighbours, Some(before.property), AGAIN_ROUNDS)?;
        Ok(all.into_iter().find(|now| {
            (now.property, now.threads, &now.against) == (before.property, before.threads, &before.against)
        }))
    }

    /// Makes a case simpler while it violates a property, prints it and keeps it.
    fn keep(&mut self, case: &Case, ratio: &Ratio, property: &'static Property) -> Result<(), String> {
        let (start, mut simplest, mut best) = (Instant::now(), case.clone(), ratio.clone());
        let is_short = self.simplifying > self.start.elapsed() / SIMPLIFYING_SHARE;
        'simpler: loop {
            for simpler in simplest.simpler() {
                if is_short || start.elapsed() > SIMPLIFYING {
                    break 'simpler;
                }
                let neighbours = if property.name == NEIGHBOUR.name { simpler.neighbours() } else { Vec::new() };
                self.put_first(&ratio.against);
                let ratios = self.ratios(&simpler, &neighbours, Some(property.name), 2 * ROUNDS)?;
                let violates = |now: &Ratio| {
                    now.value > property.most && now.own_us >= property.from_us && now.threads == ratio.threads
                };
                if let Some(now) = ratios.into_iter().find(violates) {
                    (simplest, best) = (simpler, now);
                    continue 'simpler;
                }
            }
            break;
        }
        self.simplifying += start.elapsed();
        let name = format!("{}{}", property.name, self.found.len());
        let found = Found {
            property: property.name,
            ratio: (best.value * 100.0).round() / 100.0,
            own_us: (best.own_us * 100.0).round() / 100.0,
            threads: best.threads,
            against: best.against,
            drawn: case.workload(&name).line(),
            simplest: simplest.workload(&name).line(),
        };
        let Found { ratio, own_us, threads, against, simplest, .. } = &found;
        println!("{:9} {ratio:5.2} {own_us:9.1} us {threads} thread(s), {against}: {simplest}", property.name);
        self.found.push(found);
        Ok(())
    }

    /// Measures the ratios of all properties, or of one of them with more readings.
    fn ratios(
        &mut self,
        case: &Case,
        neighbours: &[Case],
        only: Option<&str>,
        rounds: usize,
    ) -> Result<Vec<Ratio>, String> {
        let wants = |property: &Property| only.is_none_or(|name| name == property.name);
        // Broadaxe and the traffic come first; then the levels, unless a peer was put before them.
        let engines = match only {
            None => self.engines.len(),
            Some(_) if wants(&PEER) => 3,
            Some(_) if wants(&LEVEL) => 2 + LEVELS.len(),
            Some(_) => 2,
        };
        let base = self.measure(case, rounds, engines)?;
        let wrong = base.iter().filter_map(|figures| figures.own("out")).find(|own| own.check.starts_with("wrong"));
        if let Some(own) = wrong {
            self.wrong.push(format!("{}: {}", own.check, case.workload("wrong").line()));
        }
        let each = if case.is_light() && wants(&MOVING) { self.arithmetic(case, rounds)? } else { None };
        let mut all: Vec<Ratio> = base.iter().flat_map(|figures| within(case, figures, each)).collect();
        let own = |figures: &Figures| figures.own("out").map(|own| own.min_us);
        let Some(one_us) = base.first().and_then(own) else { return Ok(all) };
        if let Some((two_us, threads)) = base.get(1).and_then(|two| Some((own(two)?, two.threads))) {
            all.push(Ratio::new(&THREADS, two_us, one_us, threads, "one thread"));
        }
        if wants(&PARTS) {
            all.extend(self.parts(case, one_us, rounds)?);
        }
        if wants(&NEIGHBOUR) && !neighbours.is_empty() {
            all.extend(self.neighbours(case, neighbours, &base[0], rounds)?);
        }
        all.retain(|ratio| only.is_none_or(|name| name == ratio.property));
        Ok(all)
    }

    /// Returns the microseconds per element where all data is in the first-level cache.
    fn arithmetic(&mut self, case: &Case, rounds: usize) -> Result<Option<f64>, String> {
        let small = case.in_cache();
        let figures = self.measure(&small, rounds, 2)?;
        Ok(figures[0].own("out").map(|own| own.min_us / small.elements() as f64))
    }

    /// Puts an engine behind Broadaxe and the traffic if it is a peer; otherwise the levels.
    fn put_first(&mut self, name: &str) {
        let is_peer = RIVALS.contains(&name);
        self.engines[2..].sort_by_key(|engine| (engine.role == Role::Level) == is_peer);
        if let Some(at) = self.engines.iter().position(|engine| engine.name == name).filter(|_| is_peer) {
            self.engines.swap(2, at);
        }
    }

    /// Compares an expression with its operators, one by one.
    fn parts(&mut self, case: &Case, own_us: f64, rounds: usize) -> Result<Option<Ratio>, String> {
        let parts = case.parts();
        if parts.len() < 2 {
            return Ok(None);
        }
        let (threads, mut sum) = (self.threads[0], 0.0);
        for part in parts {
            let figures = self.measure(&part, rounds, 2)?;
            let Some(own) = figures[0].own("out") else { return Ok(None) };
            sum += own.min_us;
        }
        Ok(Some(Ratio::new(&PARTS, own_us, sum, threads, "its operators")))
    }

    /// Compares the time per element of shapes that are alike, each relative to what moving its bytes costs where that
    /// differs.
    fn neighbours(
        &mut self,
        case: &Case,
        neighbours: &[Case],
        base: &Figures,
        rounds: usize,
    ) -> Result<Option<Ratio>, String> {
        let cost = |case: &Case, figures: &Figures| {
            Some(Cost {
                us: figures.own("out")?.min_us,
                elements: case.elements() as f64,
                traffic_us: figures.traffic()?.min_us,
            })
        };
        let Some(own) = cost(case, base) else { return Ok(None) };
        let call_us = if own.us < BRIEF_US {
            self.measure(&case.of_one_element(), rounds, 2)?[0].own("out").map_or(0.0, |call| call.min_us)
        } else {
            0.0
        };
        let mut worst = Ratio::new(&NEIGHBOUR, own.us, f64::INFINITY, self.threads[0], "a neighbour");
        for other in neighbours {
            let figures = self.measure(other, rounds, 2)?;
            let Some(its) = cost(other, &figures[0]) else { continue };
            worst.value = worst.value.max(own.relative_to(&its, call_us)).max(its.relative_to(&own, call_us));
        }
        Ok(Some(worst))
    }

    /// Measures a case on the first `engines` engines.
    fn measure(&mut self, case: &Case, rounds: usize, engines: usize) -> Result<Vec<Figures>, String> {
        // NumPy needs seconds for large results of f16: such are compared only where a peer seems to be ahead.
        let checks = engines > 2 && (rounds > ROUNDS || case.elements() < CHECKED);
        let manner = Manner {
            threads: self.threads,
            rounds,
            seconds: 0.015,
            fresh: false,
            folder: &self.folder,
            checks,
            patience: PATIENCE,
        };
        time::measure(&case.workload("drawn"), &mut self.engines[..engines], &manner)
    }

    /// Prints how often each property was violated.
    fn report(&self, args: &SearchArgs) {
        println!("seed {}: {} cases, {} with a wrong value", args.seed, self.cases, self.wrong.len());
        for line in &self.wrong {
            println!("wrong: {line}");
        }
        for property in PROPERTIES {
            for (_, class) in CLASSES {
                let Some(Tally { asked, violated }) = self.tallies.get(&(property.name, class)) else { continue };
                let percent = 100.0 * *violated as f64 / (*asked).max(1) as f64;
                println!("{:10} {class:13} {violated:4} of {asked:5} {percent:5.1} %", property.name);
            }
        }
    }
}

/// Starts Broadaxe at all levels, and the traffic.
fn own_engines(programs: &Programs) -> Result<Vec<Engine>, String> {
    let mut engines = Vec::from(programs.start()?);
    for level in LEVELS {
        let mut command = Command::new(&programs.runner);
        engines.push(Engine::start(&format!("{OWN} {level}"), Role::Level, command.env("BROADAXE_ISA", level), 1)?);
    }
    Ok(engines)
}

/// What a case costs.
struct Cost {
    us: f64,
    elements: f64,
    /// What moving its bytes costs.
    traffic_us: f64,
}

impl Cost {
    /// Returns the ratio of the time to what another case lets expect: its time, without the `call_us` that a call costs whatever
    /// its shape, in proportion to the elements, or to the traffic if that is more.
    fn relative_to(&self, other: &Self, call_us: f64) -> f64 {
        let call_us = call_us.min(self.us).min(other.us);
        let expected = |scale: f64| call_us + (other.us - call_us) * scale;
        self.us / expected(self.elements / other.elements).max(expected(self.traffic_us / other.traffic_us))
    }
}

/// Returns the ratios of the engines that computed a case, whose arithmetic needs `each_us` microseconds per element, if
/// that is known.
fn within(case: &Case, figures: &Figures, each_us: Option<f64>) -> Vec<Ratio> {
    let Some(own) = figures.own("out").map(|own| own.min_us) else { return Vec::new() };
    let ratio = |property, other: Option<f64>, name: &str| {
        other.map(|other| Ratio::new(property, own, other, figures.threads, name))
    };
    let peer = best_peer(case, figures);
    let traffic = figures.traffic().zip(each_us).map(|(traffic, each)| {
        // Threads share the arithmetic.
        traffic.min_us.max(each * case.elements() as f64 / figures.threads as f64)
    });
    let level = |name: &&str| figures.series(&format!("{OWN} {name}"), "out").map(|lower| lower.min_us);
    let lower = LEVELS.iter().filter_map(level).reduce(f64::min);
    let name = peer.as_ref().map_or("", |(name, _)| name);
    let all = [
        ratio(&PEER, peer.as_ref().map(|peer| peer.1), name),
        ratio(&MOVING, traffic, "traffic"),
        ratio(&LEVEL, lower, "lower levels"),
    ];
    all.into_iter().flatten().collect()
}

/// Returns the fastest peer with a right result and its time in microseconds, among those whose result is no less accurate:
/// engines approximate functions, fuse products with sums, and leave out roundings between operators on halves.
fn best_peer(case: &Case, figures: &Figures) -> Option<(String, f64)> {
    let off = |check: &str| if check == "exact" { Some(0.0) } else { check.parse::<f64>().ok() };
    let own = figures.own("out").and_then(|own| off(&own.check));
    let peers = figures.peers("out");
    let right = peers.iter().filter(|peer| !peer.check.starts_with("wrong"));
    // A few units in the last place make no difference.
    let little = if case.dtype == "f64" { 1e-15 } else { 1e-7 };
    let accurate = |peer: &&&super::figure::Series| match (off(&peer.check), own) {
        (Some(its), Some(own)) => its <= 2.0 * if case.is_approximate() { own.max(little) } else { own },
        _ => true,
    };
    right.filter(accurate).map(|peer| (peer.engine.clone(), peer.min_us)).min_by(|a, b| a.1.total_cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_compared_without_what_a_call_costs() {
        let cost = |us, elements, traffic_us| Cost { us, elements, traffic_us };
        // Twice the elements need twice the time beyond a call of 0.05.
        let (small, large) = (cost(0.1, 100.0, 0.01), cost(0.15, 200.0, 0.02));
        for (own, other) in [(&small, &large), (&large, &small)] {
            assert!((own.relative_to(other, 0.05) - 1.0).abs() < 1e-9);
        }
        // Per element, the small one costs a third more if a call costs nothing.
        assert!((small.relative_to(&large, 0.0) - 4.0 / 3.0).abs() < 1e-9);
        // Three times the time for twice the elements is too much, unless they need three times the traffic.
        assert!((cost(0.3, 200.0, 0.02).relative_to(&small, 0.0) - 1.5).abs() < 1e-9);
        assert!((cost(0.3, 200.0, 0.03).relative_to(&small, 0.0) - 1.0).abs() < 1e-9);
        // A call that seems to cost more than a whole one is no reason for a ratio below zero.
        assert!((small.relative_to(&large, 1.0) - 0.8).abs() < 1e-9);
    }
}
