// How a deployment is run: what is proposed ahead, cached, routed, scaled, and what breaks.
#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/magnitudes.h"
#include "config/reading/scenario_sections.h"
#include "config/scenario/scenario_words.h"

namespace loadfactor::config {
namespace {

constexpr Range kProposed = magnitude::band(1, 32, "tokens proposed ahead: 1 to 8 are usual");
constexpr Range kRank = magnitude::band(1, 1024, "ranks of adapters are 8 to 256");
constexpr Range kAdapters = magnitude::band(1, 10'000, "adapters in one batch");
constexpr Range kFillerTokens = magnitude::band(1, 1e7, "tokens of a request");
constexpr Range kWaiting = magnitude::band(1, 1e9, "requests in one queue");
constexpr Range kReplicas = magnitude::band(0, 1e6, "copies of the model");
constexpr Range kLoad = magnitude::band(1, 1e6, "requests per replica");
constexpr Range kPatience = magnitude::band(1e-3, magnitude::kDay, "check the unit: '60 s'");
constexpr Range kMoment = magnitude::band(1e-3, magnitude::kYear, "check the unit: '10 min'");

int whole(MapReader& reader, std::string_view key, Range range, int otherwise) {
  const auto given = placed_int(reader, key, range);
  return given ? given->value : otherwise;
}

void need(MapReader& reader, std::string_view key, std::string hint) {
  if (reader.has(key)) return;
  reader.report(key, lf::kMissingKey, "'" + std::string(key) + "' is missing", std::move(hint));
}

std::optional<SpeculationSection> read_speculation(MapReader& reader) {
  auto map = reader.map("speculation", false);
  if (!map) return std::nullopt;
  SpeculationSection ask;
  ask.tokens = whole(*map, "tokens", kProposed, 1);
  need(*map, "acceptance", "write 'acceptance: 70 %', the chance that a proposed token is right");
  ask.acceptance = map->maybe_ratio("acceptance").value_or(0.0);
  ask.draft = map->maybe_ratio("draft").value_or(ask.draft);
  map->finish();
  return ask;
}

std::optional<AdapterSection> read_adapters(MapReader& reader) {
  auto map = reader.map("lora", false);
  if (!map) return std::nullopt;
  AdapterSection ask;
  ask.rank = whole(*map, "rank", kRank, ask.rank);
  ask.active = whole(*map, "active", kAdapters, ask.active);
  map->finish();
  return ask;
}

Given<Seconds> placed_time(MapReader& reader, std::string_view key, Range range) {
  return placed(reader, key, reader.maybe_quantity<Seconds>(key, range));
}

std::optional<ScalingSection> read_scaling(MapReader& reader) {
  auto map = reader.map("scaling", false);
  if (!map) return std::nullopt;
  ScalingSection ask;
  ask.position = map->position();
  need(*map, "most", "write 'most: 8', the replicas to scale up to");
  ask.most = whole(*map, "most", magnitude::kDegree, 1);
  ask.least = whole(*map, "least", kReplicas, 1);
  ask.target = placed_int(*map, "target", kLoad);
  ask.above = placed_int(*map, "above", kLoad);
  ask.below = placed_int(*map, "below", kLoad);
  ask.interval = placed_time(*map, "interval", kPatience);
  ask.seen_after = placed_time(*map, "seen_after", kPatience);
  ask.cooldown = placed_time(*map, "cooldown", kPatience);
  ask.start = placed_time(*map, "start", kPatience);
  ask.provision = placed_time(*map, "provision", kPatience);
  ask.load = placed_time(*map, "load", kPatience);
  refuse_both(*map, "start", "provision");
  refuse_both(*map, "start", "load");
  if (ask.least > ask.most)
    map->report("least", lf::kInconsistentFigures, "'least' is above 'most'");
  if (ask.above.has_value() != ask.below.has_value())
    map->report(ask.above ? "below" : "above", lf::kMissingKey, "'above' and 'below' go together");
  if (ask.target && ask.above)
    map->report("target", lf::kContradictoryKeys, "'target' stands beside 'above' and 'below'",
                "keep the target or the band");
  if (ask.above && ask.below && ask.below->value >= ask.above->value)
    map->report("below", lf::kInconsistentFigures, "'below' is not below 'above'");
  map->finish();
  return ask;
}

std::optional<TransferSection> read_transfer(MapReader& reader) {
  auto map = reader.map("transfer", false);
  if (!map) return std::nullopt;
  TransferSection ask;
  ask.link = placed_quantity<BytesPerSecond>(*map, "link", magnitude::kBandwidth);
  ask.shared = placed_quantity<BytesPerSecond>(*map, "shared", magnitude::kBandwidth);
  ask.latency = placed_quantity<Seconds>(*map, "latency", magnitude::kLinkLatency);
  map->finish();
  return ask;
}

std::vector<ReplicaFailure> read_failures(MapReader& reader) {
  std::vector<ReplicaFailure> failures;
  for (auto& map : reader.maps("failures", false)) {
    ReplicaFailure failure;
    failure.at = map.quantity<Seconds>("at", kMoment);
    failure.repair = map.quantity<Seconds>("repair", kMoment);
    failure.replica = whole(map, "replica", magnitude::kDegree, 1);
    failure.position = map.position_of("replica");
    map.finish();
    failures.push_back(failure);
  }
  std::stable_sort(failures.begin(), failures.end(),
                   [](const ReplicaFailure& a, const ReplicaFailure& b) { return a.at < b.at; });
  return failures;
}

std::optional<FillerSection> read_filler(MapReader& reader) {
  auto map = reader.map("filler", false);
  if (!map) return std::nullopt;
  FillerSection filler;
  filler.position = reader.position_of("filler");
  filler.tokens_in = placed_integer(*map, "tokens_in", kFillerTokens);
  filler.tokens_out = placed_integer(*map, "tokens_out", kFillerTokens);
  for (const char* key : {"tokens_in", "tokens_out"})
    if (!map->has(key))
      map->report("", lf::kMissingKey, fmt::format("'filler' needs '{}'", key),
                  "filler: {tokens_in: 2000, tokens_out: 300}");
  map->finish();
  return filler.tokens_in && filler.tokens_out ? std::optional(filler) : std::nullopt;
}

// A filler waits as long as it takes, behind every request of the service.
void check_filler(MapReader& reader, const Operations& operations) {
  if (!operations.filler) return;
  for (const char* key : {"urgent", "scaling", "timeout", "first_token_timeout", "max_waiting"})
    if (reader.has(key))
      reader.report(key, lf::kContradictoryKeys,
                    fmt::format("'{}' and 'filler' do not go together: a filler waits behind the "
                                "whole service on replicas that stay",
                                key),
                    fmt::format("leave out '{}' or 'filler'", key));
  if (reader.has("prefill") || reader.has("decode"))
    reader.report("filler", lf::kContradictoryKeys,
                  "a filler beside prompts and answers on replicas of their own is not simulated",
                  "leave out 'filler', or 'prefill' and 'decode'");
}

}  // namespace

Operations read_operations(MapReader& reader) {
  Operations operations;
  operations.memory_fraction = placed_ratio(reader, "memory_fraction", {0.1, 1.0});
  operations.prefix_hits = placed_ratio(reader, "prefix_hits", {0.0, 0.99});
  operations.urgent = placed_ratio(reader, "urgent");
  operations.speculation = read_speculation(reader);
  operations.filler = read_filler(reader);
  operations.lora = read_adapters(reader);
  if (auto map = reader.map("moe", false)) {
    ServedExperts experts;
    experts.imbalance = placed_ratio(
        *map, "imbalance", {1, 64, false, "tokens of the busiest rank over the mean: 1.2"});
    experts.skew = placed_ratio(
        *map, "skew", {0, 4, false, "the power by which experts are chosen less and less: 1"});
    experts.dispatch =
        placed(*map, "dispatch", map->maybe_word<DispatchWord>("dispatch", kDispatchWords));
    operations.moe = experts;
    map->finish();
  }
  operations.preemption = placed(
      reader, "preemption",
      reader.maybe_word("preemption", std::span<const Word<PreemptionWord>>(kPreemptionWords)));
  operations.swap_space = placed(
      reader, "swap_space", reader.maybe_quantity<Bytes>("swap_space", magnitude::kHostMemory));
  operations.router = placed_text(reader, "router");
  operations.timeout = placed_time(reader, "timeout", kPatience);
  operations.first_token_timeout = placed_time(reader, "first_token_timeout", kPatience);
  operations.max_waiting = placed_integer(reader, "max_waiting", kWaiting);
  operations.scaling = read_scaling(reader);
  operations.transfer = read_transfer(reader);
  operations.failures = read_failures(reader);
  check_filler(reader, operations);
  return operations;
}

}  // namespace loadfactor::config
