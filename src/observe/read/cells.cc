#include "observe/read/cells.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "demand/stamp.h"

namespace loadfactor::observe {

namespace {

// Whole seconds since 1970, from 1973 on: shorter numbers are something else.
std::optional<double> read_epoch(std::string_view word) {
  constexpr std::size_t kLeastDigits = 9, kMostDigits = 11;
  if (word.size() < kLeastDigits || word.size() > kMostDigits) return std::nullopt;
  if (word.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  return leading_number(word);
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> split_row(std::string_view line, char mark) {
  std::vector<std::string_view> cells;
  if (mark == ' ') {
    line = trimmed(line);
    while (!line.empty()) {
      const auto end = std::min(line.find_first_of(" \t"), line.size());
      cells.push_back(line.substr(0, end));
      line = trimmed(line.substr(end));
    }
    return cells;
  }
  while (true) {
    const auto end = std::min(line.find(mark), line.size());
    cells.push_back(trimmed(line.substr(0, end)));
    if (end == line.size()) return cells;
    line.remove_prefix(end + 1);
  }
}

std::string_view take_line(std::string_view& rest) {
  const auto end = std::min(rest.find('\n'), rest.size());
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::optional<double> leading_number(std::string_view text) {
  double value = 0;
  const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc()) return std::nullopt;
  return value;
}

std::optional<double> read_stamp(std::string_view text) {
  std::string word(trimmed(text));
  if (const auto seconds = read_epoch(word)) return seconds;
  if (word.size() < 10) return std::nullopt;
  for (const std::size_t at : {std::size_t{4}, std::size_t{7}})
    if (word[at] == '/') word[at] = '-';
  demand::DateReader reader;
  const auto stamp = reader.read(word);
  // `03/04/2026` may be of March or of April.
  if (!stamp || reader.evidence().has_short_dates) return std::nullopt;
  return static_cast<double>(*stamp) / static_cast<double>(demand::kNanosecondsPerSecond);
}

bool looks_like_date(std::string_view text) {
  constexpr std::size_t kShortest = 8;  // `1/2/2026`.
  const bool is_numeric = text.find_first_not_of("0123456789/.-: TZ") == std::string_view::npos;
  if (text.size() < kShortest || !is_numeric || read_stamp(text)) return false;
  const auto has_two = [&](char mark) { return std::count(text.begin(), text.end(), mark) == 2; };
  return has_two('/') || has_two('.') || has_two('-');
}

Error odd_date(const CellPlace& place, std::string_view printer) {
  const auto column = static_cast<std::uint32_t>(place.cell.data() - place.row.data() + 1);
  constexpr std::size_t kMostShown = 200;
  return {.code = lf::kBadDate,
          .message = fmt::format("'{}' in the column {} is a date that may be read in two ways, or "
                                 "none",
                                 place.cell, place.column),
          .hint = fmt::format("write it as 2026-02-01T10:00:00, the year first, as `{}` prints it",
                              printer),
          .where = {place.file, static_cast<std::uint32_t>(place.line), column,
                    static_cast<std::uint32_t>(place.cell.size())},
          .source_line = std::string(place.row.substr(0, kMostShown))};
}

bool is_stamp(double seconds) {
  constexpr double kYear10000 = 253402300800.0;
  return seconds >= 0 && seconds < kYear10000;
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

}  // namespace loadfactor::observe
