#include "validation/inference/inference_load.h"

#include <algorithm>
#include <cstdlib>
#include <regex>

#include "validation/row_text.h"

namespace loadfactor::validation {
namespace {

using serving::Load;
using serving::LoadKind;

LoadKind kind_of(const InferenceRow& row) {
  const std::string& notes = row.notes;
  const auto says = [&](std::string_view words) { return mentions(notes, words); };
  const auto batch = number_in(row.batch);
  if (notes.rfind("PREFILL", 0) == 0) return LoadKind::kPrefillOnly;
  if (says("DECODE tps")) return LoadKind::kStatic;
  if (notes.rfind("DECODE", 0) == 0 || says("decode only") || says("per DP rank decode"))
    return LoadKind::kDecodeOnly;
  if (says("disaggregated:") || says("PD disagg")) return LoadKind::kSplit;
  if (says("MLPerf")) return LoadKind::kOffline;
  if (row.metric == "latency_ms" && (says("fixed batch") || says("latency test")))
    return LoadKind::kStatic;
  if (says("offline") || row.batch == "max") return LoadKind::kOffline;
  if (says("max-throughput")) return LoadKind::kOffline;
  if (says("static batch") || says("fixed batch") || says("derived") || says("latency test") ||
      says("first token latency"))
    return LoadKind::kStatic;
  if (says("open loop") || says("open-loop")) return LoadKind::kOpenLoop;
  if (says("closed loop") || says("closed-loop") || says("max-concurrency") ||
      row.rate == "closed-loop")
    return LoadKind::kClosedLoop;
  if (says("submitted at once") || says("concurrent requests")) {
    // A remark that counts more prompts than the column runs them so many at a time.
    const auto prompts = number_before(notes, " prompts");
    return prompts && batch && *batch < *prompts ? LoadKind::kClosedLoop : LoadKind::kBurst;
  }
  if (number_in(row.rate)) return LoadKind::kOpenLoop;
  if (says("bench serve") || says("ignore-eos")) return LoadKind::kClosedLoop;
  if (row.rate == "inf") return batch ? LoadKind::kBurst : LoadKind::kOffline;
  return LoadKind::kStatic;
}

// Requests that NVIDIA's benchmark guides use for a pair of lengths: longer ones are fewer.
double usual_offline_prompts(double input, double output) {
  if (input + output <= 300) return 30000;
  return output >= 4000 || input >= 5000 || input + output >= 4000 ? 1500 : 3000;
}

// A time behind a word, as "TTFT 450ms" or "TTFT 2s" states it.
Seconds time_after(const std::string& notes, const std::string& word) {
  const auto value = number_after(notes, word);
  if (!value) return {};
  const auto unit = notes.find_first_not_of("0123456789.", notes.find(word) + word.size());
  const bool seconds = unit != std::string::npos && notes[unit] == 's';
  return Seconds::from_base(seconds ? *value : *value * 1e-3);
}

}  // namespace

SplitPools split_pools(const std::string& notes) {
  static const std::regex kLong(
      R"(prefill (\d+)x\(TP(\d+) DPattn(\d+) EP(\d+)\) decode (\d+)x\(TP(\d+) DPattn(\d+) EP(\d+))");
  static const std::regex kShort(R"(PD disaggregation (\d+)P:(\d+)D, TP(\d+))");
  SplitPools pools;
  std::smatch found;
  const auto number = [&](std::size_t i) { return std::max(1, std::atoi(found[i].str().c_str())); };
  if (std::regex_search(notes, found, kLong)) {
    pools = {number(1), number(2), number(3), number(4),
             number(5), number(6), number(7), number(8)};
  } else if (std::regex_search(notes, found, kShort)) {
    pools.prefill_workers = number(1);
    pools.decode_workers = number(2);
    pools.prefill_tp = pools.decode_tp = number(3);
  }
  return pools;
}

Load load_of_row(const InferenceRow& row, const serving::ServingCalibration& calibration) {
  const std::string& notes = row.notes;
  Load load;
  load.kind = kind_of(row);
  load.input = row.input.value_or(1000);
  load.output = std::max(1.0, row.output.value_or(128));
  if (mentions(notes, "MLPerf") || (!row.input && !row.output)) {
    for (const auto& set : calibration.sets) {
      if (mentions(notes, set.words)) {
        load.input = set.input;
        break;
      }
    }
  }
  if (mentions(notes, "ISL drawn 80-100%")) {
    load.input *= 0.9;
    load.output *= 0.9;
  }
  load.input = std::max(1.0, load.input);
  load.concurrency = number_in(row.batch).value_or(load.kind == LoadKind::kDecodeOnly ? 128 : 1);
  load.rate = Hertz::from_base(number_in(row.rate).value_or(0));
  for (const char* words : {" ShareGPT prompts", " prompts", " requests at fixed"}) {
    if (const auto count = number_before(notes, words)) load.prompts = *count;
  }
  if (const auto count = number_after(notes, "num_prompts=")) load.prompts = *count;
  if (load.kind == LoadKind::kOffline && load.prompts == 0 && !mentions(notes, "MLPerf")) {
    load.prompts =
        row.batch == "max" ? usual_offline_prompts(load.input, load.output) : 10 * load.concurrency;
  }
  const bool sharegpt = mentions(notes, "ShareGPT");
  const bool short_mix = mentions(notes, "ISL/OSL realised") && load.input > 150 &&
                         load.input < 280 && load.output > 150 && load.output < 260;
  load.varied = sharegpt || short_mix || mentions(notes, "of dataset") || mentions(notes, "MLPerf");
  constexpr double kInferenceXPrompts = 10;  // Prompts per user that its harness runs.
  if (mentions(notes, "InferenceX"))
    load.opening = 1 / kInferenceXPrompts;
  else if (load.prompts > 0 && number_in(row.batch))
    load.opening = std::min(1.0, load.concurrency / load.prompts);
  load.streamed = mentions(notes, "InferenceX") || mentions(notes, "aiperf");
  load.mean_gap = mentions(notes, "inter-token latency");
  if (mentions(notes, "Server by") || mentions(notes, "Interactive by")) {
    load.tpot_bound = time_after(notes, "TPOT ");
    load.ttft_bound = time_after(notes, "TTFT ");
  }
  return load;
}

}  // namespace loadfactor::validation
