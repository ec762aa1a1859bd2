"""The promises to users of numexpr: `re_evaluate`, names, its other functions, and the documented differences."""

import asyncio
import builtins
import doctest
import gc
import inspect
import pickle
import threading
import weakref
from collections import ChainMap, defaultdict
from pathlib import Path

import numpy as np
import pytest

import broadaxe as bx

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "guides" / "numexpr.md"


@pytest.fixture
def numexpr():
    return pytest.importorskip("numexpr", minversion="2.14.2")


# Evaluating again.


def scenario_validate(ne):
    a, b = np.arange(3.0), np.ones(3)
    ne.evaluate("a + b")
    assert ne.validate("a * 10") is None
    return ne.re_evaluate()


def scenario_failed_validate(ne):
    a = np.arange(3.0)
    ne.evaluate("a + 1")
    assert isinstance(ne.validate("a +"), SyntaxError)
    assert isinstance(ne.validate("a + unknown"), KeyError)
    return ne.re_evaluate()


def scenario_failed_evaluation(ne):
    a = np.arange(3.0)
    ne.evaluate("a + 1")
    with pytest.raises(ValueError):
        ne.evaluate("a * 100", out=np.zeros(7))
    return ne.re_evaluate()


def scenario_out(ne):
    a, out = np.arange(3.0), np.zeros(3)
    ne.evaluate("a * 2", out=out)
    a[:] = 5
    assert ne.re_evaluate() is out
    return out


def scenario_dead_out(ne):
    a, out = np.arange(3.0), np.zeros(3)
    known = weakref.ref(out)
    ne.evaluate("a * 2", out=out)
    del out
    gc.collect()
    assert known() is None
    return ne.re_evaluate()


def scenario_validated_out(ne):
    a, out = np.arange(3.0), np.zeros(3)
    assert ne.validate("a * 3", out=out) is None
    assert ne.re_evaluate() is out
    return out


def scenario_validate_casts_safely(ne):
    a, out = np.arange(3.0), np.zeros(3, np.float32)
    assert ne.validate("a * 2.5", out=out) is None
    with pytest.raises(TypeError):
        ne.re_evaluate()
    assert ne.validate("a * 2.5", out=out, casting="same_kind") is None
    return ne.re_evaluate()


def scenario_order(ne):
    a = np.arange(6.0).reshape(2, 3)
    ne.evaluate("a + 1", order="F")
    assert ne.re_evaluate().flags.f_contiguous
    return ne.re_evaluate()


def scenario_dictionary(ne):
    a = np.arange(3.0)
    ne.evaluate("a + 1")
    return ne.re_evaluate({"a": a - 1}) + ne.re_evaluate(local_dict={}, global_dict={"a": a})


def scenario_no_cache(ne):
    a = np.arange(3.0)
    ne.evaluate("a + 1")
    assert ne.evaluate("a * 100", disable_cache=True).tolist() == [0, 100, 200]
    return ne.re_evaluate()


def scenario_other_dtype(ne):
    ne.evaluate("a + a", {"a": np.arange(3.0)})
    return ne.re_evaluate({"a": np.arange(3, dtype=np.float32)}).astype(float)


def scenario_default_casting(ne):
    a, out = np.arange(3.0), np.zeros(3, np.float32)
    with pytest.raises(TypeError):
        ne.evaluate("a * 2.5", out=out, casting="safe")
    with pytest.raises(TypeError):
        ne.evaluate("a * 2.5", out=np.zeros(3, np.int32))
    return ne.evaluate("a * 2.5", out=out)


def scenario_positions(ne):
    out = np.zeros(3, np.float32)
    assert ne.validate("a * 2", {"a": np.ones(3)}, {}, out, "K", "unsafe", 2, True) is None
    return ne.evaluate("a * 2", {"a": np.ones(3)}, {}, out, "K", "unsafe", None, 3, False)


def scenario_frames(ne):
    a = np.zeros(3)

    def inner(depth):
        a = np.ones(3)
        return ne.evaluate("a + 1", _frame_depth=depth) + 0 * a

    assert inner(3).tolist() == [2, 2, 2]
    return inner(4) + a


def scenario_stretched_out(ne):
    return ne.evaluate("a * 2", {"a": np.arange(3)}, out=np.zeros((2, 3), int))


SCENARIOS = [value for name, value in sorted(globals().items()) if name.startswith("scenario_")]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_both_packages_do_the_same(scenario, numexpr):
    ours, theirs = scenario(bx), scenario(numexpr)
    np.testing.assert_array_equal(ours, theirs)
    assert ours.dtype == theirs.dtype


def drawn_text(draw, depth=0):
    """Draw a text of which both packages say the same: float64 and its comparisons."""
    if depth > 3 or draw.random() < 0.2:
        return str(draw.choice(["a", "b", "c", "2.5", "0.5"]))
    one, other = drawn_text(draw, depth + 1), drawn_text(draw, depth + 1)
    forms = ["({} + {})", "({} - {})", "({} * {})", "({} / {})", "where({0} < {1}, {0}, {1})", "-({0} + {1})", "abs({0} * {1})", "arctan2({}, {})",
             "minimum({}, {})", "(sqrt(abs({})) + {})", "({} # a ( comment\n + {})"]
    return str(draw.choice(forms)).format(one, other)


@pytest.mark.parametrize("seed", range(40))
def test_drawn_texts_are_evaluated_as_by_numexpr(seed, numexpr):
    """Shapes, dictionaries, frames, validation and outputs are drawn too."""
    draw = np.random.default_rng(seed)
    # numexpr forgets `out` where the result is empty.
    shape = draw.integers(1, 4, draw.integers(0, 5))
    names = {}
    for name in "abc":
        own = np.where(draw.random(shape.size) < 0.3, 1, shape)[draw.integers(0, shape.size + 1):]
        names[name] = draw.normal(size=own)
    text = f"a + b + c + {drawn_text(draw)}"
    results = []
    for ne in (bx, numexpr):
        a, b, c = names["a"], names["b"], names["c"]
        with np.errstate(all="ignore"):
            by_frame, by_dict = ne.evaluate(text), ne.evaluate(text, names, {})
            assert ne.validate(text, names) is None
            again, out = ne.re_evaluate(), np.zeros(np.shape(by_dict), np.float32)
            assert ne.evaluate(text, out=out) is out
            b = b + 1
            results.append((by_frame, by_dict, again, out.copy(), ne.re_evaluate(), a + c))
    for ours, theirs in zip(*results):
        assert np.shape(ours) == np.shape(theirs), text
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6, err_msg=text)


def in_threads(*works):
    """Run functions in threads, and return their results or raise what one raised."""
    found = [None] * len(works)

    def run(k):
        try:
            found[k] = works[k]()
        except BaseException as error:
            found[k] = error

    threads = [threading.Thread(target=run, args=(k,)) for k in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_each_thread_evaluates_its_own_expression_again():
    a, b = np.arange(3.0), np.ones(3)
    everyone = threading.Barrier(8)

    def work(text):
        arrays = {"a": a, "b": b}
        bx.evaluate(text, arrays, {})
        everyone.wait()
        return bx.re_evaluate(arrays, {}).tolist()

    texts = [f"a {sign} b * {k}" for k in range(4) for sign in "+-"]
    found = in_threads(*[lambda text=text: work(text) for text in texts])
    assert found == [eval(text, {"a": a, "b": b}).tolist() for text in texts]


def test_each_task_evaluates_its_own_expression_again():
    async def one(text, mine, other):
        bx.evaluate(text, {"x": np.arange(3.0)}, {})
        mine.set()
        await other.wait()
        return bx.re_evaluate({"x": np.arange(3.0)}, {}).tolist()

    async def both():
        first, second = asyncio.Event(), asyncio.Event()
        return await asyncio.gather(one("x + 1", first, second), one("x - 1", second, first))

    assert asyncio.run(both()) == [[1, 2, 3], [-1, 0, 1]]


def test_a_new_thread_has_evaluated_nothing():
    bx.evaluate("1 + 1")
    if not getattr(__import__("sys").flags, "thread_inherit_context", False):
        found = in_threads(bx.re_evaluate)
        assert isinstance(found[0], RuntimeError) and "evaluate" in str(found[0])


def test_the_last_expression_dies_with_its_thread():
    text = "a_name_of_this_test_alone + 1"
    from broadaxe import _expressions

    def work():
        bx.evaluate(text, {"a_name_of_this_test_alone": 1}, {})
        return len(gc.get_referrers(_expressions._cache[text]))

    during = in_threads(work)[0]
    gc.collect()
    expression = _expressions._cache.pop(text)
    assert isinstance(during, int) and len(gc.get_referrers(expression)) < during


def test_operands_are_not_kept_alive():
    def evaluate():
        a = np.ones(3)
        bx.evaluate("a + 1")
        bx.validate("a + 2")
        bx.re_evaluate()
        return weakref.ref(a)

    known = evaluate()
    gc.collect()
    assert known() is None


def test_names_of_an_enclosing_class_are_left_alone():
    class Body:
        a = np.ones(3)
        result = bx.evaluate("a + 1")

    assert Body.result.tolist() == [2, 2, 2] and Body.a.tolist() == [1, 1, 1]


def test_many_texts_are_evaluated_rightly():
    """More than are cached, in two threads."""
    def work():
        return [int(bx.evaluate(f"x + {k}", {"x": 1}, {})) for k in range(700)]

    assert in_threads(work, work) == [[k + 1 for k in range(700)]] * 2
    from broadaxe import _expressions

    assert len(_expressions._cache) <= _expressions._LIMIT + 2


# Names.


@pytest.mark.parametrize("call", [
    lambda: bx.evaluate("missing + 1", {"present": 1}, {}),
    lambda: bx.evaluate("missing + 1"),
    lambda: bx.evaluate("missing + 1", names={"present": 1}),
    lambda: bx.evaluate("missing + present", present=1),
    lambda: bx.evaluate("missing + 1", defaultdict.fromkeys(["present"], 1)),
])
def test_an_unknown_name_is_a_key_error_and_a_name_error(call):
    with pytest.raises(KeyError) as caught:
        call()
    assert isinstance(caught.value, NameError) and isinstance(caught.value, bx.MissingName)
    assert caught.value.args == ("missing",)
    assert str(caught.value).startswith("no array named 'missing'")
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is bx.MissingName and str(again) == str(caught.value)


def test_an_unknown_name_is_numexprs_error_too(numexpr):
    for ne in (bx, numexpr):
        with pytest.raises(KeyError) as caught:
            ne.evaluate("missing + 1", {}, {})
        assert caught.value.args == ("missing",)
        assert isinstance(ne.validate("missing + 1"), KeyError)


def test_a_near_name_is_proposed():
    with pytest.raises(bx.MissingName, match="did you mean 'weight'"):
        bx.evaluate("wieght + 1", {"weight": 1}, {})


def test_mappings_stand_for_names():
    names = ChainMap({"a": 1}, {"b": 2})
    assert bx.evaluate("a + b", names) == bx.evaluate("a + b", names=names) == 3
    assert bx.evaluate("a + b", defaultdict(lambda: 5, a=1), {}) == 6


def test_explicit_names_are_the_only_ones(monkeypatch):
    """No frame is looked at, and no global of the same name is found."""
    from broadaxe import _expressions

    monkeypatch.setattr(_expressions, "_frame", lambda depth: pytest.fail("a frame was looked at"))
    hidden = 1
    assert bx.evaluate("a + hidden", names={"a": 1, "hidden": 2}) == 3
    assert bx.evaluate("a + b", names={"a": 1}, b=5) == 6
    assert bx.evaluate("a + b", a=1, b=2) == 3
    assert bx.evaluate("a + b", {"a": 1, "b": 2}) == 3
    assert bx.validate("a + b", names={"a": 1, "b": 2}) is None
    assert bx.re_evaluate(names={"a": 10, "b": 2}) == 12
    with pytest.raises(bx.MissingName):
        bx.evaluate("a + hidden + pytest", names={"a": hidden})
    with pytest.raises(TypeError, match="one or the other"):
        bx.evaluate("a", {"a": 1}, names={"a": 1})
    with pytest.raises(TypeError, match="does not use"):
        bx.re_evaluate(names={"a": 1, "b": 1}, c=1)


# Arguments.


def test_parameters_are_numexprs(numexpr):
    """Its parameters come first, in its order and with its defaults."""
    for name in ("evaluate", "validate", "re_evaluate"):
        ours = [*inspect.signature(getattr(bx, name)).parameters.values()]
        theirs = [p for p in inspect.signature(getattr(numexpr, name)).parameters.values() if p.kind != p.VAR_KEYWORD]
        assert [(p.name, p.kind, p.default) for p in ours[: len(theirs)]] == [(p.name, p.kind, p.default) for p in theirs], name


@pytest.mark.parametrize("arguments", [
    {"optimization": "bogus"}, {"truediv": "bogus"}, {"casting": "bogus"}, {"order": "bogus"}, {"ex": ["a"]}, {"ex": b"a"}, {"ex": None},
    {"ex": "a // 2", "optimization": None},
])
def test_what_numexpr_refuses_is_refused_in_the_same_way(arguments, numexpr):
    arguments = {"ex": "a", "local_dict": {"a": np.ones(3)}, **arguments}
    for ne in (numexpr, bx):
        with pytest.raises(ValueError):
            ne.evaluate(**arguments)


@pytest.mark.parametrize("arguments", [
    {"optimization": "none"}, {"optimization": "moderate"}, {"optimization": "aggressive"}, {"truediv": False}, {"truediv": True},
    {"truediv": "auto"}, {"sanitize": True}, {"sanitize": False}, {"sanitize": None}, {"disable_cache": True}, {"casting": "no"},
    {"order": "A"}, {"global_dict": {"b": 1}},
])
def test_what_numexpr_takes_is_taken(arguments, numexpr):
    names = {"a": np.arange(3), "b": np.arange(3)}
    results = [ne.evaluate("a / 2 + b", names, **arguments) for ne in (numexpr, bx)]
    np.testing.assert_array_equal(*results)


def test_keywords_with_the_names_of_options_can_be_arrays():
    assert bx.evaluate("truediv + 1", truediv=2) == 3
    sanitize = 4
    assert bx.evaluate("sanitize + 1") == sanitize + 1


# Texts.


@pytest.mark.parametrize("text", [
    "a # c", "a + b # sum('", "# c\na", "a + \\\n b", "(a\n+ b)", "(a # one\n + b # two\n)", "a+b#", "(a +\r\n b)",
])
def test_comments_and_lines_are_pythons(text, numexpr):
    names = {"a": np.arange(3.0), "b": np.ones(3)}
    np.testing.assert_array_equal(bx.evaluate(text, names, {}), numexpr.evaluate(text, names, {}))


REDUCTIONS = ["sum", "prod", "max", "min", "mean", "any", "all", "argmax", "argmin"]


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("axis", ["0", "1", "-1", "+1", "(0)", "0x1", "True"])
def test_a_number_that_could_be_an_axis_is_refused(name, axis):
    a = np.arange(6.0).reshape(2, 3)
    number = eval(axis)
    with pytest.raises(SyntaxError) as caught:
        bx.evaluate(f"{name}(a, {axis})")
    sentence, text, caret = str(caught.value).split("\n")
    assert f"write {name}(a, axis={int(number)}) to fold axis {int(number)}" in sentence
    assert text == f"  {name}(a, {axis})" and text[caret.index("^")] == axis.strip("()")[0]
    assert isinstance(bx.validate(f"{name}(a, {axis})"), SyntaxError)
    # What it says works, and is NumPy's.
    np.testing.assert_array_equal(bx.evaluate(f"{name}(a, axis={int(number)})"), getattr(np, name)(a, axis=int(number)))
    if ", or " in sentence:
        other = sentence.partition(", or ")[2].split(" to ")[0].split(" for ")[0]
        joined = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum, "mean": lambda a, b: (a + b) / 2}[name]
        np.testing.assert_array_equal(bx.evaluate(other), joined(a, int(number)))


def test_other_second_operands_are_joined():
    a, b, k = np.arange(6.0).reshape(2, 3), np.ones(3), 2
    for text, want in [
        ("max(a, b)", np.maximum(a, b)), ("max(a, 2.0)", np.maximum(a, 2)), ("max(a, k)", np.maximum(a, k)), ("sum(a, b)", a + b),
        ("min(2, a)", np.minimum(2, a)), ("sum(a, b, 1)", a + b + 1), ("maximum(a, 2)", np.maximum(a, 2)),
    ]:
        np.testing.assert_array_equal(bx.evaluate(text), want, text)


@pytest.mark.parametrize("arguments", ["", ", axis=None", ", None", ", axis=0", ", axis=1", ", axis=-1", ", axis=(0, 1)", ", axis=[0, 2]",
                                       ", axis=(1,)", ", axis=None, keepdims=True", ", keepdims=True, axis=(0, -1)", ", axis=1, keepdims=False"])
@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "mean", "any", "all"])
def test_axes_are_numpys(name, arguments):
    x = np.random.default_rng(0).integers(-3, 4, (2, 3, 4)).astype(float)
    text = f"{name}(x{arguments})"
    want = eval(f"np.{text.replace('[0, 2]', '(0, 2)')}", {"np": np, "x": x})
    got = bx.evaluate(text)
    assert np.shape(got) == np.shape(want)
    np.testing.assert_allclose(got, want, rtol=1e-12)


def test_reductions_without_an_axis_are_numexprs(numexpr):
    names = {"a": np.arange(6.0).reshape(2, 3)}
    for text in ["sum(a, axis=None)", "sum(a, None)", "prod(a + 1, axis=None)", "max(a)", "min(a, axis=1)", "sum(a, axis=0)"]:
        np.testing.assert_array_equal(bx.evaluate(text, names, {}), numexpr.evaluate(text, names, {}))


# No text is run as Python code.

INJECTIONS = [
    "__import__('os').system('touch taken')", "().__class__.__bases__[0].__subclasses__()", "a.__class__", "a.__class__.__mro__[1]",
    "(lambda: 1)()", "lambda x: x", "f'{a}'", "f\"{__import__('os')}\"", "(b := 1)", "a.__array_interface__", "a.tofile('taken')",
    "a\0b", "exec('1')", "eval('1')", "compile('1', '', 'eval')", "open('taken', 'w')", "getattr(a, 'data')", "globals()", "locals()",
    "vars()", "[x for x in (1, 2)]", "{1: 2}", "{1, 2}", "*a", "**a", "a; b", "import os", "print(a)", "breakpoint()", "input()",
    "a if True else b", "np.load('taken')", "np.__builtins__", "a.real.__class__", "onnx.__class__", "sum.__globals__",
    "numpy.ctypeslib.load_library('c', '/')", "'%s' % a", "'{0.__class__}'.format(a)", "a[().__class__]", "yield a", "await a", "...",
    "a @ b", "__builtins__", "_frame", "evaluate('1')", "add(a, b, rule='__import__')", "cast(a, 'O')", "cast(a, 'object')", "`a`", "$a",
    "\u02cbimport(a)", "add(a, b, **{})", "add(*a)", "del a", "assert a", "raise a", "global a", "a -> b", "@a", "a\x0cb", "a\u2028b",
]


def test_no_text_reaches_python(monkeypatch, tmp_path):
    """With Python's eval, exec and compile taken away, every answer is the same and every injection is refused."""
    names = {"a": np.arange(3.0), "b": np.ones(3)}
    good = ["a + b", "sum(a * b, axis=0)", "where(a > 1, a, -b)", "onnx.PRelu(a, b)", "add(a, b, rule='pdpd', axis=0)", "a ** 2 # c", "cast(a, 'f16')"]
    want = [bx.evaluate(text, names=names, disable_cache=True) for text in good]
    reached = []

    def refuse(*args, **kwargs):
        reached.append(args)
        raise AssertionError("a text reached Python")

    monkeypatch.chdir(tmp_path)
    with monkeypatch.context() as patch:
        for function in ("eval", "exec", "compile", "open"):
            patch.setattr(builtins, function, refuse)
        got = [bx.evaluate(text, names=names, disable_cache=True) for text in good]
        again = bx.evaluate("a - b", names=names), bx.re_evaluate(names=names), bx.validate("a - b", names=names), bx.compile("a - b")(**names)
        for text in INJECTIONS:
            for sanitize in (True, False, None):
                with pytest.raises((SyntaxError, NameError, ValueError, TypeError)):
                    bx.evaluate(text, names=names, sanitize=sanitize)
    assert not reached and again[2] is None
    for ours, theirs in zip(got, want):
        np.testing.assert_array_equal(ours, theirs)
    assert not list(tmp_path.iterdir())


def test_the_package_does_not_run_texts():
    """No module of the package calls eval, exec or compile of Python's."""
    import ast

    for path in Path(bx.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("eval", "exec", "compile", "__import__"), path


def test_errors_of_texts_have_no_other_cause():
    for text in ["a +", "unknown + 1", "sum(a, 0)", ["a"]]:
        with pytest.raises(Exception) as caught:
            bx.evaluate(text, {"a": 1}, {})
        assert caught.value.__cause__ is None and (caught.value.__context__ is None or caught.value.__suppress_context__), text


# numexpr's other names.


def test_names_that_importers_touch():
    assert bx.use_vml is False and bx.get_vml_version() is None
    assert bx.set_vml_num_threads(2) is None and bx.set_vml_accuracy_mode("high") is None
    assert bx.ncores == bx.detect_number_of_cores() >= 1
    assert bx.version.version == bx.__version__
    before = bx.set_num_threads(3)
    try:
        assert bx.nthreads == bx.get_num_threads() == bx.detect_number_of_threads() == 3
        bx.set_num_threads(bx.MAX_THREADS)
        assert bx.nthreads == bx.MAX_THREADS
        bx.set_num_threads(bx.MAX_THREADS + 1)
        assert bx.nthreads == bx.MAX_THREADS
    finally:
        bx.set_num_threads(before)
    with pytest.raises(AttributeError, match="nothreads"):
        bx.nothreads


def test_versions_are_printed(capsys):
    bx.print_versions()
    shown = capsys.readouterr().out
    assert bx.__version__ in shown and np.__version__ in shown and f"{bx.ncores} CPUs" in shown


@pytest.mark.parametrize("text, signature, operands", [
    ("b - a", [], (1.0, 5.0)),
    ("b - a", [("b", np.float64), ("a", np.float64)], (np.array([1.0]), np.array([5.0]))),
    ("a / 2 + b", [("a", float), ("b", float)], (np.float32([1]), np.float32([5]))),
    ("a * 2", [("a", np.float64)], (np.arange(3),)),
    ("a", [("a", np.int32)], (3,)),
    ("a > 1", [("a", float)], (2.5,)),
    ("out - casting * order", [], (2.0, 5.0, 3.0)),
])
def test_compiled_expressions_are_called_as_numexprs(text, signature, operands, numexpr):
    ours, theirs = bx.NumExpr(text, signature), numexpr.NumExpr(text, signature)
    assert ours.input_names == theirs.input_names
    got, want = ours(*operands), theirs(*operands)
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(ours.run(*operands), want)
    if signature:
        assert got.dtype == want.dtype
    out = np.zeros(np.shape(want), want.dtype)
    assert ours(*operands, out=out, order="K", casting="unsafe", ex_uses_vml=False) is out
    np.testing.assert_array_equal(out, want)
    again = pickle.loads(pickle.dumps(ours))
    np.testing.assert_array_equal(again(*operands), want)


@pytest.mark.parametrize("call, kind", [
    (lambda ne: ne.NumExpr("b - a")(1), ValueError),
    (lambda ne: ne.NumExpr("b - a")(1, 2, 3), ValueError),
    (lambda ne: ne.NumExpr("b - a", [("a", float)]), ValueError),
    (lambda ne: ne.NumExpr("b - a", [("a", float), ("b", float), ("c", float)]), ValueError),
    (lambda ne: ne.NumExpr("a", [("a", float)])(np.float64([1.5])), TypeError),
    (lambda ne: ne.NumExpr("a", [("a", np.int32)])(np.float64([1.5])), TypeError),
    (lambda ne: ne.NumExpr("a", optimization="bogus"), ValueError),
    (lambda ne: ne.NumExpr("a +"), SyntaxError),
])
def test_compiled_expressions_refuse_what_numexprs_refuse(call, kind, numexpr):
    for ne in (numexpr, bx):
        with pytest.raises(kind):
            call(ne)


def test_pandas_computes_with_it(monkeypatch):
    """DataFrame.eval, DataFrame.query and large arithmetic, with this package in the place of numexpr."""
    pandas = pytest.importorskip("pandas")
    expressions = pytest.importorskip("pandas.core.computation.expressions")
    import sys

    frame = pandas.DataFrame({"a": np.arange(6.0), "b": np.arange(6.0)[::-1].copy(), "n": np.arange(6)})
    given = {"local_dict": {"limit": 2.5}}
    texts = ["a + b * 2", "a > @limit", "(a > 1) & (b > 2)", "sqrt(a) + sin(b)", "n // 2 + n % 2", "-a", "~(a > 1)", "a ** 2 / (b + 1)", "n == 3"]
    want = [frame.eval(text, engine="python", **given) for text in texts] + [frame.query("a < @limit and n > 0", engine="python", **given)]
    texts_seen = []

    def evaluate(text, *args, **kwargs):
        texts_seen.append(text)
        return bx.evaluate(text, *args, **kwargs)

    stand_in = type(sys)("numexpr")
    stand_in.__dict__.update({name: getattr(bx, name) for name in dir(bx) if not name.startswith("__")}, evaluate=evaluate, __version__="99")
    monkeypatch.setitem(sys.modules, "numexpr", stand_in)
    monkeypatch.setattr(expressions, "ne", stand_in, raising=False)
    monkeypatch.setattr(expressions, "NUMEXPR_INSTALLED", True)
    monkeypatch.setattr("pandas.core.computation.check.NUMEXPR_INSTALLED", True)
    monkeypatch.setattr(expressions, "_MIN_ELEMENTS", 0)
    monkeypatch.setattr(expressions, "USE_NUMEXPR", True)
    monkeypatch.setattr(expressions, "_evaluate", expressions._evaluate_numexpr)
    before = bx.num_threads()
    expressions.set_numexpr_threads(2)
    assert bx.num_threads() == 2
    bx.set_num_threads(before)
    got = [frame.eval(text, engine="numexpr", **given) for text in texts] + [frame.query("a < @limit and n > 0", engine="numexpr", **given)]
    for ours, theirs, text in zip(got, want, [*texts, "query"]):
        if text == "query":
            pandas.testing.assert_frame_equal(ours, theirs)
        else:
            pandas.testing.assert_series_equal(ours, theirs, check_dtype=text not in ("n // 2 + n % 2",))
    seen = len(texts_seen)
    assert seen >= len(texts)
    pandas.testing.assert_frame_equal(frame + frame, frame * 2)
    assert len(texts_seen) > seen


# The page.


def rows(title):
    """Return the rows of the table under a heading of the guide, without marks of code."""
    lines = GUIDE.read_text().partition(f"\n## {title}\n")[2].split("\n## ")[0].splitlines()
    cells = [[cell.strip().strip("`").replace("\\|", "|") for cell in line.strip("|").split(" | ")] for line in lines if line.startswith("|")]
    return cells[2:]


ARRAYS = {
    "i8": np.array([100, -100, 3], np.int8), "i16": np.arange(1, 4, dtype=np.int16), "i32": np.arange(1, 4, dtype=np.int32), "i64": np.arange(1, 4),
    "u16": np.arange(1, 4, dtype=np.uint16), "u32": np.arange(1, 4, dtype=np.uint32), "u64": np.arange(1, 4, dtype=np.uint64),
    "f16": np.float16([1, 2, 3]), "f32": np.float32([1, 2, 3]), "f64": np.float64([1, 2, 3]), "b": np.array([True, False, True]),
}


def outcome(ne, text):
    """Return the dtype of a result, or the class of what was raised."""
    try:
        return str(np.asarray(ne.evaluate(text, ARRAYS, {})).dtype)
    except Exception as error:
        return type(error).__name__


def test_the_table_of_dtypes_is_true(numexpr):
    table = rows("Dtypes that differ")
    assert len(table) > 15
    for text, theirs, ours in table:
        assert (outcome(numexpr, text), outcome(bx, text)) == (theirs, ours), text
        assert theirs != ours, text


def test_the_table_of_texts_is_true(numexpr):
    table = rows("Texts that differ")
    assert len(table) > 8
    for text, theirs, ours in table:
        assert (outcome(numexpr, text), outcome(bx, text)) == (theirs, ours), text


def test_the_examples_of_the_page():
    failed, tried = doctest.testfile(str(GUIDE), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert failed == 0 and tried > 10
