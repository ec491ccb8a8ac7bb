#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "base/error_codes.h"
#include "base/figure_text.h"
#include "config/magnitudes.h"
#include "config/reading/scenario_sections.h"
#include "config/scenario/scenario_words.h"

namespace loadfactor::config {
namespace {

// None where a model embeds or scores, which is known once the model is.
constexpr Range kAnswerTokens{0, 1e9, false, "tokens of one answer"};

// The mean rate, from whichever period is written; at most one may be.
Given<Hertz> read_rate(MapReader& reader) {
  Given<Hertz> rate;
  std::string_view first;
  for (const Period& period : kPeriods) {
    // As little traffic may be written by any period as by the month.
    Range range = magnitude::kRequestsPerMonth;
    range.low *= period.seconds / magnitude::kMonth;
    const auto count = reader.maybe_count(period.key, range);
    if (!reader.has(period.key)) continue;
    if (!first.empty())
      reader.report(period.key, lf::kContradictoryKeys,
                    "the rate is given twice, by '" + std::string(first) + "' and '" +
                        std::string(period.key) + "'",
                    "keep one of them");
    first = period.key;
    if (count)
      rate =
          Placed<Hertz>{Hertz::from_base(*count / period.seconds), reader.position_of(period.key)};
  }
  return rate;
}

void check_demand(MapReader& reader, const Demand& demand) {
  const auto exclude = [&](std::string_view key) {
    if (reader.has(key))
      reader.report(key, lf::kContradictoryKeys,
                    "a trace already says what '" + std::string(key) + "' says",
                    "keep the trace or the description");
  };
  if (demand.trace) {
    for (const Period& period : kPeriods) exclude(period.key);
    exclude("shape");  // Lengths may stand beside it, for a file that holds rates alone.
    return;
  }
  if (demand.scale)
    reader.report("scale", lf::kContradictoryKeys, "there is no trace to scale",
                  "write the rate itself, such as 'requests_per_second: 4'");
  bool has_rate = false;
  for (const Period& period : kPeriods) has_rate = has_rate || reader.has(period.key);
  if (!has_rate && !reader.has("trace"))
    reader.report("", lf::kMissingKey, "'demand' needs a rate",
                  "write 'requests_per_month: 9.6 M', or 'trace: requests.csv'");
  for (const std::string_view key : {"tokens_in", "tokens_out"}) {
    if (!reader.has(key) && !reader.has("trace"))
      reader.report(key, lf::kMissingKey,
                    "'demand' needs '" + std::string(key) + "', the tokens of a mean request",
                    key == "tokens_out" ? "such as tokens_out: 300; a model that embeds or scores "
                                          "texts writes none: tokens_out: 0"
                                        : "such as tokens_in: 2000");
  }
}

constexpr Range kDailyPeak{1, 24, false, "the busiest moment of a day over its mean: 3"};
constexpr Range kWeekend{0, 100, false, "weekends over other days: 0.6"};

// A shape in numbers, or from a file: not both.
ShapeSection read_shape(MapReader& reader) {
  ShapeSection shape;
  shape.daily_peak = placed_ratio(reader, "daily_peak", kDailyPeak);
  shape.peak_hour = placed_ratio(reader, "peak_hour", {0, 24});
  shape.weekend = placed_ratio(reader, "weekend", kWeekend);
  shape.file = placed_text(reader, "file");
  for (const std::string_view key : {"daily_peak", "peak_hour", "weekend"}) {
    if (shape.file && reader.has(key))
      reader.report(key, lf::kContradictoryKeys,
                    "the file already says what '" + std::string(key) + "' says",
                    "keep the file or the numbers");
  }
  if (!shape.file && !reader.has("file") && !reader.has("daily_peak") && !reader.has("weekend"))
    reader.report("", lf::kMissingKey, "'shape' says nothing of a week",
                  "write 'shape: {daily_peak: 3, weekend: 0.6}', '{file: week.csv}' or a name");
  reader.finish();
  return shape;
}

void read_shape(MapReader& reader, Demand& demand) {
  const Node* const written = reader.node("shape");
  if (written == nullptr || written->kind != NodeKind::kMap) {
    demand.shape = placed_text(reader, "shape");
    return;
  }
  if (auto map = reader.map("shape", false)) demand.shape_figures = read_shape(*map);
}

constexpr Range kGrowthFactor{1e-3, 1e4, false, "traffic after a month over today's: 1.08"};

// A rate, or a table of months.
std::optional<Growth> read_growth(MapReader& reader) {
  const Node* const written = reader.node("growth");
  if (written == nullptr) return std::nullopt;
  std::optional<Growth> growth;
  if (written->kind == NodeKind::kScalar) {
    const auto text = reader.maybe_text("growth");
    if (!text) return std::nullopt;
    growth = parse_growth(*text);
    if (!growth)
      reader.report("growth", lf::kNotANumber, "'" + *text + "' is not a growth",
                    "write '8 %/month', '60 %/year', or a list of factors after 1, 2, … months");
  } else {
    growth.emplace().months = numbers(reader, "growth", kGrowthFactor);
    if (growth->months.empty()) growth.reset();
  }
  if (growth) growth->position = reader.position_of("growth");
  return growth;
}

Demand read_demand(MapReader& reader) {
  Demand demand;
  demand.position = reader.position();
  demand.requests = read_rate(reader);
  demand.tokens_in = placed(reader, "tokens_in",
                            reader.maybe_amount<Tokens>("tokens_in", magnitude::kSequenceTokens));
  demand.tokens_out =
      placed(reader, "tokens_out", reader.maybe_amount<Tokens>("tokens_out", kAnswerTokens));
  read_shape(reader, demand);
  demand.growth = read_growth(reader);
  demand.trace = placed_text(reader, "trace");
  demand.scale = placed(reader, "scale", reader.maybe_count("scale", {1e-3, 1e3}));
  demand.images = placed(reader, "images",
                         reader.maybe_count("images", {0, 1e4, false, "images of a request"}));
  check_demand(reader, demand);
  reader.finish();
  return demand;
}

// More nines than these are lost in what a failure rate knows.
constexpr Range kAvailability{0.5, 0.9999999, false, "a share of the time: '99.9 %'"};

constexpr Range kDeployed{0, 1000, false, "replicas that a deploy takes out at once: 1"};

Slo read_slo(MapReader& reader) {
  Slo slo;
  slo.position = reader.position();
  for (const SloKey& row : kSloKeys) {
    const auto most = reader.maybe_quantity<Seconds>(
        row.key, row.metric == SloMetric::kTimePerOutputToken ? magnitude::kTimePerToken
                                                              : magnitude::kTimeToFirstToken);
    if (!most) continue;
    const bool falls = !slo.bounds.empty() && slo.bounds.back().metric == row.metric &&
                       slo.bounds.back().most.value > *most;
    if (falls)
      reader.report(row.key, lf::kInconsistentFigures,
                    "a higher percentile cannot be faster than a lower one");
    slo.bounds.push_back({row.metric, row.quantile, {*most, reader.position_of(row.key)}});
  }
  slo.availability = placed_ratio(reader, "availability", kAvailability);
  slo.zones = placed_int(reader, "zones", {2, 100, false, "zones that fail apart: 3"});
  slo.spare = placed_int(reader, "spare", kDeployed);
  if (reader.empty())
    reader.report("", lf::kMissingKey, "'slo' promises nothing",
                  "write 'ttft_p95: 1.5 s', or leave 'slo' out");
  reader.finish();
  return slo;
}

Pool read_pool(MapReader& reader) {
  Pool pool;
  pool.gpu = placed_text(reader, "gpu");
  pool.tp = placed_int(reader, "tp", magnitude::kDegree);
  pool.pp = placed_int(reader, "pp", magnitude::kDegree);
  pool.ep = placed_int(reader, "ep", magnitude::kDegree);
  pool.dp = placed_int(reader, "dp", magnitude::kDegree);
  pool.replicas = placed_int(reader, "replicas", magnitude::kDegree);
  pool.max_seqs =
      placed_integer(reader, "max_seqs", magnitude::band(1, 1e7, "sequences in one batch"));
  pool.chunk =
      placed_integer(reader, "chunk", magnitude::band(1, 1e7, "prefill tokens in one step"));
  pool.kv = placed_text(reader, "kv");
  pool.cp = placed_int(reader, "cp", magnitude::kDegree);
  return pool;
}

std::optional<Pool> read_named_pool(MapReader& reader, std::string_view key) {
  auto map = reader.map(key, false);
  if (!map) return std::nullopt;
  Pool pool = read_pool(*map);
  map->finish();
  return pool;
}

// Prefill and decode apart: both pools, and nothing at the top that only one pool can have.
void check_split(MapReader& reader, const Deployment& deployment) {
  if (!reader.has("prefill") && !reader.has("decode")) {
    if (deployment.operations.transfer)
      reader.report("transfer", lf::kContradictoryKeys,
                    "'transfer' without 'prefill' and 'decode': nothing is moved",
                    "write the two pools, or leave it out");
    return;
  }
  if (deployment.prefill.has_value() != deployment.decode.has_value()) {
    const std::string missing = reader.has("prefill") ? "decode" : "prefill";
    if (!reader.has(missing))
      reader.report(missing, lf::kMissingKey, "'deployment' needs '" + missing + "' as well",
                    "prefill and decode are apart only together");
  }
  for (const std::string_view key :
       {"tp", "pp", "ep", "dp", "cp", "replicas", "max_seqs", "chunk"}) {
    if (reader.has(key))
      reader.report(key, lf::kContradictoryKeys,
                    "'" + std::string(key) + "' stands beside 'prefill' and 'decode'",
                    "write it inside 'prefill' and 'decode'");
  }
}

// `0.11`, `v0.11.2` or `1.0.0rc3`.
bool is_release(std::string_view text) {
  const auto digits = [&text] {
    const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(end);
    return end > 0;
  };
  if (text.substr(0, 1) == "v") text.remove_prefix(1);
  if (!digits() || text.substr(0, 1) != ".") return false;
  text.remove_prefix(1);
  return digits();
}

void check_release(MapReader& reader, const Deployment& deployment) {
  if (reader.has("release") && !reader.has("engine"))
    reader.report("release", lf::kContradictoryKeys, "a release without an engine",
                  "write 'engine: vllm' as well");
  if (deployment.release && !is_release(deployment.release->value))
    reader.report("release", lf::kOutOfRange,
                  "'" + deployment.release->value + "' is not a release",
                  "write its number, such as \"0.11\"");
}

Deployment read_deployment(MapReader& reader) {
  Deployment deployment;
  deployment.position = reader.position();
  deployment.pool = read_pool(reader);
  deployment.engine = placed_text(reader, "engine");
  deployment.release = placed_text(reader, "release");
  deployment.operations = read_operations(reader);
  deployment.prefill = read_named_pool(reader, "prefill");
  deployment.decode = read_named_pool(reader, "decode");
  check_release(reader, deployment);
  check_split(reader, deployment);
  reader.finish();
  return deployment;
}

constexpr Range kBatchDeadline =
    magnitude::band(10 * magnitude::kMinute, 7 * magnitude::kDay,
                    "batch work is due in ten minutes to a week: '8 h'; write 'slo' for less");

ServeSection read_one_model(MapReader& section) {
  ServeSection ask;
  ask.position = section.position();
  ask.model = read_model(section);
  ask.precision = placed_text(section, "precision");
  if (auto map = section.map("demand", false)) ask.demand = read_demand(*map);
  if (auto map = section.map("slo", false)) ask.slo = read_slo(*map);
  ask.deadline = placed_quantity<Seconds>(section, "deadline", kBatchDeadline);
  if (ask.deadline && ask.slo && !ask.slo->bounds.empty())
    section.report("deadline", lf::kContradictoryKeys,
                   "a request is either promised by its deadline or by the times of 'slo'",
                   "keep 'deadline' for batch work, or 'slo' where somebody waits");
  if (auto map = section.map("deployment", false)) ask.deployment = read_deployment(*map);
  return ask;
}

constexpr Range kRegionShare{1e-4, 1, false, "a part of the demand: '40 %'"};

// Regions, each once, whose shares are all of the demand.
void read_regions(MapReader& section, ServeSection& ask) {
  double sum = 0;
  bool is_sound = true;
  for (auto& map : section.maps("regions", false)) {
    const std::string name = map.text("name");
    const auto share = map.ratio("share", kRegionShare);
    const bool is_twice = std::any_of(ask.regions.begin(), ask.regions.end(),
                                      [&](const auto& other) { return other.name.value == name; });
    if (is_twice)
      map.report("name", lf::kDuplicateName, "the region '" + name + "' is given twice",
                 "keep one of them, with the sum of both shares");
    map.finish();
    is_sound = is_sound && !name.empty() && share > 0;
    sum += share;
    ask.regions.push_back({{name, map.position_of("name")}, {share, map.position_of("share")}});
  }
  constexpr double kRounding = 2e-4;  // Thirds are written to two digits of a percent.
  if (ask.regions.empty() || !is_sound || std::abs(sum - 1) <= kRounding) return;
  section.report("regions", lf::kInconsistentFigures,
                 "the shares of the regions sum to " + percent_text(sum) + ", not to 100 %",
                 "each region's part of the demand: '- {name: germany, share: 40 %}'");
}

}  // namespace

ServeSection read_serve(MapReader& section) {
  ServeSection ask = read_one_model(section);
  for (auto& map : section.maps("others", false)) {
    ask.others.push_back(read_one_model(map));
    map.finish();
  }
  read_regions(section, ask);
  section.finish();
  return ask;
}

}  // namespace loadfactor::config
