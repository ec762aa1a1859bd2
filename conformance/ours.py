"""Broadaxe's answers, under each framework's own names."""

import numpy as np

import broadaxe as bx

from .question import Lacking, Refused


def answer(engine, question):
    """Return Broadaxe's answer to a question in an engine's words."""
    try:
        return np.asarray(_call(engine, question))
    except TypeError as why:
        return Lacking(str(why))
    except (ValueError, ZeroDivisionError) as why:
        return Refused(str(why))


def _call(engine, question):
    attributes = dict(question.attributes)
    if engine.system is None:
        if question.operator == "broadcast_to":
            return bx.broadcast_to(question.operands[0], attributes["shape"])
        return getattr(bx, question.operator)(*question.operands, **attributes)
    if question.operator == "Gemm":
        # The product is a matter of NumPy's; the rule is about C.
        product = np.zeros((len(question.operands[0]), question.operands[1].shape[1]), np.float32)
        return bx.add(product, question.operands[2], rule="gemm-c")
    if engine.opset is not None:
        attributes["opset"] = engine.opset
    return getattr(getattr(bx, engine.system), question.operator)(*question.operands, **attributes)
