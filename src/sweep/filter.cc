#include "sweep/filter.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/reader.h"

namespace loadfactor::sweep {

struct Filter::Node {
  enum class Kind : std::uint8_t { kNumber, kText, kColumn, kSign };
  Kind kind = Kind::kNumber;
  double number = 0;
  std::string text;  // A text, or a sign: `<=`, `+`, `and`, `not`, `-` of one value.
  std::size_t column = 0;
  std::vector<Node> parts;
};

namespace {

using Node = Filter::Node;
constexpr int kMostDepth = 64;
constexpr std::size_t kMostText = 4096;

double compare_numbers(std::string_view sign, double a, double b) {
  if (sign == "<") return a < b ? 1 : 0;
  if (sign == "<=") return a <= b ? 1 : 0;
  if (sign == ">") return a > b ? 1 : 0;
  if (sign == ">=") return a >= b ? 1 : 0;
  return (sign == "==") == (a == b) ? 1 : 0;
}

double calculate(std::string_view sign, double a, double b) {
  if (sign == "+") return a + b;
  if (sign == "-") return a - b;
  if (sign == "*") return a * b;
  if (sign == "/") return a / b;
  if (sign == "%") return std::fmod(a, b);
  return compare_numbers(sign, a, b);
}

FilterValue evaluate(const Node& node, const ColumnValue& value) {
  if (node.kind == Node::Kind::kNumber) return node.number;
  if (node.kind == Node::Kind::kText) return node.text;
  if (node.kind == Node::Kind::kColumn) return value(node.column);
  const auto truth = [&](const Node& part) {
    const FilterValue found = evaluate(part, value);
    const double* number = std::get_if<double>(&found);
    return number != nullptr && *number != 0;
  };
  if (node.text == "and") return truth(node.parts[0]) && truth(node.parts[1]) ? 1.0 : 0.0;
  if (node.text == "or") return truth(node.parts[0]) || truth(node.parts[1]) ? 1.0 : 0.0;
  if (node.text == "not") return truth(node.parts[0]) ? 0.0 : 1.0;
  const FilterValue a = evaluate(node.parts[0], value);
  const double* x = std::get_if<double>(&a);
  if (node.parts.size() == 1) return x == nullptr ? FilterValue() : FilterValue(-*x);
  const FilterValue b = evaluate(node.parts[1], value);
  const double* y = std::get_if<double>(&b);
  const bool divides = node.text == "/" || node.text == "%";
  if (divides && y != nullptr && *y == 0) return FilterValue();
  if (x != nullptr && y != nullptr) return calculate(node.text, *x, *y);
  const auto* s = std::get_if<std::string>(&a);
  const auto* t = std::get_if<std::string>(&b);
  if (s == nullptr || t == nullptr) return FilterValue();
  if (node.text == "==") return *s == *t ? 1.0 : 0.0;
  if (node.text == "!=") return *s != *t ? 1.0 : 0.0;
  return FilterValue();
}

// Reads by levels: or, and, not, comparison, sum, product, sign, value.
class Parser {
 public:
  Parser(std::string_view text, std::span<const std::string> columns)
      : text_(text), columns_(columns) {}

  Result<Node> parse() {
    if (text_.size() > kMostText) return fault("a filter that is too long", "shorten it");
    TRY(Node root, level(0));
    skip();
    if (at_ < text_.size())
      return fault(fmt::format("'{}' is not expected here", text_.substr(at_, 12)),
                   "join two conditions by `and` or `or`");
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
      const bool divides = *sign == "/" || *sign == "%";
      if (divides && right.kind == Node::Kind::kNumber && right.number == 0)
        return fault("nothing can be divided by 0", "divide by a column or by another number");
      Node both{.kind = Node::Kind::kSign, .text = std::string(*sign)};
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
    Node node{.kind = Node::Kind::kSign, .text = "not"};
    node.parts.push_back(std::move(part));
    return node;
  }

  Result<Node> value() {
    skip();
    if (at_ >= text_.size()) return fault("the filter ends too early", "a number or a column");
    const char c = text_[at_];
    if (c == '(') return in_brackets();
    if (c == '-') return negative();
    if (c == '\'' || c == '"') return in_quotes(c);
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') return number();
    if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_') return column();
    if (c == '=') return fault("'=' compares nothing", "write ==");
    return fault(fmt::format("'{}' is not expected here", text_.substr(at_, 12)),
                 "a number, a column or a word in quotes");
  }

  Result<Node> in_brackets() {
    ++at_;
    TRY(Node inner, level(0));
    skip();
    if (at_ >= text_.size() || text_[at_] != ')') return fault("a bracket is not closed", "add )");
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
    Node node;
    const char* from = text_.data() + at_;
    const auto [end, failed] = std::from_chars(from, text_.data() + text_.size(), node.number);
    if (failed != std::errc()) return fault("not a number", "digits, and K, M, B or T behind them");
    at_ += static_cast<std::size_t>(end - from);
    skip();
    constexpr std::array<std::pair<char, double>, 4> kPowers{
        {{'K', 1e3}, {'M', 1e6}, {'B', 1e9}, {'T', 1e12}}};
    const bool is_alone = at_ + 1 >= text_.size() || !is_word(text_[at_ + 1]);
    for (const auto& [letter, power] : kPowers) {
      if (at_ >= text_.size() || text_[at_] != letter || !is_alone) continue;
      node.number *= power;
      ++at_;
      break;
    }
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
  Error fault(std::string message, std::string hint) const {
    Error error{.code = lf::kSyntax, .message = std::move(message), .hint = std::move(hint)};
    error.where.column = static_cast<std::uint32_t>(std::min(at_, text_.size()) + 1);
    return error;
  }

  std::string_view text_;
  std::span<const std::string> columns_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<Filter> Filter::parse(std::string_view text, std::span<const std::string> columns) {
  TRY(Node root, Parser(text, columns).parse());
  Filter filter;
  filter.root_ = std::make_shared<const Node>(std::move(root));
  return filter;
}

bool Filter::holds(const ColumnValue& value) const {
  const FilterValue found = evaluate(*root_, value);
  const double* number = std::get_if<double>(&found);
  return number != nullptr && *number != 0;
}

}  // namespace loadfactor::sweep
