// Test cases that show how a runtime broadcasts. This header is all that a test needs: copy it, include it, call run.
//
// The code is licensed MIT OR Apache-2.0, the cases CC0-1.0.
// SPDX-License-Identifier: (MIT OR Apache-2.0) AND CC0-1.0
//
//     #include "broadaxe_atlas.hpp"
//
//     broadaxe_atlas::Answer answer(const broadaxe_atlas::Question& question) {
//       if (question.op != "add" || question.rule != "numpy") return broadaxe_atlas::Answer::skip("only add");
//       ... compute question.operands[0] + question.operands[1] ...
//       return broadaxe_atlas::Answer::result(shape, values);  // or Answer::reject("shapes do not broadcast")
//     }
//
//     int main() { return broadaxe_atlas::run(answer).ok() ? 0 : 1; }
//
// An exception that the function throws counts as a rejection of the shapes. The header also compiles without exceptions.
#ifndef BROADAXE_ATLAS_HPP
#define BROADAXE_ATLAS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace broadaxe_atlas {

using Shape = std::vector<std::int64_t>;

// The parts of a case, as constants.
namespace data {

inline constexpr int max_rank = 8;
inline constexpr int no_axis = -1000;

// Holds a shape. A rank of -1 says that a case has no such shape.
struct Dims {
  int rank;
  std::int32_t dims[max_rank];
};

inline constexpr Dims none = {-1, {}};

struct Case {
  const char* id;
  const char* op;
  const char* rule;
  const char* mode;  // a parameter of the rule, or ""
  int axis;          // a parameter of the rule, or no_axis
  Dims axes;         // a parameter of the rule, or none
  Dims target;       // the shape that expand expands to, or none
  int operands;
  Dims shapes[3];       // the shapes of the operands
  const char* kinds;    // the questions: "ii ic ci"; i is a computed operand, c a constant
  const char* reject;   // why the rule rejects the shapes, or ""
  Dims shape;           // the shape of the result
  std::size_t element;  // where the elements of the first operand start in `elements`; those of the next ones follow
};

// clang-format off
// BEGIN CASES (generate.py writes this part)
inline constexpr const char* version = "2026.11.26";

inline constexpr std::uint16_t elements[] = {
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4,
  5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 2, 2, 3, 3,
  0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 2, 3, 0, 1, 2, 3, 4, 5, 6,
  7, 0, 1, 2, 3, 0, 1, 2, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 2, 3, 2, 3,
  0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 0, 0, 0, 1, 2, 3, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 2, 3, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1,
  0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 2, 3, 0, 0, 0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 1,
  1, 0, 0, 1, 1, 0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1,
  0, 1, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 2, 3, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0, 1, 2, 3, 2, 3, 0,
  0, 1, 1, 0, 0, 1, 1, 0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1,
  0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 2, 3, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 2, 3, 0,
  0, 0, 0, 0, 1, 2, 3, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1,
  0, 1, 0, 1, 0, 1, 2, 3, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 2, 3, 0, 0, 0, 0, 0, 1, 2,
  3, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 2, 3,
  0, 0, 0, 0, 0, 1, 2, 3, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 2, 3, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0,
  1, 2, 3, 0, 1, 0, 0, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 1, 1, 0, 1, 2, 3,
  0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
  16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 2, 3, 0, 0, 0, 0, 0,
  1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
  12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40,
  41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69,
  70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 1, 2, 3, 4, 5, 0, 1, 2,
  3, 4, 5, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1,
  2, 3, 0, 0, 0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0,
  0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 2, 3, 0, 0, 1, 1, 0, 1, 2, 3,
  0, 0, 1, 1, 0, 1, 2, 3, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2,
  3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33,
  34, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
  0, 1, 0, 0, 1, 1, 0, 1, 2, 3, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8,
  9, 10, 11, 12, 13, 14, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
  2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 0, 1, 2, 3, 0, 0, 0, 1, 0, 1, 0, 1, 2,
  3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33,
  34, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
  2, 3, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
  15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 2, 3, 4, 5, 6,
  7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0,
  0, 1, 2, 3, 0, 0, 0, 0, 0, 1, 2, 3, 0, 1, 2, 3, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 2, 3, 4, 5, 6,
  7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 2, 3, 4,
  5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 1, 2, 3, 0, 1, 2, 3,
  0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4,
  5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2,
  3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0,
  0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3,
  0, 1, 2, 3, 0, 1, 2, 3, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3,
  0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0,
  1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 0, 0, 0, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 0, 0, 0, 0,
  0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2,
  3, 0, 0, 0, 0, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1,
  2, 3, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0,
  1, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0,
  0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 0, 0, 0,
  0, 0, 0, 0, 1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7,
  0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0,
  1, 0, 0, 0, 0, 0, 1, 2, 3, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 1, 2, 3, 0, 1, 2, 3};

inline constexpr Case cases[] = {
  {"add-numpy-r4-0029", "add", "numpy", "", no_axis, none, none, 2, {{0, {}}, {4, {2, 2, 2, 2}}, none}, "ii ic ci", "", {4, {2, 2, 2, 2}}, 0},
  {"add-numpy-r3-0279", "add", "numpy", "", no_axis, none, none, 2, {{3, {2, 2, 2}}, {0, {}}, none}, "ii ic ci", "", {3, {2, 2, 2}}, 32},
  {"add-numpy-r4-0052", "add", "numpy", "", no_axis, none, none, 2, {{1, {1}}, {4, {1, 1, 1, 1}}, none}, "ii ic ci", "", {4, {1, 1, 1, 1}}, 48},
  {"add-numpy-r4-5272", "add", "numpy", "", no_axis, none, none, 2, {{4, {1, 1, 1, 1}}, {0, {}}, none}, "ii ic ci", "", {4, {1, 1, 1, 1}}, 50},
  {"add-numpy-r4-7282", "add", "numpy", "", no_axis, none, none, 2, {{4, {2, 1, 1, 1}}, {3, {1, 1, 2}}, none}, "ii ic ci", "", {4, {2, 1, 1, 2}}, 52},
  {"add-numpy-r4-10609", "add", "numpy", "", no_axis, none, none, 2, {{4, {1, 1, 1, 2}}, {4, {1, 2, 2, 1}}, none}, "ii ic ci", "", {4, {1, 2, 2, 2}}, 60},
  {"add-numpy-r4-12284", "add", "numpy", "", no_axis, none, none, 2, {{4, {1, 2, 2, 2}}, {4, {2, 1, 1, 2}}, none}, "ii ic ci", "", {4, {2, 2, 2, 2}}, 76},
  {"add-numpy-r4-18634", "add", "numpy", "", no_axis, none, none, 2, {{4, {2, 2, 2, 1}}, {4, {1, 2, 2, 1}}, none}, "ii ic ci", "", {4, {2, 2, 2, 1}}, 108},
  {"add-numpy-r3-0002", "add", "numpy", "", no_axis, none, none, 2, {{0, {}}, {3, {1, 2, 1}}, none}, "ii ic ci", "", {3, {1, 2, 1}}, 124},
  {"add-numpy-r3-0021", "add", "numpy", "", no_axis, none, none, 2, {{1, {1}}, {3, {2, 1, 2}}, none}, "ii ic ci", "", {3, {2, 1, 2}}, 128},
  {"add-numpy-r3-0337", "add", "numpy", "", no_axis, none, none, 2, {{3, {1, 1, 1}}, {2, {1, 1}}, none}, "ii ic ci", "", {3, {1, 1, 1}}, 136},
  {"add-numpy-r3-0542", "add", "numpy", "", no_axis, none, none, 2, {{3, {1, 1, 1}}, {3, {1, 2, 1}}, none}, "ii ic ci", "", {3, {1, 2, 1}}, 138},
  {"add-numpy-r4-5339", "add", "numpy", "", no_axis, none, none, 2, {{4, {1, 2, 1, 1}}, {1, {1}}, none}, "ii ic ci", "", {4, {1, 2, 1, 1}}, 142},
  {"add-numpy-r4-14882", "add", "numpy", "", no_axis, none, none, 2, {{4, {2, 1, 1, 2}}, {4, {2, 2, 1, 1}}, none}, "ii ic ci", "", {4, {2, 2, 1, 2}}, 146},
  {"add-numpy-r2-0008", "add", "numpy", "", no_axis, none, none, 2, {{1, {1}}, {2, {2, 2}}, none}, "ii ic ci", "", {2, {2, 2}}, 162},
  {"add-numpy-r3-0119", "add", "numpy", "", no_axis, none, none, 2, {{2, {2, 1}}, {3, {1, 1, 1}}, none}, "ii ic ci", "", {3, {1, 2, 1}}, 170},
  {"add-numpy-r3-0606", "add", "numpy", "", no_axis, none, none, 2, {{3, {1, 2, 1}}, {3, {2, 2, 2}}, none}, "ii ic ci", "", {3, {2, 2, 2}}, 174},
  {"add-numpy-r4-0264", "add", "numpy", "", no_axis, none, none, 2, {{2, {1, 1}}, {4, {1, 2, 2, 2}}, none}, "ii ic ci", "", {4, {1, 2, 2, 2}}, 190},
  {"add-numpy-r4-1336", "add", "numpy", "", no_axis, none, none, 2, {{3, {1, 2, 1}}, {4, {1, 1, 1, 2}}, none}, "ii ic ci", "", {4, {1, 1, 2, 2}}, 206},
  {"add-numpy-r4-5290", "add", "numpy", "", no_axis, none, none, 2, {{4, {2, 1, 2, 1}}, {0, {}}, none}, "ii ic ci", "", {4, {2, 1, 2, 1}}, 214},
  {"add-numpy-r4-5892", "add", "numpy", "", no_axis, none, none, 2, {{4, {2, 2, 1, 2}}, {2, {1, 2}}, none}, "ii ic ci", "", {4, {2, 2, 1, 2}}, 222},
  {"add-numpy-r2-0000", "add", "numpy", "", no_axis, none, none, 2, {{0, {}}, {2, {1, 1}}, none}, "ii ic ci", "", {2, {1, 1}}, 238},
  {"add-numpy-r2-0021", "add", "numpy", "", no_axis, none, none, 2, {{2, {1, 2}}, {0, {}}, none}, "ii ic ci", "", {2, {1, 2}}, 240},
  {"add-numpy-r2-0030", "add", "numpy", "", no_axis, none, none, 2, {{2, {2, 1}}, {1, {1}}, none}, "ii ic ci", "", {2, {2, 1}}, 244},
  {"add-numpy-r2-0049", "add", "numpy", "", no_axis, none, none, 2, {{2, {1, 2}}, {2, {2, 2}}, none}, "ii ic ci", "", {2, {2, 2}}, 248},
  {"add-numpy-r3-0286", "add", "numpy", "", no_axis, none, none, 2, {{3, {1, 1, 1}}, {1, {2}}, none}, "ii ic ci", "", {3, {1, 1, 2}}, 256},
  {"add-numpy-r3-0934", "add", "numpy", "", no_axis, none, none, 2, {{3, {2, 2, 2}}, {3, {1, 2, 1}}, none}, "ii ic ci", "", {3, {2, 2, 2}}, 260},
  {"add-numpy-r3-0941", "add", "numpy", "", no_axis, none, none, 2, {{3, {2, 2, 2}}, {3, {2, 1, 1}}, none}, "ii ic ci", "", {3, {2, 2, 2}}, 276},
  {"add-numpy-r4-0650", "add", "numpy", "", no_axis, none, none, 2, {{2, {2, 2}}, {4, {2, 1, 2, 2}}, none}, "ii ic ci", "", {4, {2, 1, 2, 2}}, 292},
  {"add-numpy-r4-1345", "add", "numpy", "", no_axis, none, none, 2, {{3, {1, 2, 1}}, {4, {1, 2, 1, 1}}, none}, "ii ic ci", "", {4, {1, 2, 2, 1}}, 308},
  {"add-numpy-r4-1375", "add", "numpy", "", no_axis, none, none, 2, {{3, {1, 2, 1}}, {4, {2, 1, 2, 1}}, none}, "ii ic ci", "", {4, {2, 1, 2, 1}}, 316},
  {"add-numpy-r4-2009", "add", "numpy", "", no_axis, none, none, 2, {{3, {2, 1, 1}}, {4, {1, 1, 1, 1}}, none}, "ii ic ci", "", {4, {1, 2, 1, 1}}, 324},
  {"add-numpy-r4-2019", "add", "numpy", "", no_axis, none, none, 2, {{3, {2, 1, 1}}, {4, {1, 2, 1, 1}}, none}, "ii ic ci", "", {4, {1, 2, 1, 1}}, 328},
  {"add-numpy-r4-2049", "add", "numpy", "", no_axis, none, none, 2, {{3, {2, 1, 1}}, {4, {2, 1, 2, 1}}, none}, "ii ic ci", "", {4, {2, 2, 2, 1}}, 332},
  {"add-numpy-r4-2059", "add", "numpy", "", no_axis, none, none, 2, {{3, {2, 1, 1}}, {4, {2, 2, 2, 1}}, none}, "ii ic ci", "", {4, {2, 2, 2, 1}}, 348},
  {"add-numpy-r5-0000", "add", "numpy", "", no_axis, none, none, 2, {{0, {}}, {5, {1, 1, 1, 1, 1}}, none}, "ii ic ci", "", {5, {1, 1, 1, 1, 1}}, 364},
  {"add-numpy-r6-0021", "add", "numpy", "", no_axis, none, none, 2, {{0, {}}, {6, {1, 1, 2, 1, 3, 1}}, none}, "ii ic ci", "", {6, {1, 1, 2, 1, 3, 1}}, 366},
  {"add-numpy-r7-0000", "add", "numpy", "", no_axis, none, none, 2, {{0, {}}, {7, {1, 1, 1, 1, 1, 1, 1}}, none}, "ii ic ci", "", {7, {1, 1, 1, 1, 1, 1, 1}}, 378},
  {"add-numpy-r8-0027", "add", "numpy", "", no_axis, none, none, 2, {{0, {}}, {8, {1, 1, 1, 1, 2, 2, 1, 3}}, none}, "ii ic ci", "", {8, {1, 1, 1, 1, 2, 2, 1, 3}}, 380},
  {"add-numpy-r0-0000", "add", "numpy", "", no_axis, none, none, 2, {{0, {}}, {0, {}}, none}, "ii ic ci", "", {0, {}}, 404},
  {"add-numpy-r1-0000", "add", "numpy", "", no_axis, none, none, 2, {{0, {}}, {1, {1}}, none}, "ii ic ci", "", {1, {1}}, 406},
  {"add-numpy-r1-0002", "add", "numpy", "", no_axis, none, none, 2, {{1, {1}}, {0, {}}, none}, "ii ic ci", "", {1, {1}}, 408},
  {"add-numpy-r1-0004", "add", "numpy", "", no_axis, none, none, 2, {{1, {1}}, {1, {1}}, none}, "ii ic ci", "", {1, {1}}, 410},
  {"add-numpy-r1-0008", "add", "numpy", "", no_axis, none, none, 2, {{1, {2}}, {1, {3}}, none}, "ii ic ci", "mismatch", none, 412},
  {"add-numpy-r2-0001", "add", "numpy", "", no_axis, none, none, 2, {{0, {}}, {2, {1, 2}}, none}, "ii ic ci", "", {2, {1, 2}}, 412},
  {"add-numpy-r2-0007", "add", "numpy", "", no_axis, none, none, 2, {{1, {1}}, {2, {2, 1}}, none}, "ii ic ci", "", {2, {2, 1}}, 416},
  {"add-numpy-r2-0010", "add", "numpy", "", no_axis, none, none, 2, {{1, {2}}, {2, {1, 1}}, none}, "ii ic ci", "", {2, {1, 2}}, 420},
  {"add-numpy-r2-0011", "add", "numpy", "", no_axis, none, none, 2, {{1, {2}}, {2, {1, 2}}, none}, "ii ic ci", "", {2, {1, 2}}, 424},
  {"add-numpy-r2-0012", "add", "numpy", "", no_axis, none, none, 2, {{1, {2}}, {2, {1, 3}}, none}, "ii ic ci", "mismatch", none, 428},
  {"add-numpy-r2-0013", "add", "numpy", "", no_axis, none, none, 2, {{1, {2}}, {2, {2, 1}}, none}, "ii ic ci", "", {2, {2, 2}}, 428},
  {"add-numpy-r2-0014", "add", "numpy", "", no_axis, none, none, 2, {{1, {2}}, {2, {2, 2}}, none}, "ii ic ci", "", {2, {2, 2}}, 436},
  {"add-numpy-r2-0027", "add", "numpy", "", no_axis, none, none, 2, {{2, {1, 2}}, {1, {1}}, none}, "ii ic ci", "", {2, {1, 2}}, 444},
  {"add-numpy-r2-0028", "add", "numpy", "", no_axis, none, none, 2, {{2, {1, 2}}, {1, {2}}, none}, "ii ic ci", "", {2, {1, 2}}, 448},
  {"add-numpy-r2-0031", "add", "numpy", "", no_axis, none, none, 2, {{2, {2, 1}}, {1, {2}}, none}, "ii ic ci", "", {2, {2, 2}}, 452},
  {"add-numpy-r2-0033", "add", "numpy", "", no_axis, none, none, 2, {{2, {2, 2}}, {1, {1}}, none}, "ii ic ci", "", {2, {2, 2}}, 460},
  {"add-numpy-r2-0034", "add", "numpy", "", no_axis, none, none, 2, {{2, {2, 2}}, {1, {2}}, none}, "ii ic ci", "", {2, {2, 2}}, 468},
  {"add-numpy-r2-0040", "add", "numpy", "", no_axis, none, none, 2, {{2, {1, 1}}, {2, {1, 1}}, none}, "ii ic ci", "", {2, {1, 1}}, 476},
  {"add-numpy-r2-0055", "add", "numpy", "", no_axis, none, none, 2, {{2, {2, 1}}, {2, {1, 1}}, none}, "ii ic ci", "", {2, {2, 1}}, 478},
  {"add-numpy-r2-0058", "add", "numpy", "", no_axis, none, none, 2, {{2, {2, 1}}, {2, {2, 1}}, none}, "ii ic ci", "", {2, {2, 1}}, 482},
  {"add-numpy-r2-0061", "add", "numpy", "", no_axis, none, none, 2, {{2, {2, 1}}, {2, {3, 1}}, none}, "ii ic ci", "mismatch", none, 486},
  {"add-numpy-r3-0032", "add", "numpy", "", no_axis, none, none, 2, {{1, {2}}, {3, {1, 1, 3}}, none}, "ii ic ci", "mismatch", none, 486},
  {"add-numpy-r3-0067", "add", "numpy", "", no_axis, none, none, 2, {{2, {1, 1}}, {3, {1, 1, 1}}, none}, "ii ic ci", "", {3, {1, 1, 1}}, 486},
  {"add-numpy-r3-0069", "add", "numpy", "", no_axis, none, none, 2, {{2, {1, 1}}, {3, {1, 2, 1}}, none}, "ii ic ci", "", {3, {1, 2, 1}}, 488},
  {"add-numpy-r3-0072", "add", "numpy", "", no_axis, none, none, 2, {{2, {1, 1}}, {3, {2, 1, 1}}, none}, "ii ic ci", "", {3, {2, 1, 1}}, 492},
  {"add-numpy-r3-0125", "add", "numpy", "", no_axis, none, none, 2, {{2, {2, 1}}, {3, {1, 3, 1}}, none}, "ii ic ci", "mismatch", none, 496},
  {"add-numpy-r3-0129", "add", "numpy", "", no_axis, none, none, 2, {{2, {2, 1}}, {3, {2, 1, 1}}, none}, "ii ic ci", "", {3, {2, 2, 1}}, 496},
  {"add-numpy-r3-0132", "add", "numpy", "", no_axis, none, none, 2, {{2, {2, 1}}, {3, {2, 2, 1}}, none}, "ii ic ci", "", {3, {2, 2, 1}}, 504},
  {"add-numpy-r3-0339", "add", "numpy", "", no_axis, none, none, 2, {{3, {1, 1, 1}}, {2, {2, 1}}, none}, "ii ic ci", "", {3, {1, 2, 1}}, 512},
  {"add-numpy-r3-0352", "add", "numpy", "", no_axis, none, none, 2, {{3, {1, 2, 1}}, {2, {1, 1}}, none}, "ii ic ci", "", {3, {1, 2, 1}}, 516},
  {"add-numpy-r3-0355", "add", "numpy", "", no_axis, none, none, 2, {{3, {1, 2, 1}}, {2, {2, 1}}, none}, "ii ic ci", "", {3, {1, 2, 1}}, 520},
  {"add-numpy-r3-0392", "add", "numpy", "", no_axis, none, none, 2, {{3, {2, 1, 1}}, {2, {2, 1}}, none}, "ii ic ci", "", {3, {2, 2, 1}}, 524},
  {"add-numpy-r3-0426", "add", "numpy", "", no_axis, none, none, 2, {{3, {2, 2, 1}}, {2, {1, 1}}, none}, "ii ic ci", "", {3, {2, 2, 1}}, 532},
  {"add-numpy-r3-0429", "add", "numpy", "", no_axis, none, none, 2, {{3, {2, 2, 1}}, {2, {2, 1}}, none}, "ii ic ci", "", {3, {2, 2, 1}}, 540},
  {"add-numpy-r3-0763", "add", "numpy", "", no_axis, none, none, 2, {{3, {2, 1, 1}}, {3, {3, 1, 1}}, none}, "ii ic ci", "mismatch", none, 548},
  {"add-numpy-r4-0106", "add", "numpy", "", no_axis, none, none, 2, {{1, {2}}, {4, {1, 1, 1, 3}}, none}, "ii ic ci", "mismatch", none, 548},
  {"add-numpy-r4-0464", "add", "numpy", "", no_axis, none, none, 2, {{2, {2, 1}}, {4, {1, 1, 3, 1}}, none}, "ii ic ci", "mismatch", none, 548},
  {"add-numpy-r4-1157", "add", "numpy", "", no_axis, none, none, 2, {{3, {1, 1, 1}}, {4, {2, 2, 1, 1}}, none}, "ii ic ci", "", {4, {2, 2, 1, 1}}, 548},
  {"add-numpy-r4-2029", "add", "numpy", "", no_axis, none, none, 2, {{3, {2, 1, 1}}, {4, {1, 3, 1, 1}}, none}, "ii ic ci", "mismatch", none, 556},
  {"add-numpy-r4-6404", "add", "numpy", "", no_axis, none, none, 2, {{4, {1, 1, 1, 1}}, {3, {1, 1, 1}}, none}, "ii ic ci", "", {4, {1, 1, 1, 1}}, 556},
  {"add-numpy-r4-6409", "add", "numpy", "", no_axis, none, none, 2, {{4, {1, 1, 1, 1}}, {3, {2, 1, 1}}, none}, "ii ic ci", "", {4, {1, 2, 1, 1}}, 558},
  {"add-numpy-r4-6607", "add", "numpy", "", no_axis, none, none, 2, {{4, {1, 2, 1, 1}}, {3, {1, 1, 1}}, none}, "ii ic ci", "", {4, {1, 2, 1, 1}}, 562},
  {"add-numpy-r4-6617", "add", "numpy", "", no_axis, none, none, 2, {{4, {1, 2, 1, 1}}, {3, {2, 1, 1}}, none}, "ii ic ci", "", {4, {1, 2, 1, 1}}, 566},
  {"add-numpy-r4-7291", "add", "numpy", "", no_axis, none, none, 2, {{4, {2, 1, 1, 1}}, {3, {2, 1, 1}}, none}, "ii ic ci", "", {4, {2, 2, 1, 1}}, 570},
  {"add-numpy-r4-7955", "add", "numpy", "", no_axis, none, none, 2, {{4, {2, 2, 1, 1}}, {3, {1, 1, 1}}, none}, "ii ic ci", "", {4, {2, 2, 1, 1}}, 578},
  {"add-numpy-r4-7965", "add", "numpy", "", no_axis, none, none, 2, {{4, {2, 2, 1, 1}}, {3, {2, 1, 1}}, none}, "ii ic ci", "", {4, {2, 2, 1, 1}}, 586},
  {"add-numpy-r4-10544", "add", "numpy", "", no_axis, none, none, 2, {{4, {1, 1, 1, 1}}, {4, {1, 1, 1, 1}}, none}, "ii ic ci", "", {4, {1, 1, 1, 1}}, 594},
  {"add-numpy-r4-10559", "add", "numpy", "", no_axis, none, none, 2, {{4, {1, 1, 1, 1}}, {4, {2, 1, 1, 1}}, none}, "ii ic ci", "", {4, {2, 1, 1, 1}}, 596},
  {"add-numpy-r4-10569", "add", "numpy", "", no_axis, none, none, 2, {{4, {1, 1, 1, 1}}, {4, {2, 2, 1, 1}}, none}, "ii ic ci", "", {4, {2, 2, 1, 1}}, 600},
  {"add-numpy-r4-11421", "add", "numpy", "", no_axis, none, none, 2, {{4, {1, 2, 1, 1}}, {4, {1, 1, 1, 1}}, none}, "ii ic ci", "", {4, {1, 2, 1, 1}}, 608},
  {"add-numpy-r4-11431", "add", "numpy", "", no_axis, none, none, 2, {{4, {1, 2, 1, 1}}, {4, {1, 2, 1, 1}}, none}, "ii ic ci", "", {4, {1, 2, 1, 1}}, 612},
  {"add-numpy-r4-11468", "add", "numpy", "", no_axis, none, none, 2, {{4, {1, 2, 1, 1}}, {4, {2, 2, 1, 1}}, none}, "ii ic ci", "", {4, {2, 2, 1, 1}}, 616},
  {"add-numpy-r4-14684", "add", "numpy", "", no_axis, none, none, 2, {{4, {2, 1, 1, 1}}, {4, {1, 1, 1, 1}}, none}, "ii ic ci", "", {4, {2, 1, 1, 1}}, 624},
  {"add-numpy-r4-14694", "add", "numpy", "", no_axis, none, none, 2, {{4, {2, 1, 1, 1}}, {4, {1, 2, 1, 1}}, none}, "ii ic ci", "", {4, {2, 2, 1, 1}}, 628},
  {"add-numpy-r4-14721", "add", "numpy", "", no_axis, none, none, 2, {{4, {2, 1, 1, 1}}, {4, {2, 1, 1, 1}}, none}, "ii ic ci", "", {4, {2, 1, 1, 1}}, 636},
  {"add-numpy-r4-14758", "add", "numpy", "", no_axis, none, none, 2, {{4, {2, 1, 1, 1}}, {4, {3, 1, 1, 1}}, none}, "ii ic ci", "mismatch", none, 640},
  {"add-numpy-r4-17947", "add", "numpy", "", no_axis, none, none, 2, {{4, {2, 2, 1, 1}}, {4, {1, 1, 1, 1}}, none}, "ii ic ci", "", {4, {2, 2, 1, 1}}, 640},
  {"add-numpy-r4-17984", "add", "numpy", "", no_axis, none, none, 2, {{4, {2, 2, 1, 1}}, {4, {2, 1, 1, 1}}, none}, "ii ic ci", "", {4, {2, 2, 1, 1}}, 648},
  {"add-numpy-r4-17994", "add", "numpy", "", no_axis, none, none, 2, {{4, {2, 2, 1, 1}}, {4, {2, 2, 1, 1}}, none}, "ii ic ci", "", {4, {2, 2, 1, 1}}, 656},
  {"add-numpy-r2-0041-zero.a", "add", "numpy", "", no_axis, none, none, 2, {{2, {1, 1}}, {2, {1, 0}}, none}, "ii ic ci", "", {2, {1, 0}}, 664},
  {"add-numpy-r2-0044-divide", "add", "numpy", "", no_axis, none, none, 2, {{2, {1, 1}}, {2, {2, 4}}, none}, "ii ic ci", "", {2, {2, 4}}, 664},
  {"add-numpy-r2-0045-wide", "add", "numpy", "", no_axis, none, none, 2, {{2, {1, 35}}, {2, {1, 1}}, none}, "ii ic ci", "", {2, {1, 35}}, 680},
  {"add-numpy-r2-0048-count", "add", "numpy", "", no_axis, none, none, 2, {{2, {1, 2}}, {2, {2, 1}}, none}, "ii ic ci", "", {2, {2, 2}}, 750},
  {"add-numpy-r2-0055-pack4.0", "add", "numpy", "", no_axis, none, none, 2, {{2, {4, 1}}, {2, {1, 1}}, none}, "ii ic ci", "", {2, {4, 1}}, 758},
  {"add-numpy-r2-0055-pack8.0", "add", "numpy", "", no_axis, none, none, 2, {{2, {8, 1}}, {2, {1, 1}}, none}, "ii ic ci", "", {2, {8, 1}}, 766},
  {"add-numpy-r2-0055-pack16.0", "add", "numpy", "", no_axis, none, none, 2, {{2, {16, 1}}, {2, {1, 1}}, none}, "ii ic ci", "", {2, {16, 1}}, 782},
  {"add-numpy-r5-3327", "add", "numpy", "", no_axis, none, none, 2, {{2, {2, 3}}, {5, {1, 1, 2, 2, 2}}, none}, "ii ic ci", "mismatch", none, 814},
  {"add-numpy-r5-142343", "add", "numpy", "", no_axis, none, none, 2, {{5, {1, 1, 1, 1, 2}}, {0, {}}, none}, "ii ic ci", "", {5, {1, 1, 1, 1, 2}}, 814},
  {"add-numpy-r5-284810", "add", "numpy", "", no_axis, none, none, 2, {{5, {1, 1, 1, 1, 1}}, {5, {2, 3, 1, 1, 1}}, none}, "ii ic ci", "", {5, {2, 3, 1, 1, 1}}, 818},
  {"add-numpy-r6-1999", "add", "numpy", "", no_axis, none, none, 2, {{1, {2}}, {6, {1, 2, 3, 2, 1, 5}}, none}, "ii ic ci", "mismatch", none, 830},
  {"add-numpy-r6-5034389", "add", "numpy", "", no_axis, none, none, 2, {{6, {1, 2, 1, 3, 3, 5}}, {0, {}}, none}, "ii ic ci", "", {6, {1, 2, 1, 3, 3, 5}}, 830},
  {"add-numpy-r6-10068835", "add", "numpy", "", no_axis, none, none, 2, {{6, {1, 1, 1, 1, 1, 1}}, {6, {2, 1, 1, 3, 1, 1}}, none}, "ii ic ci", "", {6, {2, 1, 1, 3, 1, 1}}, 1010},
  {"add-numpy-r7-352782", "add", "numpy", "", no_axis, none, none, 2, {{3, {2, 2, 1}}, {7, {1, 2, 1, 2, 1, 3, 1}}, none}, "ii ic ci", "mismatch", none, 1022},
  {"add-numpy-r7-223577205", "add", "numpy", "", no_axis, none, none, 2, {{7, {1, 1, 1, 2, 1, 1, 3}}, {0, {}}, none}, "ii ic ci", "", {7, {1, 1, 1, 2, 1, 1, 3}}, 1022},
  {"add-numpy-r7-447175528", "add", "numpy", "", no_axis, none, none, 2, {{7, {1, 1, 1, 1, 1, 2, 1}}, {7, {1, 1, 1, 1, 1, 2, 3}}, none}, "ii ic ci", "", {7, {1, 1, 1, 1, 1, 2, 3}}, 1034},
  {"add-numpy-r8-49574", "add", "numpy", "", no_axis, none, none, 2, {{1, {2}}, {8, {1, 3, 1, 3, 1, 1, 3, 3}}, none}, "ii ic ci", "mismatch", none, 1046},
  {"add-numpy-r8-12086673794", "add", "numpy", "", no_axis, none, none, 2, {{8, {1, 1, 1, 2, 1, 1, 1, 3}}, {0, {}}, none}, "ii ic ci", "", {8, {1, 1, 1, 2, 1, 1, 1, 3}}, 1046},
  {"add-numpy-r8-24173463533", "add", "numpy", "", no_axis, none, none, 2, {{8, {1, 1, 1, 1, 1, 1, 2, 1}}, {8, {1, 1, 1, 1, 3, 1, 2, 1}}, none}, "ii ic ci", "", {8, {1, 1, 1, 1, 3, 1, 2, 1}}, 1058},
  {"add-none-r3-0633", "add", "none", "", no_axis, none, none, 2, {{3, {1, 2, 2}}, {3, {1, 2, 2}}, none}, "ii ic ci", "", {3, {1, 2, 2}}, 1070},
  {"add-none-r3-0753", "add", "none", "", no_axis, none, none, 2, {{3, {2, 1, 1}}, {3, {2, 1, 1}}, none}, "ii ic ci", "", {3, {2, 1, 1}}, 1078},
  {"add-none-r1-0000", "add", "none", "", no_axis, none, none, 2, {{0, {}}, {1, {1}}, none}, "ii ic ci", "rank", none, 1082},
  {"add-none-r1-0005", "add", "none", "", no_axis, none, none, 2, {{1, {1}}, {1, {2}}, none}, "ii ic ci", "mismatch", none, 1082},
  {"add-tosa-r3-0543", "add", "tosa", "", no_axis, none, none, 2, {{3, {1, 1, 1}}, {3, {1, 2, 2}}, none}, "ii ic ci", "", {3, {1, 2, 2}}, 1082},
  {"add-tosa-r3-0545", "add", "tosa", "", no_axis, none, none, 2, {{3, {1, 1, 1}}, {3, {2, 1, 1}}, none}, "ii ic ci", "", {3, {2, 1, 1}}, 1090},
  {"add-tosa-r3-0931", "add", "tosa", "", no_axis, none, none, 2, {{3, {2, 2, 2}}, {3, {1, 1, 1}}, none}, "ii ic ci", "", {3, {2, 2, 2}}, 1094},
  {"add-tosa-r3-0945", "add", "tosa", "", no_axis, none, none, 2, {{3, {2, 2, 2}}, {3, {2, 2, 2}}, none}, "ii ic ci", "", {3, {2, 2, 2}}, 1110},
  {"add-tosa-r1-0000", "add", "tosa", "", no_axis, none, none, 2, {{0, {}}, {1, {1}}, none}, "ii ic ci", "rank", none, 1126},
  {"add-tosa-r1-0008", "add", "tosa", "", no_axis, none, none, 2, {{1, {2}}, {1, {3}}, none}, "ii ic ci", "mismatch", none, 1126},
  {"add-ncnn-r3-0018", "add", "ncnn", "", no_axis, none, none, 2, {{1, {1}}, {3, {1, 2, 2}}, none}, "ii ic ci", "", {3, {1, 2, 2}}, 1126},
  {"add-ncnn-r3-0286", "add", "ncnn", "", no_axis, none, none, 2, {{3, {1, 1, 1}}, {1, {2}}, none}, "ii ic ci", "", {3, {1, 1, 2}}, 1134},
  {"add-ncnn-r3-0545", "add", "ncnn", "", no_axis, none, none, 2, {{3, {1, 1, 1}}, {3, {2, 1, 1}}, none}, "ii ic ci", "", {3, {2, 1, 1}}, 1138},
  {"add-ncnn-r3-0030", "add", "ncnn", "", no_axis, none, none, 2, {{1, {2}}, {3, {1, 1, 1}}, none}, "ii ic ci", "", {3, {1, 1, 2}}, 1142},
  {"add-ncnn-r3-0122", "add", "ncnn", "", no_axis, none, none, 2, {{2, {2, 1}}, {3, {1, 2, 1}}, none}, "ii ic ci", "", {3, {2, 2, 1}}, 1146},
  {"add-ncnn-r3-0311", "add", "ncnn", "", no_axis, none, none, 2, {{3, {2, 2, 1}}, {1, {2}}, none}, "ii ic ci", "", {3, {2, 2, 1}}, 1154},
  {"add-ncnn-r2-0034", "add", "ncnn", "", no_axis, none, none, 2, {{2, {2, 2}}, {1, {2}}, none}, "ii ic ci", "", {2, {2, 2}}, 1162},
  {"add-ncnn-r2-0066", "add", "ncnn", "", no_axis, none, none, 2, {{2, {2, 2}}, {2, {1, 2}}, none}, "ii ic ci", "", {2, {2, 2}}, 1170},
  {"add-ncnn-r0-0000", "add", "ncnn", "", no_axis, none, none, 2, {{0, {}}, {0, {}}, none}, "ii ic ci", "rank", none, 1178},
  {"add-ncnn-r1-0008", "add", "ncnn", "", no_axis, none, none, 2, {{1, {2}}, {1, {3}}, none}, "ii ic ci", "mismatch", none, 1178},
  {"add-ncnn-r3-0020", "add", "ncnn", "", no_axis, none, none, 2, {{1, {1}}, {3, {2, 1, 1}}, none}, "ii ic ci", "", {3, {2, 1, 1}}, 1178},
  {"add-ncnn-r3-0300", "add", "ncnn", "", no_axis, none, none, 2, {{3, {2, 1, 1}}, {1, {1}}, none}, "ii ic ci", "", {3, {2, 1, 1}}, 1182},
  {"add-ncnn-r2-0041-zero.a", "add", "ncnn", "", no_axis, none, none, 2, {{2, {1, 1}}, {2, {1, 0}}, none}, "ii ic ci", "empty", none, 1186},
  {"add-ncnn-r2-0044-divide", "add", "ncnn", "", no_axis, none, none, 2, {{2, {1, 1}}, {2, {2, 4}}, none}, "ii ic ci", "", {2, {2, 4}}, 1186},
  {"add-ncnn-r2-0045-wide", "add", "ncnn", "", no_axis, none, none, 2, {{2, {1, 35}}, {2, {1, 1}}, none}, "ii ic ci", "", {2, {1, 35}}, 1202},
  {"add-ncnn-r2-0048-count", "add", "ncnn", "", no_axis, none, none, 2, {{2, {1, 2}}, {2, {2, 1}}, none}, "ii ic ci", "", {2, {2, 2}}, 1272},
  {"add-ncnn-r2-0055-pack4.0", "add", "ncnn", "", no_axis, none, none, 2, {{2, {4, 1}}, {2, {1, 1}}, none}, "ii ic ci", "", {2, {4, 1}}, 1280},
  {"add-ncnn-r2-0055-pack8.0", "add", "ncnn", "", no_axis, none, none, 2, {{2, {8, 1}}, {2, {1, 1}}, none}, "ii ic ci", "", {2, {8, 1}}, 1288},
  {"add-ncnn-r2-0055-pack16.0", "add", "ncnn", "", no_axis, none, none, 2, {{2, {16, 1}}, {2, {1, 1}}, none}, "ii ic ci", "", {2, {16, 1}}, 1304},
  {"add-ggml-r3-0156", "add", "ggml", "", no_axis, none, none, 2, {{2, {2, 2}}, {3, {1, 1, 1}}, none}, "ii ic ci", "", {3, {1, 2, 2}}, 1336},
  {"add-ggml-r3-0270", "add", "ggml", "", no_axis, none, none, 2, {{3, {1, 1, 1}}, {0, {}}, none}, "ii ic ci", "", {3, {1, 1, 1}}, 1344},
  {"add-ggml-r3-0540", "add", "ggml", "", no_axis, none, none, 2, {{3, {1, 1, 1}}, {3, {1, 1, 1}}, none}, "ii ic ci", "", {3, {1, 1, 1}}, 1346},
  {"add-ggml-r3-0279", "add", "ggml", "", no_axis, none, none, 2, {{3, {2, 2, 2}}, {0, {}}, none}, "ii ic ci", "", {3, {2, 2, 2}}, 1348},
  {"add-ggml-r3-0935", "add", "ggml", "", no_axis, none, none, 2, {{3, {2, 2, 2}}, {3, {1, 2, 2}}, none}, "ii ic ci", "", {3, {2, 2, 2}}, 1364},
  {"add-ggml-r2-0000", "add", "ggml", "", no_axis, none, none, 2, {{0, {}}, {2, {1, 1}}, none}, "ii ic ci", "", {2, {1, 1}}, 1380},
  {"add-ggml-r1-0001", "add", "ggml", "", no_axis, none, none, 2, {{0, {}}, {1, {2}}, none}, "ii ic ci", "direction", none, 1382},
  {"add-ggml-r1-0008", "add", "ggml", "", no_axis, none, none, 2, {{1, {2}}, {1, {3}}, none}, "ii ic ci", "mismatch", none, 1382},
  {"add-ggml-r3-0753", "add", "ggml", "", no_axis, none, none, 2, {{3, {2, 1, 1}}, {3, {2, 1, 1}}, none}, "ii ic ci", "", {3, {2, 1, 1}}, 1382},
  {"add-ggml-r2-0041-zero.a", "add", "ggml", "", no_axis, none, none, 2, {{2, {1, 1}}, {2, {1, 0}}, none}, "ii ic ci", "direction", none, 1386},
  {"add-ggml-r2-0044-divide", "add", "ggml", "", no_axis, none, none, 2, {{2, {1, 1}}, {2, {2, 4}}, none}, "ii ic ci", "direction", none, 1386},
  {"add-ggml-r2-0045-wide", "add", "ggml", "", no_axis, none, none, 2, {{2, {1, 35}}, {2, {1, 1}}, none}, "ii ic ci", "", {2, {1, 35}}, 1386},
  {"add-ggml-r2-0048-count", "add", "ggml", "", no_axis, none, none, 2, {{2, {1, 2}}, {2, {2, 1}}, none}, "ii ic ci", "direction", none, 1456},
  {"add-ggml-r2-0055-pack4.0", "add", "ggml", "", no_axis, none, none, 2, {{2, {4, 1}}, {2, {1, 1}}, none}, "ii ic ci", "", {2, {4, 1}}, 1456},
  {"add-ggml-r2-0055-pack8.0", "add", "ggml", "", no_axis, none, none, 2, {{2, {8, 1}}, {2, {1, 1}}, none}, "ii ic ci", "", {2, {8, 1}}, 1464},
  {"add-ggml-r2-0055-pack16.0", "add", "ggml", "", no_axis, none, none, 2, {{2, {16, 1}}, {2, {1, 1}}, none}, "ii ic ci", "", {2, {16, 1}}, 1480},
  {"add-pdpd-r3-0273", "add", "pdpd", "", -1, none, none, 2, {{3, {1, 2, 2}}, {0, {}}, none}, "ii ic ci", "", {3, {1, 2, 2}}, 1512},
  {"add-pdpd-r3-0540", "add", "pdpd", "", -1, none, none, 2, {{3, {1, 1, 1}}, {3, {1, 1, 1}}, none}, "ii ic ci", "", {3, {1, 1, 1}}, 1520},
  {"add-pdpd-r3-0275", "add", "pdpd", "", -1, none, none, 2, {{3, {2, 1, 1}}, {0, {}}, none}, "ii ic ci", "", {3, {2, 1, 1}}, 1522},
  {"add-pdpd-r3-0931", "add", "pdpd", "", -1, none, none, 2, {{3, {2, 2, 2}}, {3, {1, 1, 1}}, none}, "ii ic ci", "", {3, {2, 2, 2}}, 1526},
  {"add-pdpd-r3-0945", "add", "pdpd", "", -1, none, none, 2, {{3, {2, 2, 2}}, {3, {2, 2, 2}}, none}, "ii ic ci", "", {3, {2, 2, 2}}, 1542},
  {"add-pdpd-r1-0000", "add", "pdpd", "", -1, none, none, 2, {{0, {}}, {1, {1}}, none}, "ii ic ci", "rank", none, 1558},
  {"add-pdpd-r1-0005", "add", "pdpd", "", -1, none, none, 2, {{1, {1}}, {1, {2}}, none}, "ii ic ci", "direction", none, 1558},
  {"add-pdpd-r1-0008", "add", "pdpd", "", -1, none, none, 2, {{1, {2}}, {1, {3}}, none}, "ii ic ci", "mismatch", none, 1558},
  {"add-pdpd1-r3-0273", "add", "pdpd", "", 1, none, none, 2, {{3, {1, 2, 2}}, {0, {}}, none}, "ii ic ci", "", {3, {1, 2, 2}}, 1558},
  {"add-pdpd1-r3-0275", "add", "pdpd", "", 1, none, none, 2, {{3, {2, 1, 1}}, {0, {}}, none}, "ii ic ci", "", {3, {2, 1, 1}}, 1566},
  {"add-pdpd1-r3-0337", "add", "pdpd", "", 1, none, none, 2, {{3, {1, 1, 1}}, {2, {1, 1}}, none}, "ii ic ci", "", {3, {1, 1, 1}}, 1570},
  {"add-pdpd1-r3-0362", "add", "pdpd", "", 1, none, none, 2, {{3, {1, 2, 2}}, {2, {1, 1}}, none}, "ii ic ci", "", {3, {1, 2, 2}}, 1572},
  {"add-pdpd1-r3-0366", "add", "pdpd", "", 1, none, none, 2, {{3, {1, 2, 2}}, {2, {2, 2}}, none}, "ii ic ci", "", {3, {1, 2, 2}}, 1580},
  {"add-pdpd1-r0-0000", "add", "pdpd", "", 1, none, none, 2, {{0, {}}, {0, {}}, none}, "ii ic ci", "axis", none, 1588},
  {"add-pdpd1-r1-0000", "add", "pdpd", "", 1, none, none, 2, {{0, {}}, {1, {1}}, none}, "ii ic ci", "rank", none, 1588},
  {"add-pdpd1-r2-0026", "add", "pdpd", "", 1, none, none, 2, {{2, {1, 1}}, {1, {2}}, none}, "ii ic ci", "direction", none, 1588},
  {"add-pdpd1-r2-0029", "add", "pdpd", "", 1, none, none, 2, {{2, {1, 2}}, {1, {3}}, none}, "ii ic ci", "mismatch", none, 1588},
  {"add-paddle-r3-0003", "add", "paddle", "", -1, none, none, 2, {{0, {}}, {3, {1, 2, 2}}, none}, "ii ic ci", "", {3, {1, 2, 2}}, 1588},
  {"add-paddle-r3-0270", "add", "paddle", "", -1, none, none, 2, {{3, {1, 1, 1}}, {0, {}}, none}, "ii ic ci", "", {3, {1, 1, 1}}, 1596},
  {"add-paddle-r3-0540", "add", "paddle", "", -1, none, none, 2, {{3, {1, 1, 1}}, {3, {1, 1, 1}}, none}, "ii ic ci", "", {3, {1, 1, 1}}, 1598},
  {"add-paddle-r3-0005", "add", "paddle", "", -1, none, none, 2, {{0, {}}, {3, {2, 1, 1}}, none}, "ii ic ci", "", {3, {2, 1, 1}}, 1600},
  {"add-paddle-r3-0279", "add", "paddle", "", -1, none, none, 2, {{3, {2, 2, 2}}, {0, {}}, none}, "ii ic ci", "", {3, {2, 2, 2}}, 1604},
  {"add-paddle-r3-0549", "add", "paddle", "", -1, none, none, 2, {{3, {1, 1, 1}}, {3, {2, 2, 2}}, none}, "ii ic ci", "", {3, {2, 2, 2}}, 1620},
  {"add-paddle-r3-0931", "add", "paddle", "", -1, none, none, 2, {{3, {2, 2, 2}}, {3, {1, 1, 1}}, none}, "ii ic ci", "", {3, {2, 2, 2}}, 1636},
  {"add-paddle-r3-0945", "add", "paddle", "", -1, none, none, 2, {{3, {2, 2, 2}}, {3, {2, 2, 2}}, none}, "ii ic ci", "", {3, {2, 2, 2}}, 1652},
  {"add-paddle-r1-0008", "add", "paddle", "", -1, none, none, 2, {{1, {2}}, {1, {3}}, none}, "ii ic ci", "mismatch", none, 1668},
  {"add-paddle1-r3-0003", "add", "paddle", "", 1, none, none, 2, {{0, {}}, {3, {1, 2, 2}}, none}, "ii ic ci", "", {3, {1, 2, 2}}, 1668},
  {"add-paddle1-r3-0270", "add", "paddle", "", 1, none, none, 2, {{3, {1, 1, 1}}, {0, {}}, none}, "ii ic ci", "", {3, {1, 1, 1}}, 1676},
  {"add-paddle1-r3-0540", "add", "paddle", "", 1, none, none, 2, {{3, {1, 1, 1}}, {3, {1, 1, 1}}, none}, "ii ic ci", "", {3, {1, 1, 1}}, 1678},
  {"add-paddle1-r3-0005", "add", "paddle", "", 1, none, none, 2, {{0, {}}, {3, {2, 1, 1}}, none}, "ii ic ci", "", {3, {2, 1, 1}}, 1680},
  {"add-paddle1-r3-0279", "add", "paddle", "", 1, none, none, 2, {{3, {2, 2, 2}}, {0, {}}, none}, "ii ic ci", "", {3, {2, 2, 2}}, 1684},
  {"add-paddle1-r3-0945", "add", "paddle", "", 1, none, none, 2, {{3, {2, 2, 2}}, {3, {2, 2, 2}}, none}, "ii ic ci", "", {3, {2, 2, 2}}, 1700},
  {"add-paddle1-r3-0070", "add", "paddle", "", 1, none, none, 2, {{2, {1, 1}}, {3, {1, 2, 2}}, none}, "ii ic ci", "", {3, {1, 2, 2}}, 1716},
  {"add-paddle1-r3-0156", "add", "paddle", "", 1, none, none, 2, {{2, {2, 2}}, {3, {1, 1, 1}}, none}, "ii ic ci", "", {3, {1, 2, 2}}, 1724},
  {"add-paddle1-r1-0000", "add", "paddle", "", 1, none, none, 2, {{0, {}}, {1, {1}}, none}, "ii ic ci", "axis", none, 1732},
  {"add-paddle1-r2-0012", "add", "paddle", "", 1, none, none, 2, {{1, {2}}, {2, {1, 3}}, none}, "ii ic ci", "mismatch", none, 1732},
  {"add-onnx-legacy-r3-0273", "add", "onnx-legacy", "", no_axis, none, none, 2, {{3, {1, 2, 2}}, {0, {}}, none}, "ii ic ci", "", {3, {1, 2, 2}}, 1732},
  {"add-onnx-legacy-r3-0540", "add", "onnx-legacy", "", no_axis, none, none, 2, {{3, {1, 1, 1}}, {3, {1, 1, 1}}, none}, "ii ic ci", "", {3, {1, 1, 1}}, 1740},
  {"add-onnx-legacy-r3-0275", "add", "onnx-legacy", "", no_axis, none, none, 2, {{3, {2, 1, 1}}, {0, {}}, none}, "ii ic ci", "", {3, {2, 1, 1}}, 1742},
  {"add-onnx-legacy-r3-0931", "add", "onnx-legacy", "", no_axis, none, none, 2, {{3, {2, 2, 2}}, {3, {1, 1, 1}}, none}, "ii ic ci", "", {3, {2, 2, 2}}, 1746},
  {"add-onnx-legacy-r3-0945", "add", "onnx-legacy", "", no_axis, none, none, 2, {{3, {2, 2, 2}}, {3, {2, 2, 2}}, none}, "ii ic ci", "", {3, {2, 2, 2}}, 1762},
  {"add-onnx-legacy-r1-0000", "add", "onnx-legacy", "", no_axis, none, none, 2, {{0, {}}, {1, {1}}, none}, "ii ic ci", "rank", none, 1778},
  {"add-onnx-legacy-r1-0005", "add", "onnx-legacy", "", no_axis, none, none, 2, {{1, {1}}, {1, {2}}, none}, "ii ic ci", "mismatch", none, 1778},
  {"sub-numpy-r3-0003", "sub", "numpy", "", no_axis, none, none, 2, {{0, {}}, {3, {1, 2, 2}}, none}, "ii ic ci", "", {3, {1, 2, 2}}, 1778},
  {"sub-numpy-r3-0270", "sub", "numpy", "", no_axis, none, none, 2, {{3, {1, 1, 1}}, {0, {}}, none}, "ii ic ci", "", {3, {1, 1, 1}}, 1786},
  {"sub-numpy-r3-0540", "sub", "numpy", "", no_axis, none, none, 2, {{3, {1, 1, 1}}, {3, {1, 1, 1}}, none}, "ii ic ci", "", {3, {1, 1, 1}}, 1788},
  {"sub-numpy-r3-0005", "sub", "numpy", "", no_axis, none, none, 2, {{0, {}}, {3, {2, 1, 1}}, none}, "ii ic ci", "", {3, {2, 1, 1}}, 1790},
  {"sub-numpy-r3-0279", "sub", "numpy", "", no_axis, none, none, 2, {{3, {2, 2, 2}}, {0, {}}, none}, "ii ic ci", "", {3, {2, 2, 2}}, 1794},
  {"sub-numpy-r3-0549", "sub", "numpy", "", no_axis, none, none, 2, {{3, {1, 1, 1}}, {3, {2, 2, 2}}, none}, "ii ic ci", "", {3, {2, 2, 2}}, 1810},
  {"sub-numpy-r3-0931", "sub", "numpy", "", no_axis, none, none, 2, {{3, {2, 2, 2}}, {3, {1, 1, 1}}, none}, "ii ic ci", "", {3, {2, 2, 2}}, 1826},
  {"sub-numpy-r3-0945", "sub", "numpy", "", no_axis, none, none, 2, {{3, {2, 2, 2}}, {3, {2, 2, 2}}, none}, "ii ic ci", "", {3, {2, 2, 2}}, 1842},
  {"sub-numpy-r1-0008", "sub", "numpy", "", no_axis, none, none, 2, {{1, {2}}, {1, {3}}, none}, "ii ic ci", "mismatch", none, 1858},
  {"sum-numpy-r2-0003", "sum", "numpy", "", no_axis, none, none, 3, {{0, {}}, {0, {}}, {2, {2, 2}}}, "iii iic", "", {2, {2, 2}}, 1858},
  {"sum-numpy-r2-0020", "sum", "numpy", "", no_axis, none, none, 3, {{0, {}}, {2, {1, 1}}, {0, {}}}, "iii iic", "", {2, {1, 1}}, 1870},
  {"sum-numpy-r2-0065", "sum", "numpy", "", no_axis, none, none, 3, {{0, {}}, {2, {2, 2}}, {2, {1, 1}}}, "iii iic", "", {2, {2, 2}}, 1873},
  {"sum-numpy-r2-0429", "sum", "numpy", "", no_axis, none, none, 3, {{2, {1, 1}}, {0, {}}, {0, {}}}, "iii iic", "", {2, {1, 1}}, 1885},
  {"sum-numpy-r2-0474", "sum", "numpy", "", no_axis, none, none, 3, {{2, {2, 2}}, {0, {}}, {2, {1, 1}}}, "iii iic", "", {2, {2, 2}}, 1888},
  {"sum-numpy-r2-0800", "sum", "numpy", "", no_axis, none, none, 3, {{2, {2, 2}}, {2, {2, 2}}, {0, {}}}, "iii iic", "", {2, {2, 2}}, 1900},
  {"sum-numpy-r2-1026", "sum", "numpy", "", no_axis, none, none, 3, {{2, {1, 1}}, {2, {1, 1}}, {2, {1, 1}}}, "iii iic", "", {2, {1, 1}}, 1912},
  {"sum-numpy-r2-1055", "sum", "numpy", "", no_axis, none, none, 3, {{2, {1, 1}}, {2, {2, 2}}, {2, {2, 2}}}, "iii iic", "", {2, {2, 2}}, 1915},
  {"sum-numpy-r2-1384", "sum", "numpy", "", no_axis, none, none, 3, {{2, {2, 2}}, {2, {1, 1}}, {2, {2, 2}}}, "iii iic", "", {2, {2, 2}}, 1927},
  {"sum-numpy-r1-0008", "sum", "numpy", "", no_axis, none, none, 3, {{0, {}}, {1, {2}}, {1, {3}}}, "iii iic", "mismatch", none, 1939},
  {"select-numpy-r2-0003", "select", "numpy", "", no_axis, none, none, 3, {{0, {}}, {0, {}}, {2, {2, 2}}}, "iii iic", "", {2, {2, 2}}, 1939},
  {"select-numpy-r2-0020", "select", "numpy", "", no_axis, none, none, 3, {{0, {}}, {2, {1, 1}}, {0, {}}}, "iii iic", "", {2, {1, 1}}, 1951},
  {"select-numpy-r2-0065", "select", "numpy", "", no_axis, none, none, 3, {{0, {}}, {2, {2, 2}}, {2, {1, 1}}}, "iii iic", "", {2, {2, 2}}, 1954},
  {"select-numpy-r2-0429", "select", "numpy", "", no_axis, none, none, 3, {{2, {1, 1}}, {0, {}}, {0, {}}}, "iii iic", "", {2, {1, 1}}, 1966},
  {"select-numpy-r2-0474", "select", "numpy", "", no_axis, none, none, 3, {{2, {2, 2}}, {0, {}}, {2, {1, 1}}}, "iii iic", "", {2, {2, 2}}, 1969},
  {"select-numpy-r2-0800", "select", "numpy", "", no_axis, none, none, 3, {{2, {2, 2}}, {2, {2, 2}}, {0, {}}}, "iii iic", "", {2, {2, 2}}, 1981},
  {"select-numpy-r2-1026", "select", "numpy", "", no_axis, none, none, 3, {{2, {1, 1}}, {2, {1, 1}}, {2, {1, 1}}}, "iii iic", "", {2, {1, 1}}, 1993},
  {"select-numpy-r2-1055", "select", "numpy", "", no_axis, none, none, 3, {{2, {1, 1}}, {2, {2, 2}}, {2, {2, 2}}}, "iii iic", "", {2, {2, 2}}, 1996},
  {"select-numpy-r2-1384", "select", "numpy", "", no_axis, none, none, 3, {{2, {2, 2}}, {2, {1, 1}}, {2, {2, 2}}}, "iii iic", "", {2, {2, 2}}, 2008},
  {"select-numpy-r1-0008", "select", "numpy", "", no_axis, none, none, 3, {{0, {}}, {1, {2}}, {1, {3}}}, "iii iic", "mismatch", none, 2020},
  {"select-openvino-select.numpy-r2-0003", "select", "openvino-select", "numpy", no_axis, none, none, 3, {{0, {}}, {0, {}}, {2, {2, 2}}}, "iii iic", "", {2, {2, 2}}, 2020},
  {"select-openvino-select.numpy-r2-0020", "select", "openvino-select", "numpy", no_axis, none, none, 3, {{0, {}}, {2, {1, 1}}, {0, {}}}, "iii iic", "", {2, {1, 1}}, 2032},
  {"select-openvino-select.numpy-r2-0065", "select", "openvino-select", "numpy", no_axis, none, none, 3, {{0, {}}, {2, {2, 2}}, {2, {1, 1}}}, "iii iic", "", {2, {2, 2}}, 2035},
  {"select-openvino-select.numpy-r2-0429", "select", "openvino-select", "numpy", no_axis, none, none, 3, {{2, {1, 1}}, {0, {}}, {0, {}}}, "iii iic", "", {2, {1, 1}}, 2047},
  {"select-openvino-select.numpy-r2-0474", "select", "openvino-select", "numpy", no_axis, none, none, 3, {{2, {2, 2}}, {0, {}}, {2, {1, 1}}}, "iii iic", "", {2, {2, 2}}, 2050},
  {"select-openvino-select.numpy-r2-0800", "select", "openvino-select", "numpy", no_axis, none, none, 3, {{2, {2, 2}}, {2, {2, 2}}, {0, {}}}, "iii iic", "", {2, {2, 2}}, 2062},
  {"select-openvino-select.numpy-r2-1026", "select", "openvino-select", "numpy", no_axis, none, none, 3, {{2, {1, 1}}, {2, {1, 1}}, {2, {1, 1}}}, "iii iic", "", {2, {1, 1}}, 2074},
  {"select-openvino-select.numpy-r2-1055", "select", "openvino-select", "numpy", no_axis, none, none, 3, {{2, {1, 1}}, {2, {2, 2}}, {2, {2, 2}}}, "iii iic", "", {2, {2, 2}}, 2077},
  {"select-openvino-select.numpy-r2-1384", "select", "openvino-select", "numpy", no_axis, none, none, 3, {{2, {2, 2}}, {2, {1, 1}}, {2, {2, 2}}}, "iii iic", "", {2, {2, 2}}, 2089},
  {"select-openvino-select.numpy-r1-0008", "select", "openvino-select", "numpy", no_axis, none, none, 3, {{0, {}}, {1, {2}}, {1, {3}}}, "iii iic", "mismatch", none, 2101},
  {"select-openvino-select.none-r2-1431", "select", "openvino-select", "none", no_axis, none, none, 3, {{2, {2, 2}}, {2, {2, 2}}, {2, {2, 2}}}, "iii iic", "", {2, {2, 2}}, 2101},
  {"select-openvino-select.none-r2-1026", "select", "openvino-select", "none", no_axis, none, none, 3, {{2, {1, 1}}, {2, {1, 1}}, {2, {1, 1}}}, "iii iic", "", {2, {1, 1}}, 2113},
  {"select-openvino-select.none-r1-0000", "select", "openvino-select", "none", no_axis, none, none, 3, {{0, {}}, {0, {}}, {1, {1}}}, "iii iic", "rank", none, 2116},
  {"select-openvino-select.none-r1-0022", "select", "openvino-select", "none", no_axis, none, none, 3, {{1, {1}}, {1, {1}}, {1, {2}}}, "iii iic", "mismatch", none, 2116},
  {"select-openvino-select.pdpd-r2-0023", "select", "openvino-select", "pdpd", no_axis, none, none, 3, {{0, {}}, {2, {2, 2}}, {0, {}}}, "iii iic", "", {2, {2, 2}}, 2116},
  {"select-openvino-select.pdpd-r2-0040", "select", "openvino-select", "pdpd", no_axis, none, none, 3, {{0, {}}, {2, {1, 1}}, {2, {1, 1}}}, "iii iic", "", {2, {1, 1}}, 2128},
  {"select-openvino-select.pdpd-r2-0771", "select", "openvino-select", "pdpd", no_axis, none, none, 3, {{2, {1, 1}}, {2, {1, 1}}, {0, {}}}, "iii iic", "", {2, {1, 1}}, 2131},
  {"select-openvino-select.pdpd-r2-1051", "select", "openvino-select", "pdpd", no_axis, none, none, 3, {{2, {1, 1}}, {2, {2, 2}}, {2, {1, 1}}}, "iii iic", "", {2, {2, 2}}, 2134},
  {"select-openvino-select.pdpd-r2-1431", "select", "openvino-select", "pdpd", no_axis, none, none, 3, {{2, {2, 2}}, {2, {2, 2}}, {2, {2, 2}}}, "iii iic", "", {2, {2, 2}}, 2146},
  {"select-openvino-select.pdpd-r2-0069", "select", "openvino-select", "pdpd", no_axis, none, none, 3, {{0, {}}, {2, {2, 2}}, {2, {2, 2}}}, "iii iic", "", {2, {2, 2}}, 2158},
  {"select-openvino-select.pdpd-r2-0800", "select", "openvino-select", "pdpd", no_axis, none, none, 3, {{2, {2, 2}}, {2, {2, 2}}, {0, {}}}, "iii iic", "", {2, {2, 2}}, 2170},
  {"select-openvino-select.pdpd-r2-1055", "select", "openvino-select", "pdpd", no_axis, none, none, 3, {{2, {1, 1}}, {2, {2, 2}}, {2, {2, 2}}}, "iii iic", "", {2, {2, 2}}, 2182},
  {"select-openvino-select.pdpd-r2-1427", "select", "openvino-select", "pdpd", no_axis, none, none, 3, {{2, {2, 2}}, {2, {2, 2}}, {2, {1, 1}}}, "iii iic", "", {2, {2, 2}}, 2194},
  {"select-openvino-select.pdpd-r1-0000", "select", "openvino-select", "pdpd", no_axis, none, none, 3, {{0, {}}, {0, {}}, {1, {1}}}, "iii iic", "rank", none, 2206},
  {"select-openvino-select.pdpd-r1-0005", "select", "openvino-select", "pdpd", no_axis, none, none, 3, {{0, {}}, {1, {1}}, {1, {2}}}, "iii iic", "direction", none, 2206},
  {"select-openvino-select.pdpd-r1-0008", "select", "openvino-select", "pdpd", no_axis, none, none, 3, {{0, {}}, {1, {2}}, {1, {3}}}, "iii iic", "mismatch", none, 2206},
  {"select-openvino-select.pdpd1-r2-0023", "select", "openvino-select", "pdpd", 1, none, none, 3, {{0, {}}, {2, {2, 2}}, {0, {}}}, "iii iic", "", {2, {2, 2}}, 2206},
  {"select-openvino-select.pdpd1-r2-0025", "select", "openvino-select", "pdpd", 1, none, none, 3, {{0, {}}, {2, {1, 1}}, {1, {1}}}, "iii iic", "", {2, {1, 1}}, 2218},
  {"select-openvino-select.pdpd1-r2-0159", "select", "openvino-select", "pdpd", 1, none, none, 3, {{1, {1}}, {2, {1, 1}}, {0, {}}}, "iii iic", "", {2, {1, 1}}, 2221},
  {"select-openvino-select.pdpd1-r2-0176", "select", "openvino-select", "pdpd", 1, none, none, 3, {{1, {1}}, {2, {1, 2}}, {1, {1}}}, "iii iic", "", {2, {1, 2}}, 2224},
  {"select-openvino-select.pdpd1-r2-0193", "select", "openvino-select", "pdpd", 1, none, none, 3, {{1, {2}}, {2, {1, 2}}, {1, {2}}}, "iii iic", "", {2, {1, 2}}, 2230},
  {"select-openvino-select.pdpd1-r0-0000", "select", "openvino-select", "pdpd", 1, none, none, 3, {{0, {}}, {0, {}}, {0, {}}}, "iii iic", "axis", none, 2236},
  {"select-openvino-select.pdpd1-r1-0009", "select", "openvino-select", "pdpd", 1, none, none, 3, {{1, {1}}, {0, {}}, {0, {}}}, "iii iic", "rank", none, 2236},
  {"select-openvino-select.pdpd1-r2-0026", "select", "openvino-select", "pdpd", 1, none, none, 3, {{0, {}}, {2, {1, 1}}, {1, {2}}}, "iii iic", "direction", none, 2236},
  {"select-openvino-select.pdpd1-r2-0028", "select", "openvino-select", "pdpd", 1, none, none, 3, {{0, {}}, {2, {1, 2}}, {1, {2}}}, "iii iic", "", {2, {1, 2}}, 2236},
  {"select-openvino-select.pdpd1-r2-0029", "select", "openvino-select", "pdpd", 1, none, none, 3, {{0, {}}, {2, {1, 2}}, {1, {3}}}, "iii iic", "mismatch", none, 2242},
  {"select-openvino-select.pdpd1-r2-0165", "select", "openvino-select", "pdpd", 1, none, none, 3, {{1, {2}}, {2, {1, 2}}, {0, {}}}, "iii iic", "", {2, {1, 2}}, 2242},
  {"select-openvino-select.pdpd1-r2-0177", "select", "openvino-select", "pdpd", 1, none, none, 3, {{1, {1}}, {2, {1, 2}}, {1, {2}}}, "iii iic", "", {2, {1, 2}}, 2248},
  {"select-openvino-select.pdpd1-r2-0192", "select", "openvino-select", "pdpd", 1, none, none, 3, {{1, {2}}, {2, {1, 2}}, {1, {1}}}, "iii iic", "", {2, {1, 2}}, 2254},
  {"prelu-unidirectional-r3-0273", "prelu", "unidirectional", "", no_axis, none, none, 2, {{3, {1, 2, 2}}, {0, {}}, none}, "ii ic", "", {3, {1, 2, 2}}, 2260},
  {"prelu-unidirectional-r3-0540", "prelu", "unidirectional", "", no_axis, none, none, 2, {{3, {1, 1, 1}}, {3, {1, 1, 1}}, none}, "ii ic", "", {3, {1, 1, 1}}, 2268},
  {"prelu-unidirectional-r3-0275", "prelu", "unidirectional", "", no_axis, none, none, 2, {{3, {2, 1, 1}}, {0, {}}, none}, "ii ic", "", {3, {2, 1, 1}}, 2270},
  {"prelu-unidirectional-r3-0931", "prelu", "unidirectional", "", no_axis, none, none, 2, {{3, {2, 2, 2}}, {3, {1, 1, 1}}, none}, "ii ic", "", {3, {2, 2, 2}}, 2274},
  {"prelu-unidirectional-r3-0945", "prelu", "unidirectional", "", no_axis, none, none, 2, {{3, {2, 2, 2}}, {3, {2, 2, 2}}, none}, "ii ic", "", {3, {2, 2, 2}}, 2290},
  {"prelu-unidirectional-r1-0000", "prelu", "unidirectional", "", no_axis, none, none, 2, {{0, {}}, {1, {1}}, none}, "ii ic", "rank", none, 2306},
  {"prelu-unidirectional-r1-0005", "prelu", "unidirectional", "", no_axis, none, none, 2, {{1, {1}}, {1, {2}}, none}, "ii ic", "direction", none, 2306},
  {"prelu-unidirectional-r1-0008", "prelu", "unidirectional", "", no_axis, none, none, 2, {{1, {2}}, {1, {3}}, none}, "ii ic", "mismatch", none, 2306},
  {"prelu-openvino-prelu-r3-0273", "prelu", "openvino-prelu", "", no_axis, none, none, 2, {{3, {1, 2, 2}}, {0, {}}, none}, "ii ic", "", {3, {1, 2, 2}}, 2306},
  {"prelu-openvino-prelu-r3-0540", "prelu", "openvino-prelu", "", no_axis, none, none, 2, {{3, {1, 1, 1}}, {3, {1, 1, 1}}, none}, "ii ic", "", {3, {1, 1, 1}}, 2314},
  {"prelu-openvino-prelu-r3-0275", "prelu", "openvino-prelu", "", no_axis, none, none, 2, {{3, {2, 1, 1}}, {0, {}}, none}, "ii ic", "", {3, {2, 1, 1}}, 2316},
  {"prelu-openvino-prelu-r3-0931", "prelu", "openvino-prelu", "", no_axis, none, none, 2, {{3, {2, 2, 2}}, {3, {1, 1, 1}}, none}, "ii ic", "", {3, {2, 2, 2}}, 2320},
  {"prelu-openvino-prelu-r3-0945", "prelu", "openvino-prelu", "", no_axis, none, none, 2, {{3, {2, 2, 2}}, {3, {2, 2, 2}}, none}, "ii ic", "", {3, {2, 2, 2}}, 2336},
  {"prelu-openvino-prelu-r1-0000", "prelu", "openvino-prelu", "", no_axis, none, none, 2, {{0, {}}, {1, {1}}, none}, "ii ic", "rank", none, 2352},
  {"prelu-openvino-prelu-r1-0005", "prelu", "openvino-prelu", "", no_axis, none, none, 2, {{1, {1}}, {1, {2}}, none}, "ii ic", "direction", none, 2352},
  {"prelu-openvino-prelu-r1-0008", "prelu", "openvino-prelu", "", no_axis, none, none, 2, {{1, {2}}, {1, {3}}, none}, "ii ic", "mismatch", none, 2352},
  {"expand-bidirectional-r3-0003", "expand", "bidirectional", "", no_axis, none, {3, {1, 2, 2}}, 1, {{0, {}}, none, none}, "i", "", {3, {1, 2, 2}}, 2352},
  {"expand-bidirectional-r3-0270", "expand", "bidirectional", "", no_axis, none, {0, {}}, 1, {{3, {1, 1, 1}}, none, none}, "i", "", {3, {1, 1, 1}}, 2356},
  {"expand-bidirectional-r3-0931", "expand", "bidirectional", "", no_axis, none, {3, {1, 1, 1}}, 1, {{3, {2, 2, 2}}, none, none}, "i", "", {3, {2, 2, 2}}, 2357},
  {"expand-bidirectional-r1-0008", "expand", "bidirectional", "", no_axis, none, {1, {3}}, 1, {{1, {2}}, none, none}, "i", "mismatch", none, 2365},
  {"expand-broadcast-to-r3-0003", "expand", "broadcast-to", "", no_axis, none, {3, {1, 2, 2}}, 1, {{0, {}}, none, none}, "i", "", {3, {1, 2, 2}}, 2365},
  {"expand-broadcast-to-r3-0540", "expand", "broadcast-to", "", no_axis, none, {3, {1, 1, 1}}, 1, {{3, {1, 1, 1}}, none, none}, "i", "", {3, {1, 1, 1}}, 2369},
  {"expand-broadcast-to-r3-0945", "expand", "broadcast-to", "", no_axis, none, {3, {2, 2, 2}}, 1, {{3, {2, 2, 2}}, none, none}, "i", "", {3, {2, 2, 2}}, 2370},
  {"expand-broadcast-to-r1-0002", "expand", "broadcast-to", "", no_axis, none, {0, {}}, 1, {{1, {1}}, none, none}, "i", "rank", none, 2378},
  {"expand-broadcast-to-r1-0006", "expand", "broadcast-to", "", no_axis, none, {1, {1}}, 1, {{1, {2}}, none, none}, "i", "direction", none, 2378},
  {"expand-broadcast-to-r1-0008", "expand", "broadcast-to", "", no_axis, none, {1, {3}}, 1, {{1, {2}}, none, none}, "i", "mismatch", none, 2378},
  {"expand-explicit.-r3-0003", "expand", "explicit", "", no_axis, {0, {}}, {3, {1, 2, 2}}, 1, {{0, {}}, none, none}, "i", "", {3, {1, 2, 2}}, 2378},
  {"expand-explicit.-r0-0000", "expand", "explicit", "", no_axis, {0, {}}, {0, {}}, 1, {{0, {}}, none, none}, "i", "", {0, {}}, 2382},
  {"expand-explicit.1-r3-0018", "expand", "explicit", "", no_axis, {1, {1}}, {3, {1, 2, 2}}, 1, {{1, {1}}, none, none}, "i", "", {3, {1, 2, 2}}, 2383},
  {"expand-explicit.1-r2-0005", "expand", "explicit", "", no_axis, {1, {1}}, {2, {1, 1}}, 1, {{1, {1}}, none, none}, "i", "", {2, {1, 1}}, 2387},
  {"expand-explicit.1-r1-0002", "expand", "explicit", "", no_axis, {1, {1}}, {0, {}}, 1, {{1, {1}}, none, none}, "i", "axes", none, 2388},
  {"expand-explicit.1-r2-0010", "expand", "explicit", "", no_axis, {1, {1}}, {2, {1, 1}}, 1, {{1, {2}}, none, none}, "i", "direction", none, 2388},
  {"expand-explicit.1-r2-0011", "expand", "explicit", "", no_axis, {1, {1}}, {2, {1, 2}}, 1, {{1, {2}}, none, none}, "i", "", {2, {1, 2}}, 2388},
  {"expand-explicit.1-r2-0012", "expand", "explicit", "", no_axis, {1, {1}}, {2, {1, 3}}, 1, {{1, {2}}, none, none}, "i", "mismatch", none, 2390},
  {"expand-explicit.1-r3-0033", "expand", "explicit", "", no_axis, {1, {1}}, {3, {1, 2, 1}}, 1, {{1, {2}}, none, none}, "i", "", {3, {1, 2, 1}}, 2390},
  {"expand-explicit.02-r3-0070", "expand", "explicit", "", no_axis, {2, {0, 2}}, {3, {1, 2, 2}}, 1, {{2, {1, 1}}, none, none}, "i", "", {3, {1, 2, 2}}, 2392},
  {"expand-explicit.02-r3-0167", "expand", "explicit", "", no_axis, {2, {0, 2}}, {3, {2, 1, 2}}, 1, {{2, {2, 2}}, none, none}, "i", "", {3, {2, 1, 2}}, 2396},
  {"expand-explicit.02-r2-0020", "expand", "explicit", "", no_axis, {2, {0, 2}}, {0, {}}, 1, {{2, {1, 1}}, none, none}, "i", "axes", none, 2400},
  {"expand-explicit.02-r3-0082", "expand", "explicit", "", no_axis, {2, {0, 2}}, {3, {1, 1, 1}}, 1, {{2, {1, 2}}, none, none}, "i", "direction", none, 2400},
  {"expand-explicit.02-r3-0084", "expand", "explicit", "", no_axis, {2, {0, 2}}, {3, {1, 1, 3}}, 1, {{2, {1, 2}}, none, none}, "i", "mismatch", none, 2400},
  {"gemm-gemm-c-r2-0023", "gemm", "gemm-c", "", no_axis, none, none, 2, {{2, {2, 2}}, {0, {}}, none}, "iii iic", "", {2, {2, 2}}, 2400},
  {"gemm-gemm-c-r2-0040", "gemm", "gemm-c", "", no_axis, none, none, 2, {{2, {1, 1}}, {2, {1, 1}}, none}, "iii iic", "", {2, {1, 1}}, 2408},
  {"gemm-gemm-c-r2-0020", "gemm", "gemm-c", "", no_axis, none, none, 2, {{2, {1, 1}}, {0, {}}, none}, "iii iic", "", {2, {1, 1}}, 2410},
  {"gemm-gemm-c-r2-0065", "gemm", "gemm-c", "", no_axis, none, none, 2, {{2, {2, 2}}, {2, {1, 1}}, none}, "iii iic", "", {2, {2, 2}}, 2412},
  {"gemm-gemm-c-r2-0069", "gemm", "gemm-c", "", no_axis, none, none, 2, {{2, {2, 2}}, {2, {2, 2}}, none}, "iii iic", "", {2, {2, 2}}, 2420},
  {"gemm-gemm-c-r2-0026", "gemm", "gemm-c", "", no_axis, none, none, 2, {{2, {1, 1}}, {1, {2}}, none}, "iii iic", "direction", none, 2428},
  {"gemm-gemm-c-r2-0029", "gemm", "gemm-c", "", no_axis, none, none, 2, {{2, {1, 2}}, {1, {3}}, none}, "iii iic", "mismatch", none, 2428},
  {"gemm-gemm-c-r3-0067", "gemm", "gemm-c", "", no_axis, none, none, 2, {{2, {1, 1}}, {3, {1, 1, 1}}, none}, "iii iic", "rank", none, 2428},
};
// END CASES
// clang-format on

}  // namespace data

using data::Case;

// An operand of a question.
struct Operand {
  Shape shape;
  bool constant = false;      // whether it is a constant of the model
  std::vector<float> values;  // row-major
};

// A question: compute an operator of these operands under this rule.
struct Question {
  const Case* source = nullptr;
  int bit = 0;  // of the positions in the condition of select
  std::string id;
  std::string op;
  std::string rule;
  std::string mode;          // a parameter of the rule, or empty
  int axis = data::no_axis;  // a parameter of the rule, or data::no_axis
  Shape axes;                // a parameter of the rule explicit
  Shape target;              // the shape that expand expands to
  std::vector<Operand> operands;
  bool accepted = false;  // whether the rule accepts the shapes
  Shape shape;            // the shape of the result, where the rule accepts the shapes
};

// What an engine makes of a question.
struct Answer {
  enum class Kind { result, reject, skip };

  Kind kind = Kind::skip;
  Shape shape;
  std::vector<float> values;
  std::string message;

  static Answer result(Shape shape, std::vector<float> values) {
    return {Kind::result, std::move(shape), std::move(values), {}};
  }

  // Says that the engine rejects the shapes.
  static Answer reject(std::string message) { return {Kind::reject, {}, {}, std::move(message)}; }

  // Says that the engine does not have the operator, the rule, or the kind of an operand.
  static Answer skip(std::string reason) { return {Kind::skip, {}, {}, std::move(reason)}; }
};

// What an answer is worth.
struct Verdict {
  enum class Outcome { right, wrong, skipped };

  Outcome outcome;
  std::string failure;  // "wrong value", "wrong shape", "accepted", "rejected", "no answer"
  std::string text;     // how the answer differs from the rule's, or why it was skipped
};

namespace detail {

inline std::int64_t product(const data::Dims& dims) {
  std::int64_t count = 1;
  for (int axis = 0; axis < dims.rank; ++axis) count *= dims.dims[axis];
  return count;
}

inline std::int64_t product(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t dim : shape) count *= dim;
  return count;
}

inline Shape shape_of(const data::Dims& dims) {
  return dims.rank < 0 ? Shape() : Shape(dims.dims, dims.dims + dims.rank);
}

inline std::string text_of(const Shape& shape) {
  std::string text = "[";
  for (std::size_t axis = 0; axis < shape.size(); ++axis) text += (axis ? ", " : "") + std::to_string(shape[axis]);
  return text + "]";
}

inline std::string text_of(double value) {
  if (std::isnan(value)) return "NaN";
  char text[400];
  std::snprintf(text, sizeof text, std::floor(value) == value ? "%.0f" : "%.9g", value);
  return text;
}

// Returns element i of operand k, so that every choice of elements has another result.
inline std::int64_t value(const Case& one, int bit, int k, std::int64_t i) {
  const std::string op = one.op;
  if (op == "prelu") return k == 0 ? -(i + 1) : 1 + (std::max<std::int64_t>(1, product(one.shapes[0])) + 1) * i;
  if (op == "select") return k == 0 ? i >> bit & 1 : k == 1 ? 1 + i : -1 - i;
  if (op == "gemm") return k == 2 ? i : 0;
  for (int before = 0; before < k; ++before) i *= std::max<std::int64_t>(1, product(one.shapes[before]));
  return i;
}

// Returns what the operator makes of one element from each operand.
inline std::int64_t result(const Case& one, int bit, const Shape& chosen) {
  const std::string op = one.op;
  if (op == "gemm") return chosen[1];  // the product is 0, so the result is that of C
  std::int64_t values[3] = {};
  for (int k = 0; k < one.operands; ++k) values[k] = value(one, bit, k, chosen[static_cast<std::size_t>(k)]);
  if (op == "sub") return values[0] - values[1];
  if (op == "prelu") return values[0] * values[1];
  if (op == "select") return values[0] != 0 ? values[1] : values[2];
  return values[0] + values[1] + values[2];
}

// Returns the elements that element `at` of the result comes from.
inline Shape chosen(const Case& one, std::int64_t at) {
  Shape found;
  for (int k = 0; k < one.operands; ++k) {
    found.push_back(data::elements[one.element + static_cast<std::size_t>(k * product(one.shape) + at)]);
  }
  return found;
}

// Finds elements of the operands from which the operator makes this value. The result is empty where there are none.
inline Shape find(const Case& one, int bit, double wanted) {
  constexpr std::int64_t most = 1 << 20;
  std::int64_t count = 1;
  for (int k = 0; k < one.operands; ++k) count *= product(one.shapes[k]);
  for (std::int64_t number = 0; number < count && count <= most; ++number) {
    Shape elements(static_cast<std::size_t>(one.operands));
    std::int64_t rest = number;
    for (int k = one.operands - 1; k >= 0; --k) {
      elements[static_cast<std::size_t>(k)] = rest % product(one.shapes[k]);
      rest /= product(one.shapes[k]);
    }
    if (static_cast<double>(result(one, bit, elements)) == wanted) return elements;
  }
  return {};
}

inline std::string names(const Shape& elements) {
  std::string text;
  for (std::size_t k = 0; k < elements.size(); ++k) {
    text += (k ? " and " : "") + std::string(1, "abc"[k]) + "[" + std::to_string(elements[k]) + "]";
  }
  return text.empty() ? "no elements of the operands" : text;
}

// Tells whether a text matches a pattern, in which * is any text and ? any character.
inline bool matches(const char* pattern, const char* text) {
  if (*pattern == '*') return matches(pattern + 1, text) || (*text != 0 && matches(pattern, text + 1));
  if (*pattern == 0 || *text == 0) return *pattern == *text;
  return (*pattern == '?' || *pattern == *text) && matches(pattern + 1, text + 1);
}

// Tells whether a list names a question, or its case.
inline bool names_question(const std::vector<std::string>& list, const Question& question) {
  return std::any_of(list.begin(), list.end(), [&question](const std::string& pattern) {
    const bool whole = pattern.find(':') != std::string::npos;
    return matches(pattern.c_str(), whole ? question.id.c_str() : question.source->id);
  });
}

// Returns the part of an id that names the rule and its parameters: pdpd1.
inline std::string label(const Case& one) {
  const std::string id = one.id;
  const std::size_t start = id.find('-') + 1;
  return id.substr(start, id.rfind("-r") - start);
}

// Calls the function, and makes a rejection of an exception.
template <typename Function>
Answer ask(Function& answer, const Question& question) {
#if defined(__cpp_exceptions)
  try {
    return answer(question);
  } catch (const std::exception& error) {
    return Answer::reject(error.what());
  } catch (...) {
    return Answer::reject("an exception");
  }
#else
  return answer(question);
#endif
}

}  // namespace detail

// Returns element i of operand k of a question.
inline float operand_value(const Question& question, int k, std::int64_t i) {
  return static_cast<float>(detail::value(*question.source, question.bit, k, i));
}

// Returns the elements of the result under the rule, row-major.
inline std::vector<float> expected_values(const Question& question) {
  std::vector<float> values;
  const std::int64_t count = question.accepted ? detail::product(question.shape) : 0;
  for (std::int64_t at = 0; at < count; ++at) {
    values.push_back(static_cast<float>(detail::result(*question.source, question.bit, detail::chosen(*question.source, at))));
  }
  return values;
}

// Returns the questions about a case: one for each choice of constants, and of select one for each bit of the positions.
inline std::vector<Question> questions(const Case& one) {
  const bool select = std::string(one.op) == "select";
  const bool gemm = std::string(one.op) == "gemm";
  const bool accepted = *one.reject == 0;
  int bits = 1;
  while (select && accepted && (detail::product(one.shapes[0]) - 1) >> bits > 0) ++bits;
  std::vector<Question> all;
  for (const char* kinds = one.kinds; *kinds != 0;) {
    const char* end = kinds;
    while (*end != 0 && *end != ' ') ++end;
    const std::string own(kinds, end);
    kinds = *end == 0 ? end : end + 1;
    for (int bit = 0; bit < bits; ++bit) {
      Question question;
      question.source = &one;
      question.bit = bit;
      question.id = std::string(one.id) + ":" + own + (select ? "." + std::to_string(bit) : "");
      question.op = one.op;
      question.rule = one.rule;
      question.mode = one.mode;
      question.axis = one.axis;
      question.axes = detail::shape_of(one.axes);
      question.target = detail::shape_of(one.target);
      question.accepted = accepted;
      question.shape = detail::shape_of(one.shape);
      std::vector<Shape> shapes;
      for (int k = 0; k < one.operands; ++k) shapes.push_back(detail::shape_of(one.shapes[k]));
      if (gemm) shapes = {{shapes[0][0], 1}, {1, shapes[0][1]}, shapes[1]};
      for (std::size_t k = 0; k < shapes.size(); ++k) {
        Operand operand;
        operand.shape = shapes[k];
        operand.constant = own[k] == 'c';
        const std::int64_t count = detail::product(operand.shape);
        for (std::int64_t i = 0; i < count; ++i) operand.values.push_back(operand_value(question, static_cast<int>(k), i));
        question.operands.push_back(std::move(operand));
      }
      all.push_back(std::move(question));
    }
  }
  return all;
}

// Compares an answer with that of the rule.
inline Verdict judge(const Question& question, const Answer& answer) {
  using Outcome = Verdict::Outcome;
  if (answer.kind == Answer::Kind::skip) return {Outcome::skipped, "", answer.message};
  if (answer.kind == Answer::Kind::reject) {
    if (!question.accepted) return {Outcome::right, "", ""};
    return {Outcome::wrong, "rejected", "rejects shapes that the rule accepts: " + answer.message};
  }
  const std::string shape = detail::text_of(answer.shape);
  if (!question.accepted) {
    return {Outcome::wrong, "accepted", "accepts shapes that the rule rejects; its result has the shape " + shape};
  }
  if (answer.shape != question.shape) {
    return {Outcome::wrong, "wrong shape",
            "the result has the shape " + shape + ", and " + detail::text_of(question.shape) + " under the rule"};
  }
  const std::vector<float> expected = expected_values(question);
  if (answer.values.size() != expected.size()) {
    return {Outcome::wrong, "no answer",
            "the answer has " + std::to_string(answer.values.size()) + " elements, and its shape " +
                std::to_string(expected.size())};
  }
  for (std::size_t at = 0; at < expected.size(); ++at) {
    if (answer.values[at] == expected[at]) continue;
    const double got = static_cast<double>(answer.values[at]);
    const Shape from = detail::find(*question.source, question.bit, got);
    const Shape wanted = detail::find(*question.source, question.bit, static_cast<double>(expected[at]));
    const std::string element = "element " + std::to_string(at) + " of the result ";
    if (from == wanted) {
      return {Outcome::wrong, "wrong value",
              element + "is " + detail::text_of(got) + ", and " + detail::text_of(static_cast<double>(expected[at])) +
                  " under the rule"};
    }
    return {Outcome::wrong, "wrong value",
            element + "comes from " + detail::names(from) + ", and from " + detail::names(wanted) + " under the rule"};
  }
  return {Outcome::right, "", ""};
}

// What a run asks, and what it prints.
struct Options {
  std::vector<std::string> rules;  // ask only about these rules: "pdpd", or "pdpd1" for axis 1; empty for all
  std::vector<std::string> known;  // known failures: ids of cases or of questions; * is any text
  std::size_t most = 10;           // print at most this number of failures; equal ones of a case are printed once
  std::FILE* out = stdout;         // where to print, or nullptr
};

// How many answers a run got.
struct Counts {
  std::size_t questions = 0;
  std::size_t right = 0;
  std::size_t wrong = 0;
  std::size_t skipped = 0;
  std::size_t known = 0;       // known failures that fail
  std::size_t unexpected = 0;  // known failures that pass; remove them from the list

  // Tells whether a test passes: some questions were answered, and all as expected.
  bool ok() const { return wrong == 0 && unexpected == 0 && right + known > 0; }
};

// Asks the function all questions, those about the smallest cases first, and prints the failures.
template <typename Function>
Counts run(Function&& answer, const Options& options = {}) {
  std::vector<const Case*> cases;
  for (const Case& one : data::cases) {
    const auto named = [&one](const std::string& rule) { return rule == one.rule || rule == detail::label(one); };
    if (options.rules.empty() || std::any_of(options.rules.begin(), options.rules.end(), named)) cases.push_back(&one);
  }
  const auto size = [](const Case* one) {
    int rank = one->shape.rank;
    std::int64_t elements = 0;
    for (int k = 0; k < one->operands; ++k) {
      rank = std::max(rank, one->shapes[k].rank);
      elements += detail::product(one->shapes[k]);
    }
    return std::make_pair(rank, elements);
  };
  std::stable_sort(cases.begin(), cases.end(), [&size](const Case* a, const Case* b) { return size(a) < size(b); });

  Counts counts;
  std::size_t printed = 0;
  std::string last;
  const auto print = [&](const Question& question, const std::string& failure, const std::string& text) {
    // The questions about a case often fail alike; the first one is enough.
    const bool repeated = last == question.source->id + text;
    if (options.out == nullptr || repeated || printed == options.most) return;
    last = question.source->id + text;
    ++printed;
    std::string shapes;
    for (int k = 0; k < question.source->operands; ++k) {
      shapes += (k ? ", " : "") + detail::text_of(detail::shape_of(question.source->shapes[k]));
    }
    if (question.op == "expand") shapes += ", " + detail::text_of(question.target);
    std::fprintf(options.out, "FAILED %s - %s: %s(%s)\n  %s\n", question.id.c_str(), failure.c_str(), question.op.c_str(),
                 shapes.c_str(), text.c_str());
  };
  std::string smallest;
  for (const Case* one : cases) {
    for (const Question& question : questions(*one)) {
      ++counts.questions;
      const Verdict verdict = judge(question, detail::ask(answer, question));
      const bool known = detail::names_question(options.known, question);
      if (verdict.outcome == Verdict::Outcome::skipped) {
        ++counts.skipped;
      } else if (verdict.outcome == Verdict::Outcome::right) {
        ++(known ? counts.unexpected : counts.right);
        if (known) print(question, "passes, but is a known failure", "remove it from the list of known failures");
      } else if (known) {
        ++counts.known;
      } else {
        ++counts.wrong;
        print(question, verdict.failure, verdict.text);
      }
      if (smallest.empty() && counts.wrong + counts.unexpected > 0) smallest = question.id;
    }
  }
  if (options.out != nullptr) {
    const std::size_t failures = counts.wrong + counts.unexpected;
    if (failures > printed) std::fprintf(options.out, "... and %zu more failures\n", failures - printed);
    if (failures > 0) std::fprintf(options.out, "smallest failure: %s\n", smallest.c_str());
    if (counts.right + counts.known + failures == 0) std::fprintf(options.out, "no question was answered\n");
    std::fprintf(options.out, "atlas %s: %zu questions, %zu right, %zu wrong, %zu skipped", data::version, counts.questions,
                 counts.right, counts.wrong, counts.skipped);
    if (counts.known > 0) std::fprintf(options.out, ", %zu known failures", counts.known);
    if (counts.unexpected > 0) std::fprintf(options.out, ", %zu known failures that pass", counts.unexpected);
    std::fprintf(options.out, "\n");
  }
  return counts;
}

}  // namespace broadaxe_atlas

#endif  // BROADAXE_ATLAS_HPP
