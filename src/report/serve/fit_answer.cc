// The description of a fit answer.
#include <string>
#include <utility>

#include "report/describe/csv.h"
#include "report/describe/describe.h"
#include "report/describe/envelope.h"
#include "report/describe/tree.h"
#include "report/serve/fit_report.h"
#include "report/serve/fit_words.h"

namespace loadfactor::report {
namespace {

struct Parameters {
  std::int64_t total = 0, active = 0, mtp = 0;
};
Parameters parameters_of(const FitAnswer& answer) {
  return {answer.parameters_total, answer.parameters_active, answer.parameters_mtp};
}

// Figures that follow from the weights' own facts without an error of their own.
template <typename Q>
EstimateOf<Q> exact(Q value, const FitAnswer& answer) {
  return EstimateOf<Q>::exact(value, answer.weights.basis(), answer.weights.source());
}

// What is asked is written only as far as it was.
template <typename T>
std::optional<T> unless(const T& blank, const T& value) {
  return value == blank ? std::nullopt : std::optional<T>(value);
}
constexpr auto kUnlessEmpty = [](const std::string& text) { return unless(std::string(), text); };
constexpr auto kUnlessZero = [](auto count) { return unless(decltype(count)(0), count); };
constexpr auto kUnlessOne = [](int count) { return unless(1, count); };

// Where the layout stands, with what it is a layout of.
struct FitLayout {
  const FitAnswer& answer;
};
FitLayout layout_of(const FitAnswer& answer) {
  return {answer};
}

// A line of the memory with the sum behind it.
struct FitMemory {
  std::string_view name;
  EstimateOf<Bytes> bytes;
  std::string why;
};
std::vector<FitMemory> memory_lines(const FitAnswer& answer) {
  std::vector<FitMemory> lines;
  for (const MemoryLine& line : answer.lines)
    lines.push_back({name_of(line.use), line.bytes, memory_words(answer, line.use)});
  return lines;
}

}  // namespace

template <>
constexpr auto kFields<Parameters> = fields<Parameters>(
    field<&Parameters::total>("total", "All parameters, multi-token prediction apart"),
    field<&Parameters::active>("active", "Parameters that work for one token"),
    field<&Parameters::mtp>("mtp", "Parameters of layers for multi-token prediction"));

template <>
constexpr auto kFields<FitLayout> = fields<FitLayout>(
    field<FitLayout>(
        "accelerator", [](const FitLayout& l) { return l.answer.accelerator; }, "Catalogue name"),
    spliced<FitLayout>([](const FitLayout& l) { return l.answer.layout; }),
    field<FitLayout>(
        "engine", [](const FitLayout& l) { return l.answer.engine; }, "Catalogue name"),
    field<FitLayout>(
        "quant", [](const FitLayout& l) { return l.answer.quantisation; }, "Format of the weights"),
    field<FitLayout>(
        "kv", [](const FitLayout& l) { return l.answer.kv_dtype; }, "Format of the KV cache"),
    field<FitLayout>(
        "context", [](const FitLayout& l) { return l.answer.context; },
        "Tokens of one sequence, prompt and answer together"));

template <>
constexpr auto kFields<FitMemory> =
    fields<FitMemory>(field<&FitMemory::name>("name", "What takes the memory"),
                      field<&FitMemory::bytes>("bytes", "Memory of the GPU that it takes"),
                      field<&FitMemory::why>("why", "The sum in words"));

template <>
constexpr auto kFields<SequenceCount> = fields<SequenceCount>(
    field<&SequenceCount::tokens>("tokens", "Length of each sequence"),
    field<&SequenceCount::sequences>("sequences", "Sequences of that length that fit"));

template <>
constexpr auto kFields<SmallestDeployment> = fields<SmallestDeployment>(
    field<&SmallestDeployment::accelerator>("accelerator", "Catalogue name"),
    spliced<&SmallestDeployment::layout>(),
    field<&SmallestDeployment::sequences>("sequences", "Sequences of the asked context that fit"));

template <>
constexpr auto kFields<FitAnswer> = fields<FitAnswer>(
    field<fit_verdict>("verdict", "The answer as one sentence").at_least(1),
    field<&FitAnswer::model>("model", "Catalogue name"),
    field<parameters_of>("parameters", "Exact counts"),
    field<layout_of>("layout", "What was asked, with what was chosen"),
    field<&FitAnswer::weights>("weights", "All weights on all GPUs, copies included"),
    field<&FitAnswer::weights_per_gpu>("weights_per_gpu", "Weights on the fullest GPU"),
    field<FitAnswer>(
        "kv_per_token", [](const FitAnswer& a) { return exact(a.kv_per_token, a); },
        "KV cache of one more token, over all GPUs"),
    field<FitAnswer>(
        "state_per_sequence", [](const FitAnswer& a) { return exact(a.state_per_sequence, a); },
        "Memory of one sequence that does not grow with it"),
    field<&FitAnswer::kv_tokens>("kv_tokens", "Tokens that the KV cache holds"),
    field<memory_lines>("memory", "Memory of the fullest GPU, line by line"),
    field<&FitAnswer::sequences>("sequences", "Sequences of the asked context that fit"),
    field<&FitAnswer::sequences_low>("sequences_low",
                                     "The same where the modelled parts are at their worst"),
    field<&FitAnswer::sequences_high>("sequences_high",
                                      "The same where the modelled parts are at their best"),
    field<&FitAnswer::by_length>("sequences_by_length", "Sequences of other lengths"),
    field<&FitAnswer::task>("task", "What a request gets: tokens, one vector or one score"),
    field<&FitAnswer::fits>("fits", "Whether one sequence of the asked context fits"),
    field<&FitAnswer::min_gpus>("min_gpus", "The smallest number of these GPUs that fits"),
    field<&FitAnswer::smaller>("same_chip", "The same chip in other numbers"),
    field<&FitAnswer::elsewhere>("elsewhere", "Other chips"));

template <>
constexpr auto kFields<FitInputs> = fields<FitInputs>(
    field<&FitInputs::model>("model", "The model as it was named"),
    known_field<&FitInputs::accelerator, kUnlessEmpty>("gpu", "The accelerator"),
    known_field<&FitInputs::tp, kUnlessZero>("tp", "Tensor parallelism"),
    known_field<&FitInputs::pp, kUnlessOne>("pp", "Pipeline stages"),
    known_field<&FitInputs::ep, kUnlessOne>("ep", "Expert parallelism"),
    known_field<&FitInputs::quantisation, kUnlessEmpty>("quant", "Format of the weights"),
    known_field<&FitInputs::kv_dtype, kUnlessEmpty>("kv", "Format of the KV cache"),
    known_field<&FitInputs::context, kUnlessZero>("context", "Tokens of one sequence"),
    known_field<&FitInputs::engine, kUnlessEmpty>("engine", "The serving engine"),
    known_field<&FitInputs::memory_fraction>("util", "Share of the memory the engine may take")
        .at_least(0),
    known_field<&FitInputs::batched_tokens>("chunk", "Tokens of the largest step"),
    known_field<&FitInputs::max_sequences>("max_seqs", "Sequences that run at once"));

Value to_value(const FitAnswer& answer) {
  return described_value<FitAnswer>(answer, kFields<FitAnswer>);
}
Value schema_of(Type<FitAnswer>) {
  return described_schema<FitAnswer>(kFields<FitAnswer>);
}

AnswerSchema fit_schema() {
  return {"fit",
          "fit",
          "Answer of `loadfactor fit`",
          "Whether a model fits on an accelerator, and how many sequences it then holds.",
          schema_of(Type<FitInputs>()),
          schema_of(Type<FitAnswer>())};
}

std::string fit_json(const FitAnswer& answer, const FitInputs& request) {
  return print_json(
      envelope("fit", to_value(request), to_value(answer), answer.notices, answer.facts));
}

std::string fit_csv(const FitAnswer& answer) {
  return csv_list(schema_of(Type<FitAnswer>()), to_value(answer), "memory");
}

}  // namespace loadfactor::report
