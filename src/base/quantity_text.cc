#include "base/quantity_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "base/decimal.h"
#include "base/dimension_text.h"
#include "base/display_width.h"
#include "base/error_codes.h"
#include "base/quoted.h"
#include "base/units.h"

namespace loadfactor {
namespace {

constexpr std::size_t kMaxLength = 1000;  // No number that somebody means is longer.

// Replaces the spaces that typesetting puts between number and unit by plain ones.
std::string with_plain_spaces(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint c = decode_utf8(text, i);
    const bool space = c.value == '\n' || c.value == '\r' || c.value == 0xA0 || c.value == 0x2009 ||
                       c.value == 0x202F;
    if (space) {
      result += ' ';
    } else {
      result += text.substr(i, c.size);
    }
    i += c.size;
  }
  return result;
}

std::string without(std::string_view text, std::string_view unwanted) {
  std::string result;
  for (const char c : text) {
    if (unwanted.find(c) == std::string_view::npos) result += c;
  }
  return result;
}

bool is_word_for_not_finite(std::string_view word) {
  std::string lower;
  for (const char c : without(word, "+-.")) {
    lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

std::string wording(UnitProblem problem, std::string_view word) {
  switch (problem) {
    case UnitProblem::kUnknownWord:
      return in_quotes(word) + " is not a known unit";
    case UnitProblem::kMissingWord:
      return "a unit is missing here";
    case UnitProblem::kExtraWord:
      return in_quotes(word) + " is one word too many";
    case UnitProblem::kTooLong:
      return "the unit is too long";
  }
  return {};
}

// Reads one quantity. Every failure is an Error that points into the text.
class QuantityParser {
 public:
  QuantityParser(std::string_view text, Dimension dimension, Expect expect)
      : text_(with_plain_spaces(text)), dimension_(dimension), expect_(expect) {}

  Result<AnyQuantity> parse() {
    if (text_.size() > kMaxLength) {
      return error(lf::kNotANumber, 0, text_.size(),
                   in_quotes(text_) + " is too long to be a number", example());
    }
    end_ = text_.find_last_not_of(" \t") + 1;
    at_ = std::min(text_.find_first_not_of(" \t"), end_);
    if (at_ == end_) return error(lf::kNotANumber, 0, 1, "there is no number here", example());
    start_ = at_;
    skip_dollar();
    TRY(const Decimal decimal, read_number());
    TRY(const UnitScale scale, read_scale());
    const auto value = value_in(decimal, scale);
    if (!value) {
      return error(lf::kNotFinite, start_, end_,
                   in_quotes(trimmed()) + " is too large or too small to be held",
                   "write a number of ordinary size");
    }
    return AnyQuantity{*value, dimension_};
  }

 private:
  std::string_view trimmed() const { return std::string_view(text_).substr(start_, end_ - start_); }
  std::string_view rest() const { return std::string_view(text_).substr(at_, end_ - at_); }
  std::string_view number_text() const {
    return std::string_view(text_).substr(number_begin_, number_end_ - number_begin_);
  }

  // An error at the bytes [begin, end) of the text.
  Error error(int code, std::size_t begin, std::size_t end, std::string message,
              std::string hint) const {
    const std::string_view text = text_;
    begin = std::min(begin, text.size());
    end = std::clamp(end, begin, text.size());
    SourceSpan where;
    where.line = 1;
    where.column = static_cast<std::uint32_t>(count_code_points(text.substr(0, begin)) + 1);
    where.length = static_cast<std::uint32_t>(
        std::max<std::size_t>(1, count_code_points(text.substr(begin, end - begin))));
    return Error{.code = code,
                 .message = std::move(message),
                 .hint = std::move(hint),
                 .where = std::move(where),
                 .source_line = text_,
                 .notes = {}};
  }

  // What to write instead of something that is no number.
  std::string example() const {
    if (expect_ == Expect::kCount) return "write a count such as '8', '9.6e6' or '10 T'";
    if (expect_ == Expect::kRatio) return "write a number such as '0.1' or '10 %'";
    return unit_help(dimension_, "1.5");
  }

  // `$3.55/h` is `3.55 $/h`.
  void skip_dollar() {
    if (text_[at_] != '$') return;
    dollar_ = true;
    ++at_;
    while (at_ < end_ && text_[at_] == ' ') ++at_;
  }

  Error not_a_number() const {
    const std::size_t stop = std::min(text_.find(' ', at_), end_);
    const std::string_view word = std::string_view(text_).substr(at_, stop - at_);
    if (is_word_for_not_finite(word)) {
      return error(lf::kNotFinite, at_, stop, in_quotes(word) + " is not a finite number",
                   "write a number, or leave the key out if it is unknown");
    }
    return error(lf::kNotANumber, start_, end_, in_quotes(trimmed()) + " is not a number",
                 example());
  }

  // `1,353,283`, `1_000`, `1'000`, `1 000` and `0x10`: numbers, but not as we read them.
  std::optional<Error> separator_error() const {
    if (at_ == end_) return std::nullopt;
    const std::string_view after = rest();
    if (number_text() == "0" && (after[0] == 'x' || after[0] == 'X')) {
      return error(lf::kNotANumber, start_, end_, "hexadecimal numbers are not read",
                   "write it in decimal, such as '16' for 0x10");
    }
    const std::size_t next = after.find_first_not_of(' ');
    const bool spaced = next > 0 && next != std::string_view::npos && is_digit(after[next]) &&
                        !after.substr(next).starts_with("1/");
    const bool joined =
        after.size() > 1 && std::string_view(",_'").find(after[0]) < 3 && is_digit(after[1]);
    if (!spaced && !joined) return std::nullopt;
    const std::size_t length = after.find_first_not_of("0123456789,_'. ");
    const std::string_view tail = after.substr(0, length);
    const std::string plain = without(std::string(number_text()) + std::string(tail), ",_' ");
    std::string hint = fmt::format("write '{}'", plain);
    const bool one_comma = after[0] == ',' && tail.find(',', 1) == std::string_view::npos &&
                           number_text().find('.') == std::string_view::npos;
    if (one_comma) {
      hint += fmt::format(", or '{}.{}' if the comma is a decimal point", number_text(),
                          without(tail, ",_' "));
    }
    return error(lf::kNotANumber, number_begin_, at_ + tail.size(),
                 "numbers are written without separators", hint);
  }

  // `2026-11-30` where a time is wanted: how long, not until when.
  std::optional<Error> date_error() const {
    if (dimension_ != Dimension{.time = 1} || number_text().size() != 4) return std::nullopt;
    const std::string_view after = rest();
    const bool marked = after.size() > 1 && (after[0] == '-' || after[0] == '/');
    if (!marked || !is_digit(after[1])) return std::nullopt;
    return error(lf::kNotANumber, start_, end_, in_quotes(trimmed()) + " is a date",
                 "write how long it may take, such as '30 days' or '12 h'");
  }

  Result<Decimal> read_number() {
    const auto number = scan_number(rest());
    if (!number) return not_a_number();
    number_begin_ = at_;
    at_ += number->size;
    number_end_ = at_;
    if (auto separator = separator_error()) return *std::move(separator);
    if (auto date = date_error()) return *std::move(date);
    while (at_ < end_ && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return number->decimal;
  }

  Result<UnitScale> read_scale() {
    if (dollar_) return read_dollar_scale();
    if (expect_ == Expect::kCount) return read_count_scale();
    if (expect_ == Expect::kRatio) return read_ratio_scale();
    return read_unit_scale();
  }

  // After a count: nothing, K M B T, a noun, or both.
  Result<UnitScale> read_count_scale() {
    if (rest().empty()) return UnitScale{};
    if (const auto exponent = count_word_exponent(rest())) return UnitScale{*exponent};
    const UnitExpression parsed = parse_unit(rest());
    const Dimension found = parsed.unit.dimension;
    const bool noun =
        found == kNone || found == Dimension{.token = 1} || found == Dimension{.gpu = 1};
    const bool single = rest().find_first_of("/%-") == std::string_view::npos;
    const bool fits = dimension_ == kNone ? noun : found == dimension_ || found == kNone;
    if (!parsed.error && single && fits) return parsed.unit.scale;
    return error(lf::kWrongUnit, at_, end_, in_quotes(rest()) + " does not belong after a count",
                 fmt::format("write '{0}', or '{0} K', '{0} M', '{0} B', '{0} T' for thousands to "
                             "trillions",
                             number_text()));
  }

  Result<UnitScale> read_ratio_scale() {
    if (rest().empty()) return UnitScale{};
    if (rest() == "%") return UnitScale{-2};
    return error(lf::kWrongUnit, at_, end_, in_quotes(rest()) + " does not belong after a ratio",
                 fmt::format("write '{0}' or '{0} %'", number_text()));
  }

  // The number was written behind a '$': `$20 M`, `$3.55/h`.
  Result<UnitScale> read_dollar_scale() {
    const std::size_t stop = rest().find_first_of(" /");
    int exponent = 0;
    if (const auto word = count_word_exponent(rest().substr(0, stop))) {
      exponent = *word;
      at_ += std::min(stop, rest().size());
    }
    const UnitExpression parsed = parse_unit("$" + std::string(rest()));
    if (parsed.error) return unit_error(*parsed.error, at_ - 1);
    if (parsed.unit.dimension != dimension_) return wrong_dimension(parsed.unit.dimension);
    UnitScale scale = parsed.unit.scale;
    scale.exponent += exponent;
    return scale;
  }

  Result<UnitScale> read_unit_scale() {
    if (rest().empty() && dimension_ == kNone) return UnitScale{};
    const bool bare_count = count_word_exponent(rest()).has_value() &&
                            !(rest() == "B" && (dimension_ == Dimension{.data = 1}));
    if (rest().empty() || bare_count) {
      return error(lf::kMissingUnit, start_, end_, noun_of(dimension_) + " needs a unit",
                   unit_help(dimension_, trimmed()));
    }
    const UnitExpression parsed = parse_unit(rest());
    if (parsed.error) return unit_error(*parsed.error, at_);
    if (parsed.unit.dimension != dimension_) return wrong_dimension(parsed.unit.dimension);
    return parsed.unit.scale;
  }

  // `11 cents/kWh` is `0.11 USD/kWh`. The bytes [begin, end) are the word that is not known.
  std::optional<std::string> cents_as_dollars(std::size_t begin, std::size_t end) const {
    constexpr std::array<std::string_view, 5> kCents{"cent", "cents", "ct", "cts", "¢"};
    const std::string_view text = text_;
    const bool is_cent =
        std::find(kCents.begin(), kCents.end(), text.substr(begin, end - begin)) != kCents.end();
    if (!is_cent) return std::nullopt;
    const std::string unit =
        fmt::format("{}USD{}", text.substr(at_, begin - at_), text.substr(end, end_ - end));
    const UnitExpression parsed = parse_unit(unit);
    if (parsed.error || parsed.unit.dimension != dimension_) return std::nullopt;
    double value = 0;
    const std::string_view number = number_text();
    const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
    if (read.ec != std::errc()) return std::nullopt;
    return fmt::format("{:.10g} {}", value / 100, unit);
  }

  // `offset` is where the text that the problem points into begins.
  Error unit_error(const UnitError& problem, std::size_t offset) const {
    const std::size_t begin = std::clamp(offset + problem.begin, at_, end_);
    const std::size_t end = std::clamp(offset + problem.end, begin, end_);
    const std::string_view word = std::string_view(text_).substr(begin, end - begin);
    const auto variants = case_variants(word);
    // Behind a unit that nobody knows the number has no size that another unit could keep.
    const bool is_unknown = problem.problem == UnitProblem::kUnknownWord;
    std::string hint = unit_help(dimension_, is_unknown ? "…" : number_text());
    if (const auto dollars = cents_as_dollars(begin, end)) {
      hint = fmt::format("write '{}'", *dollars);
    } else if (!variants.empty()) {
      hint = fmt::format("did you mean '{}'? case matters: B is a byte, b a bit, M a million",
                         fmt::join(variants, "' or '"));
    }
    // `3 MUSD`, `0.2 USD/Mtoken`: a count that stands apart.
    if (word.size() > 1 && count_word_exponent(word.substr(0, 1)) &&
        !parse_unit(word.substr(1)).error)
      hint = fmt::format("write '{} {}{} {}{}'", number_text(),
                         std::string_view(text_).substr(at_, begin - at_), word[0], word.substr(1),
                         std::string_view(text_).substr(end, end_ - end));
    return error(lf::kWrongUnit, begin, end, wording(problem.problem, word), std::move(hint));
  }

  Error wrong_dimension(Dimension found) const {
    return error(
        lf::kWrongUnit, start_, end_,
        fmt::format("{} is {}, not {}", in_quotes(trimmed()), noun_of(found), noun_of(dimension_)),
        unit_help(dimension_, number_text()));
  }

  std::string text_;
  Dimension dimension_;
  Expect expect_;
  bool dollar_ = false;
  std::size_t start_ = 0;  // start_ and end_ leave out the spaces around the text.
  std::size_t end_ = 0;
  std::size_t at_ = 0;
  std::size_t number_begin_ = 0;
  std::size_t number_end_ = 0;
};

}  // namespace

Result<AnyQuantity> parse_quantity(std::string_view text, Dimension dimension, Expect expect) {
  return QuantityParser(text, dimension, expect).parse();
}

}  // namespace loadfactor
