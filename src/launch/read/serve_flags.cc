// Arguments of serving engines.
#include <array>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/findings/flags.h"
#include "launch/read/readers.h"
#include "launch/vocabulary/reading_tables.h"

namespace loadfactor::launch {
namespace {

// Keys of the pool that a command starts.
struct Keys {
  std::string prefix = "serve.deployment.";
  explicit Keys(std::string_view pool) {
    if (!pool.empty()) prefix += std::string(pool) + ".";
  }
  std::string operator()(std::string_view name) const { return prefix + std::string(name); }
};

// The format of the weights: as a flag converts them, or as the name of the checkpoint has it.
void read_weights(const GivenFlags& flags, std::string_view program, const std::string& model,
                  Findings& findings) {
  constexpr const char* kKey = "serve.precision";
  constexpr const char* kFlag = "--quantization";
  if (flags.leaves_open(kFlag, kKey)) return;
  const std::string quantised = flags.text(kFlag);
  const std::string named = precision_in_name(model);
  if (quantised.empty() && !named.empty())
    return findings.guess(kKey, named, fmt::format("the name of the checkpoint, {}", model));
  if (quantised.empty()) return;
  const auto precision = precision_of_quantization(program, quantised);
  if (!precision)
    return findings.error(
        lf::kWrongType, flags.place(kFlag),
        fmt::format("{}: '{}' is no quantization of {} that we know", kFlag, quantised, program));
  if (quantised == "bitsandbytes")
    return findings.guess(kKey, *precision,
                          "bitsandbytes keeps 4 bits unless it is told otherwise");
  if (!precision->empty()) return flags.say(kFlag, kKey, *precision);
  if (!named.empty())
    return findings.guess(kKey, named, fmt::format("the name of the checkpoint, {}", model));
  findings.leave_open(
      kKey, flags.place(kFlag),
      fmt::format("{} {}: the checkpoint's config.json says which", kFlag, quantised));
}

void read_formats(const GivenFlags& flags, std::string_view program, const Keys& keys,
                  const std::string& model, Findings& findings) {
  read_weights(flags, program, model, findings);
  struct WordRow {
    std::string_view theirs, ours;
  };
  // The format of the computing, which is that of the weights of a plain checkpoint.
  constexpr std::array kDtypes{WordRow{"bfloat16", "bf16"}, WordRow{"float16", "fp16"},
                               WordRow{"half", "fp16"}, WordRow{"float32", "fp32"},
                               WordRow{"float", "fp32"}};
  for (const auto& [theirs, ours] : kDtypes)
    if (flags.text("--dtype") == theirs) flags.say("--dtype", "serve.dtype", std::string(ours));
  constexpr const char* kCache = "--kv-cache-dtype";
  if (flags.leaves_open(kCache, keys("kv"))) return;
  constexpr std::array kCaches{WordRow{"bfloat16", "bf16"}, WordRow{"bf16", "bf16"},
                               WordRow{"float16", "fp16"}, WordRow{"nvfp4", "nvfp4"}};
  const std::string kv = flags.text(kCache);
  if (kv.starts_with("fp8")) flags.say(kCache, keys("kv"), "fp8");
  for (const auto& [theirs, ours] : kCaches)
    if (kv == theirs) flags.say(kCache, keys("kv"), std::string(ours));
}

// Pools may have shares of their own, which are joined once all are known.
void read_fraction(const GivenFlags& flags, std::string_view name, std::string_view pool) {
  constexpr const char* kKey = "serve.deployment.memory_fraction";
  if (flags.leaves_open(name, kKey)) return;
  const std::string text = flags.text(name);
  if (text.empty()) return;
  flags.say(name,
            pool.empty() ? std::string(kKey) : fmt::format("{}{}|{}", kPoolFraction, pool, text),
            text);
}

// Behind a flag, or as the first word that belongs to none.
std::string read_model(const Invocation& call, const GivenFlags& flags, std::string_view flag,
                       Findings& findings) {
  constexpr const char* kKey = "serve.model";
  if (!flag.empty()) {
    if (flags.leaves_open(flag, kKey)) return {};
    if (const std::string named = flags.text(flag); !named.empty()) {
      flags.say(flag, kKey, named);
      return named;
    }
  }
  for (const Word& word : flags.others()) {
    if (word.text.find_first_of("<>") != std::string::npos) return {};
    if (word.text.starts_with("**")) {  // Python's, which may hold the model as well.
      findings.leave_open(kKey, place_of(call.source, word),
                          word.text + " may give it, and is set elsewhere");
      return {};
    }
    const Place place = place_of(call.source, word);
    if (!word.is_known) {
      findings.leave_open(
          kKey, place,
          fmt::format("the model is {}, which is set elsewhere", word.text.substr(0, 80)));
      return {};
    }
    findings.take(kKey, word.text, place, word.doubt);
    return word.text;
  }
  return {};
}

// A port that is not known may be any other's. Ranks of one replica on several nodes are one
// server.
void add_server(const GivenFlags& flags, std::string_view pool, const Invocation& call,
                Findings& findings) {
  if (flags.is_unknown("--port")) return;
  if (flags.number("--nnodes").value_or(1) > 1 || flags.has("--headless")) {
    std::string meeting = flags.text("--dist-init-addr");
    for (const char* name : {"--master-addr", "--data-parallel-address"})
      if (meeting.empty()) meeting = flags.text(name);
    if (!flags.has("--headless"))
      findings.add_server(fmt::format("{}|ranks of {}:{}", pool, meeting, flags.text("--port")),
                          call.at);
    return;
  }
  for (std::int64_t i = 0; i < call.copies; ++i)
    findings.add_server(fmt::format("{}|{}#{}:{} on {}", pool, call.host, i, flags.text("--port"),
                                    flags.text("--base-gpu-id")),
                        call.at);
}

// Keys that a word which is set elsewhere may give. The name of a checkpoint says its format.
void ask_for_open_words(const GivenFlags& flags, const Keys& keys, const std::string& model,
                        bool is_sglang) {
  using FlagKey = GivenFlags::FlagKey;
  constexpr const char* kShare = "serve.deployment.memory_fraction";
  std::vector<FlagKey> asked;
  if (precision_in_name(model).empty()) asked.push_back({"--quantization", "serve.precision"});
  const std::array vllm{FlagKey{"--gpu-memory-utilization", kShare},
                        FlagKey{"--enable-expert-parallel", keys("ep")},
                        FlagKey{"--tensor-parallel-size", keys("tp")},
                        FlagKey{"--pipeline-parallel-size", keys("pp")},
                        FlagKey{"--data-parallel-size", keys("dp")},
                        FlagKey{"--max-num-seqs", keys("max_seqs")},
                        FlagKey{"--max-num-batched-tokens", keys("chunk")},
                        FlagKey{"--kv-cache-dtype", keys("kv")}};
  const std::array sglang{FlagKey{"--mem-fraction-static", kShare},
                          FlagKey{"--ep-size", keys("ep")},
                          FlagKey{"--tp-size", keys("tp")},
                          FlagKey{"--pp-size", keys("pp")},
                          FlagKey{"--dp-size", keys("dp")},
                          FlagKey{"--max-running-requests", keys("max_seqs")},
                          FlagKey{"--chunked-prefill-size", keys("chunk")},
                          FlagKey{"--kv-cache-dtype", keys("kv")}};
  if (is_sglang)
    asked.insert(asked.end(), sglang.begin(), sglang.end());
  else
    asked.insert(asked.end(), vllm.begin(), vllm.end());
  const bool has_subject = flags.find(is_sglang ? "--model-path" : "--model") == nullptr;
  flags.leave_rest_open(has_subject, asked);
}

// A configuration may say what the command leaves out: where it is not among the files, the degree
// is a question, and no default.
void ask_for_configuration(const GivenFlags& flags, std::string_view degree, const std::string& key,
                           Findings& findings) {
  const std::string file = flags.text("--config");
  if (file.empty() || findings.reads(file)) return;
  if (flags.find(degree) == nullptr)
    findings.leave_open(key, flags.place("--config"),
                        fmt::format("{} may say it: give that file, too", file));
  findings.remark(fmt::format("{} is not read, and what it sets is not known", file),
                  flags.place("--config"));
}

// The YAML that TensorRT-LLM is given says more than its flags.
void read_options_file(const GivenFlags& flags, Findings& findings) {
  flags.find("--backend");
  for (const char* name : {"--config", "--extra_llm_api_options"}) {
    const std::string file = flags.text(name);
    if (!file.empty() && !findings.reads(file))
      findings.remark(fmt::format("{} is not read, and what it sets is not known", file),
                      flags.place(name));
  }
}

void remark_length(const GivenFlags& flags, std::string_view name, Findings& findings) {
  const GivenFlag* given = flags.find(name);
  if (given == nullptr) return;
  std::string value;
  for (const Word& word : given->values) value += " " + word.text;
  findings.remark(fmt::format("{}{}: a scenario has no bound of its own on lengths", name, value),
                  flags.place(name));
}

// A connector to a store keeps prompts elsewhere, so that more of them are found; one between pools
// says which pool it is, or leaves it to its role.
void remark_connector(const GivenFlags& flags, std::string_view side, Findings& findings) {
  constexpr const char* kFlag = "--kv-transfer-config";
  constexpr std::string_view kName = "kv_connector";
  const std::string transfer = flags.text(kFlag);
  const auto at = transfer.find(kName);
  if (at == std::string::npos) return;
  const auto from = transfer.find_first_not_of("\"' :", at + kName.size());
  if (from == std::string::npos) return;
  const std::string name = transfer.substr(from, transfer.find_first_of("\"', }", from) - from);
  const bool is_store = name.starts_with("LMCache") || name.find("Offload") != std::string::npos ||
                        name.find("Stor") != std::string::npos || name.starts_with("Multi");
  if (is_store)
    findings.remark(fmt::format("{}: prompts are also kept outside of the GPUs, and the prediction "
                                "has their memory alone: write prefix_hits, the share of prompt "
                                "tokens that is found",
                                name),
                    flags.place(kFlag));
  else if (side.empty())
    findings.remark(fmt::format("{}: the files do not say whether it makes the cache of prompts or "
                                "takes it, and it is read as a server that does both",
                                name),
                    flags.place(kFlag));
}

void read_lora(const GivenFlags& flags, std::string_view active) {
  if (!flags.has("--enable-lora")) return;
  const auto count = [&](std::string_view name, const char* key, std::int64_t otherwise) {
    if (!flags.leaves_open(name, key))
      flags.say("--enable-lora", key, flags.number(name).value_or(otherwise));
  };
  count("--max-lora-rank", "serve.deployment.lora.rank", 16);
  count(active, "serve.deployment.lora.active", 1);
}

// The chance that a proposed token is right is of the texts and of no flag: the whole section is
// left to the reader, with the number where it is known.
void remark_proposals(std::optional<std::int64_t> tokens, const Place& place, Findings& findings) {
  const std::string shown = tokens ? fmt::format(", {} at a time", *tokens)
                                   : std::string(", and how many is left to the engine");
  findings.remark(
      fmt::format(
          "tokens are proposed ahead{}: add speculation: {{tokens: {}, acceptance: the share "
          "of them that is right}}, without which the prediction proposes none",
          shown, tokens ? std::to_string(*tokens) : "how many"),
      place);
}

// The whole number behind a name, as JSON and parts of flags have it.
std::optional<std::int64_t> number_behind(const std::string& text, std::string_view name) {
  const auto at = text.find(name);
  if (at == std::string::npos) return std::nullopt;
  const auto from = text.find_first_not_of("\"' :=", at + name.size());
  if (from == std::string::npos) return std::nullopt;
  return whole_number(text.substr(from, text.find_first_not_of("0123456789", from) - from));
}

void read_vllm_proposals(const GivenFlags& flags, Findings& findings) {
  constexpr const char* kConfiguration = "--speculative-config";
  const GivenFlag* whole = flags.find(kConfiguration);
  std::optional<std::int64_t> tokens = flags.number("--spec-tokens");
  const char* said = nullptr;
  for (const char* name : {"--spec-method", "--spec-model", "--spec-tokens", kConfiguration})
    if (flags.find(name) != nullptr) said = name;
  if (said == nullptr) return;
  if (whole != nullptr) {
    std::string text = whole->at.text;
    for (const Word& value : whole->values) text += " " + value.text;
    if (!tokens) tokens = number_behind(text, "num_speculative_tokens");
  }
  remark_proposals(tokens, flags.place(said), findings);
}

// A chain of so many steps; the engine counts the token that begins it, too.
void read_sglang_proposals(const GivenFlags& flags, Findings& findings) {
  if (flags.find("--speculative-algorithm") == nullptr) return;
  std::optional<std::int64_t> tokens = flags.number("--speculative-num-steps");
  const auto drafted = flags.number("--speculative-num-draft-tokens");
  const auto ways = flags.number("--speculative-eagle-topk");
  if (!tokens && drafted && *drafted > 1) tokens = *drafted - 1;
  remark_proposals(tokens, flags.place("--speculative-algorithm"), findings);
  if (ways && *ways > 1)
    findings.remark(fmt::format("--speculative-eagle-topk {}: proposals branch, and a scenario has "
                                "one chain of them",
                                *ways),
                    flags.place("--speculative-eagle-topk"));
}

// Experts are spread over all ranks of the attention, or over none.
void read_vllm_experts(const GivenFlags& flags, const Keys& keys, Findings& findings) {
  constexpr const char* kFlag = "--enable-expert-parallel";
  const GivenFlag* spread = flags.find(kFlag);
  if (spread == nullptr) return;
  if (spread->says_no) return flags.say(kFlag, keys("ep"), 1);
  for (const char* ranks : {"--tensor-parallel-size", "--data-parallel-size"})
    if (flags.leaves_open(ranks, keys("ep"))) return;
  flags.say(kFlag, keys("ep"),
            flags.number("--tensor-parallel-size").value_or(1) *
                flags.number("--data-parallel-size").value_or(1));
  if (findings.is_guess(keys("tp")) && flags.find("--tensor-parallel-size") != nullptr)
    findings.remark("the ranks that share the experts follow the guessed tp", flags.place(kFlag));
}

void read_sglang_ranks(GivenFlags& flags, const Keys& keys, Findings& findings) {
  const std::int64_t dp = flags.number("--dp-size").value_or(1);
  const std::int64_t all = flags.number("--tp-size").value_or(1);
  // Copies of the attention share the ranks, the requests and the chunk of the whole group.
  const bool shares = flags.has("--enable-dp-attention") && dp > 1;
  const bool is_open = flags.has("--enable-dp-attention") && flags.is_unknown("--dp-size");
  const auto divided = [&](std::string_view name, std::string_view key) {
    if (is_open && flags.find(name) != nullptr) {
      flags.leaves_open("--dp-size", keys(key));
      return;
    }
    const auto value = flags.number(name);
    if (!value) return flags.count(name, keys(key));
    flags.say(name, keys(key), *value / (shares ? dp : 1));
  };
  if (flags.find("--tp-size") != nullptr)
    divided("--tp-size", "tp");
  else
    findings.guess(keys("tp"), "1", "sglang's default");
  if (shares && all % dp != 0 && !flags.is_unknown("--tp-size"))
    findings.error(lf::kContradictoryKeys, flags.place("--dp-size"),
                   fmt::format("--dp-size {} does not divide --tp-size {}", dp, all),
                   "copies of the attention share the ranks of the group");
  flags.count("--pp-size", keys("pp"));
  flags.count("--dp-size", keys("dp"));
  if (dp > 1 && !shares) flags.say("--dp-size", keys("whole_copies"), dp);
  flags.count("--ep-size", keys("ep"));
  if (flags.text("--moe-a2a-backend") == "deepep" && flags.number("--tp-size"))
    findings.guess(keys("ep"), std::to_string(all),
                   "with --moe-a2a-backend deepep the experts go over all ranks");
  const std::string exchange = flags.text("--moe-a2a-backend");
  if (!exchange.empty() && exchange != "none" && exchange != "deepep")
    findings.remark(fmt::format("--moe-a2a-backend {}: the prediction has the exchange of the "
                                "engine's default",
                                exchange),
                    flags.place("--moe-a2a-backend"));
  divided("--max-running-requests", "max_seqs");
  // Whole prompts are bounded by the tokens of a step.
  const bool is_whole = flags.text("--chunked-prefill-size") == "-1";
  divided(is_whole ? "--max-prefill-tokens" : "--chunked-prefill-size", "chunk");
}

// vLLM's short flag joins its value: `-O3` is `--optimization-level O3`, `-O.mode=3` a part of
// `--compilation-config`, and a map behind it the whole of that.
void add_level(const Word& short_flag, const Word* next, std::vector<Word>& words) {
  const auto add = [&](std::string text) {
    words.push_back(short_flag);
    words.back().text = std::move(text);
  };
  std::string value = short_flag.text.substr(2);
  if (value.starts_with('.')) return add("--compilation-config" + value);
  if (value.starts_with('=')) value.erase(0, 1);
  const bool is_apart = value.empty() && next != nullptr;
  if (is_apart) value = next->text;
  if (value.starts_with('{')) {
    add("--compilation-config");
  } else {
    add("--optimization-level");
    if (whole_number(value)) value = "O" + value;
  }
  if (!value.empty()) add(value);
  if (is_apart) words.back().column = next->column;
}

}  // namespace

std::string nodes_key(std::string_view pool) {
  return pool.empty() ? "replica_nodes" : std::string(pool) + "_nodes";
}

void read_vllm(const Invocation& call, Findings& findings) {
  findings.has_launch = true;
  // Dynamo's own flags beside the engine's.
  std::string side(call.pool);
  std::vector<Word> words;
  for (std::size_t i = 0; i < call.words.size(); ++i) {
    const std::string& text = call.words[i].text;
    if (text == "--is-prefill-worker") {
      side = "prefill";
    } else if (text == "--disaggregation-mode" && i + 1 < call.words.size()) {
      if (call.words[++i].text != "agg") side = call.words[i].text;
    } else if (text.starts_with("-O")) {
      const Word* next = i + 1 < call.words.size() ? &call.words[i + 1] : nullptr;
      add_level(call.words[i], next, words);
      if (text == "-O" && next != nullptr) ++i;
    } else {
      words.push_back(call.words[i]);
    }
  }
  GivenFlags flags(read_program("vllm"), call.source, words, findings);
  // vLLM's own: who makes the cache of a prompt, and who takes it.
  const std::string transfer = flags.text("--kv-transfer-config");
  if (transfer.find("kv_producer") != std::string::npos) side = "prefill";
  if (transfer.find("kv_consumer") != std::string::npos) side = "decode";
  if (side != "prefill" && side != "decode") side.clear();
  remark_connector(flags, side, findings);
  const Keys keys(side);
  findings.set("serve.deployment.engine", "vllm", call.at);
  if (!call.is_dump) add_server(flags, side, call, findings);
  ask_for_configuration(flags, "--tensor-parallel-size", keys("tp"), findings);
  const std::string model = read_model(call, flags, "--model", findings);
  ask_for_open_words(flags, keys, model, false);
  flags.count("--tensor-parallel-size", keys("tp"));
  flags.count("--pipeline-parallel-size", keys("pp"));
  flags.count("--data-parallel-size", keys("dp"));
  flags.count("--max-num-seqs", keys("max_seqs"));
  flags.count("--max-num-batched-tokens", keys("chunk"));
  read_vllm_experts(flags, keys, findings);
  findings.guess(keys("tp"), "1", "vllm's default");
  if (const auto nodes = flags.number("--nnodes"); nodes && *nodes > 1)
    findings.set(nodes_key(side), *nodes, flags.place("--nnodes"));
  read_fraction(flags, "--gpu-memory-utilization", side);
  read_formats(flags, "vllm", keys, model, findings);
  read_lora(flags, "--max-loras");
  if (flags.has("--enable-prefix-caching"))
    findings.remark(
        "prefixes are cached: add prefix_hits, the share of prompt tokens that is found",
        flags.place("--enable-prefix-caching"));
  read_vllm_proposals(flags, findings);
  remark_length(flags, "--max-model-len", findings);
  flags.tell();
  flags.remark_rest("vLLM");
}

void read_sglang(const Invocation& call, Findings& findings) {
  findings.has_launch = true;
  GivenFlags flags(read_program("sglang"), call.source, call.words, findings);
  std::string side(call.pool);
  if (const std::string mode = flags.text("--disaggregation-mode");
      mode == "prefill" || mode == "decode")
    side = mode;
  const Keys keys(side);
  findings.set("serve.deployment.engine", "sglang", call.at);
  if (!call.is_dump) add_server(flags, side, call, findings);
  ask_for_configuration(flags, "--tp-size", keys("tp"), findings);
  const std::string model = read_model(call, flags, "--model-path", findings);
  ask_for_open_words(flags, keys, model, true);
  read_sglang_ranks(flags, keys, findings);
  flags.count("--max-queued-requests", "serve.deployment.max_waiting");
  if (const auto nodes = flags.number("--nnodes"); nodes && *nodes > 1)
    findings.set(nodes_key(side), *nodes, flags.place("--nnodes"));
  read_fraction(flags, "--mem-fraction-static", side);
  read_formats(flags, "sglang", keys, model, findings);
  read_lora(flags, "--max-loras-per-batch");
  read_sglang_proposals(flags, findings);
  remark_length(flags, "--context-length", findings);
  flags.tell();
  flags.remark_rest("SGLang");
}

void read_tensorrt_llm(const Invocation& call, Findings& findings) {
  findings.has_launch = true;
  std::vector<Flag> known;
  for (const char* name : {"--tp_size", "--pp_size", "--ep_size", "--max_batch_size",
                           "--max_num_tokens", "--max_seq_len", "--port"})
    known.push_back({name, {}, FlagKind::kInteger, {}, {}});
  for (const char* name :
       {"--config", "--extra_llm_api_options", "--backend", "--host", "--tokenizer"})
    known.push_back({name, {}, FlagKind::kText, {}, {}});
  known.push_back({"--kv_cache_free_gpu_memory_fraction", {}, FlagKind::kNumber, {}, {}});
  GivenFlags flags(Program("tensorrt-llm", {}, known), call.source, call.words, findings);
  findings.set("serve.deployment.engine", "tensorrt-llm", call.at);
  add_server(flags, call.pool, call, findings);
  findings.remark("the flags of TensorRT-LLM are not held to a table", call.at);
  const std::string model = read_model(call, flags, "", findings);
  if (const std::string named = precision_in_name(model); !named.empty())
    findings.guess("serve.precision", named, "the name of the checkpoint, " + model);
  const Keys keys{""};
  const std::array<GivenFlags::FlagKey, 6> open{
      {{"--tp_size", keys("tp")},
       {"--pp_size", keys("pp")},
       {"--ep_size", keys("ep")},
       {"--max_batch_size", keys("max_seqs")},
       {"--max_num_tokens", keys("chunk")},
       {"--kv_cache_free_gpu_memory_fraction", "serve.deployment.memory_fraction"}}};
  flags.leave_rest_open(true, open);
  flags.count("--tp_size", "ranks");
  flags.count("--pp_size", keys("pp"));
  flags.count("--ep_size", keys("ep"));
  flags.count("--max_batch_size", keys("max_seqs"));
  flags.count("--max_num_tokens", keys("chunk"));
  read_fraction(flags, "--kv_cache_free_gpu_memory_fraction", "");
  read_options_file(flags, findings);
  remark_length(flags, "--max_seq_len", findings);
  flags.remark_rest("TensorRT-LLM");
}

}  // namespace loadfactor::launch
