"""Paddle on the CPU: its own programs, and single functions."""

def start():
    """Import it, for programs as older versions write them."""
    os.environ["FLAGS_enable_pir_api"] = "0"  # noqa: F821
    os.environ.setdefault("FLAGS_allocator_strategy", "naive_best_fit")  # noqa: F821
    library().disable_static()


def library():
    """Return the module."""
    import paddle

    return paddle


def version():
    """Return the version."""
    return library().__version__


def static(work):
    """Return what a function does where programs are made and run."""
    library().enable_static()
    try:
        return work(library())
    finally:
        library().disable_static()


def load(model, names, outputs, options):
    """Return the function that runs a program."""
    if model.format != "paddle":
        raise Unasked("Paddle is asked about its own programs only")  # noqa: F821
    return lambda feeds: static(lambda paddle: executed(paddle, model, feeds))


def executed(paddle, model, feeds):
    """Run a program, whose results are in its own order."""
    import tempfile

    import numpy

    with tempfile.TemporaryDirectory() as folder, paddle.static.scope_guard(paddle.static.Scope()):
        path = os.path.join(folder, "m")  # noqa: F821
        for ending, data in (("pdmodel", model.data), ("pdiparams", model.weights or b"")):
            with open(f"{path}.{ending}", "wb") as file:
                file.write(data)
        runner = paddle.static.Executor(paddle.CPUPlace())
        program, inputs, results = paddle.static.load_inference_model(path, runner)
        return [numpy.array(one) for one in runner.run(program, {name: feeds[name] for name in inputs}, results)]


def write(feeds, outputs, options):
    """Return a program and its weights: `inputs` and `shapes` by name, the `nodes` in order, and constants in `feeds`."""
    return static(lambda paddle: written(paddle, feeds, outputs, options))


def written(paddle, constants, outputs, options):
    """Write a program of the operators that older versions have."""
    import tempfile

    main, start = paddle.static.Program(), paddle.static.Program()
    scope, runner = paddle.static.Scope(), paddle.static.Executor(paddle.CPUPlace())
    with paddle.static.program_guard(main, start), tempfile.TemporaryDirectory() as folder, paddle.static.scope_guard(scope):
        values = {name: paddle.static.data(name, dims, "float32") for name, dims in options["inputs"].items()}
        values |= {name: paddle.create_parameter(list(array.shape), "float32", name=name) for name, array in constants.items()}
        block = main.global_block()
        for op, inputs, (output,), attributes in options["nodes"]:
            values[output] = block.create_var(name=output, shape=options["shapes"][output], dtype="float32")
            words = ("Input", "Filter") if op == "conv2d" else ("X", "Y")
            given = {word: [values[name]] for word, name in zip(words, inputs)}
            block.append_op(type=op, inputs=given, outputs={"Output" if op == "conv2d" else "Out": [values[output]]}, attrs=attributes)
        runner.run(start)
        for name, array in constants.items():
            scope.find_var(name).get_tensor().set(array, paddle.CPUPlace())
        path = os.path.join(folder, "m")  # noqa: F821
        paddle.static.save_inference_model(path, [values[name] for name in options["inputs"]], [values[name] for name in outputs], runner, program=main)
        files = []
        for ending in ("pdmodel", "pdiparams"):
            exists = os.path.exists(f"{path}.{ending}")  # noqa: F821
            with open(f"{path}.{ending}" if exists else os.devnull, "rb") as file:  # noqa: F821
                files.append(file.read())
        return files


# Functions of Paddle that say what an operator of ONNX says.
FUNCTIONS = {
    "Add": "add", "Sub": "subtract", "Mul": "multiply", "Div": "divide", "Pow": "pow", "Equal": "equal", "Less": "less_than",
    "LessOrEqual": "less_equal", "Greater": "greater_than", "GreaterOrEqual": "greater_equal", "And": "logical_and",
    "Or": "logical_or", "Xor": "logical_xor", "Where": "where",
}  # fmt: skip


def folded(function, operands):
    """Return what a function of two operands gives for several, one after the other."""
    result = operands[0]
    for operand in operands[1:]:
        result = function(result, operand)
    return result


def function_of(paddle, op, attributes, whole):
    """Return the function of an operator of ONNX, or None; `whole` numbers are divided otherwise."""
    folds = {"Max": paddle.maximum, "Min": paddle.minimum, "Sum": paddle.add}
    if op in folds:
        return lambda *operands: folded(folds[op], operands)
    if op == "Mean":
        return lambda *operands: folded(paddle.add, operands) / len(operands)
    if op == "PRelu":
        return paddle.nn.functional.prelu
    if op == "Mod" and not attributes.get("fmod"):
        return paddle.remainder
    if op == "Div" and whole:
        return paddle.floor_divide
    return getattr(paddle, FUNCTIONS[op]) if op in FUNCTIONS else None


def call(feeds, options):
    """Return what functions give for `calls`, each an operator of ONNX, the names of its operands, and its attributes.

    It is None where no function says the same, and the text of its error.
    """
    import numpy

    paddle, found = library(), []
    for op, names, attributes in options["calls"]:
        operands = [feeds[name] for name in names]
        function = function_of(paddle, op, attributes, operands[0].dtype.kind in "iu")
        try:
            found.append(None if function is None else numpy.array(function(*map(paddle.to_tensor, operands)).numpy()))
        except Exception as why:
            found.append(str(why)[-300:] or "an error")
    return found


def elementwise(op, operands, axis):
    """Return what an old operator such as elementwise_add gives, whose operand of lower rank begins at an axis."""
    from paddle import _legacy_C_ops

    return getattr(_legacy_C_ops, op)(*map(library().to_tensor, operands), "axis", axis).numpy()
