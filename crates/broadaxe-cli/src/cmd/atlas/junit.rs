//! Writes a run as JUnit XML: a suite for each rule, and a test for each question that does not pass.

use quick_xml::{
    Writer,
    events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event},
};

use super::tally::{Miss, Outcome, Tally, name};
use crate::error::escaped;

/// Writes all suites. Questions that pass are counted, and are not listed.
pub(super) fn suites(tally: &Tally) -> String {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    // Writing to memory does not fail.
    let _ = write(&mut xml, tally);
    String::from_utf8_lossy(&xml.into_inner()).into_owned() + "\n"
}

fn write(xml: &mut Writer<Vec<u8>>, tally: &Tally) -> std::io::Result<()> {
    let total = tally.total();
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let counted = |start: &mut BytesStart<'_>, counts: super::tally::Tallied| {
        let all = counts.asked() + counts.skipped;
        let numbers =
            [("tests", all), ("failures", counts.wrong + counts.passed), ("skipped", counts.known + counts.skipped)];
        for (key, number) in numbers {
            start.push_attribute((key, number.to_string().as_str()));
        }
    };
    let mut start = BytesStart::new("testsuites").with_attributes([("name", "broadaxe atlas")]);
    counted(&mut start, total);
    xml.write_event(Event::Start(start))?;
    for (subject, counts) in &tally.subjects {
        let suite = name(subject);
        let mut start = BytesStart::new("testsuite").with_attributes([("name", suite.as_str())]);
        counted(&mut start, *counts);
        xml.write_event(Event::Start(start))?;
        let own = format!("{suite}-r");
        for one in tally.listed.iter().filter(|one| one.id.starts_with(&own)) {
            test(xml, &suite, one)?;
        }
        xml.write_event(Event::End(BytesEnd::new("testsuite")))?;
    }
    xml.write_event(Event::End(BytesEnd::new("testsuites")))
}

fn test(xml: &mut Writer<Vec<u8>>, suite: &str, one: &Miss) -> std::io::Result<()> {
    let (tag, text) = match &one.outcome {
        Outcome::Wrong(failure) => ("failure", failure.to_string()),
        Outcome::Passed(reason) => ("failure", format!("passes, and is listed as a known failure: {reason}")),
        Outcome::Known(_, reason) => ("skipped", reason.clone()),
        Outcome::Right | Outcome::Skipped(_) => return Ok(()),
    };
    let text = escaped(&text);
    xml.write_event(Event::Start(
        BytesStart::new("testcase").with_attributes([("classname", suite), ("name", one.id.as_str())]),
    ))?;
    xml.write_event(Event::Start(BytesStart::new(tag).with_attributes([("message", text.as_ref())])))?;
    xml.write_event(Event::Text(BytesText::new(&format!("shapes {:?}: {text}", one.shapes))))?;
    xml.write_event(Event::End(BytesEnd::new(tag)))?;
    xml.write_event(Event::End(BytesEnd::new("testcase")))
}
