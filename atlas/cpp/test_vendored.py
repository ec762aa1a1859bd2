"""Check the header: that it is current, that it agrees with the Python package, and that a project can vendor it."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import pytest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "python/src"))

import broadaxe_atlas  # noqa: E402

STRICT = ["-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Werror"]

MAIN = """
#include <cstring>
#include <stdexcept>
#include "broadaxe_atlas.hpp"

// The function of the project that is tested.
using Shape = std::vector<std::int64_t>;
static Shape broadcast(Shape a, Shape b, bool left) {
  while (a.size() < b.size()) a.insert(left ? a.end() : a.begin(), 1);
  while (b.size() < a.size()) b.insert(left ? b.end() : b.begin(), 1);
  for (std::size_t axis = 0; axis < a.size(); ++axis) {
    if (a[axis] == 1) a[axis] = b[axis];
    else if (b[axis] != 1 && a[axis] != b[axis]) throw std::invalid_argument("shapes do not broadcast");
  }
  return a;
}

// Returns where an element of the result comes from.
static std::size_t source(std::int64_t at, const Shape& shape, Shape own, bool left) {
  while (own.size() < shape.size()) own.insert(left ? own.end() : own.begin(), 1);
  std::int64_t from = 0, stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0; at /= shape[axis]) {
    if (own[axis] != 1) from += at % shape[axis] * stride;
    stride *= own[axis];
  }
  return static_cast<std::size_t>(from);
}

int main(int count, char** words) {
  broadaxe_atlas::Options options;
  bool left = false;
  for (int k = 1; k < count; ++k) {
    if (std::strcmp(words[k], "left") == 0) left = true;
    else options.known.push_back(words[k]);
  }
  const auto answer = [left](const broadaxe_atlas::Question& question) {
    using broadaxe_atlas::Answer;
    if (question.op != "add" || question.rule != "numpy") return Answer::skip("not in this project");
    const auto& a = question.operands[0];
    const auto& b = question.operands[1];
    const Shape shape = broadcast(a.shape, b.shape, left);
    std::int64_t elements = 1;
    for (const std::int64_t dim : shape) elements *= dim;
    std::vector<float> values;
    for (std::int64_t at = 0; at < elements; ++at)
      values.push_back(a.values[source(at, shape, a.shape, left)] + b.values[source(at, shape, b.shape, left)]);
    return Answer::result(shape, values);
  };
  return broadaxe_atlas::run(answer, options).ok() ? 0 : 1;
}
"""

CMAKE = """
cmake_minimum_required(VERSION 3.14)
project(toy LANGUAGES CXX)
enable_testing()
add_subdirectory(third_party/broadaxe_atlas)
add_executable(toy main.cpp)
target_link_libraries(toy PRIVATE broadaxe::atlas)
target_compile_options(toy PRIVATE -Wall -Wextra -Wpedantic -Werror)
add_test(NAME right COMMAND toy)
add_test(NAME left COMMAND toy left)
add_test(NAME known COMMAND toy left add-numpy-*)
set_tests_properties(left PROPERTIES WILL_FAIL TRUE)
set_tests_properties(known PROPERTIES WILL_FAIL TRUE)
"""

# Prints each question with all that the header says about it, and the verdict of a wrong answer.
DUMP = """
#include "broadaxe_atlas.hpp"
using namespace broadaxe_atlas;
static void list(const char* name, const Shape& values) {
  std::printf("\\"%s\\":[", name);
  for (std::size_t k = 0; k < values.size(); ++k) std::printf("%s%lld", k ? "," : "", static_cast<long long>(values[k]));
  std::printf("],");
}
static Shape whole(const std::vector<float>& values) { return Shape(values.begin(), values.end()); }
int main() {
  for (const Case& one : data::cases) {
    for (const Question& question : questions(one)) {
      std::printf("{\\"id\\":\\"%s\\",\\"op\\":\\"%s\\",\\"rule\\":\\"%s\\",\\"mode\\":\\"%s\\",\\"axis\\":%d,", question.id.c_str(),
                  question.op.c_str(), question.rule.c_str(), question.mode.c_str(), question.axis);
      list("axes", question.axes);
      list("target", question.target);
      std::printf("\\"operands\\":[");
      for (const Operand& operand : question.operands) {
        std::printf("%s{", &operand == &question.operands[0] ? "" : ",");
        list("shape", operand.shape);
        list("values", whole(operand.values));
        std::printf("\\"constant\\":%s}", operand.constant ? "true" : "false");
      }
      std::printf("],");
      list("shape", question.shape);
      std::vector<float> values = expected_values(question);
      list("expected", whole(values));
      const bool right = judge(question, question.accepted ? Answer::result(question.shape, values) : Answer::reject("no")).outcome ==
                         Verdict::Outcome::right;
      std::reverse(values.begin(), values.end());
      std::printf("\\"accepted\\":%s,\\"right\\":%s,\\"reversed\\":\\"%s\\",\\"rejected\\":\\"%s\\"}\\n", question.accepted ? "true" : "false",
                  right ? "true" : "false", judge(question, Answer::result(question.shape, values)).text.c_str(),
                  judge(question, Answer::reject("Exception: no")).text.c_str());
    }
  }
}
"""


# What a run says when a project that computes add under the rule numpy is right.
ASKED = [question for case in broadaxe_atlas.cases() for question in broadaxe_atlas.questions(case)]
ADD = sum(question.op == "add" and question.rule == "numpy" for question in ASKED)
SKIPPED = len(ASKED) - ADD
VERSION = (HERE.parent / "VERSION").read_text().strip()


def total(right, wrong, more=""):
    """Return the last line that a run prints."""
    return f"atlas {VERSION}: {len(ASKED)} questions, {right} right, {wrong} wrong, {SKIPPED} skipped{more}"


def compilers():
    """Return the compilers of this machine."""
    return [name for name in ("g++", "clang++") if shutil.which(name)]


def run(*words, **more):
    """Run a program; it must succeed."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300, **more)
    assert done.returncode == 0, f"{words[0]} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout


def tool(name):
    """Find a program on the path, or among those that pip installed."""
    return shutil.which(name) or shutil.which(name, path=os.path.dirname(sys.executable))


@pytest.fixture(params=compilers() or [pytest.param("", marks=pytest.mark.skip("no C++ compiler"))])
def compiler(request):
    """Give a test each compiler."""
    return request.param


def test_current():
    """Regenerate the header, and get the same."""
    run(sys.executable, HERE / "generate.py", "--check")


def test_check_fails_when_not_current(tmp_path):
    """Reject a header whose cases are not those of core.jsonl."""
    shutil.copytree(HERE, tmp_path / "cpp")
    shutil.copy(HERE.parent / "VERSION", tmp_path)
    lines = (HERE.parent / "core.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "core.jsonl").write_text("".join(lines[1:]))
    done = subprocess.run([sys.executable, tmp_path / "cpp/generate.py", "--check"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "broadaxe_atlas.hpp is not current; run: python atlas/cpp/generate.py\n")


def test_compiles(compiler, tmp_path):
    """Compile the example without a warning, and without exceptions; run it in less than a second."""
    run(compiler, *STRICT, "-fno-exceptions", "-fno-rtti", "-fsyntax-only", HERE / "example.cpp")
    run(compiler, *STRICT, HERE / "example.cpp", "-o", tmp_path / "example")
    start = time.perf_counter()
    assert run(tmp_path / "example") == total(ADD, 0) + "\n"
    assert time.perf_counter() - start < 1


def test_agrees_with_python(compiler, tmp_path):
    """Get the same questions, results and texts as from the Python package."""
    (tmp_path / "dump.cpp").write_text(DUMP)
    run(compiler, "-std=c++17", f"-I{HERE}", tmp_path / "dump.cpp", "-o", tmp_path / "dump")
    lines = [json.loads(re.sub(r",([\]}])", r"\1", line)) for line in run(tmp_path / "dump").splitlines()]
    for line, question in zip(lines, ASKED, strict=True):
        assert all(line[key] == question[key] for key in ("id", "op", "rule", "operands"))
        assert line["mode"] == question.get("mode", "")
        assert line["axis"] == question.get("axis", -1000)
        assert all(line[key] == question.get(key, []) for key in ("axes", "target", "shape"))
        expected = question.expected()
        assert (line["accepted"], line["right"]) == (expected is not None, True)
        shape, values = expected or ([], [])
        assert line["expected"] == values
        assert line["reversed"] == broadaxe_atlas.judge(question, (shape, values[::-1])).text
        assert line["rejected"] == broadaxe_atlas.judge(question, type("Exception", (Exception,), {})("no")).text


def test_vendored(tmp_path):
    """Copy the folder into a project, and find the error of a project that aligns on the left."""
    (tmp_path / "main.cpp").write_text(MAIN)
    shutil.copytree(HERE, tmp_path / "third_party/broadaxe_atlas", ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache"))
    if tool("cmake") and tool("ctest"):
        (tmp_path / "CMakeLists.txt").write_text(CMAKE)
        run(tool("cmake"), "-S", tmp_path, "-B", tmp_path / "build")
        run(tool("cmake"), "--build", tmp_path / "build")
        assert "100% tests passed" in run(tool("ctest"), "--output-on-failure", cwd=tmp_path / "build")
        toy = tmp_path / "build/toy"
    elif compilers():
        toy = tmp_path / "toy"
        run(compilers()[0], "-std=c++17", f"-I{tmp_path}/third_party/broadaxe_atlas", tmp_path / "main.cpp", "-o", toy)
    else:
        pytest.skip("no C++ compiler")

    def said(*words):
        start = time.perf_counter()
        done = subprocess.run([toy, *words], capture_output=True, text=True, timeout=60)
        assert time.perf_counter() - start < 1
        return done.returncode, done.stdout.splitlines()

    assert said() == (0, [total(ADD, 0)])
    code, lines = said("left")
    assert code == 1
    assert lines[:2] == [
        "FAILED add-numpy-r2-0010:ii - wrong shape: add([2], [1, 1])",
        "  the result has the shape [2, 1], and [1, 2] under the rule",
    ]
    assert len({line.split()[1].partition(":")[0] for line in lines[:6:2]}) == 3
    assert lines[-3].startswith("... and ")
    assert lines[-2] == "smallest failure: add-numpy-r2-0010:ii"
    wrong = int(re.search(r"(\d+) wrong", lines[-1])[1])

    code, lines = said("left", "add-numpy-r2-0010", "add-numpy-r2-0011:ic")
    assert (code, lines[-1]) == (1, total(ADD - wrong, wrong - 4, ", 4 known failures"))
    code, lines = said("add-numpy-r2-0010")
    assert code == 1
    assert lines[0] == "FAILED add-numpy-r2-0010:ii - passes, but is a known failure: add([2], [1, 1])"
    assert lines[-1] == total(ADD - 3, 0, ", 3 known failures that pass")
