"""Hold what the tests share."""

import pathlib

import broadaxe_atlas

ATLAS = pathlib.Path(__file__).parents[2]
MINE = pathlib.Path(__file__).with_name("answers.py").read_text(encoding="utf-8")

# The number of questions, and of those about the rule numpy.
ALL = sum(len(broadaxe_atlas.questions(case)) for case in broadaxe_atlas.cases())
NUMPY = sum(len(broadaxe_atlas.questions(case)) for case in broadaxe_atlas.cases() if case["rule"] == "numpy")
