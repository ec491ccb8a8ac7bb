// The JSON forms of a simulation: the envelope, and the trace of its steps.
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/json_text.h"
#include "report/json_answer.h"
#include "report/serve/simulate_report.h"

namespace loadfactor::report {
namespace {

template <typename Q>
Json modelled(Q value, const char* source) {
  return quantity(EstimateOf<Q>::exact(value, Basis::kModelled, source).erased());
}

// Null where there is nothing that the figures could be of.
Json latency(const LatencyFigures& f) {
  if (f.count == 0)
    return {
        {"p50", nullptr}, {"p90", nullptr}, {"p95", nullptr}, {"p99", nullptr}, {"mean", nullptr}};
  return {{"p50", quantity(f.p50.erased())},
          {"p90", quantity(f.p90.erased())},
          {"p95", quantity(f.p95.erased())},
          {"p99", quantity(f.p99.erased())},
          {"mean", quantity(f.mean.erased())}};
}

Json rates(const TokenRates& r) {
  return {{"all", quantity(r.all.erased())},
          {"per_replica", quantity(r.per_replica.erased())},
          {"per_gpu", quantity(r.per_gpu.erased())}};
}

Json bars(const std::vector<HistogramBar>& histogram) {
  Json list = Json::array();
  for (const auto& bar : histogram)
    list.push_back(
        {{"upto", modelled(bar.upto, "simulation")}, {"share_percent", 100 * bar.share}});
  return list;
}

void add_deployment(const SimulateAnswer& a, Json& json) {
  json["model"] = a.model;
  json["accelerator"] = a.accelerator;
  if (!a.models.empty()) {
    json["pool"] = {{"replicas", a.replicas}, {"gpus", a.gpus}};
    return;
  }
  json["deployment"] = {{"engine", a.engine_title},
                        {"replicas", a.replicas},
                        {"gpus", a.gpus},
                        {"tp", a.tp},
                        {"pp", a.pp},
                        {"ep", a.ep},
                        {"dp", a.dp},
                        {"router", a.router},
                        {"max_seqs", a.max_seqs},
                        {"chunk", a.chunk},
                        {"kv_tokens", quantity(a.kv_tokens.erased())},
                        {"mean_replicas", a.mean_replicas},
                        {"most_replicas", a.most_replicas},
                        {"mean_gpus", a.mean_gpus}};
  Json& pools = json["deployment"]["pools"] = Json::array();
  for (const PoolShape& pool : a.pools)
    pools.push_back({{"name", pool.name},
                     {"accelerator", pool.accelerator},
                     {"replicas", pool.replicas},
                     {"tp", pool.tp},
                     {"pp", pool.pp},
                     {"ep", pool.ep},
                     {"dp", pool.dp},
                     {"max_seqs", pool.max_seqs},
                     {"chunk", pool.chunk},
                     {"kv_tokens", quantity(pool.kv_tokens.erased())},
                     {"busy_percent", 100 * pool.busy}});
}

void add_counts(const SimulateAnswer& a, Json& json) {
  json["engine"] = a.engine;
  json["why_plain"] = a.why_plain;
  json["requests"] = a.requests;
  json["served"] = a.served;
  json["turned_away"] = a.turned_away;
  json["cancelled"] = a.cancelled;
  json["dropped_rows"] = a.dropped_rows;
  json["steps"] = a.steps;
  json["events"] = a.events;
  json["preemptions"] = a.preemptions;
  json["most_live"] = a.most_live;
  json["duration"] = modelled(a.duration, "simulated time");
}

void add_slo(const SimulateAnswer& a, Json& json) {
  json["slo"] = Json::array();
  for (const auto& s : a.slo)
    json["slo"].push_back({{"name", s.name},
                           {"bound", modelled(s.bound, "scenario")},
                           {"reached", s.reached ? quantity(s.reached->erased()) : Json()},
                           {"met", s.met}});
  json["goodput_percent"] = 100 * a.goodput;
}

void add_load(const SimulateAnswer& a, Json& json) {
  json["load_factor"] = quantity(a.load_factor.erased());
  json["losses"] = {{"demand", quantity(a.losses.demand.erased())},
                    {"shape", quantity(a.losses.shape.erased())},
                    {"headroom", quantity(a.losses.headroom.erased())},
                    {"slo", quantity(a.losses.slo.erased())},
                    {"rounding", quantity(a.losses.rounding.erased())},
                    {"downtime", quantity(a.losses.downtime.erased())}};
  if (a.models.empty()) json["saturated_rate"] = quantity(a.saturated_rate.erased());
  if (a.slo_rate) json["slo_rate"] = quantity(a.slo_rate->erased());
  json["paid_replica_time"] = modelled(a.paid_replica_time, "simulation");
  json["paid_gpu_time"] = modelled(a.paid_gpu_time, "simulation");
  json["busy_percent"] = 100 * a.busy;
  json["binding"] = a.binding;
}

void add_time(const SimulateAnswer& a, Json& json) {
  json["delivered"] = Json::array();
  for (const auto& p : a.delivered)
    json["delivered"].push_back({{"start", modelled(p.start, "simulation")},
                                 {"requests", p.requests},
                                 {"tokens_in", p.tokens_in},
                                 {"tokens_out", p.tokens_out},
                                 {"load_factor_percent", 100 * p.load_factor}});
  json["series"] = Json::array();
  for (const auto& p : a.series)
    json["series"].push_back({{"time", modelled(p.time, "simulation")},
                              {"waiting", p.waiting},
                              {"running", p.running},
                              {"kv_percent", 100 * p.kv_share},
                              {"replicas", p.replicas},
                              {"throughput", quantity(p.throughput.erased())}});
}

Json answer_json(const SimulateAnswer& a) {
  Json json;
  json["verdict"] = simulate_verdict(a);
  add_deployment(a, json);
  add_counts(a, json);
  json["ttft"] = latency(a.ttft);
  if (a.urgent_ttft) json["urgent_ttft"] = latency(*a.urgent_ttft);
  if (a.other_ttft) json["other_ttft"] = latency(*a.other_ttft);
  json["tpot"] = latency(a.tpot);
  json["itl"] = latency(a.itl);
  json["e2e"] = latency(a.e2e);
  add_slo(a, json);
  json["request_rate"] = quantity(a.request_rate.erased());
  json["throughput"] = quantity(a.rate_out.all.erased());
  json["throughput_per_gpu"] = quantity(a.rate_out.per_gpu.erased());
  json["token_rates"] = {
      {"in", rates(a.rate_in)}, {"out", rates(a.rate_out)}, {"total", rates(a.rate_total)}};
  json["mfu"] = quantity(a.mfu.erased());
  json["mbu"] = quantity(a.mbu.erased());
  json["energy"] = quantity(a.energy.erased());
  json["energy_per_token"] = quantity(a.energy_per_token.erased());
  json["cache_hit_percent"] = 100 * a.cache_hit_share;
  add_load(a, json);
  json["histograms"] = {{"ttft", bars(a.histograms.ttft)},
                        {"tpot", bars(a.histograms.tpot)},
                        {"e2e", bars(a.histograms.e2e)}};
  add_time(a, json);
  return json;
}

std::string span_event(const SimulatedSpan& span) {
  const bool is_run = span.prompt_tokens == 0;
  return fmt::format(
      "{{\"ph\":\"X\",\"pid\":1,\"tid\":{},\"name\":\"{}\",\"cat\":\"{}\",\"ts\":{},\"dur\":{},"
      "\"args\":{{\"steps\":{},\"sequences\":{},\"prompt_tokens\":{}}}}}",
      span.replica + 1, is_run ? "decode" : "prefill", is_run ? "decode" : "mixed",
      json_number(span.start.base() * 1e6), json_number(span.duration.base() * 1e6), span.steps,
      span.sequences, span.prompt_tokens);
}

std::string counter_event(const LoadPoint& p) {
  return fmt::format(
      "{{\"ph\":\"C\",\"pid\":1,\"name\":\"requests\",\"ts\":{0},\"args\":{{\"waiting\":{1},"
      "\"running\":{2}}}}},\n{{\"ph\":\"C\",\"pid\":1,\"name\":\"KV cache %\",\"ts\":{0},\"args\":"
      "{{\"used\":{3}}}}}",
      json_number(p.time.base() * 1e6), p.waiting, p.running, json_number(100 * p.kv_share));
}

}  // namespace

std::string simulate_json(const SimulateAnswer& answer, const std::string& file,
                          bool reproducible) {
  Json json = answer_json(answer);
  if (!reproducible) {
    json["engine_seconds"] = answer.engine_seconds;
    json["seconds"] = answer.seconds;
  }
  if (!answer.models.empty()) {
    json["models"] = Json::array();
    for (const auto& model : answer.models) json["models"].push_back(answer_json(model));
  }
  return envelope("serve", Json{{"name", answer.scenario}, {"file", file}}, std::move(json),
                  answer.notices, answer.facts);
}

std::string simulate_trace_json(const SimulateAnswer& answer) {
  std::string text = fmt::format(
      "{{\"displayTimeUnit\":\"ms\",\"otherData\":{{\"scenario\":{}}},\n"
      "\"traceEvents\":[\n",
      json_string(answer.scenario));
  for (std::size_t r = 0; r < answer.replica_names.size(); ++r)
    text += fmt::format(
        "{{\"ph\":\"M\",\"pid\":1,\"tid\":{},\"name\":\"thread_name\",\"args\":{{\"name\":{}}}}},"
        "\n",
        r + 1, json_string(answer.replica_names[r]));
  for (const auto& span : answer.spans) text += span_event(span) + ",\n";
  for (const auto& point : answer.series) text += counter_event(point) + ",\n";
  return text +
         "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"simulation\"}}\n]}"
         "\n";
}

}  // namespace loadfactor::report
