"""Asks engines, each in a process of its own: one that falls over, or does not answer in time, has refused."""

import pickle
import select
import subprocess
from pathlib import Path

import numpy as np

from .runtimes import PACKAGES, python_of

ROOT = Path(__file__).resolve().parents[2]
SECONDS = {"ncnn": 90}


class Engine:
    """An engine's process, started when it is needed."""

    def __init__(self, name):
        self.name, self.process, self.version = name, None, ""
        self.recovered = 0

    def _answer(self, seconds):
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        if not ready:
            self.process.kill()
            self.process.wait()
            return "refused", f"it does not answer in {seconds} s"
        try:
            return pickle.load(self.process.stdout)
        except (EOFError, pickle.UnpicklingError):
            return "refused", f"it falls over ({self.process.wait()})"

    def ask(self, do, **request):
        """Return ("ok", value) or ("refused", why); one that falls over is asked once more, in a new process."""
        answer = self._once(do, request)
        if self.process is not None:
            return answer
        again = self._once(do, request)
        self.recovered += again[0] == "ok"
        return again

    def _once(self, do, request):
        if self.process is None or self.process.poll() is not None:
            python = python_of(self.name)
            if python is None:
                raise SystemExit(f"no environment in BROADAXE_ENGINES has {self.name}: conformance/requirements-runtimes.txt names its package")
            command = [python, "-m", "conformance.verdicts.child", self.name]
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, stderr=subprocess.DEVNULL)
            kind, self.version = self._answer(180)
            if kind != "ok":
                raise SystemExit(f"{self.name} does not start: {self.version}")
        try:
            pickle.dump({"do": do, **request}, self.process.stdin)
            self.process.stdin.flush()
        except BrokenPipeError:
            code, self.process = self.process.wait(), None
            return "refused", f"it falls over ({code})"
        answer = self._answer(SECONDS.get(self.name, 40))
        if answer[0] == "refused" and self.process.poll() is not None:
            self.process = None
        return answer

    def close(self):
        """End the process."""
        if self.process is not None and self.process.poll() is None:
            self.process.stdin.close()
            self.process.wait(20)


class Engines:
    """All engines."""

    def __init__(self):
        self.all = {name: Engine(name) for name in ("onnxruntime", "openvino", "ncnn", "paddle", *PACKAGES)}

    def ask(self, engine, do, **request):
        """Ask one engine."""
        return self.all[engine].ask(do, **request)

    def versions(self):
        """Return the versions of those that were started."""
        return {name: engine.version for name, engine in self.all.items() if engine.version}

    def recovered(self):
        """Return how often each fell over and then gave an answer."""
        return {name: engine.recovered for name, engine in self.all.items() if engine.recovered}

    def close(self):
        """End all."""
        for engine in self.all.values():
            engine.close()


def finite(arrays):
    """Whether all numbers are finite, and small enough that sums of them stay so; a mask may be -inf."""
    kept = [np.where(np.isneginf(array), 0, array) if array.dtype.kind == "f" else array for array in arrays]
    return all(array.dtype == np.bool_ or (np.isfinite(array).all() and np.abs(array.astype(float)).max(initial=0) < 1e6) for array in kept)


def equal(want, got, rtol=2e-3):
    """Whether two arrays have one shape and the same numbers: to 2e-3 of each, or 1e-4 of the largest, or 1e-6; f16 to 1e-2."""
    want, got = np.asarray(want), np.asarray(got)
    rtol = max(rtol, 1e-2) if np.float16 in (want.dtype, got.dtype) else rtol
    if want.shape != got.shape:
        return False
    if want.dtype == np.bool_ or got.dtype == np.bool_:
        return np.array_equal(want.astype(np.float64), got.astype(np.float64))
    want, got = want.astype(np.float64), got.astype(np.float64)
    scale = np.abs(want[np.isfinite(want)]).max(initial=0)
    return np.allclose(got, want, rtol=rtol, atol=max(rtol / 20 * scale, 1e-6), equal_nan=True)


def bits(want, got):
    """Whether two lists of arrays have the same bits."""
    return len(want) == len(got) and all(
        a.shape == b.shape and a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in zip(want, got)
    )


def apart(want, got):
    """Return None where all outputs are equal, else the place of the first that is not, and how."""
    if len(want) != len(got):
        return 0, f"{len(got)} outputs for {len(want)}"
    for k, (a, b) in enumerate(zip(want, got)):
        if not equal(a, b):
            a, b = np.asarray(a), np.asarray(b)
            if a.shape != b.shape:
                return k, f"shape {b.shape} for {a.shape}"
            wrong = ~np.isclose(b.astype(float), a.astype(float), rtol=2e-3, atol=1e-4 * np.abs(a.astype(float)).max(initial=0))
            place = tuple(map(int, np.argwhere(wrong)[0])) if wrong.any() else (0,) * a.ndim
            return k, f"element {place}: {float(b[place]):.5g} for {float(a[place]):.5g}"
    return None
