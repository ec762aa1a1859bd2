//! Writes findings as JUnit XML, which most systems of continuous integration show as tests.

use std::fmt;

use broadaxe_models::report::{CheckRecord, FindingRecord, Shown, words::consequence};
use quick_xml::{
    Writer,
    events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event},
};

use super::severity;
use crate::{
    answer::{Checked, Pieces},
    error::escaped,
};

/// Counts the tests of a suite, or of all.
#[derive(Clone, Copy, Default)]
struct Counts {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
}

/// Writes a test suite per model: a test per finding, and one per target without findings that fail.
pub(super) fn suites(to: &mut dyn fmt::Write, found: &Checked, shown: Shown) -> fmt::Result {
    let mut xml = Writer::new_with_indent(Pieces(to), b' ', 2);
    write(&mut xml, found, shown).map_err(|_| fmt::Error)?;
    xml.into_inner().0.write_str("\n")
}

type Xml<'a> = Writer<Pieces<'a>>;

fn write(xml: &mut Xml<'_>, found: &Checked, shown: Shown) -> std::io::Result<()> {
    let suites: Vec<Suite<'_>> = found.models.iter().map(|record| Suite::new(record, shown)).collect();
    let mut all = Counts { tests: found.errors.len(), errors: found.errors.len(), ..Counts::default() };
    for suite in &suites {
        let Counts { tests, failures, .. } = suite.counts();
        (all.tests, all.failures) = (all.tests + tests, all.failures + failures);
    }
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let mut start = BytesStart::new("testsuites").with_attributes([("name", "broadaxe")]);
    count(&mut start, &[("tests", all.tests), ("failures", all.failures), ("errors", all.errors)]);
    xml.write_event(Event::Start(start))?;
    for suite in &suites {
        suite.write(xml)?;
    }
    for error in &found.errors {
        let file = plain(&error.file);
        open_suite(xml, &file, Counts { tests: 1, errors: 1, ..Counts::default() })?;
        let case = BytesStart::new("testcase").with_attributes([("classname", file.as_str()), ("name", "file")]);
        xml.write_event(Event::Start(case))?;
        let said = plain(&error.sentence());
        body(xml, "error", "file", (&said, &said))?;
        xml.write_event(Event::End(BytesEnd::new("testcase")))?;
        xml.write_event(Event::End(BytesEnd::new("testsuite")))?;
    }
    xml.write_event(Event::End(BytesEnd::new("testsuites")))
}

fn count(start: &mut BytesStart<'_>, counts: &[(&str, usize)]) {
    for (key, count) in counts {
        start.push_attribute((*key, count.to_string().as_str()));
    }
}

fn open_suite(xml: &mut Xml<'_>, name: &str, counts: Counts) -> std::io::Result<()> {
    let Counts { tests, failures, errors, skipped } = counts;
    let mut start = BytesStart::new("testsuite").with_attributes([("name", name)]);
    count(&mut start, &[("tests", tests), ("failures", failures), ("errors", errors), ("skipped", skipped)]);
    xml.write_event(Event::Start(start))
}

/// The tests of one model.
struct Suite<'a> {
    model: String,
    /// The targets without findings that fail.
    passing: Vec<&'a str>,
    failing: Vec<&'a FindingRecord>,
    /// Findings that do not fail.
    skipped: Vec<&'a FindingRecord>,
}

impl<'a> Suite<'a> {
    fn new(record: &'a CheckRecord, shown: Shown) -> Self {
        let found = record.findings.iter().filter(|finding| shown.has(finding));
        let (failing, skipped): (Vec<_>, Vec<_>) = found.partition(|finding| finding.fails);
        let passes = |name: &&str| !failing.iter().any(|finding| *finding.target == **name);
        let passing = record.targets.iter().map(|target| target.name.as_str()).filter(passes).collect();
        Self { model: plain(&record.model), passing, failing, skipped }
    }

    fn counts(&self) -> Counts {
        let (failures, skipped) = (self.failing.len(), self.skipped.len());
        Counts { tests: self.passing.len() + failures + skipped, failures, errors: 0, skipped }
    }

    fn write(&self, xml: &mut Xml<'_>) -> std::io::Result<()> {
        open_suite(xml, &self.model, self.counts())?;
        for name in &self.passing {
            let name = format!("all nodes on {}", plain(name));
            let case = [("classname", self.model.as_str()), ("name", name.as_str())];
            xml.write_event(Event::Empty(BytesStart::new("testcase").with_attributes(case)))?;
        }
        for finding in self.failing.iter().chain(&self.skipped) {
            let name = plain(&format!("{} ({}) on {}", finding.node, finding.op, finding.target));
            let case = [("classname", self.model.as_str()), ("name", name.as_str())];
            xml.write_event(Event::Start(BytesStart::new("testcase").with_attributes(case)))?;
            let code = severity::reported(finding);
            let (id, kind) =
                code.map_or(("same", "same".to_owned()), |code| (code.id, format!("{} {}", code.id, code.name)));
            let said = plain(&severity::sentence(finding));
            if finding.fails {
                let what = plain(&consequence(finding, &[&finding.target]));
                body(xml, "failure", id, (&format!("{kind}: {what}"), &said))?;
            } else {
                body(xml, "skipped", id, (&format!("{kind}: {said}"), ""))?;
            }
            xml.write_event(Event::End(BytesEnd::new("testcase")))?;
        }
        xml.write_event(Event::End(BytesEnd::new("testsuite")))
    }
}

/// Writes what is wrong: a failure and an error have a type and a text, what is skipped has a message only.
fn body(xml: &mut Xml<'_>, element: &str, id: &str, (message, text): (&str, &str)) -> std::io::Result<()> {
    let start = BytesStart::new(element).with_attributes([("message", message)]);
    if element == "skipped" {
        return xml.write_event(Event::Empty(start));
    }
    xml.write_event(Event::Start(start.with_attributes([("type", id)])))?;
    xml.write_event(Event::Text(BytesText::new(text)))?;
    xml.write_event(Event::End(BytesEnd::new(element)))
}

/// Escapes control characters, and the two others that XML cannot hold.
fn plain(text: &str) -> String {
    escaped(text).replace('\u{fffe}', "\\u{fffe}").replace('\u{ffff}', "\\u{ffff}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use quick_xml::{Reader, XmlVersion, events::BytesStart};

    use super::{super::sample, *};

    fn attribute(start: &BytesStart<'_>, key: &str) -> Option<String> {
        let found = start.try_get_attribute(key).unwrap()?;
        Some(found.normalized_value(XmlVersion::Explicit1_0).unwrap().into_owned())
    }

    #[test]
    fn suites_are_well_formed_and_say_how_many_tests_they_have() {
        let text = sample::written(|to| suites(to, &sample::checked(), sample::SHOWN));
        let is_allowed = |c: char| c == '\n' || (!c.is_control() && !"\u{fffe}\u{ffff}\u{202e}".contains(c));
        assert!(text.chars().all(is_allowed), "{text}");
        let mut reader = Reader::from_str(&text);
        reader.config_mut().enable_all_checks(true);
        let (mut said, mut seen) = (BTreeMap::new(), BTreeMap::new());
        let (mut all, mut names) = (BTreeMap::new(), Vec::new());
        loop {
            match reader.read_event().unwrap() {
                Event::Eof => break,
                Event::Start(start) | Event::Empty(start) => {
                    let element = start.name().as_ref().to_owned();
                    let keys =
                        [("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")];
                    for (key, counted) in keys {
                        let Some(count) = attribute(&start, key) else { continue };
                        let counts = if element == "testsuites" { &mut all } else { &mut said };
                        *counts.entry(counted.to_owned()).or_insert(0) += count.parse::<usize>().unwrap();
                    }
                    if element == "testcase" {
                        names.extend(attribute(&start, "name"));
                    }
                    *seen.entry(element).or_insert(0_usize) += 1;
                }
                _ => (),
            }
        }
        let count = |counts: &BTreeMap<String, usize>, key: &str| counts.get(key).copied().unwrap_or(0);
        for key in ["testcase", "failure", "error", "skipped"] {
            assert_eq!(count(&said, key), count(&seen, key), "{key}: {text}");
        }
        for key in ["testcase", "failure", "error"] {
            assert_eq!(count(&all, key), count(&seen, key), "{key}: {text}");
        }
        assert_eq!((count(&seen, "testsuite"), count(&seen, "testcase"), count(&seen, "failure")), (2, 5, 3), "{text}");
        assert!(names.contains(&format!("{} (Add) on ncnn", plain(sample::NAME))), "{names:?}");
    }
}
