// The text that exporters print, OpenMetrics, and the dump of a database.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "observe/read/cells.h"
#include "observe/read/readers.h"

namespace loadfactor::observe {
namespace {

// Above it a stamp counts milliseconds: as seconds it would lie beyond the year 5000.
constexpr double kLeastMilliseconds = 1e11;
constexpr std::size_t kMostLabels = 128;

void skip_blanks(std::string_view& rest) {
  while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\t')) rest.remove_prefix(1);
}

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == ':' || c == '.' || c == '-';
}

std::string_view take_name(std::string_view& rest) {
  std::size_t length = 0;
  while (length < rest.size() && is_name(rest[length])) ++length;
  const auto name = rest.substr(0, length);
  rest.remove_prefix(length);
  return name;
}

bool take_quoted(std::string_view& rest, std::string& out) {
  out.clear();
  if (rest.empty() || rest.front() != '"') return false;
  rest.remove_prefix(1);
  while (!rest.empty() && rest.front() != '"') {
    if (rest.front() == '\\' && rest.size() > 1) {
      rest.remove_prefix(1);
      out += rest.front() == 'n' ? '\n' : rest.front();
    } else {
      out += rest.front();
    }
    rest.remove_prefix(1);
  }
  if (rest.empty()) return false;
  rest.remove_prefix(1);
  return true;
}

bool take_labels(std::string_view& rest, Labels& labels) {
  labels.clear();
  if (rest.empty() || rest.front() != '{') return true;
  rest.remove_prefix(1);
  while (true) {
    skip_blanks(rest);
    if (!rest.empty() && rest.front() == '}') break;
    Label label;
    label.name = std::string(take_name(rest));
    skip_blanks(rest);
    if (label.name.empty() || rest.empty() || rest.front() != '=') return false;
    rest.remove_prefix(1);
    skip_blanks(rest);
    if (!take_quoted(rest, label.value) || labels.size() >= kMostLabels) return false;
    labels.push_back(std::move(label));
    skip_blanks(rest);
    if (!rest.empty() && rest.front() == ',') rest.remove_prefix(1);
  }
  rest.remove_prefix(1);
  return true;
}

std::optional<double> take_number(std::string_view& rest) {
  skip_blanks(rest);
  const auto end = std::min(rest.find_first_of(" \t"), rest.size());
  std::string_view word = rest.substr(0, end);
  rest.remove_prefix(end);
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0;
  const auto [stop, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || failed != std::errc() || stop != word.data() + word.size())
    return std::nullopt;
  return value;
}

struct Line {
  std::string_view metric;
  Labels labels;
  double value = 0;
  std::optional<double> time;
};

bool parse_line(std::string_view rest, Line& line) {
  skip_blanks(rest);
  line.metric = take_name(rest);
  skip_blanks(rest);
  if (line.metric.empty() && (rest.empty() || rest.front() != '{')) return false;
  if (!take_labels(rest, line.labels)) return false;
  const auto value = take_number(rest);
  if (!value) return false;
  line.value = *value;
  line.time.reset();
  skip_blanks(rest);
  if (!rest.empty() && rest.front() != '#') {
    const auto time = take_number(rest);
    if (!time) return false;
    line.time = *time >= kLeastMilliseconds ? *time / 1000 : *time;
    if (!is_stamp(*line.time)) return false;
  }
  if (line.metric.empty()) line.metric = find_label(line.labels, "__name__");
  return !line.metric.empty();
}

}  // namespace

bool looks_like_metrics(std::string_view line) {
  for (const char* comment : {"# HELP ", "# TYPE ", "# UNIT "})
    if (line.starts_with(comment)) return true;
  Line read;
  return line.find("=\"") != std::string_view::npos && parse_line(line, read);
}

Result<ReadCount> read_prometheus_text(const TextFile& file, double time, SampleSink& sink) {
  ReadCount count;
  std::string_view rest = file.text;
  std::string_view first_bad;
  Line line;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const auto end = std::min(rest.find('\n'), rest.size());
    std::string_view text = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (text.empty() || text.front() == '#') continue;
    if (!parse_line(text, line)) {
      if (count.bad_lines++ == 0) count.first_bad_line = number, first_bad = text;
      continue;
    }
    ++count.samples;
    const int series = sink.series(line.metric, line.labels);
    if (series >= 0) sink.sample(series, line.time.value_or(time), line.value);
  }
  if (count.bad_lines > count.samples)
    return Error{.code = lf::kSyntax,
                 .message = "this is no line of metrics",
                 .hint = "name{label=\"value\"} 1.5 1700000000000",
                 .where = {file.name, static_cast<std::uint32_t>(count.first_bad_line), 1, 1},
                 .source_line = std::string(first_bad.substr(0, 200))};
  return count;
}

}  // namespace loadfactor::observe
