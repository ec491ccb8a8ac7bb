// The description of a simulated deployment.
#include <string>
#include <utility>

#include "report/describe/csv.h"
#include "report/describe/describe.h"
#include "report/describe/envelope.h"
#include "report/describe/tree.h"
#include "report/serve/serve_words.h"
#include "report/serve/simulate_report.h"

namespace loadfactor::report {
namespace {

constexpr std::string_view kEngines[] = {"skip_ahead", "plain"};
constexpr std::string_view kRouters[] = {"least-loaded", "round-robin", "cache-aware", "session"};
constexpr std::string_view kPools[] = {"", "prefill", "decode"};

template <typename Q>
EstimateOf<Q> modelled(Q value, const char* source) {
  return EstimateOf<Q>::exact(value, Basis::kModelled, source);
}
constexpr auto kSimulated = [](auto value) { return modelled(value, "simulation"); };
constexpr auto kSimulatedTime = [](Seconds value) { return modelled(value, "simulated time"); };
constexpr auto kAsked = [](Seconds value) { return modelled(value, "scenario"); };

// One figure of a latency; nothing where no request has one.
template <auto quantile>
std::optional<EstimateOf<Seconds>> latency(const LatencyFigures& figures) {
  return figures.count == 0 ? std::nullopt : std::optional(figures.*quantile);
}

// Several models on one pool of GPUs have no deployment of their own.
struct Pool {
  int replicas = 0, gpus = 0;
};
std::optional<Pool> pool_of(const SimulateAnswer& a) {
  if (a.models.empty()) return std::nullopt;
  return Pool{a.layout.replicas, a.layout.gpus};
}

struct Deployment {
  std::string engine, router, precision, kv_format;
  ServeLayout layout;
  std::int64_t max_seqs = 0, chunk = 0;
  EstimateOf<Tokens> kv_tokens;
  double mean_replicas = 0;
  int most_replicas = 0;
  double mean_gpus = 0;
  std::vector<PoolShape> pools;
};
std::optional<Deployment> deployment_of(const SimulateAnswer& a) {
  if (!a.models.empty()) return std::nullopt;
  return Deployment{.engine = a.engine_title,
                    .router = a.router,
                    .precision = a.precision,
                    .kv_format = a.kv_format,
                    .layout = a.layout,
                    .max_seqs = a.max_seqs,
                    .chunk = a.chunk,
                    .kv_tokens = a.kv_tokens,
                    .mean_replicas = a.mean_replicas,
                    .most_replicas = a.most_replicas,
                    .mean_gpus = a.mean_gpus,
                    .pools = a.pools};
}

struct RatesBothWays {
  TokenRates in, out, total;
};
RatesBothWays rates_of(const SimulateAnswer& a) {
  return {a.rate_in, a.rate_out, a.rate_total};
}
EstimateOf<TokensPerSecond> throughput_of(const SimulateAnswer& a) {
  return a.rate_out.all;
}
EstimateOf<TokensPerSecond> throughput_per_gpu_of(const SimulateAnswer& a) {
  return a.rate_out.per_gpu;
}
std::optional<EstimateOf<Hertz>> saturated_rate_of(const SimulateAnswer& a) {
  return a.models.empty() ? std::optional(a.saturated_rate) : std::nullopt;
}

// All that one model and several have alike.
struct Simulated {
  const SimulateAnswer& answer;
};

Simulated simulated(const SimulateAnswer& a) {
  return {a};
}
std::optional<std::vector<Simulated>> models_of(const SimulateAnswer& a) {
  if (a.models.empty()) return std::nullopt;
  std::vector<Simulated> out;
  for (const SimulateAnswer& model : a.models) out.push_back({model});
  return out;
}

}  // namespace

template <>
constexpr auto kFields<LatencyFigures> = fields<LatencyFigures>(
    field<latency<&LatencyFigures::p50>>("p50", "Half of the requests are faster"),
    field<latency<&LatencyFigures::p90>>("p90", "Nine of ten are faster"),
    field<latency<&LatencyFigures::p95>>("p95", "Nineteen of twenty are faster"),
    field<latency<&LatencyFigures::p99>>("p99", "Ninety-nine of a hundred are faster"),
    field<latency<&LatencyFigures::mean>>("mean", "Mean of the requests that have one"));

template <>
constexpr auto kFields<TokenRates> = fields<TokenRates>(
    field<&TokenRates::all>("all", "Tokens per second of the deployment"),
    field<&TokenRates::per_replica>("per_replica", "Tokens per second of a replica"),
    field<&TokenRates::per_gpu>("per_gpu", "Tokens per second of a GPU"));

template <>
constexpr auto kFields<RatesBothWays> =
    fields<RatesBothWays>(field<&RatesBothWays::in>("in", "Tokens of prompts"),
                          field<&RatesBothWays::out>("out", "Tokens of answers"),
                          field<&RatesBothWays::total>("total", "Both together"));

template <>
constexpr auto kFields<HistogramBar> = fields<HistogramBar>(
    field<&HistogramBar::upto, kSimulated>("upto", "The longest time that counts here"),
    field<&HistogramBar::share, kPercent>("share_percent",
                                          "Requests between the bar before and this one")
        .in("%")
        .at_least(0));

template <>
constexpr auto kFields<LatencyHistograms> = fields<LatencyHistograms>(
    field<&LatencyHistograms::ttft>("ttft", "Time to the first token"),
    field<&LatencyHistograms::tpot>("tpot", "Time per output token after the first"),
    field<&LatencyHistograms::e2e>("e2e", "Time from request to last token"));

template <>
constexpr auto kFields<Pool> = fields<Pool>(field<&Pool::replicas>("replicas",
                                                                   "Replicas of all models"),
                                            field<&Pool::gpus>("gpus", "GPUs of all models"));

template <>
constexpr auto kFields<PoolShape> = fields<PoolShape>(
    field<&PoolShape::name>("name", "prefill or decode; empty where there is only one pool")
        .one_of(kPools),
    field<&PoolShape::accelerator>("accelerator", "Catalogue name"), spliced<&PoolShape::layout>(),
    field<&PoolShape::max_seqs>("max_seqs", "Sequences that run at once on a rank"),
    field<&PoolShape::chunk>("chunk", "Tokens of the largest step of a rank"),
    field<&PoolShape::kv_tokens>("kv_tokens", "Tokens that the KV cache of a replica holds"),
    field<&PoolShape::busy, kPercent>("busy_percent", "Share of its paid time that was in steps")
        .in("%")
        .at_least(0));

template <>
constexpr auto kFields<Deployment> = fields<Deployment>(
    field<&Deployment::engine>("engine", "The serving engine and its release"),
    field<&Deployment::precision>("precision", "Format of the weights"),
    field<&Deployment::kv_format>("kv", "Format of the KV cache"), spliced<&Deployment::layout>(),
    field<&Deployment::router>("router", "How requests are spread over replicas").one_of(kRouters),
    field<&Deployment::max_seqs>("max_seqs", "Sequences that run at once on a rank"),
    field<&Deployment::chunk>("chunk", "Tokens of the largest step of a rank"),
    field<&Deployment::kv_tokens>("kv_tokens", "Tokens that the KV cache of a replica holds"),
    field<&Deployment::mean_replicas>("mean_replicas", "Replicas paid for on average").at_least(0),
    field<&Deployment::most_replicas>("most_replicas", "Replicas that run at once at most"),
    field<&Deployment::mean_gpus>("mean_gpus", "GPUs paid for on average").at_least(0),
    field<&Deployment::pools>("pools", "Replicas that look alike"));

template <>
constexpr auto kFields<SloVerdict> = fields<SloVerdict>(
    field<&SloVerdict::name>("name", "Key of the objective, such as ttft_p95"),
    field<&SloVerdict::bound, kAsked>("bound", "What is promised"),
    field<&SloVerdict::reached>("reached", "What was reached; null where too few were served"),
    field<&SloVerdict::met>("met", "Whether the promise is kept"));

template <>
constexpr auto kFields<FillerFigures> = fields<FillerFigures>(
    field<&FillerFigures::tokens_in>("tokens_in", "Prompt tokens of one of its requests"),
    field<&FillerFigures::tokens_out>("tokens_out", "Answer tokens of one"),
    field<&FillerFigures::rate>("request_rate", "Its requests that end"),
    field<&FillerFigures::tokens>("throughput", "Their tokens, in and out"),
    field<&FillerFigures::taken>("taken", "Share of the capacity paid for that they take"),
    field<&FillerFigures::is_bounded>("bounded_by_promise",
                                      "Whether more of them would break the service's promise"),
    field<&FillerFigures::requests>("requests", "Requests of the service beside them"),
    field<&FillerFigures::preemptions>("preemptions", "Requests of both that had to start over"),
    field<&FillerFigures::span, kSimulated>("span", "Time that was simulated with them"),
    field<&FillerFigures::ttft>("ttft", "Time to the first token of the service beside them"),
    field<&FillerFigures::tpot>("tpot", "Time per output token of the service beside them"),
    field<&FillerFigures::slo>("slo", "Each objective of the service beside them"));

template <>
constexpr auto kFields<LoadLosses> = fields<LoadLosses>(
    field<&LoadLosses::demand>("demand", "Replicas that even the peak does not need"),
    field<&LoadLosses::shape>("shape", "Hours below the busiest hour"),
    field<&LoadLosses::headroom>("headroom", "Room for the peak inside the busiest hour"),
    field<&LoadLosses::slo>("slo", "Batches kept small for latency"),
    field<&LoadLosses::rounding>("rounding", "Whole replicas"),
    field<&LoadLosses::downtime>("downtime", "Replicas that had failed"));

template <>
constexpr auto kFields<DeliveredPoint> = fields<DeliveredPoint>(
    field<&DeliveredPoint::start, kSimulated>("start", "Start of the interval"),
    field<&DeliveredPoint::requests>("requests", "Requests that ended in it"),
    field<&DeliveredPoint::tokens_in>("tokens_in", "Tokens of their prompts"),
    field<&DeliveredPoint::tokens_out>("tokens_out", "Tokens of their answers"),
    field<&DeliveredPoint::load_factor, kPercent>("load_factor_percent",
                                                  "Work delivered over work possible")
        .in("%")
        .at_least(0));

template <>
constexpr auto kFields<LoadPoint> = fields<LoadPoint>(
    field<&LoadPoint::time, kSimulated>("time", "Simulated time"),
    field<&LoadPoint::waiting>("waiting", "Requests that wait"),
    field<&LoadPoint::running>("running", "Requests that run"),
    field<&LoadPoint::kv_share, kPercent>("kv_percent", "KV cache in use").in("%").at_least(0),
    field<&LoadPoint::replicas>("replicas", "Replicas that are ready"),
    field<&LoadPoint::throughput>("throughput", "Output tokens since the point before"));

// A field of the answer behind the view.
template <auto getter>
constexpr auto kOf = [](const Simulated& view) { return std::invoke(getter, view.answer); };
constexpr auto kWhyPlain = [](const Simulated& view) { return plain_words(view.answer.why_plain); };
constexpr auto kBinding = [](const Simulated& view) { return binding_words(view.answer.binding); };
template <auto getter>
constexpr auto kPercentOf =
    [](const Simulated& view) { return 100 * std::invoke(getter, view.answer); };
template <auto getter>
constexpr auto kSimulatedOf =
    [](const Simulated& view) { return kSimulated(std::invoke(getter, view.answer)); };

using A = SimulateAnswer;

template <>
constexpr auto kFields<Simulated> = fields<Simulated>(
    field<Simulated>("verdict", kOf<simulate_verdict>, "The answer as one sentence").at_least(1),
    field<Simulated>("model", kOf<&A::model>, "Catalogue name; empty where there are several"),
    field<Simulated>("accelerator", kOf<&A::accelerator>, "Catalogue name"),
    known_field<Simulated>("pool", kOf<pool_of>, "The GPUs that several models share"),
    known_field<Simulated>("deployment", kOf<deployment_of>, "What was simulated"),
    field<Simulated>("engine", kOf<&A::engine>, "How time passes in the simulator")
        .one_of(kEngines),
    field<Simulated>("why_plain", kWhyPlain, "Why it cannot skip ahead; empty: it can"),
    field<Simulated>("requests", kOf<&A::requests>, "Requests that came"),
    field<Simulated>("served", kOf<&A::served>, "Requests that were answered"),
    field<Simulated>("turned_away", kOf<&A::turned_away>, "Requests that found the queue full"),
    field<Simulated>("cancelled", kOf<&A::cancelled>, "Requests that ran out of time"),
    field<Simulated>("dropped_rows", kOf<&A::dropped_rows>, "Rows of the trace that were unusable"),
    field<Simulated>("steps", kOf<&A::steps>, "Steps of all ranks"),
    field<Simulated>("events", kOf<&A::events>, "Events of the simulator"),
    field<Simulated>("preemptions", kOf<&A::preemptions>, "Requests that had to start over"),
    field<Simulated>("most_live", kOf<&A::most_live>, "Requests in the system at once, at most"),
    field<Simulated>(
        "duration", [](const Simulated& s) { return kSimulatedTime(s.answer.duration); },
        "Simulated time to the end of the last request"),
    field<Simulated>("ttft", kOf<&A::ttft>, "Time to the first token"),
    known_field<Simulated>("urgent_ttft", kOf<&A::urgent_ttft>, "The same of urgent requests"),
    known_field<Simulated>("other_ttft", kOf<&A::other_ttft>, "The same of all others"),
    field<Simulated>("tpot", kOf<&A::tpot>, "Time per output token after the first"),
    field<Simulated>("itl", kOf<&A::itl>, "Time between two tokens"),
    field<Simulated>("e2e", kOf<&A::e2e>, "Time from request to last token"),
    field<Simulated>("slo", kOf<&A::slo>, "Each objective, and whether it is kept"),
    known_field<Simulated>("filler", kOf<&A::filler>, "Batch work that takes what is left"),
    field<Simulated>("goodput_percent", kPercentOf<&A::goodput>,
                     "Requests that were served within every objective")
        .in("%")
        .at_least(0),
    field<Simulated>("request_rate", kOf<&A::request_rate>, "Requests that were served"),
    field<Simulated>("throughput", kOf<throughput_of>, "Output tokens of the deployment"),
    field<Simulated>("throughput_per_gpu", kOf<throughput_per_gpu_of>, "Output tokens of a GPU"),
    field<Simulated>("token_rates", kOf<rates_of>, "Tokens of prompts and answers"),
    field<Simulated>("mfu", kOf<&A::mfu>, "Model FLOPs over the dense peak"),
    field<Simulated>("mbu", kOf<&A::mbu>, "Bandwidth that weights and cache need over the peak"),
    field<Simulated>("energy", kOf<&A::energy>, "Energy of all GPUs"),
    field<Simulated>("energy_per_token", kOf<&A::energy_per_token>,
                     "Energy of one output token; of one that is read where none is written"),
    field<Simulated>("cache_hit_percent", kPercentOf<&A::cache_hit_share>,
                     "Tokens of prompts that the prefix cache had")
        .in("%")
        .at_least(0),
    field<Simulated>("load_factor", kOf<&A::load_factor>, "Work delivered over work paid for"),
    field<Simulated>("losses", kOf<&A::losses>,
                     "Shares of the capacity paid for; they and the load factor sum to 1"),
    known_field<Simulated>("saturated_rate", kOf<saturated_rate_of>,
                           "Requests of one replica that is never idle"),
    known_field<Simulated>("slo_rate", kOf<&A::slo_rate>,
                           "Requests that one replica takes within the SLO, at most"),
    field<Simulated>("paid_replica_time", kSimulatedOf<&A::paid_replica_time>,
                     "Replicas times the time they were paid for"),
    field<Simulated>("paid_gpu_time", kSimulatedOf<&A::paid_gpu_time>,
                     "GPUs times the time they were paid for"),
    field<Simulated>("busy_percent", kPercentOf<&A::busy>, "Paid time that was in steps")
        .in("%")
        .at_least(0),
    field<Simulated>("binding", kBinding, "What limits it, in words"),
    field<Simulated>("histograms", kOf<&A::histograms>, "Distributions of latency"),
    field<Simulated>("delivered", kOf<&A::delivered>, "Work delivered over time"),
    field<Simulated>("series", kOf<&A::series>, "The state over time"));

template <>
constexpr auto kFields<SimulateAnswer> = fields<SimulateAnswer>(
    spliced<simulated>(),
    known_field<SimulateAnswer>(
        "engine_seconds", [](const SimulateAnswer& a) { return std::optional(a.engine_seconds); },
        "CPU time of the simulation; left out by --reproducible")
        .in("seconds")
        .at_least(0),
    known_field<SimulateAnswer>(
        "seconds", [](const SimulateAnswer& a) { return std::optional(a.seconds); },
        "CPU time of everything after reading; left out by --reproducible")
        .in("seconds")
        .at_least(0),
    known_field<models_of>("models", "Each model on its own, where several share the GPUs"));

Value to_value(const SimulateAnswer& answer) {
  return described_value<SimulateAnswer>(answer, kFields<SimulateAnswer>);
}
Value schema_of(Type<SimulateAnswer>) {
  return described_schema<SimulateAnswer>(kFields<SimulateAnswer>);
}

AnswerSchema simulate_schema() {
  return {"simulate",
          "serve",
          "Answer of `loadfactor serve --simulate`",
          "A demand through a deployment, request by request.",
          scenario_schema(),
          schema_of(Type<SimulateAnswer>())};
}

std::string simulate_json(const SimulateAnswer& answer, const std::string& file,
                          bool reproducible) {
  Value value = to_value(answer);
  if (reproducible) value = without(std::move(value), {"engine_seconds", "seconds"});
  return print_json(envelope("serve", scenario_value(answer.scenario, file), std::move(value),
                             answer.notices, answer.facts));
}

std::string simulate_csv(const SimulateAnswer& answer) {
  return csv_fields(schema_of(Type<SimulateAnswer>()),
                    without(to_value(answer), {"engine_seconds", "seconds"}));
}

std::string simulate_series_csv(const SimulateAnswer& answer) {
  return csv_list(schema_of(Type<SimulateAnswer>()), to_value(answer), "series");
}

}  // namespace loadfactor::report
