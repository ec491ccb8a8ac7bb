#include "serving/calibration_file.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/reader.h"
#include "config/schema.h"
#include "serving/doubt_of_chip.h"
#include "serving/precision.h"

namespace loadfactor::serving {
namespace {

constexpr std::array<std::string_view, kNumMetrics> kMetricNames{"throughput", "tpot", "ttft",
                                                                 "latency"};
constexpr config::Range kAny{-1e12, 1e12};

// The constants of the file, by place.
class ConstantReader {
 public:
  ConstantReader(config::MapReader& reader, std::span<const EngineTraits> generations,
                 ServingCalibration& result)
      : reader_(reader), generations_(generations), result_(result) {
    result_.constants.resize(Constants::size_for(generations.size()));
    result_.borrowed.resize(generations.size());
    for (std::size_t i = 0; i < Constants::kNumShared; ++i)
      result_.constants[i].name = shared_constant_name(i);
    for (const auto& generation : generations) {
      for (std::size_t c = 0; c < kNumEngineConstants; ++c)
        constant(generation.index, c).name =
            generation.name + "." + std::string(name(static_cast<EngineConstant>(c)));
    }
    for (std::size_t i = 0; i < result_.constants.size(); ++i)
      places_.emplace(result_.constants[i].name, i);
  }

  void read() {
    for (auto& map : reader_.maps("constants")) read_one(map);
    for (std::size_t i = 0; i < Constants::kNumShared; ++i) check(i);
    for (const auto& generation : generations_) {
      if (has_own(generation))
        for (std::size_t c = 0; c < kNumEngineConstants; ++c) check(place(generation.index, c));
      else
        borrow(generation);
    }
  }

 private:
  static std::size_t place(std::size_t generation, std::size_t constant) {
    return Constants::place(generation, static_cast<EngineConstant>(constant));
  }
  FittedConstant& constant(std::size_t generation, std::size_t constant) {
    return result_.constants[place(generation, constant)];
  }

  void read_one(config::MapReader& map) {
    const std::string word = map.text("name");
    FittedConstant entry;
    entry.name = word;
    entry.value = map.count("value", kAny);
    entry.prior = map.count("prior", kAny);
    entry.width = map.count("width", kAny);
    entry.what = map.maybe_text("what").value_or("");
    map.finish();
    const auto found = places_.find(word);
    if (found != places_.end()) {
      seen_.insert(found->second);
      result_.constants[found->second] = entry;
    } else if (!is_of_an_engine(word)) {
      map.report("name", lf::kUnknownWord, "no serving constant '" + word + "'");
    }
  }

  // A generation that no engine has is left alone: a user's file may have replaced its engine.
  static bool is_of_an_engine(std::string_view word) {
    const auto dot = word.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return false;
    for (std::size_t c = 0; c < kNumEngineConstants; ++c) {
      if (word.substr(dot + 1) == name(static_cast<EngineConstant>(c))) return true;
    }
    return false;
  }

  void check(std::size_t at) {
    if (!seen_.contains(at))
      reader_.report("constants", lf::kMissingKey,
                     "'" + result_.constants[at].name + "' is missing");
  }

  bool has_own(const EngineTraits& generation) const {
    for (std::size_t c = 0; c < kNumEngineConstants; ++c) {
      if (seen_.contains(place(generation.index, c))) return true;
    }
    return false;
  }

  void borrow(const EngineTraits& generation) {
    const EngineTraits* from = &generation;
    while (from != nullptr && !has_own(*from)) from = find(from->like);
    if (from == nullptr) {
      reader_.report("constants", lf::kMissingKey,
                     "engine generation '" + generation.name + "' has no constants here",
                     "write 'like: NAME' in its file, so that it has those of another generation");
      return;
    }
    for (std::size_t c = 0; c < kNumEngineConstants; ++c) {
      FittedConstant& mine = constant(generation.index, c);
      const std::string own_name = mine.name;
      mine = constant(from->index, c);
      mine.name = own_name;
    }
    result_.borrowed[generation.index] = from->name;
  }

  const EngineTraits* find(std::string_view wanted) const {
    for (const auto& generation : generations_) {
      if (generation.name == wanted) return &generation;
    }
    return nullptr;
  }

  config::MapReader& reader_;
  std::span<const EngineTraits> generations_;
  ServingCalibration& result_;
  std::map<std::string, std::size_t, std::less<>> places_;
  std::set<std::size_t> seen_;
};

void read_sets(config::MapReader& reader, ServingCalibration& result) {
  for (auto& map : reader.maps("request_sets", false)) {
    result.sets.push_back({map.text("words"), map.count("input")});
    map.finish();
  }
}

void read_baseline(config::MapReader& reader, ServingCalibration& result) {
  for (auto& map : reader.maps("baseline", false)) {
    const std::string group = map.maybe_text("group").value_or("");
    result.baseline[group] = map.count("efficiency", kAny);
    map.finish();
  }
}

void read_intervals(config::MapReader& reader, ServingCalibration& result) {
  for (auto& map : reader.maps("intervals", false)) {
    IntervalWidth width;
    const std::string word = map.text("metric");
    for (std::size_t i = 0; i < kNumMetrics; ++i) {
      if (kMetricNames[i] == word) width.metric = static_cast<Metric>(i);
    }
    width.group = map.maybe_text("group").value_or("");
    width.low = map.count("low", kAny);
    width.high = map.count("high", kAny);
    map.finish();
    result.intervals.push_back(width);
  }
}

// That of one group alone; none where it has none of its own.
const IntervalWidth* find(std::span<const IntervalWidth> intervals, Metric metric,
                          std::string_view group) {
  for (const auto& width : intervals) {
    if (width.metric == metric && width.group == group) return &width;
  }
  return nullptr;
}

}  // namespace

std::string_view name(Metric metric) {
  return kMetricNames[static_cast<std::size_t>(metric)];
}

Constants ServingCalibration::values() const {
  Constants result;
  for (const FittedConstant& constant : constants) result.values.push_back(constant.value);
  return result;
}

IntervalWidth ServingCalibration::interval(Metric metric, const std::vector<std::string>& groups,
                                           const EngineTraits* engine) const {
  IntervalWidth width = class_interval(metric, groups);
  if (engine == nullptr || !is_borrowed(*engine)) return width;
  const IntervalWidth far = widened(width, class_interval(metric, {}),
                                    class_interval(metric, {std::string(kEngineNotSeen)}));
  // An engine with another's constants is at least as far as one that was left out with its own.
  width.low = std::min(far.low, width.low * borrowed_width);
  width.high = std::max(far.high, width.high * borrowed_width);
  return width;
}

IntervalWidth ServingCalibration::interval_of(Metric metric, const ServingDeployment& deployment,
                                              LoadKind kind,
                                              const std::vector<std::string>& nearer) const {
  auto groups = interval_groups(deployment, metric, kind);
  groups.insert(groups.begin(), nearer.begin(), nearer.end());
  const IntervalWidth width = interval(metric, groups, deployment.engine);
  return nearer.empty() ? with_doubt_of_chip(metric, deployment, width) : width;
}

IntervalWidth ServingCalibration::simulated_interval(Metric metric,
                                                     const ServingDeployment& deployment,
                                                     LoadKind kind) const {
  const IntervalWidth width =
      interval(metric, simulated_groups(deployment, metric, kind), deployment.engine);
  return with_doubt_of_chip(metric, deployment, width);
}

const IntervalWidth* ServingCalibration::doubt_of(std::string_view chip, Metric metric) const {
  return find(intervals, metric, chip_group(chip));
}

IntervalWidth ServingCalibration::with_doubt_of_chip(Metric metric,
                                                     const ServingDeployment& deployment,
                                                     IntervalWidth width) const {
  if (is_link_guessed(deployment.network->domain, deployment.layout.tp)) {
    width.low = -std::hypot(width.low, guessed_bus);
    width.high = std::hypot(width.high, guessed_bus);
  }
  const bool known =
      chips.empty() || std::find(chips.begin(), chips.end(), deployment.chip->name) != chips.end();
  if (!known)
    return widened(width, class_interval(metric, {}),
                   class_interval(metric, {std::string(kChipNotSeen)}));
  if (const IntervalWidth* own = doubt_of(deployment.chip->name, metric)) {
    width.low = std::min(width.low, own->low);
    width.high = std::max(width.high, own->high);
  }
  return width;
}

IntervalWidth widened(IntervalWidth width, const IntervalWidth& near, const IntervalWidth& far) {
  const auto wider = [](double of, double from, double to) {
    return std::sqrt(of * of + std::max(0.0, to * to - from * from));
  };
  width.low = -wider(width.low, near.low, far.low);
  width.high = wider(width.high, near.high, far.high);
  return width;
}

IntervalWidth ServingCalibration::class_interval(Metric metric,
                                                 const std::vector<std::string>& groups) const {
  for (const auto& group : groups) {
    if (const IntervalWidth* width = find(intervals, metric, group)) return *width;
  }
  if (const IntervalWidth* width = find(intervals, metric, "")) return *width;
  return {metric, "", -1.0, 1.0};
}

namespace {

constexpr std::string_view kUnsteady = "unsteady";
constexpr std::string_view kBurst = "burst";
constexpr std::string_view kSimulated = "simulated ";

}  // namespace

bool is_load_group(std::string_view group) {
  return group == kUnsteady || group == kBurst || is_simulated_group(group);
}

bool is_simulated_group(std::string_view group) {
  return group.starts_with(kSimulated);
}

std::vector<std::string> interval_groups(const ServingDeployment& deployment, Metric metric,
                                         LoadKind kind) {
  const auto& product = deployment.kernels->fit(
      {cost::KernelClass::kGemm, catalog::Dtype::kBf16, cost::KernelVariant::kPlain});
  const std::string shape = deployment.model->has_experts() ? "moe" : "dense";
  const bool own = product.basis == cost::FitBasis::kMeasured;
  const bool burst = kind == LoadKind::kBurst;
  if (metric == Metric::kThroughput) {
    if (burst) return {std::string(kBurst)};
  } else if (burst || kind == LoadKind::kOpenLoop) {
    return {std::string(kUnsteady)};
  }
  return {shape + (own ? ", tables" : ", no tables"), shape};
}

std::vector<std::string> simulated_groups(const ServingDeployment& deployment, Metric metric,
                                          LoadKind kind) {
  auto groups = interval_groups(deployment, metric, kind);
  const bool is_time = metric == Metric::kFirstToken || metric == Metric::kTimePerToken;
  if (!is_time) return groups;
  const std::string load = std::string(kSimulated) + std::string(name(kind));
  const char* shape = deployment.model->has_experts() ? ", moe" : ", dense";
  groups.insert(groups.begin(), {load + shape, load});
  return groups;
}

ServingCalibration load_serving_calibration(const catalog::DataFile& file,
                                            std::span<const EngineTraits> generations,
                                            Diagnostics& diagnostics) {
  ServingCalibration result;
  auto document = config::parse_yaml(file.shown_as, file.text);
  if (!document) {
    diagnostics.add(document.error());
    return result;
  }
  config::MapReader reader(*document, document->root, "serving calibration", diagnostics);
  config::check_schema(reader, "serving-calibration", 1);
  ConstantReader(reader, generations, result).read();
  result.borrowed_width = reader.count("borrowed_engine", {1, 10});
  result.guessed_bus = reader.count("guessed_bus", {0, 3});
  read_intervals(reader, result);
  result.chips = reader.texts("chips");
  read_sets(reader, result);
  read_baseline(reader, result);
  result.results = reader.texts("results");
  result.source = reader.text("source");
  result.date = reader.date("date");
  reader.text("kind");
  reader.finish();
  return result;
}

ServingCalibration find_serving_calibration(const std::vector<catalog::DataFile>& files,
                                            std::span<const EngineTraits> generations,
                                            Diagnostics& diagnostics) {
  const catalog::DataFile* found = nullptr;
  for (const auto& file : files) {
    if (file.path == "calibration/serving.yaml") found = &file;
  }
  if (found != nullptr) return load_serving_calibration(*found, generations, diagnostics);
  diagnostics.add(Error{.code = lf::kUnknownQuantity,
                        .message = "the catalogue has no calibration/serving.yaml"});
  return {};
}

std::string write_serving_calibration(const ServingCalibration& calibration) {
  std::string text = "schema: serving-calibration/1\n";
  text +=
      "# Written by `loadfactor calibrate serving`. A prior's width is the standard deviation of\n"
      "# its logarithm; none of the constants belongs to a model, a source or a row.\n";
  text += "constants:\n";
  const auto add = [&text](const FittedConstant& c) {
    text += fmt::format("  - {{name: {}, value: {:.5g}, prior: {:.5g}, width: {:.3g}{}}}\n", c.name,
                        c.value, c.prior, c.width,
                        c.what.empty() ? "" : ",\n     what: \"" + c.what + "\"");
  };
  for (std::size_t i = 0; i < Constants::kNumShared; ++i) add(calibration.constants[i]);
  for (std::size_t g = 0; g < calibration.borrowed.size(); ++g) {
    if (!calibration.borrowed[g].empty()) continue;
    for (std::size_t c = 0; c < kNumEngineConstants; ++c)
      add(calibration.constants[Constants::place(g, static_cast<EngineConstant>(c))]);
  }
  text += fmt::format("borrowed_engine: {:g}\nguessed_bus: {:g}\n", calibration.borrowed_width,
                      calibration.guessed_bus);
  text += calibration.intervals.empty() ? "intervals: []\n" : "intervals:\n";
  for (const auto& w : calibration.intervals) {
    text += fmt::format("  - {{metric: {}, {}low: {:.4f}, high: {:.4f}}}\n", name(w.metric),
                        w.group.empty() ? "" : "group: \"" + w.group + "\", ", w.low, w.high);
  }
  text += fmt::format("chips: [{}]\n", fmt::join(calibration.chips, ", "));
  text += "request_sets:\n";
  for (const auto& set : calibration.sets)
    text += fmt::format("  - {{words: \"{}\", input: {}}}\n", set.words, set.input);
  text += calibration.baseline.empty() ? "baseline: []\n" : "baseline:\n";
  for (const auto& [group, efficiency] : calibration.baseline)
    text += fmt::format("  - {{{}efficiency: {:.5g}}}\n",
                        group.empty() ? "" : "group: \"" + group + "\", ", efficiency);
  text += calibration.results.empty() ? "results: []\n" : "results:\n";
  for (const auto& line : calibration.results) text += "  - \"" + line + "\"\n";
  text +=
      fmt::format("kind: published\nsource: {}\ndate: {}\n", calibration.source, calibration.date);
  return text;
}

}  // namespace loadfactor::serving
