// Calls everything in broadaxe.hpp.

#include <broadaxe.hpp>
#include <iostream>
#include <thread>

using namespace broadaxe;

static int faults = 0;

static void expect(const char* what, bool holds) {
  if (holds) return;
  std::cerr << what << "\n";
  ++faults;
}

static void shapes() {
  expect("a shape", broadcast_shape(rule("numpy"), {{2, 1}, {3}}).value() == shape{2, 3});
  expect("a target", *broadcast_shape(rule("broadcast-to").target({2, 3}), {{3}}) == shape{2, 3});
  expect("a scalar", broadcast_shape(rule("numpy"), {{}}).value().empty());
  const auto explicit_rule = rule("explicit").axes({1}).target({1, 16, 5});
  expect("axes", *broadcast_shape(explicit_rule, {{16}}) == shape{1, 16, 5});
  const auto select = rule("openvino-select").mode("none");
  expect("a mode", broadcast_shape(select, {{2}, {2}, {2}}).has_value());
  expect("a mode that refuses", !broadcast_shape(select, {{1}, {2}, {2}}));
  expect("no operand", broadcast_shape(rule("numpy"), {}).error().status == BX_ERROR_OPERANDS);
  expect("an unknown rule", broadcast_shape(rule("none of these"), {}).error().status == BX_ERROR_PARAMETER);
}

static void errors() {
  const auto wrong = broadcast_shape(rule("numpy"), {{2, 3}, {4}});
  expect("the status", wrong.error().status == BX_ERROR_MISMATCH);
  expect("the axis", wrong.error().axis == 1U);
  expect("the sizes", wrong.error().sizes == std::pair<std::size_t, std::size_t>(3, 4));
  expect("the text", wrong.error().text.find("under numpy") != std::string::npos);
  char text[8];
  std::size_t elsewhere = 0;
  std::thread([&] { elsewhere = bx_last_error(text, sizeof text); }).join();
  expect("each thread has its own last error", elsewhere == 1 && bx_last_error(nullptr, 0) > 1);
#if defined(__cpp_exceptions)
  try {
    (void)wrong.value();
    expect("value() throws", false);
  } catch (const failure& thrown) {
    expect("the failure", thrown.why().status == BX_ERROR_MISMATCH && thrown.what() == wrong.error().text);
  }
#endif
}

static void alignments() {
  const auto plain = align(rule("pdpd").axis(1), {{2, 3, 4}, {3}}).value();
  expect("the shape", plain.shape == shape{2, 3, 4});
  expect("the axes", plain.feeds[1] == std::vector<std::optional<std::size_t>>{std::nullopt, 0, std::nullopt});
  expect("the strides", plain.strides[0] == std::vector<std::ptrdiff_t>{12, 4, 1});
  const auto bytes = align(rule("numpy"), {{2, 3}, {3}}, {{4, 8}, {}}).value();
  expect("strides in bytes", bytes.strides[0][0] == 12 && bytes.strides[1][1] == 8);
  const auto own = align(rule("numpy"), {{2, 3}, {3}}, {{}, {{1, 2}, {-4}}}).value();
  expect("own strides", own.strides[0][0] == 1 && own.strides[1][1] == -4);
  expect("too few item sizes", align(rule("numpy"), {{2}, {2}}, {{4}, {}}).error().status == BX_ERROR_INDEX);
  expect("too few strides", align(rule("numpy"), {{2}, {2}}, {{}, {{1}}}).error().status == BX_ERROR_INDEX);
  expect("strides of another rank", align(rule("numpy"), {{2, 2}}, {{}, {{1}}}).error().status == BX_ERROR_INDEX);
}

static void models(const std::string& model) {
  const auto names = targets();
  expect("rules", rules().size() == bx_rule_count() && rules().size() > 10);
  expect("targets", names.size() > 3);
  const auto found = check_file(model, {"onnx", "ncnn"});
  expect("a report", found && found->findings > 0 && found->json.front() == '{' && found->json.back() == '}');
  // So many targets that the first buffer is too small.
  std::vector<std::string> many;
  for (int limit = 1; limit <= 60; ++limit) many.push_back("rank<=" + std::to_string(limit));
  const auto long_report = check_file(model, many);
  expect("a long report", long_report && long_report->json.size() > (std::size_t{1} << 16) && long_report->json.back() == '}');
  const auto counted = request("{\"request\": \"census\", \"models\": [\"" + model + "\"]}");
  expect("a request", counted && !counted->fails && counted->json.find("\"blow_up\"") != std::string::npos);
  expect("no request", request("{}").error().status == BX_ERROR_REQUEST);
  expect("no file", check_file("no/such/file", {"onnx"}).error().status == BX_ERROR_FILE);
  expect("no target", check_file(model, {}).error().status == BX_ERROR_INDEX);
}

int main(int count, char** arguments) {
  if (count != 2) return 2;
  shapes();
  errors();
  alignments();
  models(arguments[1]);
  return faults != 0;
}
