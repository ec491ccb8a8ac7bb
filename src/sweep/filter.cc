#include "sweep/filter.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/reader.h"
#include "sweep/written_number.h"

namespace loadfactor::sweep {

struct Filter::Node {
  enum class Kind : std::uint8_t { kNumber, kText, kNull, kColumn, kSign };
  Kind kind = Kind::kNumber;
  double number = 0;
  std::string text;  // A text, or a sign: `<=`, `+`, `and`, `not`, `-` of one value.
  std::size_t column = 0;
  std::optional<Dimension> dimension;  // That of a number with a unit.
  std::vector<Node> parts;
  std::size_t begin = 0;  // Where it stands in the filter.
};

namespace {

using Node = Filter::Node;
constexpr int kMostDepth = 64;
constexpr std::size_t kMostText = 4096;

std::string_view without_brackets(std::string_view word) {
  const bool is_list = word.size() > 2 && word.front() == '[' && word.back() == ']';
  return is_list && word.find(',') == std::string_view::npos ? word.substr(1, word.size() - 2)
                                                             : word;
}

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

bool is_order(std::string_view sign) {
  return sign == "<" || sign == "<=" || sign == ">" || sign == ">=";
}
bool is_comparison(std::string_view sign) {
  return sign == "==" || sign == "!=" || is_order(sign);
}

// The last bits of a step or of a unit are no difference.
bool is_same(double a, double b) {
  constexpr double kLastBits = 1e-12;
  return a == b || std::abs(a - b) <= kLastBits * std::max(std::abs(a), std::abs(b));
}

bool compares(std::string_view sign, double a, double b) {
  if (is_same(a, b)) return sign == "==" || sign == "<=" || sign == ">=";
  if (sign.front() == '<') return a < b;
  if (sign.front() == '>') return a > b;
  return sign == "!=";
}

double calculate(std::string_view sign, double a, double b) {
  if (sign == "+") return a + b;
  if (sign == "-") return a - b;
  if (sign == "*") return a * b;
  if (b == 0) return kUnknown;
  return sign == "/" ? a / b : std::fmod(a, b);
}

// Values of different kinds are different, and have no order.
bool compares(std::string_view sign, const FilterValue& a, const FilterValue& b) {
  const double* x = std::get_if<double>(&a);
  const double* y = std::get_if<double>(&b);
  const auto is_unknown = [](const double* number) {
    return number != nullptr && std::isnan(*number);
  };
  if (is_unknown(x) || is_unknown(y)) return false;
  if (x != nullptr && y != nullptr) return compares(sign, *x, *y);
  if (is_order(sign)) return false;
  const auto* s = std::get_if<std::string>(&a);
  const auto* t = std::get_if<std::string>(&b);
  const bool is_one = s != nullptr && t != nullptr ? is_same_word(*s, *t) : a.index() == b.index();
  return (sign == "==") == is_one;
}

bool is_true(const FilterValue& value) {
  const double* number = std::get_if<double>(&value);
  return number != nullptr && !std::isnan(*number) && *number != 0;
}

bool is_null(const FilterValue& value) {
  return value == FilterValue();
}

FilterValue evaluate(const Node& node, const ColumnValue& value) {
  if (node.kind == Node::Kind::kNumber) return node.number;
  if (node.kind == Node::Kind::kText) return node.text;
  if (node.kind == Node::Kind::kNull) return FilterValue();
  if (node.kind == Node::Kind::kColumn) return value(node.column);
  const auto truth = [&](const Node& part) { return is_true(evaluate(part, value)); };
  if (node.text == "and") return truth(node.parts[0]) && truth(node.parts[1]) ? 1.0 : 0.0;
  if (node.text == "or") return truth(node.parts[0]) || truth(node.parts[1]) ? 1.0 : 0.0;
  if (node.text == "not") return truth(node.parts[0]) ? 0.0 : 1.0;
  const FilterValue a = evaluate(node.parts[0], value);
  const double* x = std::get_if<double>(&a);
  // What is calculated from null is null.
  if (node.parts.size() == 1) return is_null(a) ? a : FilterValue(x == nullptr ? kUnknown : -*x);
  const FilterValue b = evaluate(node.parts[1], value);
  if (is_comparison(node.text)) return compares(node.text, a, b) ? 1.0 : 0.0;
  if (is_null(a) || is_null(b)) return FilterValue();
  const double* y = std::get_if<double>(&b);
  return x == nullptr || y == nullptr ? kUnknown : calculate(node.text, *x, *y);
}

// What a part of a filter is where no column is in it.
std::optional<FilterValue> written_value(const Node& node) {
  if (node.kind == Node::Kind::kNumber) return node.number;
  if (node.kind == Node::Kind::kText) return node.text;
  const bool is_negative = node.kind == Node::Kind::kSign && node.parts.size() == 1 &&
                           node.text == "-" && node.parts[0].kind == Node::Kind::kNumber;
  return is_negative ? std::optional<FilterValue>(-node.parts[0].number) : std::nullopt;
}

// The sign that says the same with its sides exchanged.
std::string turned(const std::string& sign) {
  if (!is_order(sign)) return sign;
  return (sign.front() == '<' ? ">" : "<") + sign.substr(1);
}

// The dimension of a written number, a negative one too.
std::optional<Dimension> written_dimension(const Node& node) {
  return node.parts.empty() ? node.dimension : node.parts.front().dimension;
}

// Whether it is true or false, not a number or a word.
bool is_condition(const Node& node) {
  return node.kind == Node::Kind::kSign && (is_comparison(node.text) || node.text == "and" ||
                                            node.text == "or" || node.text == "not");
}

void gather(const Node& node, std::vector<Comparison>& out) {
  for (const Node& part : node.parts) gather(part, out);
  if (node.kind != Node::Kind::kSign || node.parts.size() != 2 || !is_comparison(node.text)) return;
  for (const std::size_t side : {0U, 1U}) {
    const Node& column = node.parts[side];
    const Node& other = node.parts[1 - side];
    const auto with = written_value(other);
    if (column.kind != Node::Kind::kColumn || !with) continue;
    out.push_back({column.column, side == 0 ? node.text : turned(node.text), *with,
                   written_dimension(other)});
  }
}

// Reads by levels: or, and, not, comparison, sum, product, sign, value.
class Parser {
 public:
  Parser(std::string_view text, std::span<const std::string> columns, const FilterMoney& money)
      : text_(text), columns_(columns), money_(money) {}

  Result<Node> parse() {
    if (text_.size() > kMostText) return fault("a filter that is too long", "shorten it");
    TRY(Node root, level(0));
    skip();
    if (at_ < text_.size())
      return fault(not_expected(),
                   is_behind_number() ? unit_hint() : "join two conditions by `and` or `or`");
    if (auto wrong = compares_nothing(root)) return *std::move(wrong);
    return root;
  }

 private:
  using Signs = std::vector<std::string_view>;

  static const Signs& signs_of(int level) {
    static const std::array<Signs, 5> kSigns{Signs{"or"}, Signs{"and"},
                                             Signs{"<=", ">=", "==", "!=", "<", ">"},
                                             Signs{"+", "-"}, Signs{"*", "/", "%"}};
    return kSigns.at(static_cast<std::size_t>(level));
  }

  Result<Node> level(int level) {
    if (++depth_ > kMostDepth * 6) return fault("a filter nested too deeply", "simplify it");
    TRY(Node left, level == 2 ? negation() : next(level));
    while (const auto sign = take_sign(signs_of(level))) {
      TRY(Node right, next(level));
      if (level < 2)
        for (const Node* part : {&left, &right})
          if (auto wrong = compares_nothing(*part)) return *std::move(wrong);
      if (auto wrong = has_no_order(*sign, left, right)) return *std::move(wrong);
      const bool divides = *sign == "/" || *sign == "%";
      if (divides && right.kind == Node::Kind::kNumber && right.number == 0)
        return fault("nothing can be divided by 0", "divide by a column or by another number");
      Node both{.kind = Node::Kind::kSign, .text = std::string(*sign)};
      both.begin = left.begin;
      both.parts.push_back(std::move(left));
      both.parts.push_back(std::move(right));
      left = std::move(both);
      if (level == 2) break;  // Comparisons do not chain.
    }
    --depth_;
    return left;
  }
  Result<Node> next(int level) { return level < 4 ? this->level(level + 1) : value(); }

  Result<Node> negation() {
    if (!take_sign({"not"})) return level(3);
    TRY(Node part, level(2));
    if (auto wrong = compares_nothing(part)) return *std::move(wrong);
    Node node{.kind = Node::Kind::kSign, .text = "not"};
    node.parts.push_back(std::move(part));
    return node;
  }

  // Whether what is not expected stands behind a number, as a unit does.
  bool is_behind_number() const {
    std::size_t before = at_;
    while (before > 0 && std::isspace(static_cast<unsigned char>(text_[before - 1])) != 0) --before;
    return before > 0 && before == number_end_ &&
           std::isalpha(static_cast<unsigned char>(text_[at_])) != 0;
  }
  static const char* unit_hint() {
    const char* hint = "a unit such as GB, USD/kWh or % may follow a number, or K, M, B or T";
    return hint;
  }
  std::optional<Error> has_no_order(std::string_view sign, const Node& left, const Node& right) {
    if (!is_order(sign)) return std::nullopt;
    for (const Node* part : {&left, &right}) {
      const bool is_null = part->kind == Node::Kind::kNull;
      if (!is_null && part->kind != Node::Kind::kText) continue;
      at_ = part->begin;
      return fault(is_null ? "null is neither more nor less than anything" : "words have no order",
                   is_null ? "== null or != null" : "== or != compares words");
    }
    return std::nullopt;
  }

  std::optional<Error> compares_nothing(const Node& node) {
    if (is_condition(node)) return std::nullopt;
    at_ = node.begin;
    return fault("this compares nothing",
                 fmt::format("a condition such as {} == 1", columns_.empty() ? "tp" : columns_[0]));
  }

  // A value, and where it stands.
  Result<Node> value() {
    skip();
    const std::size_t begin = at_;
    TRY(Node node, bare_value());
    node.begin = begin;
    return node;
  }
  Result<Node> bare_value() {
    if (at_ >= text_.size()) return fault("the filter ends too early", "a number or a column");
    const char c = text_[at_];
    if (c == '(') return in_brackets();
    if (c == '-') return negative();
    if (c == '\'' || c == '"') return in_quotes(c);
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') return number();
    if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_') return column();
    if (c == '=') return fault("'=' compares nothing", "write ==");
    return fault(not_expected(), "a number, a column or a word in quotes");
  }

  Result<Node> in_brackets() {
    ++at_;
    TRY(Node inner, level(0));
    skip();
    const bool is_closed = at_ < text_.size() && text_[at_] == ')';
    if (!is_closed && at_ < text_.size() && is_behind_number())
      return fault(not_expected(), unit_hint());
    if (!is_closed) return fault("a bracket is not closed", "add )");
    ++at_;
    return inner;
  }
  Result<Node> negative() {
    if (++depth_ > kMostDepth * 6) return fault("a filter nested too deeply", "simplify it");
    ++at_;
    TRY(Node part, value());
    --depth_;
    Node node{.kind = Node::Kind::kSign, .text = "-"};
    node.parts.push_back(std::move(part));
    return node;
  }
  Result<Node> in_quotes(char quote) {
    const auto end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return fault("a quotation mark is not closed", "add one");
    Node node{.kind = Node::Kind::kText, .text = std::string(text_.substr(at_ + 1, end - at_ - 1))};
    at_ = end + 1;
    return node;
  }
  Result<Node> number() {
    auto read = read_number(text_.substr(at_));
    if (!read) return fault("not a number", "digits, and a unit or K, M, B or T behind them");
    if (!read->currency.empty() && !money_.code.empty() && read->currency != money_.code) {
      if (read->currency != "USD")
        return fault(
            fmt::format("the scenario is in {}, and this is in {}", money_.code, read->currency),
            fmt::format("write {}{}", money_.code,
                        money_.code == "USD" ? "" : ", or USD at its rate"));
      read->value *= std::pow(money_.per_usd, read->dimension->money);
    }
    at_ += read->size;
    number_end_ = at_;
    Node node{.number = read->value};
    node.dimension = read->dimension;
    return node;
  }
  Result<Node> column() {
    const std::size_t from = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    const std::string name(text_.substr(from, at_ - from));
    const auto found = std::find(columns_.begin(), columns_.end(), name);
    if (found != columns_.end()) {
      Node node{.kind = Node::Kind::kColumn};
      node.column = static_cast<std::size_t>(found - columns_.begin());
      return node;
    }
    if (name == "null") return Node{.kind = Node::Kind::kNull};
    at_ = from;
    const auto nearest = config::suggest(name, columns_);
    Error error{.code = lf::kUnknownWord,
                .message = fmt::format("no axis is called '{}'", name),
                .hint = nearest ? fmt::format("did you mean '{}'?", *nearest)
                                : fmt::format("one of: {}; words stand in quotes",
                                              fmt::join(columns_, ", "))};
    error.where.column = static_cast<std::uint32_t>(from + 1);
    error.where.length = static_cast<std::uint32_t>(name.size());
    return error;
  }

  static bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  }
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  std::optional<std::string_view> take_sign(const Signs& signs) {
    skip();
    for (const std::string_view sign : signs) {
      if (!text_.substr(at_).starts_with(sign)) continue;
      const bool is_letters = std::isalpha(static_cast<unsigned char>(sign.front())) != 0;
      const std::size_t end = at_ + sign.size();
      if (is_letters && end < text_.size() && is_word(text_[end])) continue;
      at_ = end;
      return sign;
    }
    return std::nullopt;
  }
  std::string not_expected() const {
    std::string message = fmt::format("'{}' is not expected here", text_.substr(at_, 12));
    return message;
  }
  Error fault(std::string message, std::string hint) const {
    Error error{.code = lf::kSyntax, .message = std::move(message), .hint = std::move(hint)};
    error.where.column = static_cast<std::uint32_t>(std::min(at_, text_.size()) + 1);
    return error;
  }

  std::string_view text_;
  std::span<const std::string> columns_;
  const FilterMoney& money_;
  std::size_t at_ = 0;
  std::size_t number_end_ = 0;  // Where the last number ended.
  int depth_ = 0;
};

}  // namespace

bool is_same_word(std::string_view a, std::string_view b) {
  return without_brackets(a) == without_brackets(b);
}

Result<Filter> Filter::parse(std::string_view text, std::span<const std::string> columns,
                             const FilterMoney& money) {
  TRY(Node root, Parser(text, columns, money).parse());
  Filter filter;
  filter.root_ = std::make_shared<const Node>(std::move(root));
  return filter;
}

bool holds(const Comparison& comparison, const FilterValue& value) {
  return compares(comparison.sign, value, comparison.with);
}

bool Filter::holds(const ColumnValue& value) const {
  return is_true(evaluate(*root_, value));
}

std::vector<Comparison> Filter::comparisons() const {
  std::vector<Comparison> out;
  gather(*root_, out);
  return out;
}

}  // namespace loadfactor::sweep
