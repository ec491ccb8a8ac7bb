// `demand`.
#include <algorithm>

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "catalog/load/embedded_file.h"
#include "facade/forms/makers.h"
#include "facade/forms/words.h"

namespace loadfactor::facade {
namespace {

// Traffic models of the built-in catalogue, by name.
std::vector<std::string> shipped_shapes() {
  constexpr std::string_view kFolder = "demand/";
  constexpr std::string_view kSuffix = ".yaml";
  std::vector<std::string> names;
  for (const auto& file : catalog::embedded_files()) {
    const std::string_view path = file.path;
    if (path.starts_with(kFolder) && path.ends_with(kSuffix))
      names.emplace_back(
          path.substr(kFolder.size(), path.size() - kFolder.size() - kSuffix.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

class DemandForm final : public Form {
 public:
  DemandForm() {
    positional(words("files", files_,
                     "requests, rates, jobs, benchmark results or metrics, plain or gzip", "FILE"),
               false);
    flag("fit", fit_, "print a traffic model fitted to the file");
    flag("convert", convert_, "print the requests as our own CSV");
    word("generate", generate_,
         fmt::format("make requests from a traffic model: a file, or one of {}, which are also the "
                     "shapes of a scenario",
                     fmt::join(shipped_shapes(), ", ")),
         "NAME|FILE.yaml");
    word("duration", duration_, "of what is made", "TEXT").shown_default = duration_;
    word("rate", rate_, "mean of what is made, as '12 Hz'", "TEXT");
    word("time-unit", time_unit_, "of bare numbers: s, ms, us or ns", "TEXT");
    word("dates", dates_, "what comes first in 03/04/2026: month-first or day-first", "TEXT");
    number("block", question_.block_tokens,
           "tokens of a prefix block; 512 where the file does not contradict it", "INT", 1,
           1 << 20);
    word("interval", interval_, "between two snapshots of metrics, as '60 s'", "TEXT");
    number("compress", question_.compress, "this many times as dense in time", "FLOAT");
    flag("spread", question_.spread, "spread stamps that come in batches");
  }

  std::optional<Question> question(const Reading& reading) override {
    question_.settings = reading.settings;
    if (const auto fault = find_fault()) return reading.refuse(*fault);
    const auto read = generate_.empty() ? read_files(reading) : read_model(reading);
    if (!read) return reading.refuse(read.error());
    return question_;
  }

 private:
  std::optional<Error> find_fault() const {
    const bool makes = !generate_.empty();
    if (makes && !files_.empty())
      return usage("--generate makes requests, and files have them", "give one of them");
    if (!makes && (is_given("duration") || is_given("rate")))
      return usage("--duration and --rate go with --generate", "add --generate NAME");
    if (!makes && files_.empty())
      return usage("demand needs a file", "loadfactor demand requests.csv");
    if (fit_ && convert_)
      return usage("--fit and --convert print two different files", "give one of them");
    return std::nullopt;
  }

  Result<bool> read_model(const Reading& reading) {
    question_.task = DemandTask::kGenerate;
    question_.model = generate_;
    if (generate_.ends_with(".yaml") || generate_.ends_with(".yml")) {
      TRY(question_.model_file, reading.files.open(generate_));
    }
    TRY(question_.duration, parse_as<Dimension{.time = 1}>(duration_));
    if (!rate_.empty()) {
      TRY(question_.rate, parse_as<Dimension{.time = -1}>(rate_));
    }
    return true;
  }

  Result<bool> read_files(const Reading& reading) {
    question_.task = fit_       ? DemandTask::kFit
                     : convert_ ? DemandTask::kConvert
                                : DemandTask::kDescribe;
    for (const auto& path : files_) {
      TRY(auto file, reading.files.open(path));
      question_.files.push_back(std::move(file));
    }
    if (!time_unit_.empty()) {
      const auto found = find_word(kTimeUnits, time_unit_);
      if (!found)
        return usage(fmt::format("'{}' is no unit of time", time_unit_), "s, ms, us or ns");
      question_.time_unit = found;
    }
    if (!dates_.empty()) {
      if (dates_ != "month-first" && dates_ != "day-first")
        return usage(fmt::format("'{}' is no order of dates", dates_), "month-first or day-first");
      question_.date_order = dates_ == "day-first" ? DateOrder::kDayFirst : DateOrder::kMonthFirst;
    }
    TRY(question_.interval, read_time("interval", interval_));
    return true;
  }

  DemandQuestion question_;
  std::vector<std::string> files_;
  bool fit_ = false;
  bool convert_ = false;
  std::string generate_, rate_, time_unit_, dates_, interval_;
  std::string duration_ = "1 week";
};

}  // namespace

std::unique_ptr<Form> demand_form() {
  return std::make_unique<DemandForm>();
}

}  // namespace loadfactor::facade
