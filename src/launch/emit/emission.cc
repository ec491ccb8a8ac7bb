#include "launch/emit/emission.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/reader.h"
#include "launch/emit/targets.h"

namespace loadfactor::launch {
namespace {

enum class Of : std::uint8_t { kRun, kService, kEither };
struct Emitter {
  TargetRow row;
  Of of;
  void (*emit)(Desk&);
};
constexpr std::array kEmitters{
    Emitter{{"megatron", "torchrun with Megatron-LM's arguments"}, Of::kRun, emit_megatron},
    Emitter{{"deepspeed", "its JSON and a launcher"}, Of::kRun, emit_deepspeed},
    Emitter{
        {"torchtitan", "torchrun with torchtitan's flags, and TOML"}, Of::kRun, emit_torchtitan},
    Emitter{{"accelerate", "its YAML for FSDP and a launcher"}, Of::kRun, emit_accelerate},
    Emitter{{"pytorch", "torchrun for DDP or FSDP"}, Of::kRun, emit_pytorch},
    Emitter{{"horovod", "horovodrun"}, Of::kRun, emit_horovod},
    Emitter{{"mpirun", "one MPI process a GPU"}, Of::kRun, emit_mpirun},
    Emitter{{"maxtext", "its YAML and a launcher, keys unverified"}, Of::kRun, emit_maxtext},
    Emitter{
        {"neuronx", "YAML of NxD Training and torchrun, keys unverified"}, Of::kRun, emit_neuronx},
    Emitter{{"vllm", "a command for each pool"}, Of::kService, emit_vllm},
    Emitter{{"sglang", "a command for each pool"}, Of::kService, emit_sglang},
    Emitter{{"tensorrt-llm", "a command and its YAML, flags unverified"},
            Of::kService,
            emit_tensorrt_llm},
    Emitter{{"dynamo", "a DynamoGraphDeployment"}, Of::kService, emit_dynamo},
    Emitter{{"kserve", "an InferenceService"}, Of::kService, emit_kserve},
    Emitter{{"slurm", "a batch job around the framework or engine"}, Of::kEither, emit_slurm},
    Emitter{
        {"kubernetes", "manifests around the framework or engine"}, Of::kEither, emit_kubernetes},
    Emitter{{"hpa", "the same with a HorizontalPodAutoscaler"}, Of::kService, emit_hpa},
    Emitter{{"rayjob", "a RayJob around the framework"}, Of::kRun, emit_rayjob},
    Emitter{{"litellm", "a proxy's configuration with the price of own tokens"},
            Of::kService,
            emit_litellm},
    Emitter{{"prometheus", "a scrape configuration"}, Of::kEither, emit_prometheus},
    Emitter{{"prometheus-rules", "recording and alert rules"}, Of::kEither, emit_rules},
    Emitter{{"grafana", "a dashboard"}, Of::kEither, emit_grafana},
    Emitter{{"focus", "the bill as FOCUS rows"}, Of::kEither, emit_focus},
    Emitter{{"infracost", "the bill as an Infracost breakdown"}, Of::kEither, emit_infracost},
};

const Emitter* find_emitter(std::string_view target) {
  const auto* found = std::find_if(kEmitters.begin(), kEmitters.end(),
                                   [&](const Emitter& each) { return each.row.name == target; });
  return found == kEmitters.end() ? nullptr : found;
}

// Programs that are asked for, and why nothing is written for them.
struct Unwritten {
  std::string_view target;
  std::string_view why;
};
constexpr std::array kUnwritten{
    Unwritten{"nemo",
              "its recipes are programs in Python, and nothing is written that cannot be "
              "checked"}};

Error unknown_target(const std::string& target) {
  const auto* unwritten =
      std::find_if(kUnwritten.begin(), kUnwritten.end(),
                   [&](const Unwritten& each) { return each.target == target; });
  if (unwritten != kUnwritten.end())
    return {.code = lf::kUnknownWord,
            .message = fmt::format("'{}' is not a target: {}", target, unwritten->why),
            .hint = "`emit pytorch` leaves the plan in variables that a program of your own reads"};
  std::vector<std::string> names;
  for (const Emitter& each : kEmitters) names.emplace_back(each.row.name);
  const auto nearest = config::suggest(target, names);
  return {.code = lf::kUnknownWord,
          .message = fmt::format("no target '{}'", target),
          .hint = (nearest ? fmt::format("did you mean '{}'? ", *nearest) : std::string()) +
                  fmt::format("one of: {}", fmt::join(names, ", "))};
}

struct FamilyRow {
  std::string_view family;
  std::string_view target;
};
constexpr std::array kFamilies{
    FamilyRow{"megatron", "megatron"},     FamilyRow{"deepspeed", "deepspeed"},
    FamilyRow{"torchtitan", "torchtitan"}, FamilyRow{"hugging-face", "accelerate"},
    FamilyRow{"fms-fsdp", "pytorch"},      FamilyRow{"pytorch", "pytorch"},
    FamilyRow{"horovod", "horovod"},       FamilyRow{"xla", "maxtext"},
    FamilyRow{"neuron", "neuronx"},
};

// Launchers of programs that say nothing of their framework.
constexpr std::array kLaunchers{
    FamilyRow{"pytorch", "mpirun"},
    FamilyRow{"horovod", "mpirun"},
};

// Whether a target launches what was predicted.
bool launches(std::string_view target, const RunPlan& run) {
  const auto fits = [&](const FamilyRow& row) {
    return row.target == target && row.family == run.family;
  };
  return std::any_of(kFamilies.begin(), kFamilies.end(), fits) ||
         std::any_of(kLaunchers.begin(), kLaunchers.end(), fits);
}

// Whether a target starts equally many processes on every node, as torchrun and pods do.
bool starts_evenly(const Emitter& emitter) {
  const std::string_view name = emitter.row.name;
  if (name == "slurm" || name == "kubernetes") return true;
  return emitter.of == Of::kRun && name != "horovod" && name != "mpirun";
}

// Other processes than ranks would start where the last node is not full.
void refuse_part_of_node(Desk& desk) {
  const RunPlan& run = desk.run();
  if (run.nodes() * run.gpus_on_node() == run.layout.gpus) return;
  desk.refuse("train.layout.gpus", std::to_string(run.layout.gpus),
              fmt::format("it starts equally many ranks on every node, and {} GPUs are no whole "
                          "nodes of {}",
                          run.layout.gpus, run.machine.gpus_per_node));
}

}  // namespace

std::string_view name_of(Role role) {
  constexpr std::array<std::string_view, 8> kNames{"command", "arguments", "config",    "manifest",
                                                   "script",  "rules",     "dashboard", "table"};
  return kNames[static_cast<std::size_t>(role)];
}

void Desk::refuse(std::string_view key, std::string_view value, std::string_view why) {
  diagnostics_->add(plan_->inexpressible(target_, key, value, why));
  has_faults_ = true;
}

void Desk::refuse_degree(std::string_view key, std::int64_t degree, std::string_view why) {
  if (degree > 1) refuse(key, std::to_string(degree), why);
}

void Desk::fault(std::string what) {
  diagnostics_->add({.code = lf::kInternal, .message = fmt::format("emit {}: {}", target_, what)});
  has_faults_ = true;
}

void Desk::add(std::string path, Role role, std::string text) {
  files_.push_back({std::move(path), role, std::move(text)});
}

std::vector<TargetRow> targets() {
  std::vector<TargetRow> rows;
  for (const Emitter& each : kEmitters) rows.push_back(each.row);
  return rows;
}

std::string_view target_of(const LaunchPlan& plan) {
  if (plan.run) {
    for (const auto& [family, target] : kFamilies)
      if (plan.run->family == family) return target;
    return {};
  }
  for (const Emitter& each : kEmitters) {
    const bool is_engine =
        each.of == Of::kService && plan.service->engine.starts_with(each.row.name);
    if (is_engine) return each.row.name;
  }
  return {};
}

std::optional<std::vector<EmittedFile>> emit(const std::string& target, const LaunchPlan& plan,
                                             Diagnostics& diagnostics) {
  const Emitter* emitter = find_emitter(target);
  if (emitter == nullptr) return diagnostics.add(unknown_target(target)), std::nullopt;
  if (emitter->of == Of::kRun && !plan.run)
    return diagnostics.add(
               {.code = lf::kMissingKey,
                .message = fmt::format("'{}' launches training, and the scenario has no "
                                       "'train' section",
                                       target),
                .hint = "a target such as vllm, kubernetes or slurm launches a service"}),
           std::nullopt;
  if (emitter->of == Of::kService && !plan.service)
    return diagnostics.add(
               {.code = lf::kMissingKey,
                .message = fmt::format("'{}' launches a service, and the scenario has no "
                                       "'serve' section",
                                       target),
                .hint = "a target such as megatron, torchtitan or slurm launches training"}),
           std::nullopt;
  Desk desk(plan, target, diagnostics);
  const bool is_engine = target == "vllm" || target == "sglang" || target == "tensorrt-llm";
  if (is_engine && target_of(plan) != target)
    desk.refuse("serve.deployment.engine", plan.service->engine,
                "what was predicted is another engine");
  const bool goes_around = target == "rayjob";
  if (emitter->of == Of::kRun && !goes_around && !launches(target, *plan.run))
    desk.refuse("train.stack.framework", plan.run->framework,
                "what was predicted is another framework");
  if (plan.run && plan.run->saves_in_memory && emitter->of == Of::kRun)
    desk.refuse("train.failures.checkpoint", "in-memory", "it saves to storage");
  if (plan.run && starts_evenly(*emitter)) refuse_part_of_node(desk);
  emitter->emit(desk);
  if (desk.has_faults()) return std::nullopt;
  return desk.take();
}

}  // namespace loadfactor::launch
