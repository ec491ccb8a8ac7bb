#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "engine/plan.h"

namespace loadfactor::engine {
namespace {

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

Error refuse(const std::string& gate, std::string message) {
  return Error{.code = lf::kUsage,
               .message = fmt::format("--gate '{}': {}", gate, message),
               .hint =
                   "write `load_factor >= break_even`; figures: load_factor, break_even, cost, "
                   "gpus, days, per_mtoken"};
}

// A figure of the answer. One it does not have makes every comparison false.
std::optional<double> figure(const std::string& name, const PlanAnswer& answer) {
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  const PlanOption* best = answer.options.empty() ? nullptr : &answer.options[0];
  if (name == "load_factor") return answer.load_factor ? answer.load_factor->value() : kNothing;
  if (name == "break_even") return answer.break_even ? answer.break_even->value() : kNothing;
  if (name == "cost") return best != nullptr ? best->amount.base() : kNothing;
  if (name == "gpus") return answer.machine ? answer.machine->gpus : kNothing;
  if (name == "days") return answer.duration ? answer.duration->value().base() / 86400 : kNothing;
  if (name == "per_mtoken")
    return best != nullptr && best->cost.per_mtoken ? best->cost.per_mtoken->value().base()
                                                    : kNothing;
  return std::nullopt;
}

std::optional<double> operand(const std::string& text, const PlanAnswer& answer) {
  if (const auto known = figure(text, answer)) return known;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const std::string rest = trimmed(end);
  if (end == text.c_str() || !std::isfinite(number)) return std::nullopt;
  if (rest == "%") return number / 100;
  return rest.empty() ? std::optional(number) : std::nullopt;
}

bool compare(std::string_view sign, double left, double right) {
  if (std::isnan(left) || std::isnan(right)) return false;
  if (sign == ">=") return left >= right;
  if (sign == "<=") return left <= right;
  if (sign == "==") return left == right;
  if (sign == "!=") return left != right;
  return sign == ">" ? left > right : left < right;
}

}  // namespace

Result<bool> holds(const std::string& gate, const PlanAnswer& answer) {
  constexpr std::array<std::string_view, 6> kSigns{">=", "<=", "==", "!=", ">", "<"};
  for (const auto sign : kSigns) {
    const auto at = gate.find(sign);
    if (at == std::string::npos) continue;
    const std::string left = trimmed(std::string_view(gate).substr(0, at));
    const std::string right = trimmed(std::string_view(gate).substr(at + sign.size()));
    const auto a = operand(left, answer);
    const auto b = operand(right, answer);
    if (!a || !b) return refuse(gate, fmt::format("no figure '{}'", a ? right : left));
    return compare(sign, *a, *b);
  }
  return refuse(gate, "there is no comparison in it");
}

}  // namespace loadfactor::engine
