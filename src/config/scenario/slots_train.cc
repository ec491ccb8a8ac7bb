// The keys of `train` and of a model.
#include <type_traits>

#include "config/scenario/slot_table.h"

namespace loadfactor::config {
namespace {

// One word or a list of modules. Layers have a key of their own.
AnyValue read_recompute(const Layout& layout) {
  if (!layout.recompute || layout.recompute_layers > 0) return {};
  const bool is_list =
      layout.recompute->value == RecomputeWord::kModules && !layout.recompute_modules.empty();
  return is_list ? read(layout.recompute_modules) : read(layout.recompute);
}

bool write_recompute(Layout& layout, const AnyValue& value) {
  std::vector<ModuleWord> modules;
  Given<RecomputeWord> word;
  const bool is_list = std::holds_alternative<std::vector<std::string>>(value);
  if (is_list ? !write(modules, value) : !write(word, value)) return false;
  if (is_list)
    word = {modules.empty() ? RecomputeWord::kNone : RecomputeWord::kModules, kPlannerPosition};
  layout.recompute = word;
  layout.recompute_modules = std::move(modules);
  layout.recompute_layers = 0;
  return true;
}

AnyValue read_recomputed_layers(const Layout& layout) {
  return layout.recompute && layout.recompute_layers > 0 ? read(layout.recompute_layers)
                                                         : AnyValue();
}

bool write_recomputed_layers(Layout& layout, const AnyValue& value) {
  Given<int> layers;
  if (!write(layers, value)) return false;
  layout.recompute.reset();
  layout.recompute_modules.clear();
  layout.recompute_layers = layers ? layers->value : 0;
  if (layers) layout.recompute = {RecomputeWord::kFull, layers->position};
  return true;
}

void add_layout(SlotTable& table, const Section<TrainSection>& train) {
  const auto layout =
      table.section(train, "layout", "how the job is cut over GPUs", &TrainSection::layout);
  table.add(layout, "gpus", "GPUs of the job", &Layout::gpus);
  table.add(layout, "tp", "GPUs that share a layer", &Layout::tp);
  table.add(layout, "pp", "stages of the pipeline", &Layout::pp);
  table.add(layout, "vp", "chunks of a stage that are interleaved", &Layout::vp);
  table.add(layout, "first_layers", "layers of the first stage", &Layout::first_layers);
  table.add(layout, "last_layers", "layers of the last stage", &Layout::last_layers);
  table.add(layout, "cp", "GPUs that share a sequence", &Layout::cp);
  table.add(layout, "ep", "GPUs that share the experts", &Layout::ep);
  table.add(layout, "etp", "GPUs that share one expert", &Layout::etp);
  table.add(layout, "dp", "copies that see different data", &Layout::dp);
  table.add(layout, "zero", "stage of ZeRO", &Layout::zero);
  table.add(layout, "shard_group", "ranks that share one copy of what is sharded",
            &Layout::shard_group);
  table.add(layout, "micro_batch", "sequences of a micro-batch", &Layout::micro_batch);
  const auto place = [](const Layout& part) { return place_of(part.recompute); };
  table.add<Layout>(layout, "recompute", "what is computed again instead of kept",
                    {read_recompute, write_recompute, place});
  table.add<Layout>(layout, "recompute.layers", "layers of each stage that are computed again",
                    {read_recomputed_layers, write_recomputed_layers, place});
  table.add(layout, "schedule", "order of the pipeline", &Layout::schedule);
  table.add(layout, "sequence_parallel", "whether tp also splits sequences",
            &Layout::sequence_parallel);
  table.add(layout, "offload", "what is kept in the host's memory", &Layout::offload);
  table.add(layout, "offload_layers", "layers of each stage whose activations leave",
            &Layout::offload_layers);
  table.add(layout, "offload_link", "bandwidth of a GPU to the host", &Layout::offload_link);
  table.add(layout, "gradients", "number format in which gradients travel", &Layout::gradients);
  table.add(layout, "moments", "number format of the optimizer's moments", &Layout::moments);
  table.add(layout, "kept", "number format of inputs kept for the backward pass", &Layout::kept);
  const auto experts =
      table.section(layout, "moe", "how uneven the experts' work is", &Layout::moe);
  table.add(experts, "imbalance", "tokens of the busiest rank over the mean",
            &ExpertSection::imbalance);
  table.add(experts, "spread", "how much that varies", &ExpertSection::spread);
  table.add(experts, "capacity_factor", "tokens that an expert takes, over the mean",
            &ExpertSection::capacity_factor);
  table.add(experts, "padded", "whether experts are filled up to their capacity",
            &ExpertSection::padded);
  table.add(experts, "dispatch", "number format in which tokens travel to experts",
            &ExpertSection::dispatch);
  const auto compression = table.section(
      layout, "compression", "how gradients are compressed with a loss", &Layout::compression);
  table.add(compression, "kind", "the method", &CompressionSection::kind);
  table.add(compression, "rank", "of its factors", &CompressionSection::rank);
}

void add_failures(SlotTable& table, const Section<TrainSection>& train) {
  const auto failures =
      table.section(train, "failures", "what stops and mends the job", &TrainSection::failures);
  table.add(failures, "checkpoint", "how checkpoints are written", &FailureSection::checkpoint);
  table.add(failures, "interval", "time between checkpoints", &FailureSection::interval);
  table.add(failures, "storage", "bandwidth of the storage", &FailureSection::storage);
  table.add(failures, "restart", "time to start again", &FailureSection::restart);
  table.add(failures, "detection", "time until a failure is seen", &FailureSection::detection);
  table.add(failures, "repair", "time until a node is back", &FailureSection::repair);
  table.add(failures, "spares", "nodes that stand by", &FailureSection::spares);
  table.add(failures, "elastic", "whether it goes on with fewer nodes", &FailureSection::elastic);
}

void add_judge(SlotTable& table, const Section<MethodSection>& method, std::string_view key,
               const std::string& meaning, std::optional<JudgeSection> MethodSection::*member) {
  const auto judge = table.section(method, key, meaning, member);
  add_model_slots(table, inside(judge, &JudgeSection::model));
  table.add(judge, "precision", "number format of its weights", &JudgeSection::precision);
}

void add_rollout(SlotTable& table, const Section<MethodSection>& method) {
  const auto rollout = table.section(method, "rollout", "the engine that writes the answers",
                                     &MethodSection::rollout);
  table.add(rollout, "gpus", "GPUs that write", &RolloutSection::gpus);
  table.add(rollout, "tp", "GPUs of a replica", &RolloutSection::tp);
  table.add(rollout, "engine", "the serving engine", &RolloutSection::engine);
  table.add(rollout, "release", "its release", &RolloutSection::release);
  table.add(rollout, "precision", "number format of its weights", &RolloutSection::precision);
  table.add(rollout, "kv", "number format of its KV cache", &RolloutSection::kv);
  table.add(rollout, "max_seqs", "sequences of a replica at a time", &RolloutSection::max_seqs);
}

void add_method(SlotTable& table, const Section<TrainSection>& train) {
  const auto method =
      table.section(train, "method", "what is trained, and on what", &TrainSection::method);
  table.add(method, "kind", "full, lora, qlora, dpo, distillation, grpo or ppo",
            &MethodSection::kind);
  table.add(method, "prompts", "prompts of a step", &MethodSection::prompts);
  table.add(method, "group", "answers to each prompt", &MethodSection::group);
  table.add(method, "steps", "steps of the run", &MethodSection::steps);
  table.add(method, "prompt_tokens", "mean length of a prompt", &MethodSection::prompt_tokens);
  table.add(method, "answer_tokens", "mean length of an answer", &MethodSection::answer_tokens);
  table.add(method, "answer_spread", "standard deviation of the logarithm of that length",
            &MethodSection::answer_spread);
  table.add(method, "answer_most", "where answers are cut", &MethodSection::answer_most);
  table.add(method, "epochs", "times that the trainer goes over the answers",
            &MethodSection::epochs);
  table.add(method, "reference", "whether a frozen copy reads as well", &MethodSection::reference);
  table.add(method, "placement", "whether the same GPUs write and learn",
            &MethodSection::placement);
  table.add(method, "off_policy", "steps by which answers may be older than the weights",
            &MethodSection::off_policy);
  add_judge(table, method, "reward", "the model that judges answers", &MethodSection::reward);
  add_judge(table, method, "teacher", "the model that is learned from", &MethodSection::teacher);
  add_judge(table, method, "value", "the value model that is trained beside the model",
            &MethodSection::value);
  add_rollout(table, method);
  const auto examples =
      table.section(train, "examples", "texts shorter than a sequence", &TrainSection::examples);
  table.add(examples, "tokens", "their mean length", &ExampleSection::tokens);
  table.add(examples, "packing", "whether several share a sequence", &ExampleSection::packing);
}

void add_stages(SlotTable& table, const Section<TrainSection>& train) {
  const auto stage =
      table.section(train, "stages", "stages that follow the first", &TrainSection::stages);
  table.add(stage, "sequence", "tokens of a sequence", &StageSection::sequence);
  table.add(stage, "tokens", "tokens of the stage", &StageSection::tokens);
  table.add(stage, "global_batch", "sequences of a step", &StageSection::global_batch);
}

AnyValue read_precision(const TrainSection& train) {
  return train.precisions.size() > 1 ? read(train.precisions) : read(train.precision);
}

bool write_precision(TrainSection& train, const AnyValue& value) {
  std::vector<Name> words;
  const auto* const one = std::get_if<std::string>(&value);
  const bool is_written =
      one != nullptr ? write(words, AnyValue(std::vector<std::string>{*one})) : write(words, value);
  if (!is_written) return false;
  train.precision.reset();
  if (!words.empty()) train.precision = words.front();
  train.precisions = std::move(words);
  return true;
}

// The form of a model that a key belongs to; another form gives way to it.
template <typename Form, typename Field>
void add_of_form(SlotTable& table, const Section<ModelSection>& model, std::string_view key,
                 std::string meaning, Field Form::*member) {
  const auto find = [](const ModelSection& ask) { return std::get_if<Form>(&ask.model); };
  table.add<ModelSection>(model, key, std::move(meaning),
                          {[=](const ModelSection& ask) {
                             return find(ask) == nullptr ? AnyValue() : read(find(ask)->*member);
                           },
                           [=](ModelSection& ask, const AnyValue& value) {
                             const bool is_blank = std::holds_alternative<Blank>(value);
                             if (find(ask) == nullptr && is_blank) return true;
                             if (find(ask) == nullptr) ask.model = Form();
                             auto& field = std::get<Form>(ask.model).*member;
                             if (is_blank) return field = Form().*member, true;
                             return write(field, value);
                           },
                           [=](const ModelSection& ask) {
                             return find(ask) == nullptr ? std::nullopt
                                                         : place_of(find(ask)->*member);
                           }});
}

AnyValue read_model_name(const ModelSection& ask) {
  if (const auto* const named = std::get_if<CatalogModel>(&ask.model)) return read(named->name);
  const auto* const file = std::get_if<ModelConfigFile>(&ask.model);
  return file != nullptr && is_model_path(file->path.value) ? read(file->path) : AnyValue();
}

bool write_model_name(ModelSection& ask, const AnyValue& value) {
  Name name;
  if (!write(name, value)) return false;
  ask.position = name.position;
  if (is_model_path(name.value))
    ask.model = ModelConfigFile{name};
  else
    ask.model = CatalogModel{name};
  return true;
}

}  // namespace

void add_model_slots(SlotTable& table, const Section<ModelSection>& section) {
  table.add<ModelSection>(
      section, "model", "the model by its name or its file",
      {read_model_name, write_model_name,
       [](const ModelSection& ask) -> std::optional<Position> { return ask.position; }});
  Section<ModelSection> model = section;
  model.path = path_in(section.path, "model");
  add_of_form(table, model, "config", "a file of Hugging Face", &ModelConfigFile::path);
  add_of_form(table, model, "params", "parameters", &ModelSize::params);
  add_of_form(table, model, "active", "parameters that a token meets", &ModelSize::active);
  add_of_form(table, model, "layers", "layers", &ModelDimensions::layers);
  add_of_form(table, model, "hidden", "width of the residual stream", &ModelDimensions::hidden);
  add_of_form(table, model, "heads", "attention heads", &ModelDimensions::heads);
  add_of_form(table, model, "vocab", "rows of the embedding table", &ModelDimensions::vocab);
  add_of_form(table, model, "kv_heads", "heads of keys and values", &ModelDimensions::kv_heads);
  add_of_form(table, model, "head_dim", "width of a head", &ModelDimensions::head_dim);
  add_of_form(table, model, "mlp", "width of the dense MLP", &ModelDimensions::mlp);
  add_of_form(table, model, "gated", "whether the MLP is gated", &ModelDimensions::gated);
  add_of_form(table, model, "tied", "whether embeddings are tied", &ModelDimensions::tied);
  add_of_form(table, model, "experts", "experts of a layer", &ModelDimensions::experts);
  add_of_form(table, model, "top_k", "experts that a token meets", &ModelDimensions::top_k);
  add_of_form(table, model, "expert_width", "width of an expert", &ModelDimensions::expert_width);
  add_of_form(table, model, "shared_width", "width of the shared experts",
              &ModelDimensions::shared_width);
}

void add_train_slots(SlotTable& table, const Section<Scenario>& root) {
  const auto train = table.section(root, "train", "a training run", &Scenario::train);
  add_model_slots(table, inside(train, &TrainSection::model));
  table.add<TrainSection>(train, "precision", "number format of the arithmetic",
                          {read_precision, write_precision,
                           [](const TrainSection& part) { return place_of(part.precision); }});
  table.add(train, "tokens", "tokens of the whole run", &TrainSection::tokens);
  table.add(train, "deadline", "time in which it must be done", &TrainSection::deadline);
  table.add(train, "sequence", "tokens of a sequence", &TrainSection::sequence);
  table.add(train, "global_batch", "sequences of a step", &TrainSection::global_batch);
  table.add(train, "lora", "rank of the adapters that are trained", &TrainSection::lora);
  table.add(train, "lora_targets", "what has adapters: attention or all-linear",
            &TrainSection::lora_targets);
  table.add(train, "data_rate", "tokens that storage and loaders deliver",
            &TrainSection::data_rate);
  table.add(train, "critical_batch", "tokens a step beyond which more teach nothing",
            &TrainSection::critical_batch);
  add_method(table, train);
  add_stages(table, train);
  add_failures(table, train);
  add_layout(table, train);
  const auto stack = table.section(train, "stack", "the software", &TrainSection::stack);
  table.add(stack, "framework", "the framework", &Stack::framework);
  table.add(stack, "release", "its release", &Stack::release);
  table.add(stack, "year", "the year of the software", &Stack::year);
}

}  // namespace loadfactor::config
