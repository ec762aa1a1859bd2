"""One peer of `cargo xtask bench`: python peers.py ENGINE

Answers the requests that bench/runner/src/main.rs lists, and two more: {"do":"compare","path":P} compares the bytes in a
file with the reference (answered by any engine, since all have NumPy), and {"do":"check"} does so with the engine's own result.

An expression is Python's own syntax and is parsed with `ast` into steps (op, arguments). An engine is a class with
`threads(count)`, which says how many to use from now on, `prepare(work, mode)`, which returns a function of no arguments
that makes one call, and `array(result)`, which makes its result an array of NumPy's. It raises Skip with the reason where it has no such operator or mode.
"""
import ast
import gc
import json
import math
import os
import sys
import time

import numpy as np

# The drivers of engines are those of `broadaxe check --ask`.
sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from engines import load

try:
    import ml_dtypes
    BF16 = np.dtype(ml_dtypes.bfloat16)
except ImportError:
    BF16 = None
DTYPES = {"f32": np.dtype("f4"), "f64": np.dtype("f8"), "f16": np.dtype("f2"), "bf16": BF16, "i32": np.dtype("i4"),
          "i64": np.dtype("i8"), "i16": np.dtype("i2"), "u8": np.dtype("u1"), "bool": np.dtype("?")}
SIGNS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "div_floor",
         ast.Mod: "mod_floor", ast.Pow: "pow", ast.LShift: "shift_left", ast.RShift: "shift_right"}
# Functions that the engines call by these names, where they have them.
FUNCTIONS = ("sqrt cbrt exp expm1 log log1p log2 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh "
             "erf").split()
STRIDES = {"strided2": 2, "strided3": 3}
# What operators are made of, for engines that lack them.
MADE_OF = {"sigmoid": "1.0 / (1.0 + exp(0.0 - {0}))", "relu": "max({0}, 0.0)", "softplus": "log(1.0 + exp({0}))",
           "clip": "min(max({0}, {1}), {2})",
           "gelu_tanh": "0.5 * {0} * (1.0 + tanh(0.7978845608028654 * ({0} + 0.044715 * {0} * {0} * {0})))"}


class Skip(Exception):
    pass


def functions_of(library):
    return {name: getattr(library, name) for name in FUNCTIONS if hasattr(library, name)}


class Step:
    def __init__(self, op, args, shape, dtype, extra=None):
        self.op, self.args, self.shape, self.dtype, self.extra = op, args, shape, dtype, extra


class Work:
    """A workload: its arrays, and its expression as steps whose arguments are names, numbers or earlier steps."""

    def __init__(self, request):
        self.result, self.tolerance = DTYPES[request["result"]], request["tolerance"]
        if self.result is None:
            raise Skip("bf16 needs ml_dtypes")
        self.folder = request["save"]
        self.expression, self.arrays, self.bases, self.layouts = request["expression"], {}, {}, {}
        for o in request["operands"]:
            shape, layout = list(o["shape"]), o["layout"]
            if layout in STRIDES:
                shape[-1] *= STRIDES[layout]
            elif layout == "transposed":
                shape.reverse()
            elif layout == "swapped":
                shape[-2:] = shape[:-3:-1]
            base = np.fromfile(os.path.join(request["save"], o["name"]), DTYPES[o["dtype"]]).reshape(shape)
            view = (base[..., ::STRIDES[layout]] if layout in STRIDES else base[..., ::-1] if layout == "reversed"
                    else base.T if layout == "transposed" else base.swapaxes(-1, -2) if layout == "swapped" else base)
            self.arrays[o["name"]], self.bases[o["name"]], self.layouts[o["name"]] = view, base, layout

    def steps(self, known):
        """Returns the steps, with operators that are not known to the engine taken apart."""
        steps = []

        def shape_of(a):
            return a.shape if isinstance(a, Step) else self.arrays[a].shape if isinstance(a, str) else ()

        def dtype_of(args):
            for a in args:
                if not isinstance(a, (int, float)):
                    return a.dtype if isinstance(a, Step) else self.arrays[a].dtype
            return self.result

        def add(op, args, extra=None, shape=None, dtype=None):
            if op not in known:
                raise Skip("no operator " + op)
            shape = shape or np.broadcast_shapes(*[shape_of(a) for a in args])
            steps.append(Step(op, args, shape, dtype or dtype_of(args), extra))
            return steps[-1]

        def go(node):
            if isinstance(node, ast.Name):
                return node.id
            if isinstance(node, ast.Constant):
                return node.value
            if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
                return -node.operand.value
            if isinstance(node, ast.BinOp):
                return add(SIGNS[type(node.op)], [go(node.left), go(node.right)])
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Gt):
                return add("greater", [go(node.left), go(node.comparators[0])], dtype=DTYPES["bool"])
            if not isinstance(node, ast.Call):
                raise Skip("cannot read " + ast.unparse(node))
            op = node.func.id
            if op == "cast":
                dtype = DTYPES[node.args[1].value]
                return add(op, [go(node.args[0])], extra=dtype, dtype=dtype)
            if op == "broadcast_to":
                shape = tuple(ast.literal_eval(node.args[1]))
                return add(op, [go(node.args[0])], extra=shape, shape=shape)
            if op in MADE_OF and op not in known:
                made = MADE_OF[op].format(*("(%s)" % ast.unparse(a) for a in node.args))
                return go(ast.parse(made, mode="eval").body)
            args = [go(a) for a in node.args]
            return add(op, args, dtype=dtype_of(args[1:]) if op == "where" else None)

        go(ast.parse(self.expression, mode="eval").body)
        return steps

    def reference(self, ulps=0):
        """Returns the result, or what it would be if each function were off by `ulps`."""
        # The first peer that is asked leaves the result for the others.
        path = os.path.join(self.folder, "reference%d" % ulps)
        if not os.path.exists(path):
            made = Reference(ulps).prepare(self, "fresh")()
            np.ascontiguousarray(made).astype(self.result, copy=False).tofile(path)
        return np.memmap(path, self.result, "r")

    def check(self, got):
        want = self.reference()
        got = np.frombuffer(got, self.result) if isinstance(got, bytes) else np.ascontiguousarray(got).reshape(-1)
        if got.dtype != want.dtype or got.size != want.size:
            return "wrong: %d of %s, not %d of %s" % (got.size, got.dtype, want.size, want.dtype)
        worst = self.worst(got, want)
        if isinstance(worst, float) and worst > self.tolerance:
            # The sine of a large tangent, for example: an error of one ULP in the tangent may change it entirely.
            worst = self.worst(got, want, [self.reference(ulps) for ulps in (-1, 1)])
        if isinstance(worst, str):
            return worst
        if worst > self.tolerance:
            return "wrong: off by %.2g" % worst
        return "exact" if worst == 0 else "%.1e" % worst

    def worst(self, got, want, around=()):
        """Returns the largest error beyond those `around` the wanted result, or what is wrong."""
        worst = 0.0
        for at in range(0, want.size, 1 << 20):
            g, w = got[at:at + (1 << 20)], want[at:at + (1 << 20)]
            if self.tolerance == 0:
                same = (g == w) | ((g != g) & (w != w))
                if not same.all():
                    return "wrong: first at %d" % (at + int(np.argmin(same)))
                continue
            if (g == w).all():
                continue
            g, w = g.astype("f8"), w.astype("f8")
            if (np.isnan(g) != np.isnan(w)).any():
                return "wrong: NaN"
            with np.errstate(all="ignore"):
                off = np.where(g == w, 0.0, np.abs(g - w))
                for other in around:
                    other = other[at:at + (1 << 20)].astype("f8")
                    off = np.where(g == other, 0.0, off - np.nan_to_num(np.abs(other - w), posinf=0.0))
                off = np.maximum(off, 0.0) / np.maximum(np.abs(w), 1e-2)
            worst = max(worst, float(np.nanmax(off, initial=0.0)))
        return worst


class Eager:
    """An engine that makes one call a step: `table` has the function of each operator."""

    out_word = "out"

    def prepare(self, work, mode):
        if mode not in ("out", "fresh"):
            raise Skip("no mode " + mode)
        steps = work.steps(self.table)
        names, arguments = {}, dict(self.table)
        arguments.update((k, self.own(v)) for k, v in work.arrays.items())
        body = []
        for i, step in enumerate(steps):
            names[id(step)] = mine = "t%d" % i
            args = [names[id(a)] if isinstance(a, Step) else repr(a) if not isinstance(a, str) else a for a in step.args]
            if step.extra is not None:
                arguments["e%d" % i] = self.extra(step.extra)
                args.append("e%d" % i)
            if mode == "out":
                arguments["o%d" % i] = self.empty(step.shape, step.dtype)
                args.append("out=o%d" % i)
            body.append(" %s = f_%s(%s)" % (mine, step.op, ", ".join(args)))
        space = {"f_" + k if k in self.table else k: v for k, v in arguments.items()}
        exec("def call():\n%s\n return t%d" % ("\n".join(body), len(steps) - 1), space)
        return space["call"]

    def extra(self, value):
        return value


class NumPy(Eager):
    def __init__(self):
        def where(c, x, y, out=None):
            if out is None:
                return np.where(c, x, y)
            np.copyto(out, y)
            np.copyto(out, x, where=c)
            return out

        def stretch(x, shape, out=None):
            if out is None:
                return np.broadcast_to(x, shape).copy()
            np.copyto(out, x)
            return out

        def cast(x, dtype, out=None):
            if out is None:
                return x.astype(dtype)
            np.copyto(out, x)
            return out
        self.table = dict(add=np.add, sub=np.subtract, mul=np.multiply, div=np.divide, div_floor=np.floor_divide,
                          mod_floor=np.remainder, pow=np.power, greater=np.greater, max=np.maximum, min=np.minimum,
                          shift_left=np.left_shift, shift_right=np.right_shift, clip=np.clip, where=where,
                          broadcast_to=stretch, cast=cast, **functions_of(np))

    def threads(self, count):
        pass  # It has one.

    def own(self, array):
        return array

    def empty(self, shape, dtype):
        return np.empty(shape, dtype)

    def array(self, result):
        return result


class Reference(NumPy):
    """NumPy's operators, with functions computed in f64, rounded once and moved by `ulps`: its own are off by up to 3.5."""

    def __init__(self, ulps):
        super().__init__()

        def erf(x):
            return np.fromiter(map(math.erf, x.ravel()), "f8", x.size).reshape(x.shape)

        def gelu_tanh(x):
            return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))

        def rounded(function):
            def call(*args):
                narrow = next(a.dtype for a in args if isinstance(a, np.ndarray))
                if narrow.kind in "iu":
                    return function(*args)
                with np.errstate(all="ignore"):
                    made = function(*(a.astype("f8") if isinstance(a, np.ndarray) else a for a in args)).astype(narrow)
                    return made if ulps == 0 else np.nextafter(made, made.dtype.type(ulps * math.inf))
            return call
        exact = functions_of(np)
        exact.update(pow=np.power, erf=erf, gelu=lambda x: 0.5 * x * (1 + erf(x / math.sqrt(2))), gelu_tanh=gelu_tanh,
                     sigmoid=lambda x: 1 / (1 + np.exp(-x)), softplus=lambda x: np.logaddexp(x, 0))
        self.table.update((name, rounded(function)) for name, function in exact.items())


class Torch(Eager):
    def __init__(self):
        self.driver = load("torch")
        self.torch = t = self.driver.library()

        def stretch(x, shape, out=None):
            return x.expand(shape).contiguous() if out is None else out.copy_(x.expand(shape))

        def cast(x, dtype, out=None):
            return x.to(dtype) if out is None else out.copy_(x)

        def floor(x, y, out=None):
            return t.div(x, y, rounding_mode="floor", out=out)

        gelu = t._C._nn.gelu

        def gelu_tanh(x, out=None):
            return gelu(x, approximate="tanh") if out is None else gelu(x, approximate="tanh", out=out)
        self.table = dict(add=t.add, sub=t.sub, mul=t.mul, div=t.div, div_floor=floor, mod_floor=t.remainder, pow=t.pow,
                          greater=t.gt, max=t.maximum, clip=t.clamp, where=t.where, shift_left=t.bitwise_left_shift,
                          shift_right=t.bitwise_right_shift, sigmoid=t.sigmoid, gelu=gelu, gelu_tanh=gelu_tanh,
                          broadcast_to=stretch, cast=cast, **functions_of(t))

    def threads(self, count):
        self.torch.set_num_threads(count)

    def own(self, array):
        if any(stride < 0 for stride in array.strides):
            raise Skip("no strides below 0")
        return self.driver.tensor(array)

    def empty(self, shape, dtype):
        return self.own(np.empty(shape, dtype))

    def extra(self, value):
        return value if isinstance(value, tuple) else self.own(np.empty(0, value)).dtype

    def array(self, result):
        return self.driver.numbers(result, BF16)


class NumExpr:
    def __init__(self):
        import numexpr
        self.numexpr = numexpr

    def threads(self, count):
        self.numexpr.set_num_threads(count)

    def prepare(self, work, mode):
        if mode not in ("out", "fresh"):
            raise Skip("no mode " + mode)
        if any(a.dtype not in ("f4", "f8", "i4", "?") for a in work.arrays.values()):
            raise Skip("dtype")
        arcs = {name: "arc" + name[1:] for name in "asin acos atan asinh acosh atanh".split()}
        known = "add sub mul div div_floor mod_floor pow greater where shift_left shift_right".split()
        known += [name for name in FUNCTIONS if name not in ("cbrt", "log2", "erf")]
        text, constants = {}, {}
        signs = dict(add="+", sub="-", mul="*", div="/", div_floor="//", mod_floor="%", pow="**", greater=">",
                     shift_left="<<", shift_right=">>")
        for step in work.steps(known):
            args = []
            for a in step.args:
                if isinstance(a, float):
                    # A float of Python's would make the whole double.
                    name = "c%d" % len(constants)
                    constants[name] = np.float32(a)
                    a = name
                args.append(text[id(a)] if isinstance(a, Step) else str(a))
            sign = signs.get(step.op)
            text[id(step)] = "(%s %s %s)" % (args[0], sign, args[1]) if sign else "%s(%s)" % (arcs.get(step.op, step.op), ", ".join(args))
            last = step
        names = dict(work.arrays, **constants)
        out = {"out": np.empty(last.shape, last.dtype)} if mode == "out" else {}
        self.numexpr.evaluate(text[id(last)], local_dict=names, **out)
        again = self.numexpr.re_evaluate
        return lambda: again(names)

    def array(self, result):
        return result


ONNX = dict(add="Add", sub="Sub", mul="Mul", div="Div", mod_floor="Mod", pow="Pow", greater="Greater", max="Max",
            min="Min", where="Where", relu="Relu", softplus="Softplus", clip="Clip", sigmoid="Sigmoid", gelu="Gelu",
            gelu_tanh="Gelu", cast="Cast", broadcast_to="Expand",
            **{name: name.title() for name in FUNCTIONS if name not in ("cbrt", "expm1", "log1p", "log2")})


def onnx_model(work):
    """Returns the workload as a model, and the arrays that it is fed; views are made inside it."""
    from onnx import TensorProto, helper
    kinds = {"f4": TensorProto.FLOAT, "f8": TensorProto.DOUBLE, "f2": TensorProto.FLOAT16, "i4": TensorProto.INT32,
             "i8": TensorProto.INT64, "i2": TensorProto.INT16, "u1": TensorProto.UINT8, "?": TensorProto.BOOL}

    def kind(dtype):
        if dtype == BF16:
            return TensorProto.BFLOAT16
        return next(v for k, v in kinds.items() if np.dtype(k) == dtype)
    nodes, constants, inputs, names = [], [], [], {}

    def constant(to, shape, values):
        constants.append(helper.make_tensor("c%d" % len(constants), to, shape, values))
        return constants[-1].name
    for name, base in work.bases.items():
        inputs.append(helper.make_tensor_value_info(name, kind(base.dtype), base.shape))
        names[name] = name
        if work.layouts[name] == "transposed":
            nodes.append(helper.make_node("Transpose", [name], [name + "_v"], perm=list(range(base.ndim))[::-1]))
            names[name] += "_v"
        elif work.layouts[name] == "swapped":
            axes = list(range(base.ndim))
            nodes.append(helper.make_node("Transpose", [name], [name + "_v"], perm=axes[:-2] + axes[:-3:-1]))
            names[name] += "_v"
        elif work.layouts[name] != "contiguous":
            step = STRIDES.get(work.layouts[name], -1)
            ends = (0, 1 << 60, base.ndim - 1, step) if step > 0 else (-1, -1 << 60, base.ndim - 1, -1)
            ends = [constant(TensorProto.INT64, [1], [v]) for v in ends]
            nodes.append(helper.make_node("Slice", [name] + ends, [name + "_v"]))
            names[name] += "_v"
    steps = work.steps(ONNX)
    for i, step in enumerate(steps):
        names[id(step)] = "result" if i + 1 == len(steps) else "t%d" % i
        args = [names[a if isinstance(a, str) else id(a)] if isinstance(a, (str, Step))
                else constant(kind(step.dtype), [], [a]) for a in step.args]
        more = {}
        if step.op == "cast":
            more["to"] = kind(step.extra)
        elif step.op == "gelu_tanh":
            more["approximate"] = "tanh"
        elif step.op == "broadcast_to":
            args.append(constant(TensorProto.INT64, [len(step.extra)], list(step.extra)))
        nodes.append(helper.make_node(ONNX[step.op], args, [names[id(step)]], **more))
    result = helper.make_tensor_value_info("result", kind(work.result), steps[-1].shape)
    graph = helper.make_graph(nodes, "workload", inputs, [result], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), steps[-1].shape


class OnnxRuntime:
    def __init__(self):
        self.driver, self.count = load("onnxruntime"), 1

    def threads(self, count):
        self.count = count

    def prepare(self, work, mode):
        if mode not in ("out", "fresh"):
            raise Skip("no mode " + mode)
        if BF16 in [a.dtype for a in work.arrays.values()]:
            raise Skip("dtype")
        model, shape = onnx_model(work)
        session = self.driver.session(model.SerializeToString(), {"threads": self.count})
        if mode == "fresh":
            feed = dict(work.bases)
            return lambda: session.run(None, feed)[0]
        binding, value = session.io_binding(), self.driver.value
        kept = {name: value(base) for name, base in work.bases.items()}
        for name, operand in kept.items():
            binding.bind_ortvalue_input(name, operand)
        kept["result"] = value(np.empty(shape, work.result))
        binding.bind_ortvalue_output("result", kept["result"])

        def call():
            session.run_with_iobinding(binding)
            return kept["result"]
        return call

    def array(self, result):
        return result if isinstance(result, np.ndarray) else result.numpy()


class OpenVino:
    def __init__(self):
        self.driver, self.count = load("openvino"), 1
        self.library = self.driver.library()

    def threads(self, count):
        self.count = count

    def tensor(self, array):
        if array.dtype == BF16:
            return self.library.Tensor(array.view("u2"), array.shape, self.library.Type.bf16)
        return self.library.Tensor(array, shared_memory=True)

    def prepare(self, work, mode):
        if mode != "out":
            raise Skip("its results live in the request")
        model, shape = onnx_model(work)
        model = self.driver.read(self.driver.Model(model.SerializeToString()))
        half = work.result.kind == "f" and work.result.itemsize == 2
        compiled = self.driver.compiled(model, self.count, "f16" if half else "f32", alone=True)
        request = compiled.create_infer_request()
        kept = {name: self.tensor(base) for name, base in work.bases.items()}
        for name, tensor in kept.items():
            request.set_tensor(name, tensor)
        out = np.empty(shape, work.result)
        kept["result"] = self.tensor(out)
        request.set_output_tensor(kept["result"])

        def call():
            # `infer` would copy the result into a new array.
            request.start_async()
            request.wait()
            return out
        call.kept = kept
        return call

    def array(self, result):
        return result


class PyArrow:
    """Computes over flat columns of one length, and always allocates its results."""

    def __init__(self):
        import pyarrow
        import pyarrow.compute
        self.library, self.compute = pyarrow, pyarrow.compute

    def threads(self, count):
        self.library.set_cpu_count(count)

    def prepare(self, work, mode):
        if mode != "fresh":
            raise Skip("its results are always new")
        if set(work.layouts.values()) != {"contiguous"}:
            raise Skip("no strides")
        c = self.compute
        table = dict(add=c.add, sub=c.subtract, mul=c.multiply, div=c.divide, pow=c.power, greater=c.greater,
                     sqrt=c.sqrt, exp=c.exp, log=c.ln, sin=c.sin, where=c.if_else, shift_left=c.shift_left)
        steps = work.steps(table)
        shapes = {array.shape for array in work.arrays.values()} | {step.shape for step in steps}
        if len(shapes) > 1:
            raise Skip("no broadcasting")
        kept = {name: self.library.array(np.ascontiguousarray(array).reshape(-1)) for name, array in work.arrays.items()}
        space, body = dict(kept, **{"f_" + op: call for op, call in table.items()}), []
        names = {}
        for i, step in enumerate(steps):
            args = []
            for a in step.args:
                if isinstance(a, (int, float)):
                    space["c%d" % len(space)] = self.library.scalar(a, self.library.from_numpy_dtype(step.dtype))
                    a = "c%d" % (len(space) - 1)
                args.append(names[id(a)] if isinstance(a, Step) else a)
            names[id(step)] = "t%d" % i
            body.append(" t%d = f_%s(%s)" % (i, step.op, ", ".join(args)))
        exec("def call():\n%s\n return t%d" % ("\n".join(body), len(steps) - 1), space)
        return space["call"]

    def array(self, result):
        return result.to_numpy(zero_copy_only=False)


ENGINES = {"numpy": NumPy, "numexpr": NumExpr, "torch": Torch, "onnxruntime": OnnxRuntime, "openvino": OpenVino, "pyarrow": PyArrow}


class Reader:
    """Times one call; short calls are repeated until a reading spans 60 microseconds, long ones are made once a round."""

    def __init__(self, call):
        self.call, self.times, self.took = call, None, 0

    def calls(self, times):
        call, turns = self.call, range(times)
        start = time.perf_counter()
        for _ in turns:
            call()
        return time.perf_counter() - start

    def read(self, budget):
        if self.times is None:
            self.calls(1)
            self.times, self.took = 1, self.calls(1)
            while self.took < 30e-6:
                self.times *= 4
                self.took = self.calls(self.times)
            self.times = max(1, int(self.times * 60e-6 / self.took + 0.5))
        elif self.took < 5e-3:
            self.calls(1)
        seconds, end = [], time.perf_counter() + budget
        while not seconds or len(seconds) < 300 and time.perf_counter() < end:
            seconds.append(self.calls(self.times) / self.times)
        return seconds


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # What libraries print is not an answer.
    engine, work, ready = ENGINES[sys.argv[1]](), None, {}

    def call_of(mode, threads=1):
        engine.threads(threads)
        if (mode, threads) not in ready:
            ready[mode, threads] = Reader(engine.prepare(work, mode))
        return ready[mode, threads]
    for line in sys.stdin:
        request, answer = json.loads(line), {"ok": True}
        try:
            do = request["do"]
            if do == "load":
                work = Work(request)
            elif do == "run":
                reader = call_of(request["mode"], request["threads"])
                gc.disable()
                answer = {"seconds": reader.read(request["seconds"])}
                gc.enable()
            elif do == "check":
                try:
                    result = call_of("out").call()
                except Skip:
                    result = call_of("fresh").call()
                answer = {"check": work.check(engine.array(result))}
            elif do == "compare":
                with open(request["path"], "rb") as file:
                    answer = {"check": work.check(file.read())}
            elif do in ("drop", "quit"):
                work = None
                ready.clear()
                gc.collect()
            else:
                answer = {"skip": "no request " + do}
        except Exception as error:
            answer = {"skip": (str(error) or type(error).__name__).splitlines()[0][:160]}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
        if request["do"] == "quit":
            break


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        main()
