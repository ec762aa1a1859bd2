"""Test cases that show how a runtime broadcasts.

>>> from broadaxe_atlas import cases, judge, questions
>>> case = next(case for case in cases() if case["id"] == "add-numpy-r2-0008")
>>> case["operands"], case["shape"]
([[1], [2, 2]], [2, 2])
>>> question = questions(case)[0]
>>> question.id, question.operands[1].values
('add-numpy-r2-0008:ii', [0, 1, 2, 3])
>>> judge(question, ([2, 2], [0, 1, 2, 3])).outcome
'right'
>>> print(judge(question, ([2, 2], [0, 2, 1, 3])).text)
element 1 of the result comes from a[0] and b[2], and from a[0] and b[1] under the rule
"""

from broadaxe_atlas._atlas import Operand, Question, Skip, Verdict, ask, cases, judge, load, questions

__all__ = ["Operand", "Question", "Skip", "Verdict", "ask", "cases", "judge", "load", "questions"]
