# Every line that calls is refused by mypy and by pyright; tests/test_typing.py runs both.
import numpy as np

import broadaxe as bx

a = np.ones(3)

bx.add(a)
bx.neg(a, a, a)
bx.where(a, a)
bx.add(a, a, a, a)
bx.add(a, a, rule="nmpy")
bx.add(a, a, rul="numpy")
bx.add(a, a, casting="samekind")
bx.add(a, a, order="Q")
bx.neg(a, keepdims=True)
bx.max(a, 1, rule="nmpy")
bx.broadcast_shapes((1,), (2,), rule="nmpy")
bx.broadcast_to(a, (2, 3), rule="nmpy")
bx.explain((1,), rule="nmpy")
bx.evaluate("a + a", rule="nmpy")
bx.compile("a + a", rule="nmpy")
bx.unbroadcast(a, (3,), rule="nmpy")
bx.unbroadcast(a)
bx.check(5)
bx.check("m.onnx", targets="openvno")
bx.check("m.onnx", ["openvno"])
bx.check("m.onnx", input_shapes=[(1, 3)])
bx.fix("m.onnx")
bx.fix("m.onnx", "openvno")
bx.upgrade(5)
bx.extract("m.onnx")
bx.census(5)
bx.sizes("m.onnx")
bx.testing.assert_same(5, ["onnx"])
bx.testing.assert_same("m.onnx", ["openvno"])
bx.testing.assert_same("m.onnx")
bx.check("m.onnx").nope
bx.check("m.onnx").findings[0].nope
bx.targets()[0].nope
bx.rules[0].nope
bx.add.nope
bx.onnx.Add(a)
bx.onnx.Nope(a)
