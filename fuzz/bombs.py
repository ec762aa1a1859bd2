"""Writes small files that ask for much memory, and measures that of the command.

    python3 fuzz/bombs.py COMMAND [--only PART] [--keep FOLDER]

COMMAND is the program `broadaxe`. Each subcommand that reads models runs on each file in a process of its own, which may take the
bytes of the files it reads, 256 MiB, and 1 kB for each node, in addition to what the program needs for a model of one node. That is compared
with the peak of the memory that the process used. The kernel also limits its address space (`ulimit -v`) to twice as much, since that
includes what is mapped and not used. Exits with 1 if a run is above its budget, too long, killed, or panics.
"""

import argparse
import gzip
import io
import os
import pathlib
import resource
import struct
import subprocess
import sys
import tempfile
import time

MIB = 1 << 20
FREE = 256 * MIB
BYTES_PER_NODE = 1000
SECONDS = 120
# The nodes that calls of functions bring into a small model, at most.
LEAST_EXPANDED = 20_000
COMMANDS = {
    "check -q": ["check", "-q", "--no-cache"],
    "check": ["check", "--no-cache"],
    "check --json": ["check", "--json", "--no-cache"],
    "full": ["check", "--format", "full", "--no-cache"],
    "sarif": ["check", "--format", "sarif", "--no-cache"],
    "gitlab": ["check", "--format", "gitlab", "--no-cache"],
    "markdown": ["check", "--format", "markdown", "--no-cache"],
    "explorer": ["check", "--format", "model-explorer", "--no-cache"],
    "junit": ["check", "--format", "junit", "--no-cache"],
    "list": ["list", "--all"],
    "list --json": ["list", "--all", "--json"],
    "census": ["census"],
    "fix": ["fix", "--dry-run", "--for", "onnx,openvino,ncnn,litert-gpu"],
    "diff": ["diff"],
}


# Protocol buffers.


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def message(*fields):
    """Writes fields: pairs of a number and a whole number, a text or bytes."""
    out = []
    for number, value in fields:
        if isinstance(value, int):
            out.append(varint(number << 3) + varint(value))
        else:
            value = value.encode() if isinstance(value, str) else value
            out.append(varint(number << 3 | 2) + varint(len(value)) + value)
    return b"".join(out)


def node(op, inputs, outputs, *attributes, domain=""):
    fields = [(1, name) for name in inputs] + [(2, name) for name in outputs] + [(4, op)]
    return message(*fields, *[(5, one) for one in attributes], *([(7, domain)] if domain else []))


def tensor(dims, data=b"", kind=1, **external):
    fields = [(1, dim) for dim in dims] + [(2, kind)]
    fields += [(13, message((1, key), (2, value))) for key, value in external.items()] + ([(14, 1)] if external else [(9, data)])
    return message(*fields)


def attribute(name, value):
    kinds = {"int": (3, 2), "tensor": (5, 4), "graph": (6, 5), "ints": (8, 7)}
    kind, found = value
    number, code = kinds[kind]
    return message((1, name), *[(number, one) for one in (found if kind == "ints" else [found])], (20, code))


def value(name, dims, kind=1):
    shape = message(*[(1, message((1, dim) if isinstance(dim, int) else (2, dim))) for dim in dims])
    return message((1, name), (2, message((1, message((1, kind), (2, shape))))))


def graph(nodes, inputs, output, initializers=()):
    held = [(5, message((8, name)) + data) for name, data in initializers]
    ends = [(11, one) for one in inputs] + [(12, message((1, output)))]
    return message(*[(1, one) for one in nodes], (2, "g"), *held, *ends)


def onnx(body, functions=()):
    opsets = [(8, message((1, ""), (2, 18)))] + ([(8, message((1, "f"), (2, 1)))] if functions else [])
    return message((1, 9), (7, body), *opsets, *[(25, one) for one in functions])


def function(name, nodes, inputs, output):
    opsets = [(9, message((1, ""), (2, 18))), (9, message((1, "f"), (2, 1)))]
    ends = [(4, one) for one in inputs] + [(5, output)]
    return message((1, name), *ends, *[(7, one) for one in nodes], *opsets, (10, "f"))


X = value("x", [2, 3])


def chain(op, count, extra=("x",)):
    names = ["x"] + [f"v{k}" for k in range(count)]
    return [node(op, [names[k], *extra], [names[k + 1]]) for k in range(count)], names[-1]


def chain_of(op, count, **more):
    nodes, last = chain(op, count, **more)
    return onnx(graph(nodes, [X], last))


def function_laughs():
    functions = []
    for depth in range(12):
        nodes = [node(f"F{depth + 1}", [f"v{k}"], [f"v{k + 1}"], domain="f") for k in range(10)]
        if depth == 11:
            nodes = [node("Add", [f"v{k}", "v0"], [f"v{k + 1}"]) for k in range(10)]
        functions.append(function(f"F{depth}", nodes, ["v0"], "v10"))
    return onnx(graph([node("F0", ["x"], ["y"], domain="f")], [X], "y"), functions)


def function_wide(width=2000):
    body, last = chain("Add", width)
    calls = [node("F", [f"c{k - 1}" if k else "x"], [f"c{k}"], domain="f") for k in range(width)]
    return onnx(graph(calls, [X], f"c{width - 1}"), [function("F", body, ["x"], last)])


def recursion():
    functions = [function("F", [node("F", ["x"], ["y"], domain="f")], ["x"], "y")]
    return onnx(graph([node("F", ["x"], ["y"], domain="f")], [X], "y"), functions)


def fan_out_constant(count=20_000):
    nodes = [node("Add", ["x", "c"], [f"y{k}"]) for k in range(count)]
    return onnx(graph(nodes, [X], "y0", [("c", tensor([2], bytes(8)))]))


def chain_rank_growth(count=50_000):
    nodes, last = chain("Unsqueeze", count, ("axes",))
    return onnx(graph(nodes, [X], last, [("axes", tensor([1], bytes(8), 7))]))


def max_inputs(count=100_000):
    return onnx(graph([node("Max", ["x"] * count, ["y"])], [X], "y"))


def nested(depth):
    body = graph([node("Identity", ["x"], ["y"])], [], "y")
    for _ in range(depth):
        branches = [attribute(name, ("graph", body)) for name in ("then_branch",)]
        body = graph([node("If", ["c"], ["y"], *branches)], [], "y")
    return onnx(body)


def with_constant(op, values, inputs, count=60, kind=7, extra=()):
    """Repeats an operator, so that what it makes grows."""
    data = b"".join(struct.pack("<q", one) for one in values)
    names = ["x"] + [f"v{k}" for k in range(count)]
    nodes = [node(op, [names[k] if one == "x" else one for one in inputs], [names[k + 1]], *extra) for k in range(count)]
    return onnx(graph(nodes, [X], names[-1], [("c", tensor([len(values)], data, kind))]))


def constant_of_shape():
    shape = struct.pack("<2q", 1 << 31, 1 << 31)
    nodes = [node("ConstantOfShape", ["c"], ["v"]), node("Add", ["v", "x"], ["y"])]
    return onnx(graph(nodes, [value("x", [1])], "y", [("c", tensor([2], shape, 7))]))


def ranges():
    limit = [("a", tensor([], struct.pack("<q", 0), 7)), ("b", tensor([], struct.pack("<q", 1 << 40), 7)),
             ("d", tensor([], struct.pack("<q", 1), 7))]
    nodes = [node("Range", ["a", "b", "d"], ["r"]), node("Add", ["r", "r"], ["y"])]
    return onnx(graph(nodes, [X], "y", limit))


def split(count=60_000):
    nodes = [node("Split", ["x"], [f"s{k}" for k in range(count)], attribute("num_outputs", ("int", count)))]
    return onnx(graph(nodes, [value("x", [count])], "s0"))


def symbolic_growth(count=3000):
    nodes = [node("Concat", [f"v{k - 1}" if k else "x", f"v{k - 1}" if k else "x"], [f"v{k}"], attribute("axis", ("int", 0)))
             for k in range(count)]
    return onnx(graph(nodes, [value("x", ["a", "b"])], f"v{count - 1}"))


def symbolic_names(count=20_000):
    nodes = [node("Add", ["x0", f"x{k}"], [f"y{k}"]) for k in range(count)]
    return onnx(graph(nodes, [value(f"x{k}", [f"a{k}", f"b{k}"]) for k in range(count)], "y0"))


def large_repair(length=16_646_147):
    """Makes a model that is repaired for LiteRT's GPU delegate, of a tensor of many elements."""
    return onnx(graph([node("Sub", ["x", "b"], ["y"])], [value("x", [2, length])], "y", [("b", tensor([2, 1], bytes(8)))]))


def external(size):
    held = tensor([size // 4], location="w.data", offset="0", length=str(size))
    return onnx(graph([node("Add", ["x", "w"], ["y"])], [X], "y", [("w", held)]))


def lying_constant():
    return onnx(graph([node("Add", ["x", "w"], ["y"])], [X], "y", [("w", tensor([1 << 31, 1 << 31], b""))]))


# FlatBuffers.


class Flat:
    """Writes a FlatBuffer from its root on: what a table points to follows it."""

    def __init__(self):
        self.bytes = bytearray(4) + b"TFL3"

    def table(self, fields):
        """Writes a table: a number, or None for an offset, by field; returns where it is, and where its fields are."""
        count = max(fields, default=-1) + 1
        at = len(self.bytes) + 4 + 2 * count
        at += -at % 4
        start = at - 4 - 2 * count
        places = {one: 4 + 4 * k for k, one in enumerate(sorted(fields))}
        self.bytes += bytes(start - len(self.bytes)) + struct.pack("<HH", 4 + 2 * count, 4 + 4 * len(fields))
        self.bytes += struct.pack(f"<{count}H", *[places.get(k, 0) for k in range(count)]) + struct.pack("<i", at - start)
        for one in sorted(fields):
            self.bytes += struct.pack("<I", fields[one] or 0)
        return at, {one: at + place for one, place in places.items()}

    def vector(self, numbers):
        at = len(self.bytes)
        self.bytes += struct.pack(f"<I{len(numbers)}I", len(numbers), *numbers)
        return at

    def text(self, text):
        at = len(self.bytes)
        self.bytes += struct.pack("<I", len(text)) + text.encode() + bytes(4 - len(text) % 4)
        return at

    def point(self, place, target):
        struct.pack_into("<I", self.bytes, place, target - place)

    def tables(self, place, all_fields):
        """Writes a vector of tables at an offset; the same object twice is the same table twice."""
        list_at = self.vector([0] * len(all_fields))
        self.point(place, list_at)
        seen = {}
        for k, fields in enumerate(all_fields):
            if id(fields) not in seen:
                seen[id(fields)] = self.table(fields)
            self.point(list_at + 4 + 4 * k, seen[id(fields)][0])
        return list(seen.values())


def tflite(tensors, operators, padding=0):
    """Writes a model: operators are pairs of inputs and outputs; the same object may be there many times."""
    flat = Flat()
    root, fields = flat.table({0: 3, 1: None, 2: None, 4: None})
    flat.point(0, root)
    flat.tables(fields[1], [{}])
    [(_, sub)] = flat.tables(fields[2], [{0: None, 1: None, 3: None}])
    buffer_fields = [{}, {0: None}]
    buffers = flat.tables(fields[4], buffer_fields)
    made = flat.tables(sub[0], tensors)
    shape, name = flat.vector([2, 3]), flat.text("a")
    for _, places in made:
        flat.point(places[0], shape)
        flat.point(places[3], name)
    flat.point(sub[1], flat.vector([0]))
    ends = {id(one): one for one in operators}
    fields_of = {key: {1: None, 2: None} for key in ends}
    made = flat.tables(sub[3], [fields_of[id(one)] for one in operators])
    for (_, places), (reads, makes) in zip(made, ends.values()):
        flat.point(places[1], flat.vector(reads))
        flat.point(places[2], flat.vector(makes))
    data = flat.vector([0] * (padding // 4))
    struct.pack_into("<I", flat.bytes, data, padding)
    flat.point(buffers[1][1][0], data)
    return bytes(flat.bytes)


def own(count):
    return [{0: None, 3: None} for _ in range(count)]


def shared_operators(count=1_048_000):
    one = ([0, 0], [])
    return tflite(own(3), [one] * count, 6_500_000)


def shared_tensors(count=1_000_000):
    return tflite([{0: None, 3: None}] * count, [([0, 0], [])])


def tflite_chain(count=200_000):
    return tflite(own(count + 1), [([k, 0], [k + 1]) for k in range(count)])


# Text.


def xml_deep(depth):
    return ('<net name="a" version="11"><layers>' + "<a>" * depth).encode()


def xml_laughs():
    entities = "".join(f'<!ENTITY e{k + 1} "{f"&e{k};" * 10}">' for k in range(10))
    return f'<?xml version="1.0"?><!DOCTYPE net [<!ENTITY e0 "lol">{entities}]><net name="&e10;" version="11"/>'.encode()


def xml_attributes(count):
    return ('<net name="a" version="11" ' + " ".join(f'a{k}="1"' for k in range(count)) + "><layers/></net>").encode()


def ncnn(layers, blobs, more=""):
    return f"7767517\n{layers} {blobs}\nInput in 0 1 x 0=4\n{more}".encode()


def ncnn_chain(count):
    lines = [f"BinaryOp b{k} 2 1 v{k} v{k} v{k + 1} 0=0" for k in range(count)]
    return "\n".join(["7767517", f"{count + 1} {count + 1}", "Input in 0 1 v0 0=4", *lines, ""]).encode()


def zeros(head, count, byte=b"\0"):
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", mtime=0) as packed:
        packed.write(head)
        for _ in range(count // MIB):
            packed.write(byte * MIB)
    return out.getvalue()


LONG = 2000 * MIB
# The name of a file, the nodes that its model has (0 where it is refused), and what writes it.
BOMBS = [
    ("function_laughs.onnx", LEAST_EXPANDED, function_laughs),
    ("function_wide.onnx", LEAST_EXPANDED, function_wide),
    ("chain_200k.onnx", 200_000, lambda: chain_of("Add", 200_000)),
    ("fan_out_constant.onnx", 20_000, fan_out_constant),
    ("chain_rank_growth.onnx", 50_000, chain_rank_growth),
    ("max_100k_inputs.onnx", 1, max_inputs),
    ("recursion.onnx", 1, recursion),
    ("deep_3000.onnx", 0, lambda: nested(3000)),
    ("concat.onnx", 60, lambda: with_constant("Concat", [1], ["x", "x"], extra=(attribute("axis", ("int", 0)),))),
    ("tile.onnx", 60, lambda: with_constant("Tile", [1000, 1000], ["x", "c"])),
    ("expand.onnx", 60, lambda: with_constant("Expand", [1 << 31, 1 << 31, 1, 1], ["x", "c"])),
    ("range.onnx", 2, ranges),
    ("split.onnx", 1, split),
    ("constantofshape.onnx", 2, constant_of_shape),
    ("symbolic_growth.onnx", 3000, symbolic_growth),
    ("symbolic_names.onnx", 20_000, symbolic_names),
    ("large_repair.onnx", 1, large_repair),
    ("external_1tb.onnx", 1, lambda: external(1 << 40)),
    ("lying_constant.onnx", 1, lying_constant),
    ("shared_operators.tflite", 0, shared_operators),
    ("shared_operators.tflite.gz", 0, lambda: gzip.compress(shared_operators(), 9, mtime=0)),
    ("shared_tensors.tflite", 0, shared_tensors),
    ("chain_200k.tflite", 200_000, tflite_chain),
    ("zeros.onnx.gz", 0, lambda: zeros(b"", LONG)),
    ("zeros.tflite.gz", 0, lambda: zeros(struct.pack("<I", 24) + b"TFL3", LONG)),
    ("zeros.param.gz", 0, lambda: zeros(b"7767517\n1 1\n", LONG)),
    ("letters.param.gz", 0, lambda: zeros(b"7767517\n1 1\n", LONG, b"x")),
    ("letters.xml.gz", 0, lambda: zeros(b'<net name="a" version="11"><layers>', LONG, b"x")),
    ("brackets.json.gz", 0, lambda: zeros(b'{"base_code": {"magic": "pir"}, "program": ', LONG, b"[")),
    ("weights.onnx.gz", 1, lambda: zeros(chain_of("Add", 1) + varint(99 << 3 | 2) + varint(LONG), LONG)),
    ("deep.json", 0, lambda: b'{"base_code": {"magic": "pir"}, "program": ' + b"[" * 1_000_000),
    ("deep.xml", 0, lambda: xml_deep(200_000)),
    ("laughs.xml", 0, xml_laughs),
    ("attributes.xml", 0, lambda: xml_attributes(100_000)),
    ("huge_counts.param", 0, lambda: ncnn(2**31 - 1, 2**31 - 1)),
    ("huge_inputs.param", 0, lambda: ncnn(2, 2, "Concat c 2147483647 1 x y\n")),
    ("huge_list.param", 0, lambda: ncnn(2, 2, "Reshape r 1 1 x y -23330=2147483647,1\n")),
    ("chain_100k.param", 100_000, lambda: ncnn_chain(100_000)),
    ("huge_counts.pnnx.param", 0, lambda: ncnn(2**31 - 1, 2**31 - 1, "pnnx.Input a 0 1 0 #0=(2,2)f32\n")),
]


def limited(space):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (space, space))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    return limit


def run(program, words, files, space):
    """Runs the program; returns its exit code, the seconds, the peak of its memory, and the end of what it says."""
    with tempfile.TemporaryFile() as said:
        command = [program, *words, *map(str, files)]
        begin = time.monotonic()
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said, preexec_fn=limited(space))
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() - begin > SECONDS:
                child.kill()
            time.sleep(0.01)
        child.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        end = said.read()[-300:].decode(errors="replace")
        return child.returncode, time.monotonic() - begin, usage.ru_maxrss * 1024, end


def cell(program, words, path, nodes, base):
    """Runs a subcommand on a file; returns what the table shows, and what is wrong."""
    files = [path, path] if words[0] == "diff" else [path]
    budget = path.stat().st_size * len(files) + FREE + BYTES_PER_NODE * nodes + base
    code, seconds, peak, said = run(program, words, files, 2 * budget)
    wrong = None
    if code not in (0, 1, 2) or "panicked" in said:
        wrong = f"exit code {code}: {said}"
    elif peak > budget:
        wrong = f"{peak // MIB} MiB, and the budget is {budget // MIB} MiB"
    mark = "!" if wrong else ""
    return f"{code} {seconds:.1f} s {peak // MIB} MiB{mark}", wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--only", default="", help="only the files whose name has this part")
    parser.add_argument("--command", default="", help="only the subcommands whose name has this part")
    parser.add_argument("--keep", type=pathlib.Path, help="write the files into this folder, and leave them there")
    args = parser.parse_args()
    commands = {name: words for name, words in COMMANDS.items() if args.command in name}
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        folder = args.keep or pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        one = folder / "one_node.onnx"
        one.write_bytes(chain_of("Add", 1))
        base = max(run(args.program, ["check", "--no-cache"], [one], 8 << 30)[2] for _ in range(3))
        print(f"one node: {base / MIB:.1f} MiB; exit code, seconds and peak; ! is above the budget")
        print("| file | bytes | nodes | " + " | ".join(commands) + " |")
        print("|---|---|---|" + "---|" * len(commands), flush=True)
        for name, nodes, write in BOMBS:
            if args.only not in name:
                continue
            path = folder / name
            path.write_bytes(write())
            cells = []
            for command, words in commands.items():
                text, why = cell(args.program, words, path, nodes, base)
                cells.append(text)
                wrong += [f"{name}, {command}: {why}"] if why else []
            print(f"| {name} | {path.stat().st_size} | {nodes} | " + " | ".join(cells) + " |", flush=True)
            if not args.keep:
                path.unlink()
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
