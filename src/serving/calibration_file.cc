#include "serving/calibration_file.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/reader.h"
#include "config/schema.h"
#include "serving/precision.h"

namespace loadfactor::serving {
namespace {

constexpr std::array<std::string_view, kNumMetrics> kMetricNames{"throughput", "tpot", "ttft",
                                                                 "latency"};
constexpr config::Range kAny{-1e12, 1e12};

std::optional<std::size_t> find_place(std::string_view wanted) {
  for (std::size_t i = 0; i < Constants::kSize; ++i) {
    if (constant_name(i) == wanted) return i;
  }
  return std::nullopt;
}

void read_constants(config::MapReader& reader, ServingCalibration& result) {
  std::set<std::size_t> seen;
  for (auto& map : reader.maps("constants")) {
    const std::string word = map.text("name");
    const auto place = find_place(word);
    FittedConstant entry;
    entry.value = map.count("value", kAny);
    entry.prior = map.count("prior", kAny);
    entry.width = map.count("width", kAny);
    entry.what = map.maybe_text("what").value_or("");
    map.finish();
    if (!place) {
      map.report("name", lf::kUnknownWord, "no serving constant '" + word + "'");
      continue;
    }
    seen.insert(*place);
    result.constants[*place] = entry;
  }
  for (std::size_t i = 0; i < Constants::kSize; ++i) {
    if (!seen.contains(i))
      reader.report("constants", lf::kMissingKey, "'" + constant_name(i) + "' is missing");
  }
}

void read_engines(config::MapReader& reader, ServingCalibration& result) {
  for (auto& map : reader.maps("engines")) {
    const std::string word = map.text("era");
    EngineTraits traits;
    traits.engine = map.text("engine");
    traits.chunk = map.integer("chunk");
    traits.chunk_large = map.maybe_integer("chunk_large").value_or(traits.chunk);
    traits.max_sequences = map.integer("max_sequences");
    traits.max_sequences_large =
        map.maybe_integer("max_sequences_large").value_or(traits.max_sequences);
    traits.memory_fraction = map.ratio("memory_fraction");
    traits.reserve = map.ratio("reserve");
    traits.overlap = map.ratio("overlap");
    traits.one_shot = map.boolean("one_shot");
    traits.fused = map.boolean("fused");
    traits.grouped_native = map.boolean("grouped_native");
    traits.prompts_alone = map.maybe_boolean("prompts_alone").value_or(false);
    traits.whole_batches = map.maybe_boolean("whole_batches").value_or(false);
    traits.graph_tokens = map.maybe_integer("graph_tokens").value_or(0);
    traits.source = map.text("source");
    map.finish();
    bool found = false;
    for (std::size_t i = 0; i < kNumEras; ++i) {
      if (name(static_cast<EngineEra>(i)) != word) continue;
      traits.era = static_cast<EngineEra>(i);
      result.engines[i] = traits;
      found = true;
    }
    if (!found) map.report("era", lf::kUnknownWord, "no engine generation '" + word + "'");
  }
}

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

}  // namespace

std::string_view name(Metric metric) {
  return kMetricNames[static_cast<std::size_t>(metric)];
}

Constants ServingCalibration::values() const {
  Constants result;
  for (std::size_t i = 0; i < Constants::kSize; ++i) result.values[i] = constants[i].value;
  return result;
}

IntervalWidth ServingCalibration::interval(Metric metric,
                                           const std::vector<std::string>& groups) const {
  for (const auto& group : groups) {
    for (const auto& width : intervals) {
      if (width.metric == metric && width.group == group) return width;
    }
  }
  for (const auto& width : intervals) {
    if (width.metric == metric && width.group.empty()) return width;
  }
  return {metric, "", -1.0, 1.0};
}

std::vector<std::string> interval_groups(const ServingDeployment& deployment) {
  const auto& product = deployment.kernels->fit(
      {cost::KernelClass::kGemm, catalog::Dtype::kBf16, cost::KernelVariant::kPlain});
  const std::string shape = has_experts(*deployment.model) ? "moe" : "dense";
  const bool own = product.basis == cost::FitBasis::kMeasured;
  return {shape + (own ? ", tables" : ", no tables"), shape};
}

ServingCalibration load_serving_calibration(const catalog::DataFile& file,
                                            Diagnostics& diagnostics) {
  ServingCalibration result;
  auto document = config::parse_yaml(file.shown_as, file.text);
  if (!document) {
    diagnostics.add(document.error());
    return result;
  }
  config::MapReader reader(*document, document->root, "serving calibration", diagnostics);
  config::check_schema(reader, "serving-calibration", 1);
  read_constants(reader, result);
  read_engines(reader, result);
  read_intervals(reader, result);
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
                                            Diagnostics& diagnostics) {
  const catalog::DataFile* found = nullptr;
  for (const auto& file : files) {
    if (file.path == "calibration/serving.yaml") found = &file;
  }
  if (found != nullptr) return load_serving_calibration(*found, diagnostics);
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
  for (std::size_t i = 0; i < Constants::kSize; ++i) {
    const auto& c = calibration.constants[i];
    text += fmt::format("  - {{name: {}, value: {:.5g}, prior: {:.5g}, width: {:.3g}{}}}\n",
                        constant_name(i), c.value, c.prior, c.width,
                        c.what.empty() ? "" : ",\n     what: \"" + c.what + "\"");
  }
  text += "engines:\n";
  for (const auto& e : calibration.engines) {
    text += fmt::format(
        "  - {{era: {}, engine: {}, chunk: {}, chunk_large: {}, max_sequences: {},\n"
        "     max_sequences_large: {}, memory_fraction: {}, reserve: {}, overlap: {},\n"
        "     one_shot: {}, fused: {}, grouped_native: {}, {}{}{}source: {}}}\n",
        name(e.era), e.engine, e.chunk, e.chunk_large, e.max_sequences, e.max_sequences_large,
        e.memory_fraction, e.reserve, e.overlap, e.one_shot, e.fused, e.grouped_native,
        e.prompts_alone ? "prompts_alone: true, " : "",
        e.whole_batches ? "whole_batches: true, " : "",
        e.graph_tokens > 0 ? fmt::format("graph_tokens: {}, ", e.graph_tokens) : "", e.source);
  }
  text += calibration.intervals.empty() ? "intervals: []\n" : "intervals:\n";
  for (const auto& w : calibration.intervals) {
    text += fmt::format("  - {{metric: {}, {}low: {:.4f}, high: {:.4f}}}\n", name(w.metric),
                        w.group.empty() ? "" : "group: \"" + w.group + "\", ", w.low, w.high);
  }
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
