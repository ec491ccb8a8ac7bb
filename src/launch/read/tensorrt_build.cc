// Engines of TensorRT-LLM that are built before they run: what is built bounds what is served.
#include <array>

#include <fmt/format.h>

#include "launch/findings/flags.h"
#include "launch/read/readers.h"
#include "launch/vocabulary/reading_tables.h"

namespace loadfactor::launch {
namespace {

constexpr const char* kBuiltEngine = "serve.deployment.engine";

Program built_flags() {
  std::vector<Flag> known;
  for (const char* name : {"--max_batch_size", "--max_num_tokens", "--max_seq_len",
                           "--max_input_len", "--tp_size", "--pp_size", "--workers"})
    known.push_back({name, {}, FlagKind::kInteger, {}, {}});
  for (const char* name :
       {"--checkpoint_dir", "--model_dir", "--output_dir", "--dtype", "--qformat",
        "--kv_cache_dtype", "--gemm_plugin", "--use_fp8_context_fmha"})
    known.push_back({name, {}, FlagKind::kText, {}, {}});
  return {"tensorrt-llm", {}, std::move(known)};
}

}  // namespace

void read_tensorrt_build(const Invocation& call, Findings& findings) {
  findings.has_launch = true;
  GivenFlags flags(built_flags(), call.source, call.words, findings);
  findings.set(kBuiltEngine, "tensorrt-llm", call.at);
  findings.remark("the flags of TensorRT-LLM are not held to a table", call.at);
  flags.count("--max_batch_size", "serve.deployment.max_seqs");
  flags.count("--max_num_tokens", "serve.deployment.chunk");
  flags.count("--tp_size", "ranks");
  flags.count("--pp_size", "serve.deployment.pp");
  const std::string checkpoint = flags.text("--checkpoint_dir");
  if (!flags.text("--model_dir").empty()) flags.word("--model_dir", "serve.model");
  if (!checkpoint.empty() && findings.find("serve.model") == nullptr)
    findings.leave_open("serve.model", flags.place("--checkpoint_dir"),
                        fmt::format("{} was converted from it", checkpoint.substr(0, 80)));
  // The formats are those of the checkpoint that was converted, whatever its name.
  const std::string format = flags.text("--qformat");
  const auto precision =
      format.empty() ? std::nullopt : precision_of_quantization("tensorrt-llm", format);
  if (precision && !precision->empty())
    flags.say("--qformat", "serve.precision", *precision);
  else if (findings.find("serve.precision") == nullptr)
    findings.leave_open("serve.precision", call.at,
                        "the format is that of the checkpoint, which was converted before");
  for (const char* name : {"--max_seq_len", "--max_input_len"})
    if (flags.find(name) != nullptr)
      findings.remark(fmt::format("{} {}: a scenario has no bound of its own on lengths", name,
                                  flags.text(name)),
                      flags.place(name));
  flags.find("--workers");
  flags.find("--output_dir");
  flags.remark_rest("TensorRT-LLM");
}

bool read_tensorrt_ranks(const Invocation& call, std::optional<std::int64_t> ranks,
                         Findings& findings) {
  const Finding* engine = findings.find(kBuiltEngine);
  const bool is_built = engine != nullptr && engine->value == "tensorrt-llm";
  bool has_engine = false;
  for (const Word& word : call.words)
    has_engine = has_engine || word.text.starts_with("--engine_dir");
  if (!is_built && !has_engine) return false;
  findings.has_launch = true;
  if (!is_built) findings.set(kBuiltEngine, "tensorrt-llm", call.at);
  if (findings.find("serve.model") == nullptr)
    findings.leave_open("serve.model", call.at, "the engine was built of it");
  if (ranks)
    findings.guess("serve.deployment.tp", std::to_string(*ranks),
                   fmt::format("{} ranks run one engine, all of them for tensors where nothing "
                               "says a pipeline",
                               *ranks));
  else
    findings.leave_open("serve.deployment.tp", call.at, "over how many ranks the engine was built");
  return true;
}

}  // namespace loadfactor::launch
