// The JSON form of what traffic is like; the contract is data/schema/demand.schema.json.
#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "report/demand_report.h"
#include "report/json_answer.h"

namespace loadfactor::report {
namespace {

using demand::Characterisation;

template <typename Q>
Json figure(Q value, const engine::DemandAnswer& answer, Basis basis = Basis::kMeasured) {
  return quantity(EstimateOf<Q>::exact(value, basis, answer.name).erased());
}

Json import_json(const demand::ImportReport& r) {
  Json json;
  json["format"] = r.format;
  json["rows_read"] = r.rows_read;
  json["rows_used"] = r.rows_used;
  json["rows_dropped"] = Json::object();
  for (std::size_t i = 0; i < r.dropped.size(); ++i) {
    if (r.dropped[i].rows == 0) continue;
    json["rows_dropped"]
        [std::string(demand::drop_reason_words(static_cast<demand::DropReason>(i)))] =
            r.dropped[i].rows;
  }
  json["out_of_order"] = r.out_of_order;
  json["time_unit"] = std::string(time_unit_name(r.time_unit));
  json["time_unit_why"] = r.time_unit_why;
  json["span_seconds"] = r.span.base();
  json["granularity_seconds"] = r.granularity.base();
  json["batch_interval_seconds"] = r.batch_interval.base();
  json["silent_minutes"] = r.silent_minutes;
  json["minutes"] = r.minutes;
  json["gaps"] = Json::array();
  for (const auto& gap : r.gaps)
    json["gaps"].push_back({{"start_seconds", static_cast<double>(gap.start) * 1e-9},
                            {"length_seconds", static_cast<double>(gap.length) * 1e-9}});
  return json;
}

Json lengths_json(const demand::LengthStatistics& s, const engine::DemandAnswer& answer) {
  Json json;
  json["mean"] = figure(Tokens::from_base(s.mean), answer);
  json["cv"] = figure(s.cv, answer);
  for (std::size_t i = 0; i < s.percentiles.size(); ++i)
    json[fmt::format("p{}", demand::kLengthPercentiles[i])] =
        figure(Tokens::from_base(s.percentiles[i]), answer);
  json["most"] = figure(Tokens::from_base(static_cast<double>(s.longest)), answer);
  json["zeros"] = s.zeros;
  return json;
}

void add_windows(const Characterisation& c, const engine::DemandAnswer& answer, Json& json) {
  json["windows"] = Json::array();
  for (const auto& w : c.windows)
    json["windows"].push_back({{"window", figure(w.window, answer)},
                               {"windows", w.windows},
                               {"mean_rate", figure(w.mean, answer)},
                               {"peak_rate", figure(w.peak, answer)},
                               {"peak_to_mean", figure(w.peak_to_mean(), answer)},
                               {"dispersion", figure(w.dispersion, answer)}});
}

void add_traffic(const Characterisation& c, const engine::DemandAnswer& answer, Json& json) {
  json["requests"] = c.requests;
  if (c.is_timed) {
    const demand::WindowStatistics* widest = c.widest_meaningful_window();
    const Hertz peak = widest != nullptr   ? widest->peak
                       : c.windows.empty() ? c.mean_rate
                                           : std::max(c.mean_rate, c.windows.back().peak);
    const bool rates_only = std::holds_alternative<demand::RateProfile>(answer.data);
    json["mean_rate"] = figure(c.mean_rate, answer);
    json["peak_rate"] = figure(peak, answer);
    json["mean_to_peak"] = figure(peak > Hertz() ? c.mean_rate / peak : 1.0, answer);
    json["cv"] =
        figure(c.cv.value_or(1.0), answer, rates_only ? Basis::kAssumed : Basis::kMeasured);
    add_windows(c, answer, json);
    if (c.hours_below_quarter) {
      json["hours_below_quarter"] = figure(*c.hours_below_quarter, answer);
      json["hours_below_half"] = figure(*c.hours_below_half, answer);
    }
    json["week"] = Json::array();
    for (const auto& day : c.week.rate) json["week"].push_back(day);
  }
  json["lengths"] = Json::object();
  if (c.input) {
    json["lengths"]["input"] = lengths_json(*c.input, answer);
    json["lengths"]["output"] = lengths_json(*c.output, answer);
    json["lengths"]["rank_correlation"] = figure(*c.length_correlation, answer);
  }
  if (!c.prefixes) return;
  json["prefix_hit"] = figure(c.prefixes->unlimited_hit, answer);
  json["prefix_hit_by_blocks"] = Json::array();
  for (const std::int64_t blocks : {1000, 5000, 10000, 30000, 100000})
    json["prefix_hit_by_blocks"].push_back(
        {{"blocks", blocks}, {"hit", figure(c.prefixes->hit(blocks), answer)}});
}

void add_cluster(const demand::ClusterUse& use, const engine::DemandAnswer& answer, Json& json) {
  json["jobs"] = use.jobs;
  json["gpu_hours"] = use.gpu_seconds / 3600;
  json["peak_gpus"] = use.peak_gpus;
  json["mean_to_peak"] =
      figure(use.peak_gpus > 0 ? use.mean_gpus / static_cast<double>(use.peak_gpus) : 0.0, answer);
  json["mean_gpus"] = use.mean_gpus;
  json["succeeded_share"] = figure(use.succeeded_share, answer);
  json["useful_share"] =
      figure(use.gpu_seconds > 0 ? use.useful_gpu_seconds / use.gpu_seconds : 0.0, answer);
}

void add_metrics(const demand::MetricsSnapshot& s, Json& json) {
  Json metrics;
  const auto add = [&metrics](const char* key, std::optional<double> value) {
    if (value) metrics[key] = *value;
  };
  add("requests", s.requests);
  add("input_tokens", s.input_tokens);
  add("output_tokens", s.output_tokens);
  add("running", s.running);
  add("waiting", s.waiting);
  add("kv_use", s.kv_use);
  add("prefix_hit_ratio", s.prefix_hit_ratio);
  add("gpu_util", s.gpu_util);
  add("sm_active", s.sm_active);
  add("tensor_active", s.tensor_active);
  add("dram_active", s.dram_active);
  if (s.power) metrics["power_watts"] = s.power->base();
  if (s.gpus > 0) metrics["gpus"] = s.gpus;
  json["metrics"] = std::move(metrics);
}

}  // namespace

std::string demand_json(const engine::DemandAnswer& answer) {
  Json json;
  json["verdict"] = demand_verdict(answer);
  json["import"] = import_json(answer.import);
  if (answer.traffic) add_traffic(*answer.traffic, answer, json);
  if (answer.cluster) add_cluster(*answer.cluster, answer, json);
  if (answer.metrics) add_metrics(*answer.metrics, json);
  return envelope("demand", Json{{"file", answer.name}}, std::move(json), answer.notices, {});
}

}  // namespace loadfactor::report
