// Answers questions of the atlas in C++17: `add` and `sub` under NumPy's rule. Build with c++ -std=c++17 -O2.
// Replace `broadcast` with a call to your own engine. The rest is the protocol.
#include <iostream>
#include <optional>
#include <sstream>
#include <vector>

using Numbers = std::vector<long>;  // Values are whole numbers that a float holds exactly.
struct Array { Numbers shape, values; };
// Returns `a + b` or `a - b`, or nothing if the shapes do not fit.
std::optional<Array> broadcast(const std::string& op, Array a, Array b) {
    // Align the shapes at the last axis: the shorter one gets 1s in front.
    while (a.shape.size() < b.shape.size()) a.shape.insert(a.shape.begin(), 1);
    while (b.shape.size() < a.shape.size()) b.shape.insert(b.shape.begin(), 1);
    Array result{a.shape, {}};
    long count = 1;
    for (size_t axis = 0; axis < a.shape.size(); axis++) {
        const long m = a.shape[axis], n = b.shape[axis];
        if (m != n && m != 1 && n != 1) return {};
        count *= result.shape[axis] = m == 1 ? n : m;
    }
    for (long k = 0; k < count; k++) {
        long rest = k, x = 0, y = 0, x_step = 1, y_step = 1;
        for (size_t axis = a.shape.size(); axis-- > 0; rest /= result.shape[axis]) {
            x += rest % a.shape[axis] * x_step, x_step *= a.shape[axis];  // An axis of 1 repeats: rest % 1 is 0.
            y += rest % b.shape[axis] * y_step, y_step *= b.shape[axis];
        }
        result.values.push_back(op == "add" ? a.values[x] + b.values[y] : a.values[x] - b.values[y]);
    }
    return result;
}
// Returns the text of the first field with this name, between `open` and `close`.
std::string field(const std::string& json, const std::string& name, char open, char close) {
    const size_t start = json.find(open, json.find("\"" + name + "\":") + name.size() + 3) + 1;
    return json.substr(start, json.find(close, start) - start);
}
Numbers read(const std::string& json, const std::string& name) {
    std::istringstream in(field(json, name, '[', ']'));
    Numbers result;
    for (long number; in >> number; in.ignore(json.size(), ',')) result.push_back(number);
    return result;
}
std::string text(const Numbers& numbers) {
    std::string result;
    for (long number : numbers) result += (result.empty() ? "" : ",") + std::to_string(number);
    return "[" + result + "]";
}
std::string answer(const std::string& line) {
    const std::string op = field(line, "op", '"', '"'), rule = field(line, "rule", '"', '"');
    if ((op != "add" && op != "sub") || rule != "numpy") return R"("skip":"only add and sub under NumPy's rule")";
    const std::string a = line.substr(line.find('{', 1)), b = a.substr(a.find('{', 1));  // from each operand on
    const auto result = broadcast(op, {read(a, "shape"), read(a, "values")}, {read(b, "shape"), read(b, "values")});
    if (!result) return R"("reject":"the shapes do not fit")";
    return R"("shape":)" + text(result->shape) + R"(,"values":)" + text(result->values);
}
int main() {
    std::cout << R"({"engine":"plain C++","version":"17","device":"cpu"})" << std::endl;
    for (std::string line; std::getline(std::cin, line);)
        std::cout << "{\"id\":\"" << field(line, "id", '"', '"') << "\"," << answer(line) << "}" << std::endl;
}
