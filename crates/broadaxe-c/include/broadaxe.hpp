// The C++17 interface of Broadaxe: a header over broadaxe.h, which has all details.
//
// Functions return a result<T>: a value or an error. Nothing throws except result::value() and the allocation of memory, and the
// header compiles with -fno-exceptions.

#ifndef BROADAXE_HPP
#define BROADAXE_HPP

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#if defined(__cpp_exceptions)
#include <stdexcept>
#endif

#include "broadaxe.h"

namespace broadaxe {

using shape = std::vector<std::size_t>;

// Why a call failed.
struct error {
  std::int32_t status = BX_OK;
  std::string text;
  // Where shapes do not broadcast: the operand, the axis of the result, and the two dims.
  std::optional<std::size_t> operand;
  std::optional<std::size_t> axis;
  std::optional<std::pair<std::size_t, std::size_t>> sizes;
};

#if defined(__cpp_exceptions)
// What result::value() throws.
class failure : public std::runtime_error {
 public:
  explicit failure(broadaxe::error why) : std::runtime_error(why.text), why_(std::move(why)) {}
  const broadaxe::error& why() const noexcept { return why_; }

 private:
  broadaxe::error why_;
};
#endif

// A value or an error.
template <class T>
class result {
 public:
  result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  result(broadaxe::error why) : content_(std::in_place_index<1>, std::move(why)) {}

  bool has_value() const noexcept { return content_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  // The value, which must be there.
  const T& operator*() const& noexcept { return *std::get_if<0>(&content_); }
  T&& operator*() && noexcept { return std::move(*std::get_if<0>(&content_)); }
  const T* operator->() const noexcept { return std::get_if<0>(&content_); }

  // The error, which must be there.
  const broadaxe::error& error() const noexcept { return *std::get_if<1>(&content_); }

  // The value; throws a failure, or aborts where exceptions are disabled.
  const T& value() const& {
    check();
    return **this;
  }
  T value() && {
    check();
    return *std::move(*this);
  }

 private:
  void check() const {
    if (has_value()) return;
#if defined(__cpp_exceptions)
    throw failure(error());
#else
    std::abort();
#endif
  }

  std::variant<T, broadaxe::error> content_;
};

// A rule with its parameters: `rule("numpy")` or `rule("pdpd").axis(1)`.
class rule {
 public:
  explicit rule(std::string name) : name_(std::move(name)) {}

  // The result axis of the smaller operand's first axis.
  rule& axis(std::int64_t value) {
    axis_ = value;
    parameters_ |= BX_HAS_AXIS;
    return *this;
  }
  // The result axis of each axis of the operand.
  rule& axes(std::vector<std::int64_t> value) {
    axes_ = std::move(value);
    parameters_ |= BX_HAS_AXES;
    return *this;
  }
  // The shape to broadcast to.
  rule& target(shape value) {
    target_ = std::move(value);
    parameters_ |= BX_HAS_TARGET;
    return *this;
  }
  rule& mode(std::string value) {
    mode_ = std::move(value);
    return *this;
  }

  // The rule for the C interface. It points into this object.
  bx_rule c_rule() const {
    bx_rule to{};
    to.struct_size = sizeof to;
    to.name = name_.c_str();
    to.axis = axis_;
    to.axes = (parameters_ & BX_HAS_AXES) != 0 ? axes_.data() : nullptr;
    to.axes_count = axes_.size();
    to.target = (parameters_ & BX_HAS_TARGET) != 0 ? target_.data() : nullptr;
    to.target_rank = target_.size();
    to.mode = mode_.empty() ? nullptr : mode_.c_str();
    to.parameters = parameters_;
    return to;
  }

 private:
  std::string name_;
  std::string mode_;
  std::int64_t axis_ = 0;
  std::vector<std::int64_t> axes_;
  shape target_;
  std::uint32_t parameters_ = 0;
};

// How operands align.
struct alignment {
  broadaxe::shape shape;
  // For each operand and each axis of the result: the axis of the operand that feeds it.
  std::vector<std::vector<std::optional<std::size_t>>> feeds;
  // For each operand: its strides over the result; 0 where it repeats.
  std::vector<std::vector<std::ptrdiff_t>> strides;
};

// The layout of the operands in memory. An empty list stands for contiguous operands and strides in elements.
struct layout {
  // The bytes per element of each operand, for strides in bytes.
  std::vector<std::size_t> item_sizes;
  // The strides of each operand over its own axes, in any unit.
  std::vector<std::vector<std::ptrdiff_t>> strides;
};

// The findings of a check.
struct report {
  // What `broadaxe check --json` prints.
  std::string json;
  // The number of findings that need attention.
  std::size_t findings = 0;
};

// The answer to a request.
struct answer {
  // What the command prints with `--json`.
  std::string json;
  // Whether the command would end with exit code 1, such as for findings.
  bool fails = false;
};

namespace detail {

inline broadaxe::error last(std::int32_t status) {
  broadaxe::error why;
  why.status = status;
  why.text.resize(bx_last_error(nullptr, 0));
  bx_last_error(why.text.data(), why.text.size());
  why.text.pop_back();
  bx_error info{};
  info.struct_size = sizeof info;
  if (bx_error_info(&info) == BX_OK) {
    if (info.operand >= 0) why.operand = static_cast<std::size_t>(info.operand);
    if (info.axis >= 0) why.axis = static_cast<std::size_t>(info.axis);
    if (info.sizes[0] >= 0 && info.sizes[1] >= 0) {
      why.sizes = std::pair(static_cast<std::size_t>(info.sizes[0]), static_cast<std::size_t>(info.sizes[1]));
    }
  }
  return why;
}

inline broadaxe::error wrong(const char* text) {
  broadaxe::error why;
  why.status = BX_ERROR_INDEX;
  why.text = text;
  return why;
}

struct operands {
  explicit operands(const std::vector<shape>& shapes) {
    for (const shape& one : shapes) {
      dims.push_back(one.data());
      ranks.push_back(one.size());
    }
  }
  std::vector<const std::size_t*> dims;
  std::vector<std::size_t> ranks;
};

}  // namespace detail

// Returns the shape of the result of a broadcast.
inline result<shape> broadcast_shape(const rule& under, const std::vector<shape>& shapes) {
  const bx_rule rule = under.c_rule();
  const detail::operands of(shapes);
  std::size_t dims[BX_MAX_RANK];
  std::size_t rank = 0;
  const std::int32_t status =
      bx_broadcast_shape(&rule, of.dims.data(), of.ranks.data(), shapes.size(), dims, BX_MAX_RANK, &rank);
  if (status != BX_OK) return detail::last(status);
  return shape(dims, dims + rank);
}

// Aligns operands.
inline result<alignment> align(const rule& under, const std::vector<shape>& shapes, const layout& in = {}) {
  const std::size_t count = shapes.size();
  if (!in.item_sizes.empty() && in.item_sizes.size() != count) return detail::wrong("one item size per operand is needed");
  if (!in.strides.empty() && in.strides.size() != count) return detail::wrong("strides are needed for every operand");
  std::vector<const std::ptrdiff_t*> own;
  for (std::size_t k = 0; k < in.strides.size(); ++k) {
    if (in.strides[k].size() != shapes[k].size()) return detail::wrong("one stride per axis is needed");
    own.push_back(in.strides[k].data());
  }
  const bx_rule rule = under.c_rule();
  const detail::operands of(shapes);
  std::size_t dims[BX_MAX_RANK];
  std::vector<std::int32_t> feeds(count * BX_MAX_RANK);
  std::vector<std::ptrdiff_t> strides(count * BX_MAX_RANK);
  bx_alignment out{};
  out.struct_size = sizeof out;
  out.capacity = BX_MAX_RANK;
  out.dims = dims;
  out.feeds = feeds.data();
  out.strides = strides.data();
  out.item_sizes = in.item_sizes.empty() ? nullptr : in.item_sizes.data();
  out.own_strides = own.empty() ? nullptr : own.data();
  const std::int32_t status = bx_align(&rule, of.dims.data(), of.ranks.data(), count, &out);
  if (status != BX_OK) return detail::last(status);
  alignment to;
  to.shape.assign(dims, dims + out.rank);
  to.feeds.resize(count);
  to.strides.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t axis = 0; axis < out.rank; ++axis) {
      const std::int32_t fed = feeds[k * BX_MAX_RANK + axis];
      to.feeds[k].push_back(fed < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(fed)));
      to.strides[k].push_back(strides[k * BX_MAX_RANK + axis]);
    }
  }
  return to;
}

// Returns the names of the rules.
inline std::vector<std::string> rules() {
  std::vector<std::string> names;
  bx_rule_info info{};
  info.struct_size = sizeof info;
  for (std::size_t k = 0; bx_rule_describe(k, &info) == BX_OK; ++k) names.emplace_back(info.name);
  return names;
}

// Returns the names of the targets that models can be checked for.
inline std::vector<std::string> targets() {
  std::vector<std::string> names;
  for (std::size_t k = 0; const char* name = bx_target_name(k); ++k) names.emplace_back(name);
  return names;
}

// Checks what a model file means on other runtimes. A long report is made twice.
inline result<report> check_file(const std::string& path, const std::vector<std::string>& targets) {
  std::vector<const char*> names;
  for (const std::string& target : targets) names.push_back(target.c_str());
  report to;
  to.json.resize(std::size_t{1} << 16);
  while (true) {
    bx_report out{};
    out.struct_size = sizeof out;
    out.json = to.json.data();
    out.capacity = to.json.size();
    const std::int32_t status = bx_check_file(path.c_str(), names.data(), names.size(), &out);
    if (status != BX_OK && status != BX_ERROR_BUFFER) return detail::last(status);
    to.findings = out.findings;
    to.json.resize(status == BX_OK ? out.needed - 1 : out.needed);
    if (status == BX_OK) return to;
  }
}

// Answers a request in JSON, such as {"request": "census", "models": ["a.onnx"]}. What could not be answered is an error.
inline result<answer> request(const std::string& json) {
  bx_answer out{};
  out.struct_size = sizeof out;
  const std::int32_t status = bx_request(json.c_str(), &out);
  if (status != BX_OK) return detail::last(status);
  return answer{std::string(out.json, out.length), out.fails != 0};
}

}  // namespace broadaxe

#endif  // BROADAXE_HPP
