// `loadfactor fit MODEL`: does it fit, and how many sequences?
#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "cli/session/model_files.h"
#include "cli/session/session.h"
#include "cli/verbs.h"
#include "report/serve/fit_report.h"

namespace loadfactor::cli {
namespace {

struct FitFlags {
  std::string model;
  std::string gpu;
  std::string tp;
  std::string pp;
  std::string ep;
  std::string quant;
  std::string kv;
  std::string context;
  std::string engine;
  std::string util;
  std::string chunk;
  std::string max_seqs;
};

// A count as people write it: 8192, 8 K, 128K.
Result<std::optional<std::int64_t>> read_count(const std::string& flag, const std::string& text) {
  if (text.empty()) return std::optional<std::int64_t>();
  auto parsed = parse_quantity(text, Dimension{}, Expect::kCount);
  if (!parsed) {
    Error error = std::move(parsed).error();
    error.where = {};
    return std::move(error).with(fmt::format("in {} {}", flag, text));
  }
  constexpr double kMost = 1e12;
  const double value = parsed->value;
  if (value < 1 || value > kMost ||
      value != static_cast<double>(static_cast<std::int64_t>(value))) {
    return Error{.code = lf::kOutOfRange,
                 .message = fmt::format("{} {} is not a whole number from 1 up", flag, text),
                 .hint = "write digits: 8192; K and M are powers of ten"};
  }
  return std::optional(static_cast<std::int64_t>(value));
}

Result<std::optional<double>> read_fraction(const std::string& flag, const std::string& text) {
  if (text.empty()) return std::optional<double>();
  auto parsed = parse_quantity(text, Dimension{}, Expect::kRatio);
  if (!parsed) {
    Error error = std::move(parsed).error();
    error.where = {};
    return std::move(error).with(fmt::format("in {} {}", flag, text));
  }
  return std::optional(parsed->value);
}

Result<bool> read_model(const FitFlags& flags, FitRequest& request) {
  request.model = flags.model;
  if (flags.model.ends_with(".yaml") || flags.model.ends_with(".yml")) {
    return Error{.code = lf::kUsage,
                 .message = fmt::format("'{}' is no model", flags.model),
                 .hint =
                     "name a model, a config.json or a folder; a scenario goes to "
                     "`loadfactor plan`, `serve` or `train`"};
  }
  if (names_a_file(flags.model)) {
    TRY(request.model_files, read_model_files(flags.model));
  }
  return true;
}

Result<FitRequest> read_request(const FitFlags& flags) {
  FitRequest request;
  TRY([[maybe_unused]] const bool read, read_model(flags, request));
  TRY(const auto tp, read_count("--tp", flags.tp));
  TRY(const auto pp, read_count("--pp", flags.pp));
  TRY(const auto ep, read_count("--ep", flags.ep));
  TRY(const auto context, read_count("--context", flags.context));
  TRY(request.batched_tokens, read_count("--chunk", flags.chunk));
  TRY(request.max_sequences, read_count("--max-seqs", flags.max_seqs));
  TRY(request.memory_fraction, read_fraction("--util", flags.util));
  constexpr std::int64_t kMostGpus = 1'000'000;
  request.tp = static_cast<int>(std::min(tp.value_or(0), kMostGpus));
  request.pp = static_cast<int>(std::min(pp.value_or(1), kMostGpus));
  request.ep = static_cast<int>(std::min(ep.value_or(1), kMostGpus));
  request.context = context.value_or(0);
  request.accelerator = flags.gpu;
  request.quantisation = flags.quant;
  request.kv_dtype = flags.kv;
  request.engine = flags.engine;
  return request;
}

void run_fit(Session& session, const FitFlags& flags) {
  const auto format = session.format();
  if (!format) return session.fail(format.error());
  const auto request = read_request(flags);
  if (!request) return session.fail(request.error());
  const Engine* engine = session.engine();
  if (engine == nullptr) return;
  auto answer = engine->fit(*request);
  if (!answer) return session.fail(answer.error());
  if (session.options().quiet) answer->notices.clear();
  session.set_status(answer->fits ? 0 : exit_status(lf::kDoesNotFit));
  if (*format == "json") return session.write(report::fit_json(*answer, *request));
  if (*format == "csv") return session.write(report::fit_csv(*answer));
  if (*format == "md") return session.write(report::fit_markdown(*answer));
  session.write(report::fit_text(
      *answer, {.width = session.environment().width, .explain = session.options().explain}));
}

}  // namespace

void add_fit(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand("fit", "does a model fit, and how many sequences?");
  session.add_common_options(*verb);
  auto flags = std::make_shared<FitFlags>();
  verb->add_option("model", flags->model, "a catalogue name, a config.json or a model folder")
      ->required()
      ->type_name("MODEL");
  const auto option = [verb](const char* name, std::string& value, const char* help) {
    verb->add_option(name, value, help)->type_name(" ");
  };
  option("--gpu", flags->gpu, "accelerator (`loadfactor catalog gpus`)");
  option("--tp", flags->tp, "tensor parallel; chosen if left out");
  option("--pp", flags->pp, "pipeline stages, 1");
  option("--ep", flags->ep, "expert parallel, 1");
  option("--quant", flags->quant, "bf16 fp8 int8 int4 awq mxfp4 nvfp4 …");
  option("--kv", flags->kv, "dtype of the KV cache; as activations");
  option("--context", flags->context, "tokens of one sequence, prompt and answer");
  option("--engine", flags->engine, "serving engine (`loadfactor catalog engines`)");
  option("--util", flags->util, "memory fraction of the engine");
  option("--chunk", flags->chunk, "tokens of the largest step");
  option("--max-seqs", flags->max_seqs, "sequences of the largest step");
  verb->callback([flags, &session] { run_fit(session, *flags); });
}

}  // namespace loadfactor::cli
