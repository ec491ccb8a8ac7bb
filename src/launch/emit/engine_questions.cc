#include "launch/emit/engine_questions.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/quantity_text.h"

namespace loadfactor::launch {
namespace {

constexpr const char* kContext = "what the model's positions, or the cache at its least, hold";
constexpr const char* kTokens = "serve.deployment.speculation.tokens";
// Stands for the model that proposes, until somebody names it.
constexpr std::string_view kDraft = "DRAFT_MODEL";

// Whether tokens are proposed, and the target can say by whom.
bool proposes(Desk& desk) {
  const ServicePlan& service = desk.service();
  if (!service.proposed_tokens) return false;
  const bool asks = desk.target() == "vllm" || desk.target() == "sglang";
  if (service.model.mtp_layers > 0 || asks) return true;
  desk.refuse(kTokens, std::to_string(*service.proposed_tokens),
              "the scenario names no draft model to propose with, and a manifest cannot ask for "
              "one: emit vllm and emit sglang do");
  return false;
}

}  // namespace

void add_context(const Desk& desk, const ReplicaPool& pool, std::string_view flag,
                 Arguments& arguments) {
  if (!desk.service().model.is_variant) arguments.add(flag, pool.context, kContext);
}

std::string_view context_flag(const ServicePlan& service) {
  if (service.engine.starts_with("vllm")) return "--max-model-len";
  if (service.engine.starts_with("sglang")) return "--context-length";
  return service.engine.starts_with("tensorrt-llm") ? "--max_seq_len" : "";
}

std::vector<std::string> context_sentences(const ServicePlan& service, std::string_view flag) {
  if (!service.model.is_variant || flag.empty()) return {};
  std::int64_t context = service.model.context;
  for (const ReplicaPool& pool : service.pools) context = std::min(context, pool.context);
  return {
      fmt::format("Without {}: the context of {} is not known here, and the engine takes that "
                  "of its config.json.",
                  flag, service.model.repository),
      fmt::format("Where that is longer than {} tokens, which {} and the cache hold, add {} {}.",
                  format_count(context), service.model.name, flag, context)};
}

void add_vllm_proposals(Desk& desk, Arguments& arguments) {
  if (!proposes(desk)) return;
  const ServicePlan& service = desk.service();
  if (service.model.mtp_layers > 0) {
    arguments.add("--spec-method", "mtp", "layers of the model itself propose");
  } else {
    arguments.add("--spec-method", "draft_model", "or eagle, eagle3, …: what DRAFT is");
    arguments.add("--spec-model", kDraft, "the scenario names none");
  }
  arguments.add("--spec-tokens", *service.proposed_tokens, desk.from(kTokens));
}

void add_sglang_proposals(Desk& desk, Arguments& arguments) {
  if (!proposes(desk)) return;
  const ServicePlan& service = desk.service();
  if (service.model.mtp_layers > 0) {
    arguments.add("--speculative-algorithm", "EAGLE", "layers of the model itself propose");
  } else {
    arguments.add("--speculative-algorithm", "STANDALONE", "or EAGLE, EAGLE3: what DRAFT is");
    arguments.add("--speculative-draft-model-path", kDraft, "the scenario names none");
  }
  arguments.add("--speculative-num-steps", *service.proposed_tokens, desk.from(kTokens));
  arguments.add("--speculative-eagle-topk", 1, "one chain, as predicted");
  arguments.add("--speculative-num-draft-tokens", *service.proposed_tokens + 1,
                "the chain and the token that begins it");
}

std::string with_draft(std::string array) {
  const std::string row = fmt::format(" {}", kDraft);
  const auto at = array.find(row);
  if (at == std::string::npos) return array;
  array.replace(at + 1, kDraft.size(), "\"$draft\"");
  return "draft=\"${DRAFT:?name the model that proposes tokens}\"\n\n" + array;
}

}  // namespace loadfactor::launch
