// The JSON forms of a simulation: the envelope, and the trace of its steps.
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/json_text.h"
#include "report/json_answer.h"
#include "report/simulate_report.h"

namespace loadfactor::report {
namespace {

template <typename Q>
Json modelled(Q value, const char* source) {
  return quantity(EstimateOf<Q>::exact(value, Basis::kModelled, source).erased());
}

Json latency(const LatencyFigures& f) {
  return {{"p50", quantity(f.p50.erased())},
          {"p90", quantity(f.p90.erased())},
          {"p95", quantity(f.p95.erased())},
          {"p99", quantity(f.p99.erased())},
          {"mean", quantity(f.mean.erased())}};
}

void add_deployment(const SimulateAnswer& a, Json& json) {
  json["model"] = a.model;
  json["accelerator"] = a.accelerator;
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
                        {"kv_tokens", a.kv_tokens}};
}

void add_counts(const SimulateAnswer& a, bool reproducible, Json& json) {
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
  if (!reproducible) json["engine_seconds"] = a.engine_seconds;
  json["duration"] = modelled(a.duration, "simulated time");
}

void add_slo(const SimulateAnswer& a, Json& json) {
  json["slo"] = Json::array();
  for (const auto& s : a.slo)
    json["slo"].push_back({{"name", s.name},
                           {"bound", modelled(s.bound, "scenario")},
                           {"reached", modelled(s.reached, "simulation")},
                           {"met", s.met}});
  json["goodput_percent"] = 100 * a.goodput;
}

void add_load(const SimulateAnswer& a, Json& json) {
  json["load_factor"] = modelled(a.load_factor, "work delivered over work at saturation");
  json["losses"] = {{"demand", 100 * a.losses.demand},
                    {"shape", 100 * a.losses.shape},
                    {"headroom", 100 * a.losses.headroom},
                    {"slo", 100 * a.losses.slo},
                    {"rounding", 100 * a.losses.rounding}};
  json["saturated_rate"] = modelled(a.saturated_rate, "a replica that is never idle");
  if (a.slo_rate) json["slo_rate"] = modelled(*a.slo_rate, "the most within the SLO");
  json["paid_replica_hours"] = a.paid_replica_hours;
  json["busy_percent"] = 100 * a.busy;
  json["binding"] = a.binding;
  json["delivered"] = Json::array();
  for (const auto& p : a.delivered)
    json["delivered"].push_back({{"start_s", p.start.base()},
                                 {"requests", p.requests},
                                 {"tokens_in", p.tokens_in},
                                 {"tokens_out", p.tokens_out},
                                 {"load_factor_percent", 100 * p.load_factor}});
  json["series"] = Json::array();
  for (const auto& p : a.series)
    json["series"].push_back({{"time_s", p.time.base()},
                              {"waiting", p.waiting},
                              {"running", p.running},
                              {"kv_percent", 100 * p.kv_share},
                              {"replicas", p.replicas},
                              {"tokens_per_s", p.tokens_per_s}});
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
  Json json;
  json["verdict"] = simulate_verdict(answer);
  add_deployment(answer, json);
  add_counts(answer, reproducible, json);
  json["ttft"] = latency(answer.ttft);
  json["tpot"] = latency(answer.tpot);
  json["itl"] = latency(answer.itl);
  json["e2e"] = latency(answer.e2e);
  add_slo(answer, json);
  json["request_rate"] = quantity(answer.request_rate.erased());
  json["throughput"] = quantity(answer.throughput.erased());
  json["throughput_per_gpu"] = quantity(answer.throughput_per_gpu.erased());
  json["tokens_in_rate"] = modelled(answer.tokens_in_rate, "simulation");
  json["mfu"] = quantity(answer.mfu.erased());
  json["mbu"] = quantity(answer.mbu.erased());
  json["energy"] = quantity(answer.energy.erased());
  json["cache_hit_percent"] = 100 * answer.cache_hit_share;
  add_load(answer, json);
  return envelope("serve", Json{{"name", answer.scenario}, {"file", file}}, std::move(json),
                  answer.notices, answer.facts);
}

std::string simulate_trace_json(const SimulateAnswer& answer) {
  std::string text = fmt::format(
      "{{\"displayTimeUnit\":\"ms\",\"otherData\":{{\"scenario\":{}}},\n"
      "\"traceEvents\":[\n",
      json_string(answer.scenario));
  for (int r = 0; r < answer.replicas * answer.dp; ++r)
    text += fmt::format(
        "{{\"ph\":\"M\",\"pid\":1,\"tid\":{},\"name\":\"thread_name\",\"args\":{{\"name\":"
        "\"replica {}\"}}}},\n",
        r + 1, r + 1);
  for (const auto& span : answer.spans) text += span_event(span) + ",\n";
  for (const auto& point : answer.series) text += counter_event(point) + ",\n";
  return text +
         "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"simulation\"}}\n]}"
         "\n";
}

}  // namespace loadfactor::report
