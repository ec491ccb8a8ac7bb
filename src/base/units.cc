#include "base/units.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <span>

#include "base/calendar.h"

namespace loadfactor {
namespace {

struct Prefix {
  std::string_view symbol;
  int exponent;   // Power of ten.
  double factor;  // Power of 1024, for the binary ones.
};

constexpr std::array kNoPrefixes{Prefix{"", 0, 1.0}};
constexpr std::array kSmallPrefixes{
    Prefix{"", 0, 1.0},   Prefix{"n", -9, 1.0},      Prefix{"u", -6, 1.0},
    Prefix{"µ", -6, 1.0}, Prefix{"\u03BC", -6, 1.0},  // The sign and the Greek letter.
    Prefix{"m", -3, 1.0},
};
constexpr std::array kLargePrefixes{
    Prefix{"", 0, 1.0},   Prefix{"k", 3, 1.0},  Prefix{"M", 6, 1.0},
    Prefix{"G", 9, 1.0},  Prefix{"T", 12, 1.0}, Prefix{"P", 15, 1.0},
    Prefix{"E", 18, 1.0}, Prefix{"Z", 21, 1.0}, Prefix{"Y", 24, 1.0},
};
constexpr std::array kDataPrefixes{
    Prefix{"", 0, 1.0},  Prefix{"k", 3, 1.0},  Prefix{"K", 3, 1.0},  Prefix{"M", 6, 1.0},
    Prefix{"G", 9, 1.0}, Prefix{"T", 12, 1.0}, Prefix{"P", 15, 1.0}, Prefix{"E", 18, 1.0},
};
constexpr std::array kBytePrefixes{
    Prefix{"", 0, 1.0},      Prefix{"k", 3, 1.0},     Prefix{"K", 3, 1.0},
    Prefix{"M", 6, 1.0},     Prefix{"G", 9, 1.0},     Prefix{"T", 12, 1.0},
    Prefix{"P", 15, 1.0},    Prefix{"E", 18, 1.0},    Prefix{"Ki", 0, 0x1p10},
    Prefix{"Mi", 0, 0x1p20}, Prefix{"Gi", 0, 0x1p30}, Prefix{"Ti", 0, 0x1p40},
    Prefix{"Pi", 0, 0x1p50}, Prefix{"Ei", 0, 0x1p60},
};

enum class Prefixes { kNone, kSmall, kLarge, kData, kBytes };

std::span<const Prefix> rows_of(Prefixes prefixes) {
  switch (prefixes) {
    case Prefixes::kNone:
      return kNoPrefixes;
    case Prefixes::kSmall:
      return kSmallPrefixes;
    case Prefixes::kLarge:
      return kLargePrefixes;
    case Prefixes::kData:
      return kDataPrefixes;
    case Prefixes::kBytes:
      return kBytePrefixes;
  }
  return kNoPrefixes;
}

struct UnitRow {
  std::string_view symbol;
  Prefixes prefixes;
  UnitScale scale;
  Dimension dimension;
};

constexpr Dimension kTime{.time = 1};
constexpr Dimension kData{.data = 1};
constexpr Dimension kDataRate{.time = -1, .data = 1};
constexpr Dimension kWork{.work = 1};
constexpr Dimension kWorkRate{.time = -1, .work = 1};
constexpr Dimension kEnergy{.energy = 1};
constexpr Dimension kPower{.time = -1, .energy = 1};
constexpr Dimension kMoney{.money = 1};
constexpr Dimension kToken{.token = 1};
constexpr Dimension kGpu{.gpu = 1};

constexpr UnitScale kOne{};
constexpr UnitScale kMinuteScale{1, 6};   // 60 s.
constexpr UnitScale kHourScale{2, 36};    // 3600 s.
constexpr UnitScale kDayScale{2, 864};    // 24 h.
constexpr UnitScale kWeekScale{2, 6048};  // 7 days.
constexpr UnitScale kMonthScale{3, 2628};
constexpr UnitScale kYearScale{3, 31536};
static_assert(kMonth == Seconds::from_base(2628e3) && kYear == Seconds::from_base(31536e3),
              "units count time by the calendar");
static_assert(1e3 * kMonthScale.factor == kMonth.base() && 1e3 * kYearScale.factor == kYear.base());
constexpr UnitScale kBit{0, 1.0, 8.0};  // Eight to the byte.

constexpr std::array kUnits{
    UnitRow{"s", Prefixes::kSmall, kOne, kTime},
    UnitRow{"second", Prefixes::kNone, kOne, kTime},
    UnitRow{"seconds", Prefixes::kNone, kOne, kTime},
    UnitRow{"min", Prefixes::kNone, kMinuteScale, kTime},
    UnitRow{"minute", Prefixes::kNone, kMinuteScale, kTime},
    UnitRow{"minutes", Prefixes::kNone, kMinuteScale, kTime},
    UnitRow{"h", Prefixes::kNone, kHourScale, kTime},
    UnitRow{"hour", Prefixes::kNone, kHourScale, kTime},
    UnitRow{"hours", Prefixes::kNone, kHourScale, kTime},
    UnitRow{"d", Prefixes::kNone, kDayScale, kTime},
    UnitRow{"day", Prefixes::kNone, kDayScale, kTime},
    UnitRow{"days", Prefixes::kNone, kDayScale, kTime},
    UnitRow{"week", Prefixes::kNone, kWeekScale, kTime},
    UnitRow{"weeks", Prefixes::kNone, kWeekScale, kTime},
    UnitRow{"month", Prefixes::kNone, kMonthScale, kTime},
    UnitRow{"months", Prefixes::kNone, kMonthScale, kTime},
    UnitRow{"year", Prefixes::kNone, kYearScale, kTime},
    UnitRow{"years", Prefixes::kNone, kYearScale, kTime},
    UnitRow{"B", Prefixes::kBytes, kOne, kData},
    UnitRow{"byte", Prefixes::kNone, kOne, kData},
    UnitRow{"bytes", Prefixes::kNone, kOne, kData},
    UnitRow{"b", Prefixes::kData, kBit, kData},
    UnitRow{"bit", Prefixes::kData, kBit, kData},
    UnitRow{"bits", Prefixes::kData, kBit, kData},
    UnitRow{"bps", Prefixes::kData, kBit, kDataRate},
    UnitRow{"Bps", Prefixes::kData, kOne, kDataRate},
    UnitRow{"FLOP", Prefixes::kLarge, kOne, kWork},
    UnitRow{"FLOPs", Prefixes::kLarge, kOne, kWork},
    UnitRow{"OP", Prefixes::kLarge, kOne, kWork},
    UnitRow{"OPs", Prefixes::kLarge, kOne, kWork},
    UnitRow{"FLOPS", Prefixes::kLarge, kOne, kWorkRate},
    UnitRow{"OPS", Prefixes::kLarge, kOne, kWorkRate},
    UnitRow{"J", Prefixes::kLarge, kOne, kEnergy},
    UnitRow{"Wh", Prefixes::kLarge, kHourScale, kEnergy},
    UnitRow{"W", Prefixes::kLarge, kOne, kPower},
    UnitRow{"USD", Prefixes::kNone, kOne, kMoney},
    UnitRow{"$", Prefixes::kNone, kOne, kMoney},
    UnitRow{"token", Prefixes::kNone, kOne, kToken},
    UnitRow{"tokens", Prefixes::kNone, kOne, kToken},
    UnitRow{"tok", Prefixes::kLarge, kOne, kToken},
    UnitRow{"toks", Prefixes::kLarge, kOne, kToken},
    UnitRow{"GPU", Prefixes::kNone, kOne, kGpu},
    UnitRow{"GPUs", Prefixes::kNone, kOne, kGpu},
    UnitRow{"gpu", Prefixes::kNone, kOne, kGpu},
    UnitRow{"gpus", Prefixes::kNone, kOne, kGpu},
    UnitRow{"Hz", Prefixes::kLarge, kOne, Dimension{.time = -1}},
    UnitRow{"%", Prefixes::kNone, UnitScale{-2}, kNone},
    // Nouns that count things without a dimension of their own.
    UnitRow{"request", Prefixes::kNone, kOne, kNone},
    UnitRow{"requests", Prefixes::kNone, kOne, kNone},
    UnitRow{"req", Prefixes::kNone, kOne, kNone},
    UnitRow{"param", Prefixes::kNone, kOne, kNone},
    UnitRow{"params", Prefixes::kNone, kOne, kNone},
    UnitRow{"parameter", Prefixes::kNone, kOne, kNone},
    UnitRow{"parameters", Prefixes::kNone, kOne, kNone},
    UnitRow{"sequence", Prefixes::kNone, kOne, kNone},
    UnitRow{"sequences", Prefixes::kNone, kOne, kNone},
};

constexpr std::size_t kMaxTerms = 32;  // Keeps exponents of dimensions within int8.

bool is_space(char c) {
  return c == ' ' || c == '\t';
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

UnitScale operator*(UnitScale a, UnitScale b) {
  return {a.exponent + b.exponent, a.factor * b.factor, a.divisor * b.divisor};
}
UnitScale operator/(UnitScale a, UnitScale b) {
  return {a.exponent - b.exponent, a.factor * b.divisor, a.divisor * b.factor};
}

// A cursor over a unit expression; see parse_unit() for the grammar.
class UnitParser {
 public:
  explicit UnitParser(std::string_view text) : text_(text) {}

  UnitExpression parse() {
    skip_spaces();
    bool divide = skip_reciprocal();
    for (std::size_t terms = 0; terms < kMaxTerms; ++terms) {
      if (!read_term(divide)) return result_;
      skip_spaces();
      if (at_end()) return result_;
      if (!read_joint(divide)) return result_;
    }
    fail(UnitProblem::kTooLong, 0, text_.size());
    return result_;
  }

 private:
  bool at_end() const { return position_ == text_.size(); }
  bool at(std::string_view word) const { return text_.substr(position_).starts_with(word); }

  void skip_spaces() {
    while (!at_end() && is_space(text_[position_])) ++position_;
  }

  void fail(UnitProblem problem, std::size_t begin, std::size_t size) {
    result_.error = UnitError{problem, begin, begin + size};
  }

  // A leading '/' or '1/' makes the first term a divisor.
  bool skip_reciprocal() {
    const std::size_t length = at("/") ? 1 : at("1/") ? 2 : 0;
    position_ += length;
    skip_spaces();
    return length > 0;
  }

  std::string_view next_word() const {
    std::size_t end = position_;
    while (end < text_.size() && !is_space(text_[end]) && text_[end] != '/' && text_[end] != '-' &&
           !text_.substr(end).starts_with("·")) {
      ++end;
    }
    return text_.substr(position_, end - position_);
  }

  // The count word of `M tokens` or `1M tokens`, if a unit follows it.
  int skip_count_word() {
    std::string_view word = next_word();
    if (word.size() > 1 && word.front() == '1') word.remove_prefix(1);
    const auto exponent = count_word_exponent(word);
    if (!exponent) return 0;
    const std::size_t before = position_;
    position_ += next_word().size();
    const std::size_t after = position_;
    skip_spaces();
    const bool unit_follows = position_ > after && find_unit(next_word()).has_value();
    if (!unit_follows) {
      position_ = before;
      return 0;
    }
    return *exponent;
  }

  bool read_term(bool divide) {
    const int exponent = skip_count_word();
    const std::string_view word = next_word();
    const auto unit = find_unit(word);
    if (!unit) {
      fail(word.empty() ? UnitProblem::kMissingWord : UnitProblem::kUnknownWord, position_,
           word.size());
      return false;
    }
    position_ += word.size();
    const UnitScale scale = unit->scale * UnitScale{exponent};
    Unit& total = result_.unit;
    total.scale = divide ? total.scale / scale : total.scale * scale;
    total.dimension =
        divide ? total.dimension - unit->dimension : total.dimension + unit->dimension;
    return true;
  }

  // Reads what joins two terms. '-' continues on the side of the fraction where it stands.
  bool read_joint(bool& divide) {
    if (at("/") || at("per ")) {
      position_ += at("/") ? 1 : 4;
      divide = true;
    } else if (at("-")) {
      ++position_;
    } else if (at("·")) {
      position_ += std::string_view("·").size();
    } else {
      const std::string_view word = next_word();
      fail(UnitProblem::kExtraWord, position_, word.size());
      return false;
    }
    skip_spaces();
    return true;
  }

  std::string_view text_;
  std::size_t position_ = 0;
  UnitExpression result_;
};

}  // namespace

std::optional<Unit> find_unit(std::string_view word) {
  for (const UnitRow& row : kUnits) {
    if (!word.ends_with(row.symbol)) continue;
    const std::string_view before = word.substr(0, word.size() - row.symbol.size());
    for (const Prefix& prefix : rows_of(row.prefixes)) {
      if (before != prefix.symbol) continue;
      return Unit{row.scale * UnitScale{prefix.exponent, prefix.factor}, row.dimension};
    }
  }
  return std::nullopt;
}

UnitExpression parse_unit(std::string_view text) {
  UnitExpression parsed = UnitParser(text).parse();
  UnitScale& scale = parsed.unit.scale;
  if (!is_decimal(scale)) {
    // 2.95 per hour is 2.95 / 3600, as everybody computes it, not 0.0295 / 36.
    for (; scale.exponent < 0; ++scale.exponent) scale.divisor *= 10.0;
  }
  return parsed;
}

std::optional<double> value_in(const Decimal& number, const UnitScale& scale) {
  const auto base = to_double(number, scale.exponent);
  if (!base) return std::nullopt;
  const double value = *base * scale.factor / scale.divisor;
  const bool vanished = value == 0.0 && *base != 0.0;
  if (!std::isfinite(value) || vanished) return std::nullopt;
  return value;
}

std::optional<int> count_word_exponent(std::string_view word) {
  if (word == "K" || word == "k") return 3;
  if (word == "M") return 6;
  if (word == "B") return 9;
  if (word == "T") return 12;
  return std::nullopt;
}

std::vector<std::string> case_variants(std::string_view word) {
  std::vector<std::string> variants;
  for (const UnitRow& row : kUnits) {
    for (const Prefix& prefix : rows_of(row.prefixes)) {
      std::string spelling = std::string(prefix.symbol) + std::string(row.symbol);
      if (spelling != word && lower(spelling) == lower(word)) variants.push_back(spelling);
    }
  }
  return variants;
}

}  // namespace loadfactor
