// Answers the questions about add under the rule numpy, with a loop over the result. Put a call of your runtime here.
// SPDX-License-Identifier: MIT OR Apache-2.0
#include "broadaxe_atlas.hpp"

using broadaxe_atlas::Answer;
using broadaxe_atlas::Operand;
using broadaxe_atlas::Question;
using broadaxe_atlas::Shape;

// Returns the dim of an operand along an axis of the result; operands are aligned on the right.
static std::int64_t dim(const Operand& operand, std::size_t axis, std::size_t rank) {
  const std::size_t missing = rank - operand.shape.size();
  return axis < missing ? 1 : operand.shape[axis - missing];
}

static Answer answer(const Question& question) {
  if (question.op != "add" || question.rule != "numpy") return Answer::skip("only add under the rule numpy");
  const Operand& a = question.operands[0];
  const Operand& b = question.operands[1];
  const std::size_t rank = std::max(a.shape.size(), b.shape.size());
  Shape shape;
  std::int64_t count = 1;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const std::int64_t m = dim(a, axis, rank);
    const std::int64_t n = dim(b, axis, rank);
    if (m != n && m != 1 && n != 1) return Answer::reject("the shapes do not broadcast");
    shape.push_back(m == 1 ? n : m);
    count *= shape.back();
  }
  std::vector<float> values;
  for (std::int64_t at = 0; at < count; ++at) {
    std::int64_t rest = at;
    std::int64_t element[2] = {0, 0};
    std::int64_t stride[2] = {1, 1};
    for (std::size_t axis = rank; axis-- > 0;) {
      const std::int64_t index = rest % shape[axis];
      rest /= shape[axis];
      for (std::size_t k = 0; k < 2; ++k) {
        const std::int64_t extent = dim(question.operands[k], axis, rank);
        element[k] += extent == 1 ? 0 : index * stride[k];
        stride[k] *= extent;
      }
    }
    values.push_back(a.values[static_cast<std::size_t>(element[0])] + b.values[static_cast<std::size_t>(element[1])]);
  }
  return Answer::result(shape, values);
}

int main() {
  broadaxe_atlas::Options options;
  options.known = {};  // ids of what your runtime is known to get wrong, such as "add-numpy-r2-0010"
  return broadaxe_atlas::run(answer, options).ok() ? 0 : 1;
}
