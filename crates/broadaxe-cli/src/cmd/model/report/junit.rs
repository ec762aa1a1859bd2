//! Writes findings as `JUnit` XML, which most systems of continuous integration show as tests.

use broadaxe_models::report::{CheckRecord, FindingRecord};
use quick_xml::{
    Writer,
    events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event},
};

use super::{group::Shown, severity};
use crate::{answer::Checked, error::escaped};

/// Writes a test suite per model: a test per finding, and one per target without findings that fail.
pub(super) fn suites(found: &Checked, shown: Shown) -> String {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    // Writing to memory does not fail.
    let _ = write(&mut xml, found, shown);
    String::from_utf8_lossy(&xml.into_inner()).into_owned() + "\n"
}

type Xml = Writer<Vec<u8>>;

fn write(xml: &mut Xml, found: &Checked, shown: Shown) -> std::io::Result<()> {
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    xml.write_event(Event::Start(BytesStart::new("testsuites").with_attributes([("name", "broadaxe")])))?;
    for record in &found.models {
        suite(xml, record, shown)?;
    }
    for error in &found.errors {
        let file = escaped(&error.file);
        open_suite(xml, &file, (1, 0, 1, 0))?;
        let case = BytesStart::new("testcase").with_attributes([("classname", file.as_str()), ("name", "file")]);
        xml.write_event(Event::Start(case))?;
        body(xml, "error", "file", &escaped(&error.sentence()))?;
        xml.write_event(Event::End(BytesEnd::new("testcase")))?;
        xml.write_event(Event::End(BytesEnd::new("testsuite")))?;
    }
    xml.write_event(Event::End(BytesEnd::new("testsuites")))
}

fn open_suite(
    xml: &mut Xml,
    name: &str,
    (tests, failures, errors, skipped): (usize, usize, usize, usize),
) -> std::io::Result<()> {
    let counts = [("tests", tests), ("failures", failures), ("errors", errors), ("skipped", skipped)];
    let mut suite = BytesStart::new("testsuite").with_attributes([("name", name)]);
    for (key, count) in counts {
        suite.push_attribute((key, count.to_string().as_str()));
    }
    xml.write_event(Event::Start(suite))
}

fn suite(xml: &mut Xml, record: &CheckRecord, shown: Shown) -> std::io::Result<()> {
    let found: Vec<&FindingRecord> = record.findings.iter().filter(|finding| shown.has(finding)).collect();
    let fails = |finding: &&&FindingRecord| finding.fails;
    let failures = found.iter().filter(fails).count();
    let passes = |name: &str| !found.iter().any(|finding| finding.target == name && finding.fails);
    let passing: Vec<&str> =
        record.targets.iter().map(|target| target.name.as_str()).filter(|name| passes(name)).collect();
    let model = escaped(&record.model);
    open_suite(xml, &model, (found.len() + passing.len(), failures, 0, found.len() - failures))?;
    for name in passing {
        let name = format!("all nodes on {}", escaped(name));
        let case = [("classname", model.as_str()), ("name", name.as_str())];
        xml.write_event(Event::Empty(BytesStart::new("testcase").with_attributes(case)))?;
    }
    for finding in found {
        let name = format!("{} ({}) on {}", escaped(&finding.node), escaped(&finding.op), escaped(&finding.target));
        let case = [("classname", model.as_str()), ("name", name.as_str())];
        xml.write_event(Event::Start(BytesStart::new("testcase").with_attributes(case)))?;
        let code = severity::reported(finding);
        let said = code.map_or_else(|| finding.reason.clone(), |code| severity::sentence(finding, code));
        let id = finding.code.as_deref().unwrap_or("same");
        let element = if finding.fails { "failure" } else { "skipped" };
        body(xml, element, id, &escaped(&said))?;
        xml.write_event(Event::End(BytesEnd::new("testcase")))?;
    }
    xml.write_event(Event::End(BytesEnd::new("testsuite")))
}

/// Writes what is wrong: a failure and an error have a type and a text, what is skipped has a message only.
fn body(xml: &mut Xml, element: &str, id: &str, text: &str) -> std::io::Result<()> {
    let message = format!("{id}: {text}");
    let start = BytesStart::new(element).with_attributes([("message", message.as_str())]);
    if element == "skipped" {
        return xml.write_event(Event::Empty(start));
    }
    xml.write_event(Event::Start(start.with_attributes([("type", id)])))?;
    xml.write_event(Event::Text(BytesText::new(text)))?;
    xml.write_event(Event::End(BytesEnd::new(element)))
}
