"""Every legal slope of `PRelu` through `broadaxe fix --for openvino,ncnn`, then converted and run by both.

    python -m conformance.models_prelu_fix [--every N] [--only TEXT]

The models are those of `models_prelu`, and so is the way they are run: OpenVINO reads the ONNX file, ncnn runs what pnnx
writes, and ONNX Runtime says what the model means, before and after. Ends with 1 where a repaired model is wrong.
"""

import argparse
import sys
from collections import Counter

from .model_graphs import change
from .models_prelu import TARGETS, Question, by_onnxruntime, seen, slopes


def main():
    """Repair, run, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", default="", help="only questions whose name has this text")
    options = parser.parse_args()
    questions = [question for question in slopes() if options.only in question.name][:: options.every]
    figures, wrong = Counter(), []
    for question in questions:
        try:
            fixed, _ = change(question.model, "fix", "--for", ",".join(TARGETS))
        except RuntimeError as error:
            wrong.append(f"{question.name}: {error}")
            continue
        repaired = Question(question.name, fixed, question.feeds)
        repaired.want = by_onnxruntime(question)
        if by_onnxruntime(Question("", fixed, question.feeds)).tobytes() != repaired.want.tobytes():
            wrong.append(f"{question.name}: ONNX Runtime computes something else than before")
        nodes = " ".join(node.op_type for node in fixed.graph.node)
        changed = "unchanged" if fixed == question.model else nodes
        figures["repair", changed] += 1
        for target in TARGETS:
            before, _ = seen(question, target)
            after, why = seen(repaired, target)
            figures[target, f"{before} before, {after} after"] += 1
            if after != "same":
                wrong.append(f"{question.name} for {target}: {after} {why} after the repair to {nodes}")
    for sentence in wrong:
        print(sentence)
    for (what, outcome), count in sorted(figures.items()):
        print(f"{what:<10} {count:>5} {outcome}")
    print(f"{len(questions)} models, {len(wrong)} wrong after the repair")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
