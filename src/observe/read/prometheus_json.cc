// Answers of Prometheus' HTTP API, and exports as one JSON object a line.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "observe/read/cells.h"
#include "observe/read/json_scan.h"
#include "observe/read/readers.h"

namespace loadfactor::observe {
namespace {

constexpr std::size_t kMostLabels = 128;
// Lists of documents within lists.
constexpr int kDeepestList = 64;

double number_of(std::string_view word) {
  if (word == "NaN" || word == "null") return std::numeric_limits<double>::quiet_NaN();
  if (word == "+Inf" || word == "Inf") return std::numeric_limits<double>::infinity();
  if (word == "-Inf") return -std::numeric_limits<double>::infinity();
  double value = std::numeric_limits<double>::quiet_NaN();
  const auto [stop, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failed != std::errc() || stop != word.data() + word.size())
    return std::numeric_limits<double>::quiet_NaN();
  return value;
}

class JsonReader {
 public:
  JsonReader(const TextFile& file, double time, SampleSink& sink)
      : file_(&file), scan_(file.text), time_(time), sink_(&sink) {}

  Result<ReadCount> read() {
    while (!scan_.is_done()) {
      if (!read_document()) return broken();
      if (!failure_.empty())
        return Error{.code = lf::kNothingUsable,
                     .message = fmt::format("the server says: {}", failure_),
                     .hint = {},
                     .where = {file_->name, 0, 0, 1}};
    }
    return count_;
  }

 private:
  Error broken() {
    const std::size_t at = std::min(scan_.offset(), file_->text.size());
    const auto line = static_cast<std::uint32_t>(
        1 + std::count(file_->text.begin(), file_->text.begin() + static_cast<std::ptrdiff_t>(at),
                       '\n'));
    return {.code = lf::kSyntax,
            .message = "this is not the JSON of a metrics server, or it is cut off",
            .hint = "save the answer of /api/v1/query_range, or of an export",
            .where = {file_->name, line, 1, 1}};
  }

  // Calls back with each key; the callee takes the value.
  template <typename Each>
  bool read_object(const Each& each) {
    if (!scan_.take('{')) return false;
    if (scan_.take('}')) return true;
    std::string key;
    do {
      if (!scan_.take_string(key) || !scan_.take(':') || !each(key)) return false;
    } while (scan_.take(','));
    return scan_.take('}');
  }
  template <typename Each>
  bool read_list(const Each& each) {
    if (!scan_.take('[')) return false;
    if (scan_.take(']')) return true;
    do {
      if (!each()) return false;
    } while (scan_.take(','));
    return scan_.take(']');
  }

  bool read_document(int depth = 0) {
    if (scan_.peek() == '[')
      return depth < kDeepestList && read_list([&] { return read_document(depth + 1); });
    times_.clear(), values_.clear();
    labels_.clear();
    const bool fine = read_object([&](const std::string& key) {
      if (key == "data") return scan_.peek() == '{' ? read_data() : scan_.skip_value();
      if (key == "result") return read_list([&] { return read_series(); });
      if (key == "error" || key == "errorType") return read_failure();
      if (key == "warnings" && scan_.peek() == '[')
        return read_list([&] { return read_warning(); });
      return read_series_key(key);
    });
    return fine && tell_export();
  }
  bool read_failure() {
    std::string text;
    if (!scan_.take_string(text)) return false;
    constexpr std::size_t kMaxBytes = 200;
    if (text.size() > failure_.size()) failure_ = text.substr(0, kMaxBytes);
    return true;
  }
  bool read_warning() {
    if (scan_.peek() != '"') return scan_.skip_value();
    std::string text;
    if (!scan_.take_string(text)) return false;
    constexpr std::size_t kMaxBytes = 200;
    if (count_.warning.empty()) count_.warning = text.substr(0, kMaxBytes);
    return true;
  }
  bool read_data() {
    return read_object([&](const std::string& key) {
      if (key == "result") {
        if (scan_.peek() == '[') return read_list([&] { return read_series(); });
        return scan_.skip_value();
      }
      return scan_.skip_value();
    });
  }
  bool read_series() {
    times_.clear(), values_.clear();
    labels_.clear();
    if (scan_.peek() != '{') return scan_.skip_value();  // The two parts of a scalar.
    const bool fine = read_object([&](const std::string& key) { return read_series_key(key); });
    return fine && tell_export();
  }
  bool read_series_key(const std::string& key) {
    if (key == "metric") return read_metric();
    if (key == "value") return read_pair();
    if (key == "values" && scan_.peek() == '[') return read_list([&] { return read_value(); });
    if (key == "timestamps" && scan_.peek() == '[') return read_list([&] { return read_time(); });
    return scan_.skip_value();
  }
  bool read_metric() {
    if (scan_.peek() != '{') return scan_.skip_value();
    labels_.clear();
    return read_object([&](const std::string& key) {
      Label label{key, {}};
      if (!scan_.take_string(label.value) || labels_.size() >= kMostLabels) return false;
      labels_.push_back(std::move(label));
      return true;
    });
  }
  // `[1700000000.1, "0.5"]`, or a bare number of an export.
  bool read_value() {
    if (scan_.peek() == '[') return read_pair();
    double value = 0;
    if (!read_number(value)) return false;
    values_.push_back(value);
    return true;
  }
  bool read_time() {
    double time = 0;
    if (!read_number(time) || (std::isfinite(time) && !is_stamp(time / 1000))) return false;
    times_.push_back(time / 1000);
    return true;
  }
  bool read_number(double& out) {
    if (scan_.peek() == '"') {
      if (!scan_.take_string(text_)) return false;
      out = number_of(text_);
      return true;
    }
    std::string_view word;
    if (!scan_.take_word(word)) return false;
    out = number_of(word);
    return true;
  }
  bool read_pair() {
    double time = 0;
    double value = 0;
    if (!scan_.take_sample(time, value) && !read_any_pair(time, value)) return false;
    if (std::isfinite(time) && !is_stamp(time)) return false;
    times_.push_back(time);
    values_.push_back(value);
    return true;
  }
  bool read_any_pair(double& time, double& value) {
    return scan_.take('[') && read_number(time) && scan_.take(',') && read_number(value) &&
           scan_.take(']');
  }

  // Hands the series on once all of it has been read, for its labels may come last.
  bool tell_export() {
    if (labels_.empty() && values_.empty()) return true;
    const auto name = find_label(labels_, "__name__");
    const std::size_t samples = std::min(times_.size(), values_.size());
    count_.samples += samples;
    if (samples == 0) return true;
    const int series = sink_->series(name, labels_);
    if (series < 0) return true;
    for (std::size_t i = 0; i < samples; ++i)
      sink_->sample(series, std::isfinite(times_[i]) ? times_[i] : time_, values_[i]);
    labels_.clear();
    times_.clear(), values_.clear();
    return true;
  }

  const TextFile* file_;
  JsonScan scan_;
  double time_;
  SampleSink* sink_;
  ReadCount count_;
  Labels labels_;
  std::vector<double> times_;
  std::vector<double> values_;
  std::string text_;
  std::string failure_;
};

}  // namespace

Result<ReadCount> read_prometheus_json(const TextFile& file, double time, SampleSink& sink) {
  return JsonReader(file, time, sink).read();
}

Result<std::vector<std::string>> read_label_values(const TextFile& file) {
  JsonScan scan(file.text);
  std::vector<std::string> names;
  std::string key;
  std::string status;
  std::string failure;
  const Error none{.code = lf::kSyntax,
                   .message = "this is not the JSON of a Prometheus server",
                   .hint = "the address of the server itself, such as http://prometheus:9090",
                   .where = {file.name, 0, 0, 1}};
  if (!scan.take('{')) return none;
  do {
    if (!scan.take_string(key) || !scan.take(':')) return none;
    if (key == "data" && scan.peek() == '[') {
      scan.take('[');
      if (scan.take(']')) continue;
      do {
        std::string name;
        if (!scan.take_string(name)) return none;
        names.push_back(std::move(name));
      } while (scan.take(','));
      if (!scan.take(']')) return none;
    } else if (key == "error" && scan.peek() == '"') {
      if (!scan.take_string(failure)) return none;
    } else if (key == "status") {
      if (!scan.take_string(status)) return none;
    } else if (!scan.skip_value()) {
      return none;
    }
  } while (scan.take(','));
  constexpr std::size_t kMostShown = 200;
  if (!failure.empty())
    return Error{.code = lf::kNothingUsable,
                 .message = fmt::format("the server says: {}", failure.substr(0, kMostShown)),
                 .hint = {},
                 .where = {file.name, 0, 0, 1}};
  if (status != "success") return none;
  return names;
}

}  // namespace loadfactor::observe
