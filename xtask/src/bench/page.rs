//! The page: `docs/performance.md` and its drawings, from the newest records and the notes of `bench/notes.txt`.

use std::{collections::BTreeSet, fmt::Write, fs, path::Path};

use super::{
    OWN, WORKLOADS, chart,
    code::{self, Measure},
    figure::{ALLOWED_PEER, Figures, OVERHEAD, SMALLEST, Series},
    plot::Line,
    record::{self, Section},
    sweep,
};

const PAGE: &str = "docs/performance.md";
const NOTES: &str = "bench/notes.txt";
const SWEEPS: [(&str, &str); 3] = [
    (
        "sizes",
        "An element should cost the same at every size. More than 1.3 times the cost of the next smaller size breaks \
               the rule, unless the bytes leave a cache between the two or moving them alone costs more too.",
    ),
    (
        "ranks",
        "The same number of elements should cost the same at every rank. More than 1.3 times the cost of the next lower \
               rank breaks the rule.",
    ),
    (
        "threads",
        "Two threads should never take over 1.02 times as long as one, and work that is not bound by memory and takes \
                 over 200 µs should be 1.8 times faster with them.",
    ),
];

/// Holds a note: what it is about, and what is to be said.
struct Note {
    about: String,
    says: String,
}

/// Holds a target that is missed: what misses it, the same more exactly, and by how much.
struct Miss {
    about: String,
    exactly: String,
    by: String,
}

/// Writes the page and draws everything on it.
pub(super) fn write(root: &Path) -> Result<(), String> {
    let notes = notes(&fs::read_to_string(root.join(NOTES)).map_err(|error| format!("{NOTES}: {error}"))?)?;
    let mut misses = Vec::new();
    let mut body = String::new();
    let (workloads, others) = own_and_others(record::of_each_cpu(root, WORKLOADS)?);
    if let Some(section) = &workloads {
        draw_workloads(root, section)?;
        body += &overhead(section);
        body += &tables(section);
        misses.extend(missed_by_workloads(&section.rows));
    }
    body.extend(others.iter().map(elsewhere));
    for (name, rule) in SWEEPS {
        if let Some(section) = record::latest::<Line>(root, name)? {
            let drawing = sweep::draw(name, &section.rows, &place(&section))?;
            record::write(root, &format!("{name}.svg"), &drawing)?;
            let broken = sweep::judge(name, &section.rows, &section.caches)?;
            body += &swept(name, rule, &section, &broken);
            let miss = |by| Miss { about: name.to_owned(), exactly: name.to_owned(), by };
            misses.extend(broken.into_iter().map(miss));
        }
    }
    if let Some(section) = record::latest::<Measure>(root, code::SECTION)? {
        body += &code_table(&section);
        let miss = |m: &Measure| Miss {
            about: "code".to_owned(),
            exactly: m.name.clone(),
            by: format!("{:.2} {}, target {}", m.value, m.unit, m.target),
        };
        misses.extend(section.rows.iter().filter(|measure| measure.is_missed()).map(miss));
    }
    let text = format!("{}{}{body}", head(workloads.as_ref()), missed(&misses, &notes));
    fs::create_dir_all(root.join("docs")).map_err(|error| format!("docs: {error}"))?;
    fs::write(root.join(PAGE), text.trim_end().to_owned() + "\n").map_err(|error| format!("{PAGE}: {error}"))?;
    println!("{PAGE}: {} targets missed", misses.len());
    for miss in misses.iter().filter(|miss| note(miss, &notes).is_none()) {
        println!("  {NOTES} says nothing of {}: {}", miss.exactly, miss.by);
    }
    Ok(())
}

/// Takes the section that the page is about, and one of each other CPU.
///
/// The kernels to compare with were measured with AVX-512: the newest section of a CPU that has it goes before newer ones.
fn own_and_others(mut sections: Vec<Section<Figures>>) -> (Option<Section<Figures>>, Vec<Section<Figures>>) {
    let own = (!sections.is_empty()).then(|| {
        // Records from before levels were noted are of CPUs that have it.
        let has_it = |section: &Section<Figures>| matches!(section.level.as_deref(), None | Some("avx512"));
        let at = sections.iter().position(has_it).unwrap_or(0);
        sections.remove(at)
    });
    (own, sections)
}

/// Returns the table of another CPU: how it compares with the peers there.
fn elsewhere(section: &Section<Figures>) -> String {
    let rows: Vec<(&Figures, &Series)> =
        section.rows.iter().filter_map(|figures| Some((figures, figures.own("out")?))).collect();
    let behind =
        |&&(figures, own): &&(&Figures, &Series)| figures.best_peer("out").is_some_and(|best| is_ahead(best, own));
    let mut text = format!(
        "## On another CPU\n\nFrom `bench/record/{}`: {}, with {}. A peer's column says how many times as long as Broadaxe it takes; it is \
         bold where the peer is ahead, which is so in {} of {} rows.\n\n| workload | threads | Broadaxe µs | × traffic |",
        section.file,
        place(section),
        section.level.as_deref().unwrap_or("instructions that were not noted"),
        rows.iter().filter(behind).count(),
        rows.len()
    );
    let peers: BTreeSet<&str> =
        section.rows.iter().flat_map(|figures| figures.peers("out")).map(|peer| peer.engine.as_str()).collect();
    for peer in &peers {
        let _ = write!(text, " {peer} × |");
    }
    text += "\n|---|---|---|---|";
    text += &"---|".repeat(peers.len());
    for (figures, own) in rows {
        let traffic = figures.traffic().map_or_else(|| "-".to_owned(), |t| format!("{:.2}", own.min_us / t.min_us));
        let _ = write!(text, "\n| {} | {} | {} | {traffic} |", figures.workload, figures.threads, short(own.min_us));
        for peer in &peers {
            let cell = figures.series(peer, "out").map_or_else(
                || "-".to_owned(),
                |series| {
                    let wrong = if series.check.starts_with("wrong") { " wrong" } else { "" };
                    let bold = if wrong.is_empty() && is_ahead(series, own) { "**" } else { "" };
                    format!("{bold}{:.2}{bold}{wrong}", series.min_us / own.min_us)
                },
            );
            let _ = write!(text, " {cell} |");
        }
    }
    text + "\n\n"
}

/// Says whether a peer takes less time, by more than what minima differ by.
fn is_ahead(peer: &Series, own: &Series) -> bool {
    own.min_us > ALLOWED_PEER * peer.min_us
}

/// Reads notes, one a line: what it is about | what is to be said.
fn notes(text: &str) -> Result<Vec<Note>, String> {
    let mut notes = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
    {
        let (about, says) =
            line.split_once('|').ok_or_else(|| format!("{NOTES}: line {}: write ABOUT | NOTE", number + 1))?;
        notes.push(Note { about: about.trim().to_owned(), says: says.trim().to_owned() });
    }
    Ok(notes)
}

/// Returns the note on a miss: one on exactly it, or else one on its workload or sweep.
fn note<'a>(miss: &Miss, notes: &'a [Note]) -> Option<&'a str> {
    let find = |about: &str| notes.iter().find(|note| note.about == about);
    find(&miss.exactly).or_else(|| find(&miss.about)).map(|note| note.says.as_str())
}

fn missed_by_workloads(rows: &[Figures]) -> Vec<Miss> {
    let mut misses = Vec::new();
    for figures in rows {
        for mode in ["out", "unplanned", "fresh"] {
            let by = figures.misses(mode);
            if !by.is_empty() {
                let threads =
                    if figures.threads == 1 { String::new() } else { format!(" {} threads", figures.threads) };
                let mode = if mode == "out" { String::new() } else { format!(" {mode}") };
                let exactly = format!("{}{threads}{mode}", figures.workload);
                misses.push(Miss { about: figures.workload.clone(), exactly, by: by.join(", ") });
            }
        }
    }
    misses
}

fn threads_of(rows: &[Figures]) -> BTreeSet<usize> {
    rows.iter().map(|figures| figures.threads).collect()
}

fn thread(threads: usize) -> String {
    if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") }
}

/// Says where and when a section was taken.
fn place<Row>(section: &Section<Row>) -> String {
    let quick = if section.quick { ", a quick run" } else { "" };
    format!("{}, {}{quick}", section.cpu, section.date)
}

/// Draws a chart for the workloads with a kernel to compare with, and one for the rest, for every thread count.
fn draw_workloads(root: &Path, section: &Section<Figures>) -> Result<(), String> {
    for threads in threads_of(&section.rows) {
        for (name, known) in [("workloads", true), ("further", false)] {
            let chosen = |f: &&Figures| f.threads == threads && (f.known_us > 0.0) == known;
            let rows: Vec<&Figures> = section.rows.iter().filter(chosen).collect();
            let title = format!("Time as a multiple of the limit, {}, {}", thread(threads), place(section));
            record::write(root, &format!("{name}-{threads}.svg"), &chart::draw(&rows, "out", &title))?;
        }
    }
    Ok(())
}

fn head(section: Option<&Section<Figures>>) -> String {
    let taken = section.map_or_else(
        || "No workloads are recorded yet.".to_owned(),
        |section| {
            format!(
                "The workloads are those of `bench/record/{}`: {}, {} CPUs. It is the newest record of a CPU with AVX-512, as the kernels \
                 to compare with have it; how Broadaxe compares with its peers on other CPUs stands below.",
                section.file,
                place(section),
                section.cores
            )
        },
    );
    format!(
        "<!-- Generated by `cargo xtask bench --page` from bench/record/ and bench/notes.txt. -->\n\n# Performance\n\n\
         {taken}\n\n\
         Every engine is a process of its own; they run one at a time, in another order every round. Figures are minima of all \
         readings in microseconds, unless they are called medians, and what counts are ratios within one run. All results are \
         compared with NumPy's.\n\n\
         - **traffic**: reading every byte of the operands and writing every byte of the result, in the same run and rounds, \
         with ordinary stores or with streaming ones, whichever is faster.\n\
         - **kernel**: the best hand-written kernel known for exactly this workload, in microseconds as measured once on a 2-core EPYC \
         (Zen 4); for two threads, half of that if it is over 20 µs. `bench/workloads.txt` has these figures.\n\
         - **limit**: the longer of the two. The target is at most 1.15 times the limit, and no peer ahead (by more than the \
         2 % in which minima differ).\n\n\
         `cargo xtask bench --peers all --record` takes the workloads anew, `--sweep all --record` the sweeps, `--size --record` the \
         code; `bench/README.md` says more.\n\n"
    )
}

fn missed(misses: &[Miss], notes: &[Note]) -> String {
    let mut text = String::from("## Targets that are missed\n\n");
    if misses.is_empty() {
        return text + "None, in the newest records.\n\n";
    }
    text += "| what | missed by | why, what was tried, what would be needed |\n|---|---|---|\n";
    for miss in misses {
        // Writing into a string cannot fail, here and below.
        let _ = writeln!(text, "| {} | {} | {} |", miss.exactly, miss.by, note(miss, notes).unwrap_or(""));
    }
    text + "\n"
}

fn overhead(section: &Section<Figures>) -> String {
    let mut text = format!(
        "## Call overhead\n\nOne addition of 4 + 4 floats (`{SMALLEST}`), timed inside the runner: with its plan reused, and from the \
         parsed expression.\n\n| call | ns | median | target |\n|---|---|---|---|\n"
    );
    let own = section.rows.iter().find(|f| f.workload == SMALLEST && f.threads == 1);
    for (mode, target) in OVERHEAD {
        if let Some(series) = own.and_then(|figures| figures.own(mode)) {
            let name = if mode == "out" { "planned" } else { mode };
            let _ = writeln!(
                text,
                "| {name} | {:.1} | {:.1} | {:.0} |",
                series.min_us * 1e3,
                series.median_us * 1e3,
                target * 1e3
            );
        }
    }
    text + "\n"
}

/// Returns a table for every thread count, and one for fresh results.
fn tables(section: &Section<Figures>) -> String {
    let mut text = String::new();
    for threads in threads_of(&section.rows) {
        let rows: Vec<&Figures> = section.rows.iter().filter(|f| f.threads == threads).collect();
        let _ = write!(
            text,
            "## Workloads, {0}\n\n![Every workload with a kernel to compare with](../bench/record/workloads-{threads}.svg)\n\n\
             ![Further workloads](../bench/record/further-{threads}.svg)\n\nColumns with an × are multiples of the limit, unless they \
             say of what. Bold rows miss a target.\n\n{1}\n",
            thread(threads),
            table(&rows, "out")
        );
    }
    let fresh: Vec<&Figures> = section.rows.iter().filter(|f| f.own("fresh").is_some()).collect();
    if !fresh.is_empty() {
        let _ = write!(
            text,
            "## Fresh results\n\nThe result is allocated in the call, and is 64 MiB or larger. The limit knows nothing of new \
             pages; the target is that no peer is ahead.\n\n{}\n",
            table(&fresh, "fresh")
        );
    }
    text
}

fn table(rows: &[&Figures], mode: &str) -> String {
    let peers: BTreeSet<&str> = rows.iter().flat_map(|f| f.peers(mode)).map(|s| s.engine.as_str()).collect();
    let mut text =
        "| workload | threads | limit µs | Broadaxe µs | median | × limit | × traffic | × kernel | × best peer |"
            .to_owned();
    for peer in &peers {
        let _ = write!(text, " {peer} × |");
    }
    text += "\n|---|---|---|---|---|---|---|---|---|";
    text += &"---|".repeat(peers.len());
    text.push('\n');
    for figures in rows {
        text += &row(figures, mode, &peers);
        text.push('\n');
    }
    text
}

fn row(figures: &Figures, mode: &str, peers: &BTreeSet<&str>) -> String {
    let Some(own) = figures.own(mode) else {
        let why = figures.skipped.iter().find(|(who, _)| who.starts_with(OWN)).map_or("", |(_, why)| why);
        return format!("| {} | {} | {why} |", figures.workload, figures.threads);
    };
    let of = |us: Option<f64>| us.map_or_else(|| "-".to_owned(), |us| format!("{:.2}", own.min_us / us));
    let limit = figures.limit();
    let bold = if figures.misses(mode).is_empty() { "" } else { "**" };
    let best = figures.best_peer(mode);
    let mut text = format!(
        "| {bold}{}{bold} | {} | {} | {} | {} | {bold}{}{bold} | {} | {} | {}{} |",
        figures.workload,
        figures.threads,
        limit.map_or_else(|| "-".to_owned(), short),
        short(own.min_us),
        short(own.median_us),
        of(limit),
        of(figures.traffic().map(|series| series.min_us)),
        of(figures.known()),
        of(best.map(|peer| peer.min_us)),
        best.map_or_else(String::new, |peer| format!(" {}", peer.engine)),
    );
    for peer in peers {
        let times = figures.series(peer, mode).map(|series| {
            let wrong = if series.check.starts_with("wrong") { " wrong" } else { "" };
            format!("{:.2}{wrong}", series.min_us / limit.unwrap_or(f64::NAN))
        });
        let _ = write!(text, " {} |", times.unwrap_or_else(|| "-".to_owned()));
    }
    text
}

/// Writes microseconds with three digits.
fn short(us: f64) -> String {
    match us {
        us if us >= 100.0 => format!("{us:.0}"),
        us if us >= 10.0 => format!("{us:.1}"),
        us if us >= 1.0 => format!("{us:.2}"),
        us => format!("{us:.3}"),
    }
}

fn swept(name: &str, rule: &str, section: &Section<Line>, broken: &[String]) -> String {
    let mut text = format!(
        "## Sweep over {name}\n\n{rule}\n\n![Sweep over {name}](../bench/record/{name}.svg)\n\nFrom `bench/record/{}`: {}.\n\n",
        section.file,
        place(section)
    );
    if broken.is_empty() {
        text += "No point breaks the rule.\n\n";
        return text;
    }
    text += "These points break it:\n\n";
    for point in broken {
        let _ = writeln!(text, "- {point}");
    }
    text + "\n"
}

fn code_table(section: &Section<Measure>) -> String {
    let mut text = format!(
        "## Code\n\nThe engine is measured in a program that holds all of it and little else. Loaded sections are what a stripped file holds. From \
         `bench/record/{}`: {}.\n\n| what | measured | target |\n|---|---|---|\n",
        section.file,
        place(section)
    );
    for Measure { name, value, target, unit } in &section.rows {
        let target = if *target > 0.0 { format!("{target} {unit}") } else { "-".to_owned() };
        let _ = writeln!(text, "| {name} | {value} {unit} | {target} |");
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::{
        super::figure::{TRAFFIC, made},
        *,
    };

    fn rows() -> Vec<Figures> {
        vec![
            made("tiny4", 1, 0.03, &[("broadaxe", "out", 0.03), ("broadaxe", "unplanned", 0.2)]),
            made("good", 1, 10.0, &[("broadaxe", "out", 11.0), ("numpy", "out", 20.0), (TRAFFIC, "long", 8.0)]),
            made("bad", 2, 40.0, &[("broadaxe", "out", 80.0), ("numpy", "out", 40.0)]),
            made("big", 1, 10.0, &[("broadaxe", "fresh", 20.0), ("numpy", "fresh", 10.0)]),
        ]
    }

    #[test]
    fn the_nearest_note_is_taken() {
        let notes = notes("# page\n\nbad | because\nbad 2 threads | of memory\nbig | it is big\n").expect("readable");
        let misses = missed_by_workloads(&rows());
        let said: Vec<(&str, Option<&str>)> =
            misses.iter().map(|miss| (miss.exactly.as_str(), note(miss, &notes))).collect();
        let want = [("tiny4 unplanned", None), ("bad 2 threads", Some("of memory")), ("big fresh", Some("it is big"))];
        assert_eq!(said, want);
        let text = missed(&misses, &notes);
        assert!(text.contains("| bad 2 threads | 4.00 x the limit, 2.00 x numpy | of memory |"), "{text}");
        assert!(super::notes("no bar").is_err());
    }

    #[test]
    fn tables_have_a_cell_for_every_column() {
        let rows = rows();
        let text = table(&rows.iter().collect::<Vec<_>>(), "out");
        let columns = |line: &str| line.matches('|').count();
        let full: Vec<&str> = text.lines().filter(|line| !line.starts_with("| big")).collect();
        assert!(full.iter().all(|line| columns(line) == columns(full[0])), "{text}");
        assert!(text.contains("| good | 1 | 10.0 | 11.0 | 22.0 | 1.10 | 1.38 | 1.10 | 0.55 numpy | 2.00 |"), "{text}");
        assert!(text.contains("| **bad** |"), "{text}");
    }

    #[test]
    fn a_table_of_another_cpu_marks_peers_that_are_ahead() {
        let section = |cpu: &str, level: Option<&str>| Section {
            level: level.map(str::to_owned),
            ..record::section("2000-01-01-c.json", cpu, rows())
        };
        let all = || {
            vec![
                section("new", Some("avx2")),
                section("least", Some("baseline")),
                section("old", Some("avx512")),
                section("older", None),
            ]
        };
        let (own, others) = own_and_others(all());
        assert_eq!(own.map(|own| own.cpu).as_deref(), Some("old"));
        assert_eq!(others.iter().map(|other| other.cpu.as_str()).collect::<Vec<_>>(), ["new", "least", "older"]);
        let text = elsewhere(&others[0]);
        assert!(text.contains("with avx2") && text.contains("in 1 of 3 rows"), "{text}");
        assert!(text.contains("| good | 1 | 11.0 | 1.38 | 1.82 |") && text.contains("| **0.50** |"), "{text}");
        assert!(own_and_others(Vec::new()).0.is_none());
    }

    #[test]
    fn the_notes_of_the_repository_are_read() {
        let notes = notes(include_str!("../../../bench/notes.txt")).expect("readable");
        assert!(notes.iter().all(|note| !note.about.is_empty() && !note.says.is_empty()));
    }
}
