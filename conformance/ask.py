"""Asks an engine in a process of its own, and continues if the engine crashes the process."""

import os
import queue
import subprocess
import sys
import threading
from pathlib import Path

from .question import Died, Lacking, Refused, framed, unframed

ROOT = Path(__file__).parents[1]
BATCH = 400
PATIENCE = 60
"""Seconds without an answer after which an engine counts as hung."""


class Absent(Exception):
    """The engine is not installed."""


class Asked:
    """An engine's process, started again whenever it dies."""

    def __init__(self, engine):
        self.engine, self.version, self.process = engine, None, None
        self.deaths = 0

    def __enter__(self):
        self._start()
        return self

    def __exit__(self, *_):
        self._stop()

    def _start(self):
        command = [sys.executable, "-m", "conformance.child", self.engine.name]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "GLOG_minloglevel": "3"}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT, env=environment
        )
        self.said, self.answers = [], queue.Queue()
        threading.Thread(target=_read, args=(self.process.stdout, self.answers), daemon=True).start()
        threading.Thread(target=_listen, args=(self.process.stderr, self.said), daemon=True).start()
        version = self._next()
        if version is None:
            self._stop()
            raise Absent(f"{self.engine.name} does not start: {b''.join(self.said[-3:]).decode(errors='replace').strip()}")
        self.version = version[0]["version"]

    def _stop(self):
        self.process.stdin.close()
        self.process.kill()
        self.process.wait()

    def _next(self):
        try:
            return self.answers.get(timeout=PATIENCE)
        except queue.Empty:
            return None

    def answers_to(self, questions):
        """Return the answer to each question; those that may end the process come last, each by itself."""
        found = [None] * len(questions)
        calm = [k for k, question in enumerate(questions) if not question.mayhem]
        wild = [k for k, question in enumerate(questions) if question.mayhem]
        batches = [calm[at : at + BATCH] for at in range(0, len(calm), BATCH)]
        batches += [wild[at : at + BATCH] for at in range(0, len(wild), BATCH)] if self.engine.streams else [[k] for k in wild]
        while batches:
            batch = batches.pop(0)
            done = self._batch([questions[k] for k in batch])
            for index, answer in done.items():
                found[batch[index]] = answer
            left = [k for index, k in enumerate(batch) if index not in done]
            if not left:
                continue
            try:
                code = self.process.wait(timeout=2)
            except subprocess.TimeoutExpired:
                code = None
            why = "did not answer" if code is None else f"ended with {code}"
            self.deaths += 1
            self._stop()
            self._start()
            if len(left) == 1 or self.engine.streams:
                found[left[0]] = Died(why)
                batches[:0] = [left[1:]] if left[1:] else []
            else:
                batches[:0] = [left[: len(left) // 2], left[len(left) // 2 :]]
        return found

    def _batch(self, questions):
        done = {}
        try:
            self.process.stdin.write(b"".join([framed({"questions": len(questions)}), *(question.framed() for question in questions)]))
            self.process.stdin.flush()
        except BrokenPipeError:
            return done
        while len(done) < len(questions):
            answer = self._next()
            if answer is None:
                break
            done[answer[0]["index"]] = _read_answer(*answer)
        return done


def _read(stream, answers):
    while (answer := unframed(stream)) is not None:
        answers.put(answer)
    answers.put(None)


def _read_answer(said, arrays):
    for kind in (Lacking, Refused):
        if kind.__name__ in said:
            return kind(said[kind.__name__])
    return arrays[0]


def _listen(stream, said):
    for line in stream:
        said.append(line)
        del said[:-20]
