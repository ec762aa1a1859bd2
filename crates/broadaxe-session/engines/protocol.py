"""Runs models: the part that all drivers share, and the one way in which a driver and the program that asks it speak.

A driver is a file of this folder for one engine. It needs the standard library, NumPy and its engine, and is run behind this file as one script. It
defines

- `start()`, which returns the name of the device or nothing, and raises an exception if the engine cannot work here; words behind the name of an
  engine, such as a device, are its arguments;
- `version()`, the version of the engine;
- `load(model, names, outputs, options)`, which returns a function from a dict of arrays by the names of inputs to a list of arrays, one for each name in
  `outputs`, in this order, or None for an engine that only compiles; without `outputs`, all that the model has. `names` are those of the inputs in the
  order of the model. It raises an exception if the engine refuses the model, and `Unasked` where the model cannot be put to it;
- where it writes files, `convert(model, options)` or `write(feeds, outputs, options)`, which return a list of bytes; where single operators are asked,
  `call(feeds, options)`, which returns a list as that of a model.

`APART = True` says that a model is run in a copy of the process, where the platform has copies: one that writes past an end changes no other answer.

A request is a line of JSON, followed by the bytes that it counts; so is an answer:

    {"do": "run", "model": 99, "weights": null, "format": "onnx", "inputs": [{"name": "x", "dtype": "f32", "shape": [2], "bytes": 8}],
     "outputs": ["y"], "options": {}, "seconds": 30}
    {"outputs": [{"shape": [2], "dtype": "f32", "bytes": 8}]}

With `"times": 2` the loaded model runs twice on its inputs, and the second result is the answer. With `"sets": 3` there are three inputs for each name, and three outputs: the inputs of the first run come first. Other answers are `{"refused": why}`,
`{"unknown": why}`, `{"ended": how}`, `{"compiled": true}`, and for `convert` and `write` `{"files": [bytes of each]}`.
"""

import faulthandler
import json
import os
import signal
import sys
import threading
import time

APART = False
# Models that are loaded, how many at most, and of how many bytes at most.
LOADED, MOST_LOADED, MOST_KEPT_BYTES = {}, 2, 1 << 24
MOST_TEXT = 600
# The names of dtypes, and NumPy's.
DTYPES = {"bool": "bool", **{f"{kind[0]}{bits}": f"{kind}{bits}" for kind in ("int", "uint", "float") for bits in (8, 16, 32, 64)}}
del DTYPES["f8"]
SHORT = {long: short for short, long in DTYPES.items()} | {"bfloat16": "bf16"}


class Unasked(Exception):
    """The model could not be put to the engine."""


class Model:
    """A model: its format, its bytes, and for formats of two files those of the second."""

    def __init__(self, data, format="onnx", weights=None):
        self.data, self.format, self.weights = data, format, weights


def short_dtype(dtype):
    """Return the name of a dtype of NumPy's, such as f32."""
    if dtype.name not in SHORT:
        raise Unasked(f"a result has elements of {dtype.name}")
    return SHORT[dtype.name]


def array(tensor, data):
    """Return the array of an input."""
    import numpy

    if tensor["dtype"] not in DTYPES:
        raise Unasked(f"nothing is asked about inputs of {tensor['dtype']}")
    # NumPy's own arrays are aligned and can be written to, as some engines need them.
    return numpy.frombuffer(data, DTYPES[tensor["dtype"]]).reshape(tensor["shape"]).copy()


def arrays(given):
    """Return the arrays of inputs by their names."""
    return {one["name"]: array(one, data) for one, data in given}


def told(result):
    """Return what an answer says of a result, and its bytes; None is a result that the engine does not have, and a text why it refuses."""
    if result is None or isinstance(result, str):
        return {"refused": result} if result else None, b""
    if isinstance(result, tuple):
        shape, dtype, data = result
    else:
        import numpy

        result = numpy.asarray(result)
        shape, dtype, data = result.shape, short_dtype(result.dtype), result.tobytes()
    return {"shape": [int(dim) for dim in shape], "dtype": dtype, "bytes": len(data)}, data


def places(known, wanted):
    """Return for each wanted name its place among what a model has, which is a set of names for each place.

    Where no place has a name, the wanted ones are in the order of the model.
    """
    found = []
    for k, name in enumerate(wanted):
        named = [at for at, names in enumerate(known) if name in names]
        if not named and len(known) != len(wanted):
            raise Unasked(f"the model has no {name}")
        found.append(k if k in named or not named else named[0])
    return found


def vulkan_device():
    """Return the name of the only Vulkan device, which a GPU's driver computes on; none if there are several, or Vulkan is not used here."""
    import ctypes

    class Info(ctypes.Structure):
        _fields_ = [
            ("kind", ctypes.c_uint32), ("next", ctypes.c_void_p), ("flags", ctypes.c_uint32), ("application", ctypes.c_void_p),
            ("layer_count", ctypes.c_uint32), ("layers", ctypes.c_void_p), ("extension_count", ctypes.c_uint32),
            ("extensions", ctypes.c_void_p),
        ]  # fmt: skip

    try:
        vulkan = ctypes.CDLL("vulkan-1.dll" if os.name == "nt" else "libvulkan.so.1")
    except OSError:
        return None
    info, instance = Info(kind=1), ctypes.c_void_p()
    if vulkan.vkCreateInstance(ctypes.byref(info), None, ctypes.byref(instance)) != 0:
        return None
    try:
        count, devices = ctypes.c_uint32(2), (ctypes.c_void_p * 2)()
        vulkan.vkEnumeratePhysicalDevices(instance, ctypes.byref(count), devices)
        if count.value != 1:
            return None
        # The name follows five numbers of four bytes.
        properties = ctypes.create_string_buffer(4096)
        vulkan.vkGetPhysicalDeviceProperties(ctypes.c_void_p(devices[0]), properties)
        return properties.raw[20:276].split(b"\0")[0].decode(errors="replace")
    finally:
        vulkan.vkDestroyInstance(instance, None)


def run(model, feeds, outputs, options):
    """Run a model once."""
    return load(model, list(feeds), outputs, options)(feeds)  # noqa: F821 - the driver defines it


def kept(model, names, outputs, options, times):
    """Return what `load` returns, which is kept for the next requests to run the same model as often, unless it is large."""
    key = json.dumps([model.format, names, outputs, options, times]), model.data, model.weights
    if len(model.data) + len(model.weights or b"") > MOST_KEPT_BYTES:
        return load(model, names, outputs, options)  # noqa: F821
    if key not in LOADED:
        call = load(model, names, outputs, options)  # noqa: F821 - the driver defines it
        while len(LOADED) >= MOST_LOADED:
            LOADED.pop(next(iter(LOADED)))
        LOADED[key] = call
    return LOADED[key]


def run_sets(request, given):
    """Return the answer to a request to run a model on one set of inputs or more."""
    names = list(dict.fromkeys(one["name"] for one in request["inputs"]))
    times = request.get("times", 1)
    call, found = kept(request["model"], names, request["outputs"], request["options"], times), []
    for k in range(request.get("sets", 1)):
        for _ in range(times):
            answers = call(arrays(given[k * len(names) : (k + 1) * len(names)]))
        if answers is None:
            return {"compiled": True}, []
        found += answers
    return results(found)


def results(found):
    """Return an answer that has results, and their bytes."""
    pairs = [told(one) for one in found]
    return {"outputs": [said for said, _ in pairs]}, [data for _, data in pairs]


def answer(request, given):
    """Return the answer to a request, and its bytes."""
    if request["do"] == "run":
        return run_sets(request, given)
    if request["do"] == "call":
        return results(call(arrays(given), request["options"]))  # noqa: F821
    if request["do"] == "convert":
        files = convert(request["model"], request["options"])  # noqa: F821
    else:
        files = write(arrays(given), request["outputs"], request["options"])  # noqa: F821
    return {"files": [len(file) for file in files]}, list(files)


def answered(request, given):
    """Return the bytes of the answer to a request; `given` are its inputs, each with its bytes."""
    try:
        said, data = answer(request, given)
    except Unasked as why:
        said, data = {"unknown": str(why)[:MOST_TEXT]}, []
    except Exception as why:
        # An extension that fails in this way names only the cause.
        why = why.__cause__ if isinstance(why, SystemError) and why.__cause__ else why
        text = f"{type(why).__name__}: {why}"
        # The end says what is wrong; the beginning may be a list of places in the engine's source.
        said, data = {"refused": text if len(text) <= MOST_TEXT else text[:200] + " ... " + text[-MOST_TEXT + 205 :]}, []
    return b"".join([json.dumps(said).encode(), b"\n", *data])


def end_with_parent():
    """Let the system end this process when the one that made it has ended."""
    if sys.platform == "linux":
        import ctypes

        PR_SET_PDEATHSIG = 1
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def copied(work, seconds):
    """Return what a function returns in a copy of this process."""
    reads, writes = os.pipe()
    child = os.fork()
    if not child:
        os.close(reads)
        end_with_parent()
        # It ends by the alarm, also where the system does not end it with its parent.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(seconds)
        try:
            data = work()
            with os.fdopen(writes, "wb") as file:
                file.write(data)
        except BaseException:
            os._exit(3)
        os._exit(0)
    os.close(writes)
    with os.fdopen(reads, "rb") as file:
        data = file.read()
    _, status = os.waitpid(child, 0)
    if status == signal.SIGALRM:
        return json.dumps({"unknown": f"it does not answer within {seconds} seconds"}).encode() + b"\n"
    if status or not data:
        how = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"exit code {os.WEXITSTATUS(status)}"
        return json.dumps({"ended": f"ends the process ({how})"}).encode() + b"\n"
    return data


def leave_with_parent():
    """End when the program that asks has ended."""
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def main(*arguments):
    """Answer requests until there are no more."""
    # Engines write to the standard output as they like; the answers go another way.
    answers = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    requests = sys.stdin.buffer
    if os.name == "posix":
        threading.Thread(target=leave_with_parent, daemon=True).start()

    def read(count):
        data = requests.read(count)
        if len(data) != count:
            os._exit(1)
        return data

    def say(data):
        answers.write(data)
        answers.flush()

    try:
        device = start(*arguments)  # noqa: F821 - the driver defines it
        ready = {"ready": True, "device": device, "version": version()}  # noqa: F821
    except BaseException as why:
        return say(json.dumps({"fails": f"{type(why).__name__}: {why}"[:MOST_TEXT]}).encode() + b"\n")
    say(json.dumps(ready).encode() + b"\n")
    for line in iter(requests.readline, b""):
        request = json.loads(line)
        data, weights = (read(request[name]) if request[name] is not None else None for name in ("model", "weights"))
        request["model"] = Model(data, request["format"], weights)
        given = [(one, read(one["bytes"])) for one in request["inputs"]]
        seconds = request["seconds"]
        if APART and hasattr(os, "fork"):
            say(copied(lambda: answered(request, given), seconds))
            continue
        # The program that asks ends a process that does not answer; this is for the case that it was ended itself.
        with open(os.devnull, "w") as null:
            faulthandler.dump_traceback_later(seconds + 5, exit=True, file=null)
            say(answered(request, given))
            faulthandler.cancel_dump_traceback_later()
