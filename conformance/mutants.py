"""Loads fixed models, and what they were before the fix, with the engine of their format.

    python -m conformance.mutants FOLDER

FOLDER is written by `cargo xtask mutate`: `NAME.was.EXTENSION` is a damaged model, and `NAME.now.EXTENSION` is what `fix` made of it.
Each engine runs in a process of its own, because damaged models may end it. Ends with 1 where an engine loads a model and rejects the
fixed one, and where no model was loaded at all.
"""

import argparse
import collections
import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
from pathlib import Path

import engines

# What a model may need to be loaded, in seconds, and the address space of an engine, in bytes.
PATIENCE = 30
ADDRESSES = 16 << 30


def _onnx():
    import onnx

    driver = engines.load("onnxruntime")

    def load(path):
        onnx.checker.check_model(path)
        driver.session(path)

    return load


def _litert():
    driver = engines.load("litert")
    return lambda path: driver.interpreter(path).allocate_tensors()


def _openvino():
    core = engines.load("openvino").CORE
    return lambda path: core.read_model(path, str(Path(path).with_suffix(".bin")))


def _ncnn():
    driver = engines.load("ncnn")
    return lambda path: driver.network(path, None)


# The extension of a format, and what makes the function that loads a model of it or raises. Of pnnx and Paddle no engine loads a model
# without more files.
ENGINES = {".onnx": _onnx, ".tflite": _litert, ".xml": _openvino, ".param": _ncnn}


def child(extension):
    """Load the models whose paths come in, one a line, and answer `loaded` or `rejected` and why."""
    import resource

    # Engines write to the standard output as they like; the answers go another way.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    load = ENGINES[extension]()
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print("ready", file=answers)
    for line in sys.stdin:
        try:
            load(line.rstrip("\n"))
            print("loaded", file=answers)
        except Exception as error:
            print("rejected", " ".join(str(error).split())[:300], file=answers)


class Engine:
    """An engine in a process of its own, which is started again when it has ended."""

    def __init__(self, extension):
        self.extension = extension
        self._start()

    def _start(self):
        command = [sys.executable, "-m", "conformance.mutants", "--child", self.extension]
        # In a group of its own, because engines start processes that outlive them.
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
        )
        self.lines = queue.Queue()
        threading.Thread(target=self._read, args=(self.process, self.lines), daemon=True).start()
        if self._line(4 * PATIENCE) != "ready":
            raise SystemExit(f"the engine of {self.extension} does not start")

    @staticmethod
    def _read(process, lines):
        for line in process.stdout:
            lines.put(line.rstrip("\n"))
        lines.put("")

    def _line(self, patience):
        try:
            return self.lines.get(timeout=patience)
        except queue.Empty:
            return ""

    def load(self, path):
        """Return `loaded`, `rejected` and why, or `ended` where the engine crashed or did not answer."""
        try:
            self.process.stdin.write(f"{path}\n")
            self.process.stdin.flush()
            answer = self._line(PATIENCE)
        except BrokenPipeError:
            answer = ""
        if not answer:
            self.stop()
            self._start()
        return answer or "ended"

    def stop(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def judged(engine, pairs):
    """Return how often each change of answer occurred, and the pairs of which only the original is loaded."""
    changes, worse = collections.Counter(), []
    for was in pairs:
        now = was.with_name(was.name.replace(".was.", ".now."))
        answers = [engine.load(path) for path in (was, now)]
        before, after = (answer.split()[0] for answer in answers)
        changes[f"{before} -> {after}"] += 1
        if before == "loaded" and after != "loaded":
            worse.append((now, answers[1]))
    return changes, worse


def main():
    """Load all pairs of a folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--child", choices=list(ENGINES), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        return child(args.child)
    all_worse, loaded = [], 0
    for extension in ENGINES:
        pairs = sorted(args.folder.glob(f"*.was{extension}"))
        if not pairs:
            print(f"{extension}: no fixed models")
            continue
        engine = Engine(extension)
        changes, worse = judged(engine, pairs)
        engine.stop()
        print(f"{extension}:", ", ".join(f"{change} {count}" for change, count in sorted(changes.items())), flush=True)
        all_worse += worse
        loaded += sum(count for change, count in changes.items() if change.startswith("loaded"))
    for path, answer in all_worse:
        print(f"  {path}: {answer}")
    return 1 if all_worse or not loaded else 0


if __name__ == "__main__":
    sys.exit(main())
