// The description of a serving answer.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "report/describe/csv.h"
#include "report/describe/describe.h"
#include "report/describe/envelope.h"
#include "report/describe/tree.h"
#include "report/serve/serve_report.h"
#include "report/serve/serve_words.h"

namespace loadfactor::report {
namespace {

constexpr const char* kFile = "calibration/serving.yaml";

constexpr auto kRatio = [](double value) {
  return EstimateOf<double>::exact(value, Basis::kCalibrated, kFile);
};
constexpr auto kStepTime = [](Seconds value) {
  return EstimateOf<Seconds>::within(value, 0.2, Basis::kCalibrated, kFile);
};

// A count that is as uncertain, in ratios, as the figure that decides it.
template <typename Q>
EstimateOf<double> count_like(double count, const EstimateOf<Q>& figure) {
  const double value = any(figure.value()).value;
  const auto end = [&](Q at) { return value > 0 ? count * any(at).value / value : count; };
  return {count, end(figure.low()), end(figure.high()), Basis::kCalibrated, kFile};
}

// The layout and the limits of its scheduler.
struct ServedBy {
  ServeLayout layout;
  int prompt_gpus = 0;
  std::int64_t chunk = 0, max_seqs = 0;
};
ServedBy served_by(const ServeAnswer& a) {
  return {a.layout, a.prompt_gpus, a.chunk, a.max_sequences};
}

template <typename Q>
struct Mean {
  EstimateOf<Q> mean;
};
constexpr auto kMean = [](const EstimateOf<Seconds>& time) { return Mean<Seconds>{time}; };

struct StepTimes {
  Seconds decode, prompt;
};
StepTimes steps_of(const ServeAnswer& a) {
  return {a.decode_step, a.prompt_step};
}

// What a rate counts: tokens that are written, or of a model that writes nothing those it reads.
double counted_of(const ServeAnswer& a) {
  return a.tokens_out > 0 ? 1.0 : std::max(1.0, a.tokens_in);
}
EstimateOf<TokensPerSecond> saturated_of(const ServeAnswer& a) {
  return a.saturated * counted_of(a);
}
EstimateOf<TokensPerSecond> saturated_per_gpu_of(const ServeAnswer& a) {
  return a.saturated_per_gpu * counted_of(a);
}
EstimateOf<TokensPerSecond> throughput_of(const ServeAnswer& a) {
  return a.output_rate * counted_of(a);
}
EstimateOf<Joules> energy_per_token_of(const ServeAnswer& a) {
  return a.energy_per_token * (1.0 / counted_of(a));
}
std::optional<Mean<Seconds>> tpot_of(const ServeAnswer& a) {
  return a.tokens_out > 0 ? std::optional(Mean<Seconds>{a.tpot}) : std::nullopt;
}
EstimateOf<double> sequences_of(const ServeAnswer& a) {
  return count_like(a.sequences, a.kv_tokens);
}
EstimateOf<double> batch_of(const ServeAnswer& a) {
  return count_like(a.running, a.latency);
}
std::optional<int> replicas_needed(const ServeAnswer& a) {
  return a.feasible ? std::nullopt : std::optional(a.replicas_needed);
}
std::optional<EstimateOf<double>> utilisation_of(const ServeAnswer& a) {
  if (!a.utilisation) return std::nullopt;
  // Where users wait for answers both rates are predicted, and err alike.
  if (a.load.kind != ServeLoad::Kind::kArriving) return kRatio(*a.utilisation);
  // A faster service is emptier; what fits into it fills no more than all of a slower one.
  const auto& full = a.saturated_requests;
  const auto load =
      EstimateOf<Hertz>::exact(full.value() * *a.utilisation, full.basis(), full.source()) / full;
  return EstimateOf<double>{load.value(), load.low(),
                            std::min(std::max(1.0, load.value()), load.high()), load.basis(),
                            load.source()};
}
std::optional<std::vector<ServeBatch>> batches_of(const ServeAnswer& a) {
  return a.batches.empty() ? std::nullopt : std::optional(a.batches);
}

}  // namespace

template <>
constexpr auto kFields<ServedBy> = fields<ServedBy>(
    spliced<&ServedBy::layout>(),
    field<&ServedBy::prompt_gpus>("prompt_gpus", "GPUs among them that only compute prompts"),
    field<&ServedBy::chunk>("chunk", "Tokens of the largest step"),
    field<&ServedBy::max_seqs>("max_seqs", "Sequences that run at once on a rank"));

template <>
constexpr auto kFields<Mean<Seconds>> = fields<Mean<Seconds>>(
    field<&Mean<Seconds>::mean>("mean", "Mean over the requests of the load"));

template <>
constexpr auto kFields<StepTimes> = fields<StepTimes>(
    field<&StepTimes::decode, kStepTime>("decode", "Time of a step that only decodes"),
    field<&StepTimes::prompt, kStepTime>("prompt", "Time of a step that computes a prompt too"));

template <>
constexpr auto kFields<ServePart> = fields<ServePart>(
    field<serve_part_name>("name", "What takes the time").at_least(1),
    field<&ServePart::decode, kStepTime>("decode", "Its time in a step that only decodes"),
    field<&ServePart::prompt, kStepTime>("prompt",
                                         "Its time in a step that computes a prompt too"));

template <>
constexpr auto kFields<ServeBatch> = fields<ServeBatch>(
    field<&ServeBatch::batch>("batch", "Sequences that run together").at_least(1),
    field<&ServeBatch::output_rate>("output_rate", "Output tokens per second"),
    field<&ServeBatch::tpot>("tpot", "Time per output token after the first"),
    field<&ServeBatch::mfu, kRatio>("mfu", "Model FLOPs utilisation of decode steps"),
    field<&ServeBatch::mbu, kRatio>("mbu",
                                    "Share of the peak bandwidth that weights and cache need"),
    field<&ServeBatch::speedup, kRatio>("speedup", "Output rate over that of the first row"));

template <>
constexpr auto kFields<ServeAnswer> = fields<ServeAnswer>(
    field<serve_verdict>("verdict", "The answer in one line").at_least(1),
    field<&ServeAnswer::model>("model", "Catalogue name").at_least(1),
    field<&ServeAnswer::accelerator>("accelerator", "Catalogue name").at_least(1),
    field<&ServeAnswer::engine>("engine", "Generation of the engine").at_least(1),
    field<&ServeAnswer::precision>("precision", "Format of the weights").at_least(1),
    field<&ServeAnswer::kv_format>("kv", "Format of the KV cache").at_least(1),
    field<served_by>("layout", "How the model is spread over GPUs"),
    field<&ServeAnswer::weights_per_gpu>("weights", "Weights on one GPU"),
    field<&ServeAnswer::kv_per_gpu>("kv_space", "Memory of one GPU that is left for the KV cache"),
    field<&ServeAnswer::kv_tokens>("kv_tokens", "Tokens that the KV cache of a replica holds"),
    field<sequences_of>("sequences", "Sequences of the asked lengths that a replica runs at once"),
    field<&ServeAnswer::load, load_words>("load", "The load that the figures are of, in words")
        .at_least(1),
    field<&ServeAnswer::feasible>("feasible", "Whether the load is below saturation"),
    known_field<replicas_needed>("replicas_needed",
                                 "Replicas that would carry the load, where these do not"),
    known_field<utilisation_of>("utilisation", "Share of the saturated rate that is asked"),
    field<saturated_of>("saturated",
                        "Output tokens of all replicas when saturated; of a model that writes "
                        "none, those it reads"),
    field<saturated_per_gpu_of>("saturated_per_gpu", "The same per GPU"),
    field<&ServeAnswer::saturated_requests>("saturated_requests",
                                            "Requests per second of all replicas when saturated"),
    field<throughput_of>("throughput", "Output tokens under the load, counted so too"),
    field<&ServeAnswer::ttft, kMean>("ttft", "Time to the first token"),
    field<tpot_of>("tpot", "Time per output token after the first; null where none is written"),
    field<&ServeAnswer::latency, kMean>("latency", "Time from request to last token"),
    field<batch_of>("batch", "Sequences in a batch on average"),
    field<&ServeAnswer::mfu>("mfu", "Model FLOPs over the dense peak"),
    field<&ServeAnswer::mbu>("mbu", "Bandwidth that weights and cache need over the peak"),
    field<energy_per_token_of>("energy_per_token", "Energy of one token, counted so too"),
    field<&ServeAnswer::limit, limit_words>("limit", "What binds, in words").at_least(1),
    field<slo_words>("slo", "One line for each objective"),
    field<&ServeAnswer::pace, kRatio>("pace", "Factor on every step, from a measured run"),
    field<steps_of>("step", "Times of the two kinds of step"),
    field<&ServeAnswer::parts>("breakdown", "What a step is made of"),
    known_field<batches_of>("batches", "Fixed batches, where they were asked for"));

Value to_value(const ServeAnswer& answer) {
  return described_value<ServeAnswer>(answer, kFields<ServeAnswer>);
}
Value schema_of(Type<ServeAnswer>) {
  return described_schema<ServeAnswer>(kFields<ServeAnswer>);
}

AnswerSchema serve_schema() {
  return {"serve",
          "serve",
          "Answer of `loadfactor serve`",
          "One deployment: capacity, speed under a load, what limits it.",
          scenario_schema(),
          schema_of(Type<ServeAnswer>())};
}

std::string serve_json(const ServeAnswer& answer, const std::string& file) {
  return print_json(envelope("serve", scenario_value(answer.scenario, file), to_value(answer),
                             answer.notices, answer.facts));
}

std::string serve_csv(const ServeAnswer& answer) {
  const Value schema = schema_of(Type<ServeAnswer>());
  const Value value = to_value(answer);
  return answer.batches.empty() ? csv_fields(schema, value) : csv_list(schema, value, "batches");
}

}  // namespace loadfactor::report
