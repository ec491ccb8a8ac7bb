// `fit`.
#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "facade/files.h"
#include "facade/forms/makers.h"

namespace loadfactor::facade {
namespace {

// A count as people write it: 8192, 8 K, 128K.
Result<std::optional<std::int64_t>> read_count(const char* option, const std::string& text) {
  if (text.empty()) return std::optional<std::int64_t>();
  auto parsed = parse_quantity(text, Dimension{}, Expect::kCount);
  if (!parsed) return at_option(std::move(parsed).error(), option, text);
  constexpr double kMaxCount = 1e12;
  const double value = parsed->value;
  if (value < 1 || value > kMaxCount ||
      value != static_cast<double>(static_cast<std::int64_t>(value)))
    return at_option(
        {.code = lf::kOutOfRange,
         .message = fmt::format("--{} {} is not a whole number from 1 up", option, text),
         .hint = "write digits: 8192; K and M are powers of ten"},
        option, text);
  return std::optional(static_cast<std::int64_t>(value));
}

Result<std::optional<double>> read_fraction(const char* option, const std::string& text) {
  if (text.empty()) return std::optional<double>();
  auto parsed = parse_quantity(text, Dimension{}, Expect::kRatio);
  if (!parsed) return at_option(std::move(parsed).error(), option, text);
  return std::optional(parsed->value);
}

class FitForm final : public Form {
 public:
  FitForm() {
    positional(word("model", model_, "a catalogue name, a config.json or a model folder", "MODEL"));
    word("gpu", question_.accelerator, "accelerator (`loadfactor catalog gpus`)", " ");
    word("tp", tp_, "tensor parallel; chosen if left out", " ");
    word("pp", pp_, "pipeline stages, 1", " ");
    word("ep", ep_, "expert parallel, 1", " ");
    word("quant", question_.quantisation, "bf16 fp8 int8 int4 awq mxfp4 nvfp4 …", " ");
    word("kv", question_.kv_dtype, "dtype of the KV cache; as activations", " ");
    word("context", context_, "tokens of one sequence, prompt and answer", " ");
    word("engine", question_.engine, "serving engine (`loadfactor catalog engines`)", " ");
    word("util", util_, "memory fraction of the engine", " ");
    word("chunk", chunk_, "tokens of the largest step", " ");
    word("max-seqs", max_seqs_, "sequences of the largest step", " ");
  }
  std::optional<Question> question(const Reading& reading) override {
    if (const auto read = read_all(reading); !read) return reading.refuse(read.error());
    return question_;
  }

 private:
  Result<bool> read_all(const Reading& reading) {
    TRY([[maybe_unused]] const bool read, read_model(reading));
    TRY(const auto tp, read_count("tp", tp_));
    TRY(const auto pp, read_count("pp", pp_));
    TRY(const auto ep, read_count("ep", ep_));
    TRY(const auto context, read_count("context", context_));
    TRY(question_.batched_tokens, read_count("chunk", chunk_));
    TRY(question_.max_sequences, read_count("max-seqs", max_seqs_));
    TRY(question_.memory_fraction, read_fraction("util", util_));
    constexpr std::int64_t kMostGpus = 1'000'000;
    question_.tp = static_cast<int>(std::min(tp.value_or(0), kMostGpus));
    question_.pp = static_cast<int>(std::min(pp.value_or(1), kMostGpus));
    question_.ep = static_cast<int>(std::min(ep.value_or(1), kMostGpus));
    question_.context = context.value_or(0);
    return true;
  }

  Result<bool> read_model(const Reading& reading) {
    question_.model = model_;
    if (model_.ends_with(".yaml") || model_.ends_with(".yml"))
      return usage(fmt::format("'{}' is no model", model_),
                   "name a model, a config.json or a folder; a scenario goes to "
                   "`loadfactor plan`, `serve` or `train`");
    if (!model_.ends_with(".json") && !reading.files.has(model_)) return true;
    TRY(const auto files, reading.files.open_model(model_));
    question_.model_files.clear();
    for (const InputFile& file : files)
      question_.model_files.push_back(model_file(file, file.name));
    return true;
  }

  FitQuestion question_;
  std::string model_, tp_, pp_, ep_, context_, util_, chunk_, max_seqs_;
};

}  // namespace

std::unique_ptr<Form> fit_form() {
  return std::make_unique<FitForm>();
}

}  // namespace loadfactor::facade
