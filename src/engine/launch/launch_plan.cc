#include "engine/launch/launch_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/emit/emission.h"
#include "launch/vocabulary/public_names.h"
#include "resolve/serve/serve_setup.h"
#include "resolve/serve/service_formats.h"
#include "resolve/train/train_layout.h"
#include "resolve/train/train_setup.h"
#include "serving/simulator/policy.h"

namespace loadfactor::engine {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

launch::Machine machine_of(const catalog::Catalog& catalog, const catalog::AcceleratorSpec& chip) {
  launch::Machine machine;
  machine.chip = chip.name;
  machine.title = chip.title;
  machine.vendor = lower(chip.vendor);
  if (chip.scale_out) machine.fabric = chip.scale_out->fabric;
  const auto node =
      chip.node.empty() ? Result<const catalog::NodeSpec*>(Error{}) : catalog.find_node(chip.node);
  if (!node) return machine;
  machine.gpus_per_node = std::max(1, (*node)->gpus);
  if (const auto& host = (*node)->host) {
    constexpr double kGigabyte = 1e9;
    machine.cores = host->cores;
    machine.memory = static_cast<int>(host->memory.base() / kGigabyte);
  }
  if ((*node)->network) {
    machine.nics = (*node)->network->nics;
    machine.fabric = (*node)->network->fabric;
  }
  return machine;
}

// A model that no catalogue has goes by its path, or by its dimensions alone.
launch::ModelShape named_shape(const catalog::ModelSpec& model, const config::ModelSection& written,
                               const std::vector<ModelFile>& files) {
  auto shape = shape_of(model);
  auto repository = launch::repository_of(shape.name);
  shape.repository = std::move(repository.name);
  shape.repository_is_assumed = repository.is_assumed;
  if (const auto* file = std::get_if<config::ModelConfigFile>(&written.model)) {
    shape.repository.clear();
    shape.name = file->path.value;
    shape.is_file = true;
    add_details(files, shape);
  } else if (!std::holds_alternative<config::CatalogModel>(written.model)) {
    shape.repository.clear();
    shape.name.clear();
  } else {
    // A checkpoint of its own: `meta-llama/Llama-3.1-8B-Instruct`.
    const std::string& name = std::get<config::CatalogModel>(written.model).name.value;
    const auto slash = name.find('/');
    const bool is_repository = slash != std::string::npos && slash > 0 && name.front() != '.';
    if (is_repository) {
      shape.is_variant = lower(name) != lower(shape.repository);
      shape.repository_is_assumed = false;
      shape.repository = name;
    }
  }
  return shape;
}

constexpr std::array kGradients{"fp32", "bf16", "fp16", "fp8", "int8"};

std::optional<launch::RunPlan> make_run(const Core& engine, const LaunchInputs& inputs,
                                        Diagnostics& diagnostics) {
  TrainInputs asked{.scenario = inputs.scenario, .model_files = inputs.trained_files};
  const auto answer = engine.train(asked, diagnostics);
  if (!answer) return std::nullopt;
  if (!answer->fits) {
    constexpr double kGib = 1024.0 * 1024.0 * 1024.0;
    const bool lacks_host = answer->memory_needed <= answer->memory_per_gpu;
    diagnostics.add(
        {.code = lf::kDoesNotFit,
         .message = lacks_host ? "the host has no room for what its GPUs would leave there"
                               : fmt::format("the fullest GPU needs {:.1f} GiB of {:.1f} GiB",
                                             answer->memory_needed.base() / kGib,
                                             answer->memory_per_gpu.base() / kGib),
         .hint = answer->nearest.empty() ? "" : "nearest that does: " + answer->nearest});
    return std::nullopt;
  }
  asked.scenario = inputs.scenario.with(std::span<const config::Edit>(answer->layout_edits));
  const auto setup = make_train_setup(asked, engine.catalog(), diagnostics);
  if (!setup) return std::nullopt;
  const auto chosen = choose_layout(*setup, setup->asked_layout());
  if (!chosen) return std::nullopt;
  launch::RunPlan run;
  run.layout = chosen->job.layout;
  run.model = named_shape(*setup->job.model, inputs.scenario.train->model, inputs.trained_files);
  run.machine = machine_of(engine.catalog(), *setup->job.chip);
  run.framework = setup->job.stack->name;
  run.family = setup->job.stack->family;
  run.sequence = answer->sequence;
  run.global_batch = answer->global_batch;
  run.precision = answer->precision;
  const auto& layout = inputs.scenario.train->layout;
  if (layout && layout->gradients)
    run.gradients = kGradients[static_cast<std::size_t>(layout->gradients->value)];
  run.formats = setup->job.precision;
  run.routing = setup->job.routing;
  run.first_stage = answer->layout.first_layers;
  run.last_stage = answer->layout.last_layers;
  const std::int64_t chunks = std::int64_t{run.layout.pp} * std::max(1, run.layout.vp);
  run.is_even = run.model.layers % chunks == 0 && run.layout.first_layers == 0;
  if (answer->tokens)
    run.steps = static_cast<std::int64_t>(std::ceil(
        answer->tokens->base() / static_cast<double>(run.sequence * run.global_batch) - 1e-9));
  if (answer->goodput && answer->goodput->interval_steps > 0)
    run.save_every = answer->goodput->interval_steps;
  if (answer->goodput) {
    run.save_interval = answer->goodput->interval;
    run.save_stall = answer->goodput->stall;
    run.save_size = answer->goodput->checkpoint;
    run.stop_every = answer->goodput->mtbf;
  }
  const auto& word = inputs.scenario.train->failures.checkpoint;
  run.saves_apart = !word || word->value == config::CheckpointWord::kAsynchronous;
  run.saves_in_memory = word && word->value == config::CheckpointWord::kInMemory;
  if (answer->duration) run.duration = answer->duration->value();
  if (const auto& lora = inputs.scenario.train->lora) run.lora = lora->value;
  if (const auto& method = inputs.scenario.train->method; method && !run.lora) {
    constexpr int kUsualRank = 16;
    const auto kind = method->kind.value;
    if (kind == config::MethodWord::kLora || kind == config::MethodWord::kQlora)
      run.lora = kUsualRank;
  }
  run.overlaps_gradients = setup->job.stack->dp_overlap;
  run.overlaps_gathers = setup->job.stack->gather_overlap;
  run.overlaps_tensors = setup->job.stack->tp_overlap != training::TpOverlap::kNone;
  run.compiles = setup->job.stack->pointwise == training::PointwiseClass::kCompiled;
  run.drops = setup->job.stack->memory.dropout_masks;
  const training::StackTraits& stack = *setup->job.stack;
  run.gradient_bytes = std::min(stack.gradient_bytes, stack.memory.state.gradient);
  return run;
}

// What a cache of so many tokens and the model's own positions hold. What a decoder apart is asked
// about goes through its encoder, and takes none of them.
std::int64_t longest_sequence(const catalog::ModelSpec& model, std::int64_t cache) {
  std::int64_t longest = cache > 0 ? cache : model.context;
  if (model.context > 0) longest = std::min(longest, model.context);
  if (model.embedding.positions > 0)
    longest = std::min(longest, std::int64_t{model.embedding.positions});
  return longest;
}

// What the cache of one copy of the attention holds for sure: an engine that is told more refuses
// to start.
std::int64_t least_cache(const serving::ReplicaPlan& plan) {
  if (plan.kv_measured) return *plan.kv_measured;
  const auto count = [&](serving::End end) {
    return static_cast<double>(serving::count_kv_tokens(plan.memory_setup, plan.memory, end));
  };
  const double low = count(serving::End::kLow);
  const double value = count(serving::End::kValue);
  if (!(low > 0) || !(value > low)) return plan.kv_tokens;
  return static_cast<std::int64_t>(static_cast<double>(plan.kv_tokens) * low / value);
}

launch::ReplicaPool pool_of(const Core& engine, const ServeSetup& service,
                            const serving::ReplicaPlan& plan, Side side, int replicas) {
  launch::ReplicaPool pool;
  if (service.is_split()) pool.name = side == Side::kPrefill ? "prefill" : "decode";
  pool.machine = machine_of(engine.catalog(), service.chip_of(side));
  const auto& layout = plan.choice.layout;
  pool.tp = layout.tp;
  pool.pp = layout.pp;
  pool.ep = layout.ep;
  pool.dp = layout.dp;
  pool.cp = layout.cp;
  pool.replicas = replicas;
  pool.chunk = plan.chunk;
  pool.max_seqs = plan.max_seqs;
  pool.slots = plan.pool(service.promise, replicas).slots;
  pool.memory_fraction = plan.choice.memory_fraction > 0 ? plan.choice.memory_fraction
                                                         : plan.memory_setup.memory_fraction;
  pool.context = longest_sequence(*service.model, least_cache(plan));
  return pool;
}

std::optional<launch::ScalerPlan> scaler_of(const config::Operations& operations) {
  if (!operations.scaling) return std::nullopt;
  const config::ScalingSection& asked = *operations.scaling;
  launch::ScalerPlan scaler;
  const serving::ScalingRules rules;  // What the simulator does where nothing is said.
  scaler.least = asked.least;
  scaler.most = asked.most;
  scaler.target = asked.target ? asked.target->value : rules.target_load;
  scaler.is_band = asked.above.has_value();
  const auto time = [](const config::Given<Seconds>& given, sim::Ticks otherwise) {
    return given ? given->value
                 : Seconds::from_base(static_cast<double>(otherwise) /
                                      static_cast<double>(sim::kSecond));
  };
  scaler.interval = time(asked.interval, rules.interval);
  scaler.cooldown = time(asked.cooldown, rules.cooldown);
  return scaler;
}

std::optional<launch::ServicePlan> make_service(const Core& engine, const LaunchInputs& inputs,
                                                Diagnostics& diagnostics) {
  const ServeInputs asked{.scenario = inputs.scenario,
                          .model_files = inputs.served_files,
                          .trace_bytes = inputs.trace_bytes,
                          .seeks_others = false};
  const auto answer = engine.serve(asked, diagnostics);
  if (!answer) return std::nullopt;
  const auto setup = make_serve_setup(asked, engine.catalog(), diagnostics);
  if (!setup) return std::nullopt;
  launch::ServicePlan service;
  service.model = named_shape(*setup->model, inputs.scenario.serve->model, inputs.served_files);
  service.engine = setup->engine->name;
  service.release = release_of(setup->ask());
  const auto& choice = setup->plan.choice;
  service.precision = choice.formats.recipe->name;
  const auto stored = choose_recipe("", *setup->model);
  service.is_as_stored = stored && *stored == choice.formats.recipe;
  service.kv = answer->kv_format;
  if (setup->prompts) {
    const int prompts = std::max(1, answer->prompt_gpus / setup->prompts->gpus());
    service.pools.push_back(pool_of(engine, *setup, *setup->prompts, Side::kPrefill, prompts));
  }
  service.pools.push_back(
      pool_of(engine, *setup, setup->plan, Side::kDecode, answer->layout.replicas));
  const config::Operations& operations = setup->operations();
  if (operations.prefix_hits) service.prefix_hits = operations.prefix_hits->value;
  service.fills = operations.filler.has_value();
  service.has_priorities = service.fills || (operations.urgent && operations.urgent->value > 0);
  service.swaps =
      operations.preemption && operations.preemption->value == config::PreemptionWord::kSwap;
  service.has_swap_space = operations.swap_space.has_value();
  if (operations.timeout) service.left_to_gateway.emplace_back("timeout");
  if (operations.first_token_timeout) service.left_to_gateway.emplace_back("first_token_timeout");
  if (operations.router)
    service.left_to_gateway.push_back(fmt::format("router: {}", operations.router->value));
  if (operations.max_waiting) service.max_waiting = operations.max_waiting->value;
  if (operations.speculation) service.proposed_tokens = operations.speculation->tokens;
  if (operations.lora) service.lora = {operations.lora->rank, operations.lora->active};
  service.scaler = scaler_of(operations);
  return service;
}

// A scenario that leaves the engine blank is served by the one that is asked for.
config::Scenario with_engine(const LaunchInputs& inputs) {
  constexpr std::array kEngines{"vllm", "sglang", "tensorrt-llm"};
  const config::Scenario& scenario = inputs.scenario;
  const bool is_engine =
      std::find(kEngines.begin(), kEngines.end(), inputs.target) != kEngines.end();
  const bool is_blank =
      scenario.serve && (!scenario.serve->deployment || !scenario.serve->deployment->engine);
  return is_engine && is_blank ? scenario.with({{"serve.deployment.engine", inputs.target}})
                               : scenario;
}

// The same for a scenario that leaves its framework blank.
config::Scenario with_framework(const config::Scenario& scenario, const std::string& target) {
  struct Usual {
    std::string_view target;
    const char* framework;
  };
  constexpr std::array kUsual{Usual{"megatron", "megatron-core-2026"},
                              Usual{"deepspeed", "deepspeed"},
                              Usual{"torchtitan", "torchtitan"},
                              Usual{"accelerate", "hf-fsdp"},
                              Usual{"pytorch", "fsdp2"},
                              Usual{"horovod", "horovod"},
                              Usual{"mpirun", "pytorch-ddp"},
                              Usual{"maxtext", "xla"},
                              Usual{"neuronx", "neuron"}};
  const auto* usual = std::find_if(kUsual.begin(), kUsual.end(),
                                   [&](const Usual& row) { return row.target == target; });
  const bool is_blank =
      scenario.train && (!scenario.train->stack || !scenario.train->stack->framework);
  if (usual == kUsual.end() || !is_blank) return scenario;
  return scenario.with({{"train.stack.framework", std::string(usual->framework)}});
}

// What a key may be where the target cannot express what was chosen for it, the fastest first.
struct Choices {
  const char* key;
  std::vector<config::AnyValue> values;
};
std::vector<Choices> all_choices() {
  constexpr std::int64_t kOne = 1;
  const std::vector<config::AnyValue> one{kOne};
  std::vector<Choices> all{
      {"train.layout.recompute",
       {std::string("none"), std::string("selective"), std::string("full")}},
      {"train.layout.zero", {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{3}}},
      {"train.layout.sequence_parallel", {false}}};
  for (const char* key : {"train.layout.vp", "train.layout.cp", "train.layout.ep",
                          "train.layout.tp", "train.layout.pp"})
    all.push_back({key, one});
  return all;
}

bool is_blank(const config::Scenario& scenario, std::string_view key) {
  const auto nobody = [&](std::string_view each) {
    return scenario.origin(each).giver == config::Giver::kDefault;
  };
  // It may be written as a number of layers, too.
  const bool has_layers =
      key == "train.layout.recompute" && !nobody("train.layout.recompute.layers");
  return nobody(key) && !has_layers;
}

bool is_refused(const Diagnostics& refused, std::string_view key) {
  return std::any_of(refused.errors().begin(), refused.errors().end(), [&](const Error& error) {
    return error.code == lf::kInexpressible &&
           error.message.find(fmt::format(" {}:", key)) != std::string::npos;
  });
}

Error unfit_choice(const std::string& target, const char* key, const config::AnyValue& value,
                   const Diagnostics& wrong) {
  Error error = wrong.errors().empty() ? Error{} : wrong.errors().front();
  error.message = fmt::format("with {}: {}, as {} can express it, {}", key, config::to_text(value),
                              target, error.message);
  return error;
}

// Keys that the scenario leaves blank are chosen among what the target can express. True where its
// files can be written then; where they cannot, the plan stays as it was, and `why` says what is
// wrong with the first of the choices.
bool settle_blanks(const Core& engine, const LaunchInputs& inputs, int keys_left,
                   launch::LaunchPlan& plan, std::optional<Error>& why) {
  Diagnostics refused;
  if (inputs.target.empty() || launch::emit(inputs.target, plan, refused)) return true;
  std::vector<Choices> blank;
  for (Choices& choices : all_choices())
    if (is_blank(plan.scenario, choices.key) && is_refused(refused, choices.key))
      blank.push_back(std::move(choices));
  // What else it cannot express, no choice of ours changes.
  if (keys_left == 0 || blank.empty() || blank.size() < refused.errors().size()) return false;
  const Choices& choices = blank.front();
  for (const config::AnyValue& value : choices.values) {
    launch::LaunchPlan other = plan;
    other.scenario = plan.scenario.with({choices.key, value});
    LaunchInputs trained = inputs;
    trained.scenario = other.scenario;
    Diagnostics wrong;
    other.run = make_run(engine, trained, wrong);
    if (!other.run && !why) why = unfit_choice(inputs.target, choices.key, value, wrong);
    if (!other.run || !settle_blanks(engine, inputs, keys_left - 1, other, why)) continue;
    plan = std::move(other);
    return true;
  }
  return false;
}

Error nothing_to_launch(const LaunchInputs& inputs) {
  const config::Scenario& scenario = inputs.scenario;
  if (!scenario.train && !scenario.serve)
    return scenario.error(lf::kMissingKey, scenario.position,
                          "there is nothing to launch: neither 'train' nor 'serve' is there",
                          "say which model is trained or served");
  return scenario.error(
      lf::kMissingKey, scenario.position,
      inputs.wants_run ? "the scenario trains nothing" : "the scenario serves nothing",
      "a target for its other section launches that");
}

}  // namespace

std::optional<launch::LaunchPlan> make_launch_plan(const Core& engine, const LaunchInputs& inputs,
                                                   Diagnostics& diagnostics) {
  launch::LaunchPlan plan;
  plan.scenario = with_framework(with_engine(inputs), inputs.target);
  plan.name = inputs.scenario.name.value.empty() ? "loadfactor" : inputs.scenario.name.value;
  const bool has_run = inputs.scenario.train && inputs.wants_run;
  const bool has_service = inputs.scenario.serve && inputs.wants_service;
  if (!has_run && !has_service) return diagnostics.add(nothing_to_launch(inputs)), std::nullopt;
  if (has_service) {
    LaunchInputs served = inputs;
    served.scenario = plan.scenario;
    plan.service = make_service(engine, served, diagnostics);
    if (!plan.service) return std::nullopt;
  }
  if (has_run) {
    LaunchInputs trained = inputs;
    trained.scenario = plan.scenario;
    plan.run = make_run(engine, trained, diagnostics);
    if (!plan.run) return std::nullopt;
    constexpr int kMostKeys = 4;
    std::optional<Error> why;
    if (!settle_blanks(engine, inputs, kMostKeys, plan, why) && why)
      return diagnostics.add(*std::move(why)), std::nullopt;
  }
  return plan;
}

namespace {

void add_pool(const ServeLayout& layout, const std::string& section,
              std::vector<config::Edit>& edits) {
  const auto add = [&](const char* key, int value) {
    edits.push_back({section + key, std::int64_t{value}});
  };
  add("tp", layout.tp);
  add("pp", layout.pp);
  if (layout.ep > 1) add("ep", layout.ep);
  if (layout.dp > 1) add("dp", layout.dp);
  add("replicas", layout.replicas);
}

}  // namespace

std::vector<config::Edit> recommended_edits(const PlanMachine& machine) {
  std::vector<config::Edit> edits;
  edits.push_back({"hardware", std::vector<std::string>{machine.accelerator}});
  edits.push_back({"serve.precision", machine.precision});
  if (!machine.kv_format.empty()) edits.push_back({"serve.deployment.kv", machine.kv_format});
  if (!machine.prompts) {
    add_pool(machine.layout, "serve.deployment.", edits);
    return edits;
  }
  add_pool(*machine.prompts, "serve.deployment.prefill.", edits);
  add_pool(machine.layout, "serve.deployment.decode.", edits);
  return edits;
}

std::vector<std::string> keys_open_to_advice(const config::Scenario& scenario) {
  constexpr std::array kRun{"tp",
                            "pp",
                            "vp",
                            "first_layers",
                            "last_layers",
                            "cp",
                            "ep",
                            "etp",
                            "dp",
                            "zero",
                            "shard_group",
                            "micro_batch",
                            "recompute",
                            "schedule",
                            "sequence_parallel",
                            "offload",
                            "offload_layers"};
  constexpr std::array kService{"tp",       "pp",       "ep",    "dp",      "cp",
                                "replicas", "max_seqs", "chunk", "prefill", "decode"};
  if (!scenario.source) return {};
  std::vector<std::string> keys;
  const auto add = [&](std::string key) {
    const bool is_said = std::any_of(
        scenario.source->values.begin(), scenario.source->values.end(), [&](const auto& value) {
          return value.path == key || value.path.starts_with(key + ".") ||
                 value.path.starts_with(key + "[");
        });
    if (is_said) keys.push_back(std::move(key));
  };
  for (const char* name : kRun) add(fmt::format("train.layout.{}", name));
  for (const char* name : kService) add(fmt::format("serve.deployment.{}", name));
  return keys;
}

config::Scenario with_changes(const config::Scenario& scenario, std::vector<config::Edit> edits) {
  std::erase_if(edits,
                [&](const config::Edit& edit) { return scenario.value(edit.path) == edit.value; });
  return scenario.with(std::span<const config::Edit>(edits));
}

std::vector<config::Edit> recommended_edits(const PlanAnswer& plan) {
  if (!plan.machine) return {};
  if (!plan.training) return recommended_edits(*plan.machine);
  std::vector<config::Edit> edits{{"hardware", std::vector<std::string>{plan.machine->accelerator}},
                                  {"train.precision", plan.machine->precision}};
  edits.insert(edits.end(), plan.training->layout_edits.begin(), plan.training->layout_edits.end());
  return edits;
}

}  // namespace loadfactor::engine
