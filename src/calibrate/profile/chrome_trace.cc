// Traces of the torch profiler, in the format of Chrome's tracing.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/error_codes.h"
#include "calibrate/profile/json_scanner.h"
#include "calibrate/profile/profile_readers.h"

namespace loadfactor::calibrate {
namespace {

constexpr auto kMicrosecond = Seconds::from_base(1e-6);

template <class Number>
std::optional<Number> number_of(const std::string& text) {
  Number value{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// One event, as far as it is asked of.
struct Event {
  std::string phase, category, name;
  double start = NAN;
  double length = NAN;
  std::uint32_t device = 0;
  std::uint64_t launch = 0;
};

// Whether both are times, in microseconds, that a profiler can have seen: the start is counted from
// a boot or from 1970, and nothing lasts for weeks.
bool is_possible(const Event& event) {
  constexpr double kLatest = 1e17;
  constexpr double kLongest = 1e12;
  return std::abs(event.start) <= kLatest && event.length >= 0 && event.length <= kLongest;
}

bool is_one_of(const std::string& word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

class ChromeReader {
 public:
  ChromeReader(const std::string& file, std::string_view bytes) : scanner_(file, bytes) {
    timeline_.file = file;
    timeline_.tool = "torch profiler";
  }

  Result<Timeline> read() {
    if (scanner_.peek() == '[') {
      read_events();
    } else if (scanner_.enter_object()) {
      while (scanner_.next_key(key_)) read_part();
    }
    if (scanner_.error()) return *scanner_.error();
    if (full_) return too_many_events(timeline_.file);
    if (timeline_.spans.empty())
      return Error{.code = lf::kNoMeasurement,
                   .message = "the trace shows no kernel of a device",
                   .hint = "profile with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]",
                   .where = {.file = timeline_.file}};
    return std::move(timeline_);
  }

 private:
  void read_part() {
    if (key_ == "traceEvents" && scanner_.peek() == '[') return read_events();
    if (key_ == "deviceProperties" && scanner_.peek() == '[') return read_devices();
    if (key_ == "distributedInfo" && scanner_.peek() == '{') return read_group();
    scanner_.skip();
  }

  void read_devices() {
    scanner_.enter_list();
    while (scanner_.next_item()) {
      if (scanner_.peek() != '{') {
        scanner_.skip();
        continue;
      }
      scanner_.enter_object();
      while (scanner_.next_key(key_)) {
        read_value();
        if (key_ == "name" && timeline_.device.empty()) timeline_.device = text_;
      }
    }
  }

  void read_group() {
    constexpr int kMaxRanks = 10'000'000;
    scanner_.enter_object();
    while (scanner_.next_key(key_)) {
      read_value();
      const auto size = number_of<int>(text_);
      if (key_ == "world_size" && size && *size > 0 && *size < kMaxRanks)
        timeline_.world_size = *size;
    }
  }

  // A scalar into text_; anything else is stepped over and leaves it empty.
  void read_value() {
    const char first = scanner_.peek();
    if (first == '{' || first == '[') {
      text_.clear();
      return scanner_.skip();
    }
    scanner_.read_scalar(text_);
  }

  void read_events() {
    scanner_.enter_list();
    while (!full_ && scanner_.next_item()) {
      if (scanner_.peek() == '{') {
        read_event();
      } else {
        scanner_.skip();
      }
    }
  }

  void read_event() {
    Event event;
    scanner_.enter_object();
    while (scanner_.next_key(key_)) {
      if (key_ == "args" && scanner_.peek() == '{') {
        read_arguments(event);
        continue;
      }
      read_value();
      if (key_ == "ph") event.phase = text_;
      if (key_ == "cat") event.category = text_;
      if (key_ == "name") event.name = text_;
      if (key_ == "ts") event.start = number_of<double>(text_).value_or(NAN);
      if (key_ == "dur") event.length = number_of<double>(text_).value_or(NAN);
    }
    if (event.phase == "X") take(event);
  }

  void read_arguments(Event& event) {
    scanner_.enter_object();
    while (scanner_.next_key(key_)) {
      read_value();
      if (key_ == "device") event.device = number_of<std::uint32_t>(text_).value_or(0);
      if (key_ == "correlation") event.launch = number_of<std::uint64_t>(text_).value_or(0);
    }
  }

  void take(Event& event) {
    if (!is_possible(event)) return;
    // Older releases write their categories in capitals.
    for (char& c : event.category) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const Seconds start = kMicrosecond * event.start;
    const Seconds end = start + kMicrosecond * event.length;
    if (is_one_of(event.category, {"kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset"})) {
      timeline_.spans.push_back(
          {start, end, timeline_.names.id_of(event.name), event.device, event.launch});
    } else if (is_one_of(event.category, {"cuda_runtime", "cuda_driver", "runtime", "driver",
                                          "hip_runtime", "xpu_runtime"})) {
      if (event.launch != 0) timeline_.launches.push_back({event.launch, start});
    } else if (is_one_of(event.category, {"user_annotation", "gpu_user_annotation"})) {
      timeline_.ranges.push_back(
          {start, end, timeline_.names.id_of(event.name), event.category == "gpu_user_annotation"});
    }
    full_ = timeline_.is_full();
  }

  JsonScanner scanner_;
  Timeline timeline_;
  std::string key_, text_;
  bool full_ = false;
};

}  // namespace

Result<Timeline> read_chrome_trace(const std::string& file, std::string_view bytes) {
  return ChromeReader(file, bytes).read();
}

}  // namespace loadfactor::calibrate
