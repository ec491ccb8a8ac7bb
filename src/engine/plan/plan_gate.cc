#include "engine/plan/plan_gate.h"

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "config/reader.h"

namespace loadfactor::engine {
namespace {

constexpr Dimension kMoney{.money = 1};
constexpr Dimension kMoneyRate{.time = -1, .money = 1};
constexpr Dimension kTokenPrice{.money = 1, .token = -1};
constexpr Dimension kTime{.time = 1};
constexpr Dimension kGpuCount{.gpu = 1};

struct FigureRow {
  std::string_view name;
  std::string_view kind;     // Figures of one kind can be compared.
  std::string_view example;  // A number of it.
  Dimension dimension;
  Expect expect;
  double unit;  // Base units in one of the figure's own.
};

constexpr std::array<FigureRow, kNumPlanFigures> kFigures{{
    {"load_factor", "a share", "30 %", {}, Expect::kRatio, 1},
    {"break_even", "a share", "30 %", {}, Expect::kRatio, 1},
    {"cost", "money", "5000 $/month", kMoney, Expect::kQuantity, 1},
    {"gpus", "a number of GPUs", "64", kGpuCount, Expect::kCount, 1},
    {"days", "a time", "30 days", kTime, Expect::kQuantity, 86400},
    {"per_mtoken", "a price of tokens", "0.4 $/Mtok", kTokenPrice, Expect::kQuantity, 1e-6},
}};

const FigureRow& row_of(PlanFigure figure) {
  return kFigures[static_cast<std::size_t>(figure)];
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& row : kFigures) all.emplace_back(row.name);
  return all;
}

std::optional<PlanFigure> figure_of(std::string_view name) {
  for (std::size_t i = 0; i < kFigures.size(); ++i)
    if (kFigures[i].name == name) return static_cast<PlanFigure>(i);
  return std::nullopt;
}

struct Part {
  std::string text;
  std::size_t at = 0;  // Bytes from the start of the gate.
};

Part trimmed(std::string_view text, std::size_t at) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {{}, at};
  return {std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1)), at + first};
}

Error refuse(const std::string& gate, const Part& part, std::string message, std::string hint) {
  const auto characters = [](std::string_view text) {
    std::uint32_t count = 0;
    for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
    return count;
  };
  return Error{.code = lf::kUsage,
               .message = std::move(message),
               .hint = std::move(hint),
               .where = {.file = "--gate",
                         .line = 1,
                         .column = 1 + characters(std::string_view(gate).substr(0, part.at)),
                         .length = std::max<std::uint32_t>(1, characters(part.text))},
               .source_line = gate};
}

std::string all_figures() {
  return fmt::format("figures: {}", fmt::join(names(), ", "));
}

bool is_plain(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789.+-eE_") == std::string::npos;
}

struct Number {
  double value = 0;
  bool is_hourly = false;
};

// A number is in the unit of its figure unless it says otherwise.
std::optional<Number> number_of(const std::string& text, const FigureRow& row) {
  if (is_plain(text)) {
    const auto plain = parse_quantity(text, {}, Expect::kRatio);
    return plain ? std::optional(Number{plain->value, false}) : std::nullopt;
  }
  if (const auto found = parse_quantity(text, row.dimension, row.expect))
    return Number{found->value / row.unit, false};
  if (row.dimension != kMoney) return std::nullopt;
  const auto rate = parse_quantity(text, kMoneyRate);
  return rate ? std::optional(Number{rate->value * kHour.base(), true}) : std::nullopt;
}

constexpr int kFewDigits = 3;
constexpr int kAllDigits = 17;

// In the figure's own unit; money by the hour over a run's hours, or a month's.
std::optional<double> figure_value(PlanFigure figure, bool hourly, const PlanAnswer& answer) {
  const auto found = figure_of(answer, figure);
  if (!found) return std::nullopt;
  // Tokens are priced by the million already.
  const double unit = figure == PlanFigure::kPerMtoken ? 1 : row_of(figure).unit;
  if (figure != PlanFigure::kCost || !hourly) return found->value / unit;
  const double hours = (answer.duration ? answer.duration->value() : kMonth) / kHour;
  return found->value / hours;
}

}  // namespace

std::string rounded_text(double value, int digits) {
  const double size = std::abs(value);
  const int before = size >= 1 ? static_cast<int>(std::floor(std::log10(size))) + 1 : 0;
  return fmt::format("{:.{}g}", value, std::max(digits, before));
}

std::optional<WrittenNumber> written_number(const std::string& text) {
  const auto at = text.find_first_of("0123456789.");
  if (at == std::string::npos) return std::nullopt;
  auto end = std::min(text.find_first_not_of("0123456789._", at), text.size());
  if (end + 1 < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    const auto power = text.find_first_not_of("+-", end + 1);
    if (power != std::string::npos && std::isdigit(static_cast<unsigned char>(text[power])) != 0)
      end = std::min(text.find_first_not_of("0123456789", power), text.size());
  }
  std::string digits = text.substr(at, end - at);
  std::erase(digits, '_');
  const bool is_negative = at > 0 && text[at - 1] == '-';
  const std::size_t first = is_negative ? at - 1 : at;
  return WrittenNumber{(is_negative ? -1 : 1) * std::strtod(digits.c_str(), nullptr), first,
                       end - first};
}

Result<GateSide> Gate::side_of(const std::string& text, std::string_view part, std::size_t at,
                               std::optional<PlanFigure> other) {
  const Part side = trimmed(part, at);
  if (side.text.empty())
    return refuse(text, side, "there is nothing to compare with",
                  fmt::format("write `load_factor >= break_even`; {}", all_figures()));
  if (const auto figure = figure_of(side.text)) {
    if (other && row_of(*other).kind != row_of(*figure).kind)
      return refuse(text, side,
                    fmt::format("{} is {}, {} is {}", row_of(*other).name, row_of(*other).kind,
                                side.text, row_of(*figure).kind),
                    "compare figures of one kind");
    return GateSide{.figure = figure, .text = side.text};
  }
  const bool is_word = std::isalpha(static_cast<unsigned char>(side.text.front())) != 0;
  if (!other || is_word) {
    const auto nearest = config::suggest(side.text, names());
    return refuse(text, side, fmt::format("no figure '{}'", side.text),
                  (nearest ? fmt::format("did you mean '{}'? ", *nearest) : "") + all_figures());
  }
  const FigureRow& row = row_of(*other);
  const auto number = number_of(side.text, row);
  if (!number)
    return refuse(text, side, fmt::format("'{}' is not {}", side.text, row.kind),
                  fmt::format("write `{} <= {}`, or a figure: {}", row.name, row.example,
                              fmt::join(names(), ", ")));
  return GateSide{.figure = std::nullopt,
                  .value = number->value,
                  .text = side.text,
                  .is_hourly = number->is_hourly};
}

Result<Gate> Gate::parse(const std::string& text) {
  constexpr std::array<std::pair<std::string_view, Sign>, 6> kSigns{{{">=", Sign::kAtLeast},
                                                                     {"<=", Sign::kAtMost},
                                                                     {"==", Sign::kEqual},
                                                                     {"!=", Sign::kOther},
                                                                     {">", Sign::kAbove},
                                                                     {"<", Sign::kBelow}}};
  for (const auto& [word, sign] : kSigns) {
    const auto at = text.find(word);
    if (at == std::string::npos) continue;
    const std::string_view left = std::string_view(text).substr(0, at);
    const std::string_view right = std::string_view(text).substr(at + word.size());
    Gate gate;
    gate.text_ = text;
    gate.sign_ = sign;
    gate.sign_text_ = word;
    const auto first = figure_of(trimmed(left, 0).text);
    const auto second = figure_of(trimmed(right, 0).text);
    TRY(gate.sides_[0], side_of(text, left, 0, first ? std::nullopt : second));
    TRY(gate.sides_[1], side_of(text, right, at + word.size(), first));
    return gate;
  }
  return refuse(text, trimmed(text, 0), "there is no comparison in it",
                fmt::format("write `load_factor >= break_even`, with one of >= <= > < == !=; {}",
                            all_figures()));
}

Result<double> Gate::value_of(const GateSide& side, bool hourly, const PlanAnswer& answer) {
  if (!side.figure) return side.value;
  if (const auto value = figure_value(*side.figure, hourly, answer)) return *value;
  std::vector<std::string> present;
  for (std::size_t i = 0; i < kFigures.size(); ++i)
    if (figure_of(answer, static_cast<PlanFigure>(i))) present.emplace_back(kFigures[i].name);
  return Error{.code = lf::kUsage,
               .message = fmt::format("the plan of '{}' has no {}", answer.scenario, side.text),
               .hint = fmt::format("it has: {}", fmt::join(present, ", "))};
}

double shown_over_value(const GateSide& side) {
  const auto written = side.figure ? std::nullopt : written_number(side.text);
  return written && side.value > 0 && written->value > 0 ? written->value / side.value : 1;
}

bool Gate::compare(double left, double right) const {
  switch (sign_) {
    case Sign::kAtLeast:
      return left >= right;
    case Sign::kAtMost:
      return left <= right;
    case Sign::kEqual:
      return left == right;
    case Sign::kOther:
      return left != right;
    case Sign::kAbove:
      return left > right;
    case Sign::kBelow:
      break;
  }
  return left < right;
}

// As many digits as it takes for the line to read as it was judged.
int Gate::digits_to_show(double left, double right, bool holds) const {
  const double shown = shown_over_value(sides_[0]) * shown_over_value(sides_[1]);
  const auto as_shown = [&](const GateSide& side, double value, int digits) {
    return side.figure ? std::stod(rounded_text(value * shown, digits)) : value * shown;
  };
  int digits = kFewDigits;
  for (; digits < kAllDigits; ++digits) {
    const double a = as_shown(sides_[0], left, digits);
    const double b = as_shown(sides_[1], right, digits);
    if (compare(a, b) == holds && (a == b) == (left == right)) break;
  }
  return digits;
}

Result<PlanGate> Gate::judge(const PlanAnswer& answer) const {
  PlanGate gate{.text = text_, .sign = sign_text_, .sides = sides_};
  // What cannot be done keeps no promise.
  if (answer.decision == PlanDecision::kNotFeasible) return gate;
  const bool hourly = sides_[0].is_hourly || sides_[1].is_hourly;
  TRY(const double left, value_of(sides_[0], hourly, answer));
  TRY(const double right, value_of(sides_[1], hourly, answer));
  gate.left = left;
  gate.right = right;
  gate.holds = compare(left, right);
  gate.digits = digits_to_show(left, right, gate.holds);
  return gate;
}

}  // namespace loadfactor::engine
