#include "mutator.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace loadfactor::fuzz {
namespace {

using Texts = std::vector<std::string>;

constexpr std::size_t kLongest = 200'000;

const Texts& extremes() {
  static const Texts all{"0",
                         "-0",
                         "-1",
                         "1",
                         "2",
                         "3",
                         "7",
                         "0.5",
                         "1e-9",
                         "1e-300",
                         "1e9",
                         "1e15",
                         "1e18",
                         "1e30",
                         "1e308",
                         "1e309",
                         "-1e308",
                         ".nan",
                         "nan",
                         ".inf",
                         "-.inf",
                         "inf",
                         "0x10",
                         "0o7",
                         "1_000",
                         "2147483647",
                         "2147483648",
                         "4294967296",
                         "9007199254740993",
                         "9223372036854775807",
                         "9223372036854775808",
                         "18446744073709551616",
                         "9999999999999999999999999999999999999999",
                         "0.00000000000000000000000000000000000000001",
                         "01",
                         "1.",
                         ".5",
                         "1,5",
                         "1e",
                         "+1",
                         "100 %",
                         "1/0"};
  return all;
}

const Texts& units() {
  static const Texts all{"",
                         " s",
                         " ms",
                         " h",
                         " days",
                         " years",
                         " USD",
                         " EUR",
                         " $/h",
                         " USD/kWh",
                         " %",
                         " GB",
                         " GiB",
                         " tokens",
                         " tokens/s",
                         " Hz",
                         " requests/h",
                         " W",
                         " MW",
                         " kWh",
                         " GPUs",
                         " USD/GPU-hour",
                         " USD/M tokens",
                         " K",
                         " °C",
                         " m2",
                         " FLOP/s",
                         " GB/s",
                         " Gbit/s",
                         " per month",
                         " weeks"};
  return all;
}

const Texts& odd() {
  static const Texts all{"",
                         "~",
                         "null",
                         "true",
                         "false",
                         "yes",
                         "''",
                         "\"\"",
                         "[]",
                         "{}",
                         "[[]]",
                         "{a: 1}",
                         "[1, 2]",
                         "*a",
                         "&a",
                         "!!str x",
                         "|",
                         ">",
                         "- ",
                         "?",
                         ":",
                         "\t",
                         std::string(1, '\0'),
                         "\xef\xbb\xbf",
                         "é",
                         "日本",
                         "🛩",
                         std::string(300, 'a'),
                         "../../etc/passwd",
                         "/dev/zero",
                         "-",
                         "--",
                         "$(id)",
                         "%s%n",
                         "\\",
                         "\xe2\x80\xae",
                         "\x7f",
                         "\x1b[31m",
                         "2026-02-30",
                         "12:60",
                         "\xff",
                         "\xc3"};
  return all;
}

struct Piece {
  std::size_t from = 0;
  std::size_t to = 0;
};

bool is_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

// Numbers that begin no word.
std::vector<Piece> numbers_of(const std::string& text) {
  std::vector<Piece> found;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (std::isdigit(static_cast<unsigned char>(text[at])) == 0) continue;
    if (at > 0 && (is_word(text[at - 1]) || text[at - 1] == '.')) continue;
    char* end = nullptr;
    const std::string digits = text.substr(at, 40);
    std::strtod(digits.c_str(), &end);
    const auto length = static_cast<std::size_t>(end - digits.c_str());
    if (length == 0) continue;
    const bool is_negative = at > 0 && text[at - 1] == '-';
    found.push_back({is_negative ? at - 1 : at, at + length});
    at += length - 1;
  }
  return found;
}

std::vector<Piece> words_of(const std::string& text) {
  std::vector<Piece> found;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word(text[at]) || std::isdigit(static_cast<unsigned char>(text[at])) != 0) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && (is_word(text[end]) || text[end] == '-' || text[end] == '.')) ++end;
    found.push_back({at, end});
    at = end;
  }
  return found;
}

// What stands between a colon and the end of its line or list.
std::vector<Piece> values_of(const std::string& text) {
  std::vector<Piece> found;
  for (std::size_t at = text.find(": "); at != std::string::npos; at = text.find(": ", at + 1)) {
    const std::size_t end = std::min(text.size(), text.find_first_of("\n,{}[]#", at + 2));
    if (end > at + 2) found.push_back({at + 2, end});
  }
  return found;
}

std::string with(const std::string& text, Piece piece, const std::string& instead) {
  return text.substr(0, piece.from) + instead + text.substr(piece.to);
}

Texts split(const std::string& text) {
  Texts lines;
  std::size_t from = 0;
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', from)) {
    lines.push_back(text.substr(from, at - from));
    from = at + 1;
  }
  lines.push_back(text.substr(from));
  return lines;
}

std::string joined(const Texts& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) text += (i == 0 ? "" : "\n") + lines[i];
  return text;
}

}  // namespace

std::string Mutator::mutate(std::string text, const Texts& others) {
  static const std::vector<int> kTimes{1, 1, 1, 2, 2, 3, 5};
  const int times = draw_.of(kTimes);
  for (int i = 0; i < times; ++i)
    text = draw_.share() < 0.08 && !others.empty() ? spliced(text, draw_.of(others)) : once(text);
  if (text.size() > kLongest) text.resize(kLongest);
  return text;
}

std::string Mutator::value() {
  const std::size_t kind = draw_.below(3);
  if (kind == 0) return draw_.of(odd());
  return kind == 1 ? draw_.of(words_) : draw_.of(extremes()) + draw_.of(units());
}

std::string Mutator::once(const std::string& text) {
  const std::size_t kind = draw_.below(34);
  if (kind < 13) return number(text);
  if (kind < 15) return unit(text);
  if (kind < 19) return word(text);
  if (kind < 23) return whole_value(text);
  if (kind < 25) return key(text);
  if (kind < 27) return add_key(text);
  if (kind < 31) return lines(text, static_cast<int>(kind) - 27);
  if (kind < 32) return text.substr(0, draw_.below(text.size() + 1));
  return kind < 33 ? noise(text) : nested(text);
}

// More often one of the same kind, larger or smaller: most such files are still accepted.
std::string Mutator::number(const std::string& text) {
  const auto found = numbers_of(text);
  if (found.empty()) return text;
  const Piece piece = draw_.of(found);
  if (draw_.below(3) == 0) return with(text, piece, draw_.of(extremes()));
  return with(text, piece, scaled(text.substr(piece.from, piece.to - piece.from)));
}

std::string Mutator::scaled(const std::string& digits) {
  static const std::vector<double> kFactors{0, 0.01, 0.1, 0.5, 0.9, 1.1, 2, 3, 10, 100, 1e4, 1e6};
  const double value = std::strtod(digits.c_str(), nullptr) * draw_.of(kFactors);
  char text[64];
  const bool is_whole = digits.find_first_of(".eE") == std::string::npos && std::abs(value) < 1e15;
  std::snprintf(text, sizeof text, is_whole ? "%.0f" : "%.6g",
                is_whole ? std::floor(value) : value);
  return text;
}

std::string Mutator::unit(const std::string& text) {
  const auto found = numbers_of(text);
  if (found.empty()) return text;
  const Piece piece = draw_.of(found);
  const std::size_t end = std::min(text.size(), text.find_first_of("\n,{}[]#", piece.to));
  return with(text, {piece.to, end}, draw_.of(units()));
}

std::string Mutator::word(const std::string& text) {
  const auto found = words_of(text);
  return found.empty() ? text : with(text, draw_.of(found), draw_.of(words_));
}

std::string Mutator::whole_value(const std::string& text) {
  const auto found = values_of(text);
  return found.empty() ? text : with(text, draw_.of(found), value());
}

std::string Mutator::key(const std::string& text) {
  std::vector<Piece> found;
  for (const Piece& piece : words_of(text))
    if (piece.to < text.size() && text[piece.to] == ':') found.push_back(piece);
  return found.empty() ? text : with(text, draw_.of(found), draw_.of(words_));
}

// A line more, as deep as another one.
std::string Mutator::add_key(const std::string& text) {
  Texts all = split(text);
  const std::size_t at = draw_.below(all.size());
  const std::size_t depth = std::min(all[at].find_first_not_of(' '), all[at].size());
  all.insert(all.begin() + static_cast<std::ptrdiff_t>(at),
             std::string(depth, ' ') + draw_.of(words_) + ": " + value());
  return joined(all);
}

// Some lines left out, repeated, changed in place, or moved deeper or less deep.
std::string Mutator::lines(const std::string& text, int how) {
  static const std::vector<std::size_t> kCounts{1, 1, 2, 5};
  static const std::vector<int> kTimes{1, 1, 2, 49};
  Texts all = split(text);
  const std::size_t at = draw_.below(all.size());
  const auto from = all.begin() + static_cast<std::ptrdiff_t>(at);
  const auto to = from + static_cast<std::ptrdiff_t>(std::min(draw_.of(kCounts), all.size() - at));
  if (how == 0) {
    all.erase(from, to);
  } else if (how == 1) {
    const Texts some(from, to);
    const int times = draw_.of(kTimes);
    for (int i = 0; i < times; ++i)
      all.insert(all.begin() + static_cast<std::ptrdiff_t>(at), some.begin(), some.end());
  } else if (how == 2) {
    std::swap(all[at], all[draw_.below(all.size())]);
  } else {
    const bool is_deep = all[at].starts_with("  ");
    all[at] = is_deep && draw_.below(2) == 0 ? all[at].substr(2) : "  " + all[at];
  }
  return joined(all);
}

std::string Mutator::noise(const std::string& text) {
  static const std::vector<std::size_t> kLost{0, 1, 1, 8};
  const std::size_t at = draw_.below(text.size() + 1);
  return with(text, {at, std::min(text.size(), at + draw_.of(kLost))}, draw_.of(odd()));
}

std::string Mutator::nested(const std::string& text) {
  static const std::vector<int> kDepths{2, 10, 63, 64, 65, 200, 5000};
  const auto found = values_of(text);
  if (found.empty()) return text;
  const Piece piece = draw_.of(found);
  const int depth = draw_.of(kDepths);
  const bool is_list = draw_.below(2) == 0;
  std::string opening, closing;
  for (int i = 0; i < depth; ++i) {
    opening += is_list ? "[" : "{a: ";
    closing += is_list ? "]" : "}";
  }
  return with(text, piece, opening + text.substr(piece.from, piece.to - piece.from) + closing);
}

// The beginning of one and lines of another.
std::string Mutator::spliced(const std::string& text, const std::string& other) {
  static const std::vector<std::size_t> kCounts{1, 3, 10, 1000};
  Texts mine = split(text);
  const Texts theirs = split(other);
  const std::size_t start = draw_.below(theirs.size());
  const std::size_t count = std::min(draw_.of(kCounts), theirs.size() - start);
  mine.insert(mine.begin() + static_cast<std::ptrdiff_t>(draw_.below(mine.size())),
              theirs.begin() + static_cast<std::ptrdiff_t>(start),
              theirs.begin() + static_cast<std::ptrdiff_t>(start + count));
  return joined(mine);
}

}  // namespace loadfactor::fuzz
