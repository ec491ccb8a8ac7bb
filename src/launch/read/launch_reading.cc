#include "launch/read/launch_reading.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/read/readers.h"
#include "launch/vocabulary/public_names.h"
#include "launch/vocabulary/reading_tables.h"
#include "launch/vocabulary/tree.h"

namespace loadfactor::launch {
namespace {

constexpr std::array kTrainKeys{
    "train.model",
    "train.precision",
    "train.tokens",
    "train.sequence",
    "train.global_batch",
    "train.lora",
    "train.lora_targets",
    "train.method",
    "train.method.kind",
    "train.method.prompts",
    "train.method.group",
    "train.method.steps",
    "train.method.answer_tokens",
    "train.method.answer_most",
    "train.method.epochs",
    "train.method.reference",
    "train.method.placement",
    "train.method.reward.model",
    "train.method.value.model",
    "train.method.rollout.tp",
    "train.method.rollout.engine",
    "train.method.rollout.precision",
    "train.method.rollout.max_seqs",
    "train.layout.gpus",
    "train.layout.tp",
    "train.layout.pp",
    "train.layout.vp",
    "train.layout.first_layers",
    "train.layout.last_layers",
    "train.layout.cp",
    "train.layout.ep",
    "train.layout.etp",
    "train.layout.dp",
    "train.layout.zero",
    "train.layout.shard_group",
    "train.layout.micro_batch",
    "train.layout.recompute",
    "train.layout.schedule",
    "train.layout.sequence_parallel",
    "train.layout.offload",
    "train.layout.offload_layers",
    "train.layout.gradients",
    "train.layout.moments",
    "train.layout.moe.capacity_factor",
    "train.layout.moe.padded",
    "train.stack.framework",
    "train.failures.checkpoint",
};
constexpr std::array kPoolKeys{"gpu",      "tp",       "pp",    "ep", "dp",
                               "replicas", "max_seqs", "chunk", "kv"};

class ScenarioWriter {
 public:
  ScenarioWriter(Findings& findings, const Names& names) : findings_(findings), names_(names) {}

  LaunchReading write() {
    resolve_models();
    resolve_format();
    resolve_hardware();
    check_formats();
    for (const std::string pool : {"", "prefill.", "decode."})
      count_copies("serve.deployment." + pool);
    Tree root = Tree::map();
    root.set("loadfactor", Tree::number(1));
    const Finding* name = findings_.find("name");
    root.set("name", Tree::text(name == nullptr ? "read" : name->value));
    ask_open();
    serve(root);
    train(root);
    hardware(root);
    reading_.scenario = head() + to_yaml(root) + questions();
    reading_.remarks = findings_.remarks();
    return std::move(reading_);
  }

 private:
  bool serves() const { return findings_.find("serve.deployment.engine") != nullptr; }
  bool trains() const {
    return findings_.find("program") != nullptr || findings_.find("train.global_batch") != nullptr;
  }
  void resolve_models() {
    const Finding* mark = findings_.find("mark.model");
    for (const std::string_view key :
         {"serve.model", "train.model", "train.method.reward.model", "train.method.value.model"}) {
      const bool is_wanted = key == "serve.model" ? serves() : trains();
      if (!is_wanted) continue;
      const Finding* found = findings_.find(key);
      const bool is_judge = key.starts_with("train.method.");
      if (mark != nullptr && !is_judge && (found == nullptr || found->is_guess)) {
        const Finding kept = *mark;
        findings_.erase(key);
        findings_.set(key, kept.value, kept.place);
        found = findings_.find(key);
      }
      if (found == nullptr) continue;
      const Finding kept = *found;
      const std::string known = names_.model(kept.value);
      if (key == "train.model" && !known.empty()) check_dimensions(known, kept);
      findings_.erase(key);
      const std::string name = is_other_checkpoint(kept.value, known) ? kept.value : known;
      if (!known.empty() && kept.is_guess) {
        findings_.guess(key, name, kept.why);
      } else if (!known.empty()) {
        findings_.set(key, name, kept.place);
      } else {
        findings_.remark(
            fmt::format(
                "the model '{}' is not in the catalogue: write model: {{config: its config.json}}",
                kept.value),
            kept.place);
      }
    }
    if (trains() && findings_.find("train.model") == nullptr) model_by_dimensions();
    titan_chunks();
  }
  // Whether a name is of a checkpoint other than the catalogue's own of that model, in its formats:
  // `meta-llama/Llama-3.1-8B-Instruct` where that has the base.
  static bool is_other_checkpoint(const std::string& name, const std::string& known) {
    const auto slash = name.find('/');
    const bool is_repository = slash != std::string::npos && slash > 0 && name.front() != '.' &&
                               name.find('/', slash + 1) == std::string::npos;
    const std::string usual = repository_of(known).name;
    return is_repository && precision_in_name(name).empty() && !usual.empty() && name != usual;
  }
  // Flags that say another model than a name beside them.
  void check_dimensions(const std::string& model, const Finding& named) {
    if (!names_.differs) return;
    const auto dimension = [this](std::string_view name) -> std::optional<std::int64_t> {
      const std::string key = fmt::format("dims.{}", name);
      if (findings_.is_guess(key)) return std::nullopt;
      return findings_.number(key);
    };
    const auto other = names_.differs(model, dimension);
    if (!other) return;
    const Finding* given = findings_.find("dims." + other->name);
    findings_.error(lf::kContradictoryKeys, given->place,
                    fmt::format("{}: {} here, and {} of {} has {}", other->name, given->value,
                                named.value, to_text(named.place), other->value),
                    "keep the one that runs");
  }
  void model_by_dimensions() {
    const auto dimension = [this](std::string_view name) {
      return findings_.number(fmt::format("dims.{}", name));
    };
    if (!dimension("layers") || !dimension("hidden") || !dimension("heads")) return;
    const Place place = findings_.find("dims.layers")->place;
    const std::string known = names_.model_of(dimension);
    const Finding* layers = findings_.find("dims.layers");
    if (!known.empty() && layers->is_guess)
      return findings_.guess("train.model", known, std::string(layers->why));
    if (!known.empty()) return findings_.set("train.model", known, place);
    std::string text = "{";
    for (const char* name : {"layers", "hidden", "heads", "kv_heads", "head_dim", "mlp", "vocab",
                             "experts", "top_k", "expert_width", "shared_width"})
      if (const auto value = dimension(name))
        text += fmt::format("{}{}: {}", text.size() > 1 ? ", " : "", name, *value);
    for (const char* name : {"gated", "tied"})
      if (const Finding* found = findings_.find(fmt::format("dims.{}", name)))
        text += fmt::format(", {}: {}", name, found->value);
    if (dimension("kv_rank"))
      return ask("train.model", "{config: ?}",
                 "a latent attention of no model in the catalogue: its config.json says the rest");
    if (findings_.is_open("dims.moe_layers"))
      return ask("train.model", "{config: ?}",
                 "which layers have experts: " + findings_.open().at("dims.moe_layers").why);
    const auto sparse = dimension("moe_layers");
    if (const Finding* some = findings_.find("dims.moe_layers");
        sparse && *sparse != *dimension("layers"))
      return ask("train.model", "{config: ?}",
                 fmt::format("{}: {} of {} layers have experts, and no model of the catalogue is "
                             "so: its config.json says which",
                             to_text(some->place), *sparse, *dimension("layers")));
    if (!dimension("vocab"))
      return ask("train.model", fmt::format("{}, vocab: ?}}", text),
                 "the size of the vocabulary alone");
    if (findings_.is_guess("dims.vocab"))
      return findings_.guess("train.model", text + "}",
                             "the vocabulary is " + findings_.find("dims.vocab")->why);
    for (const char* name : {"layers", "mlp", "expert_width", "top_k"})
      if (const Finding* found = findings_.find(fmt::format("dims.{}", name));
          found != nullptr && found->is_guess)
        return findings_.guess("train.model", text + "}", std::string(found->why));
    findings_.set("train.model", text + "}", place);
  }
  // --dtype is the format of the computing: of the weights too, where the checkpoint is plain.
  void resolve_format() {
    const Finding* dtype = findings_.find("serve.dtype");
    if (dtype == nullptr || findings_.find("serve.precision") != nullptr ||
        findings_.is_open("serve.precision"))
      return;
    const Finding* model = findings_.find("serve.model");
    const std::string stored =
        model != nullptr && names_.stored_format ? names_.stored_format(model->value) : "";
    if (!stored.empty())
      return findings_.guess(
          "serve.precision", stored,
          fmt::format("its checkpoint is stored so; --dtype of {} is that of the computing",
                      to_text(dtype->place)));
    if (dtype->is_guess) return findings_.guess("serve.precision", dtype->value, dtype->why);
    findings_.set("serve.precision", dtype->value, dtype->place);
  }
  void check_formats() {
    if (!names_.is_format) return;
    for (const char* key : {"serve.precision", "train.precision"}) {
      const Finding* found = findings_.find(key);
      const bool serves = std::string_view(key) == "serve.precision";
      if (found != nullptr && !names_.is_format(found->value, serves))
        findings_.error(lf::kWrongType, found->place,
                        fmt::format("'{}' is no number format to {} in", found->value,
                                    serves ? "serve" : "train"));
    }
  }
  // A scenario's dp with experts shares them; copies of everything are replicas.
  void count_copies(const std::string& keys) {
    const Finding* found = findings_.find(keys + "whole_copies");
    const Finding* model = findings_.find("serve.model");
    if (found == nullptr || model == nullptr || !names_.has_experts ||
        !names_.has_experts(model->value))
      return;
    const Finding copies = *found;
    const std::int64_t each = findings_.number(copies.key).value_or(1);
    const std::int64_t servers = findings_.number(keys + "replicas").value_or(1);
    const bool is_sure = !copies.is_guess && !findings_.is_guess(keys + "replicas");
    findings_.erase(keys + "dp");
    findings_.erase(keys + "replicas");
    if (findings_.find("serve.deployment.scaling.most") != nullptr)
      return findings_.leave_open(
          keys + "replicas", copies.place,
          fmt::format("a server is {} whole copies, and what scales moves servers", each));
    if (is_sure) return findings_.set(keys + "replicas", servers * each, copies.place);
    findings_.guess(keys + "replicas", std::to_string(servers * each),
                    fmt::format("{} whole copies in each of {} servers", each, servers));
  }
  // Stages of equally many layers say the chunks once the model is known.
  void titan_chunks() {
    const auto each = findings_.number("chunk_layers");
    const Finding* model = findings_.find("train.model");
    const auto pp = findings_.number("train.layout.pp");
    if (!each || model == nullptr || !pp) return;
    // A schedule that interleaves has chunks; the planner counts them by the layers of the model.
    const Finding* schedule = findings_.find("train.layout.schedule");
    if (schedule == nullptr || schedule->value != "interleaved") return;
    const std::int64_t layers = names_.layers_of(model->value);
    if (layers <= 0) return;
    const std::int64_t all = layers + findings_.number("chunk_ends").value_or(0);
    if (all % (*pp * *each) != 0) return;
    findings_.erase("train.layout.vp");
    findings_.set("train.layout.vp", all / (*pp * *each), findings_.find("chunk_layers")->place);
    const Finding* program = findings_.find("program");
    if (program == nullptr || program->value != "maxtext" || all != *pp * *each) return;
    findings_.erase("train.layout.schedule");
    findings_.guess("train.layout.schedule", "gpipe", "stages of one chunk");
  }
  // Batch systems name a family of cards, lists of hardware the card itself.
  void resolve_hardware() {
    if (const Finding* type = findings_.find("gres")) {
      const Finding kept = *type;
      const Finding* card = findings_.find("hardware");
      if (card == nullptr) return resolve_card(kept);
      const std::string known = names_.accelerator(card->value);
      const bool differs = plain(card->value + known).find(plain(kept.value)) == std::string::npos;
      if (differs && !kept.is_guess)
        findings_.error(lf::kContradictoryKeys, kept.place,
                        fmt::format("the GPU is {} here and {} at {}", kept.value, card->value,
                                    to_text(card->place)),
                        "keep the one that runs");
    }
    if (const Finding* card = findings_.find("hardware")) resolve_card(Finding(*card));
  }
  // Small letters and digits alone.
  static std::string plain(std::string_view name) {
    std::string out;
    for (const char c : name)
      if (std::isalnum(static_cast<unsigned char>(c)) != 0)
        out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
  }
  void resolve_card(const Finding& kept) {
    findings_.erase("hardware");
    std::string known = names_.accelerator(kept.value);
    for (const char* suffix : {"-sxm", "-80gb-sxm"})
      if (known.empty()) known = names_.accelerator(kept.value + suffix);
    if (known.empty())
      return findings_.remark(fmt::format("the GPU '{}' is not in the catalogue", kept.value),
                              kept.place);
    if (kept.is_guess) return findings_.guess("hardware", known, kept.why);
    const bool is_family =
        plain(known) != plain(kept.value) && plain(known).starts_with(plain(kept.value));
    if (!is_family) return findings_.set("hardware", known, kept.place);
    findings_.guess("hardware", known,
                    fmt::format("'{}' of {} may be this one", kept.value, to_text(kept.place)));
  }
  // Sets a key below a section, or keeps it as a question.
  void put(Tree& section, std::string_view name, std::string_view key) {
    const Finding* found = findings_.find(key);
    if (found == nullptr) return;
    std::string remark = found->is_guess ? "guess: " + found->why : to_text(found->place);
    section.set(std::string(name), Tree::word(found->value), remark);
    if (found->is_guess) reading_.guesses.push_back({std::string(key), found->value, found->why});
  }
  void ask(std::string_view key, std::string_view what) { ask(key, "?", what); }
  void ask(std::string_view key, std::string_view value, std::string_view what) {
    if (std::find(reading_.unknown.begin(), reading_.unknown.end(), key) != reading_.unknown.end())
      return;
    reading_.unknown.emplace_back(key);
    questions_ += fmt::format("# {}: {}   # not in the files: {}\n", key, value, what);
  }
  // Keys that a file sets to something that is not in the files.
  void ask_open() {
    for (const auto& [key, open] : findings_.open()) {
      const bool is_wanted =
          (key.starts_with("train.") && trains()) || (key.starts_with("serve.") && serves());
      if (is_wanted)
        ask(key, fmt::format("{}: {}", to_text(open.place), open.why));
      else
        findings_.remark(open.why, open.place);
    }
  }
  void train(Tree& root) {
    if (!trains()) return;
    Tree& train = root.at("train");
    for (const std::string_view key : kTrainKeys) {
      Tree* section = &train;
      std::string_view name = key.substr(6);
      for (auto dot = name.find('.');
           dot != std::string_view::npos && findings_.find(key) != nullptr; dot = name.find('.')) {
        section = &section->at(std::string(name.substr(0, dot)));
        name.remove_prefix(dot + 1);
      }
      put(*section, name, key);
    }
    drop_empty(train);
    ask_for_run();
  }
  // Who writes its own answers has prompts and their answers; others have tokens in sequences.
  void ask_for_run() {
    const bool writes = findings_.find("train.method.kind") != nullptr;
    if (findings_.find("train.model") == nullptr) ask("train.model", "which model is trained?");
    if (writes && findings_.find("train.method.prompts") == nullptr)
      ask("train.method.prompts", "how many prompts has a step?");
    if (writes && findings_.find("train.method.steps") == nullptr)
      ask("train.method.steps", "how many steps has the run?");
    if (writes) return;
    if (findings_.find("train.tokens") == nullptr) ask("train.tokens", "how many tokens in all?");
    if (findings_.find("train.sequence") == nullptr)
      ask("train.sequence", "how many tokens has a sequence?");
    if (findings_.find("train.global_batch") == nullptr)
      ask("train.global_batch", "how many sequences has a step?");
    if (findings_.find("train.layout.dp") == nullptr &&
        findings_.find("train.layout.gpus") == nullptr)
      ask("train.layout.gpus", "on how many GPUs does it run?");
  }
  static void drop_empty(Tree& section) {
    std::erase_if(section.branches, [](const Branch& branch) {
      return branch.value.kind == Tree::Kind::kMap && branch.value.branches.empty();
    });
  }
  void serve(Tree& root) {
    if (!serves()) return;
    Tree& serve = root.at("serve");
    put(serve, "model", "serve.model");
    put(serve, "precision", "serve.precision");
    Tree& deployment = serve.at("deployment");
    put(deployment, "engine", "serve.deployment.engine");
    put(deployment, "release", "serve.deployment.release");
    for (const char* key : kPoolKeys) put(deployment, key, fmt::format("serve.deployment.{}", key));
    put(deployment, "memory_fraction", "serve.deployment.memory_fraction");
    put(deployment, "max_waiting", "serve.deployment.max_waiting");
    for (const char* key : {"rank", "active"})
      put(deployment.at("lora"), key, fmt::format("serve.deployment.lora.{}", key));
    for (const char* key : {"least", "most", "target", "interval", "cooldown"})
      put(deployment.at("scaling"), key, fmt::format("serve.deployment.scaling.{}", key));
    for (const char* pool : {"prefill", "decode"})
      for (const char* key : kPoolKeys)
        put(deployment.at(pool), key, fmt::format("serve.deployment.{}.{}", pool, key));
    drop_empty(deployment);
    if (findings_.find("serve.model") == nullptr) ask("serve.model", "which model is served?");
    ask("serve.demand",
        "write requests_per_month, tokens_in and tokens_out, or trace: requests.csv");
    ask("serve.slo", "write ttft_p95 and tpot_p95 where something is promised");
  }
  void hardware(Tree& root) {
    const Finding* found = findings_.find("hardware");
    if (found != nullptr) {
      const std::string remark = found->is_guess ? "guess: " + found->why : to_text(found->place);
      root.set("hardware", Tree::word("[" + found->value + "]"), remark);
      if (found->is_guess) reading_.guesses.push_back({"hardware", found->value, found->why});
    } else {
      ask("hardware", "on which GPU does it run? `nvidia-smi -L` tells");
    }
    Tree limits = Tree::map();
    put(limits, "gpus", "limits.gpus");
    if (!limits.branches.empty()) root.set("limits", std::move(limits));
    if (const Finding* spot = findings_.find(kSpot)) {
      Tree money = Tree::map();
      money.set("options", Tree::word("[spot]"), to_text(spot->place));
      root.set("money", std::move(money));
    }
    if (!serves() && !trains()) ask("serve or train", "what shall run on it?");
  }
  std::string head() const {
    return "# What runs today, read by loadfactor read. Behind each value stands where it was "
           "found; a guess\n"
           "# says why. `loadfactor plan` gives the verdict on it.\n";
  }
  std::string questions() const {
    std::string text = questions_.empty() ? "" : "\n" + questions_;
    const auto remarks = findings_.remarks();
    if (!remarks.empty()) text += "\n";
    for (const auto& remark : remarks) text += "# " + remark + "\n";
    return text + flags();
  }
  // The flags as they run, from which `diff` makes a patch of them.
  std::string flags() const {
    constexpr std::size_t kWidth = 90;
    std::string text;
    std::size_t width = kWidth;
    for (const std::string& flag : findings_.flags()) {
      if (width + flag.size() > kWidth) {
        text += fmt::format("\n{}", kFlagsMark);
        width = 0;
      }
      text += " " + flag;
      width += flag.size() + 1;
    }
    return text.empty() ? text : text + "\n";
  }

  Findings& findings_;
  const Names& names_;
  LaunchReading reading_;
  std::string questions_;
};

}  // namespace

namespace {

// Whether a file names another one that is given.
bool names_another(const LaunchFile& file, const std::vector<LaunchFile>& files) {
  return std::any_of(files.begin(), files.end(), [&](const LaunchFile& other) {
    const std::string name = other.name.substr(other.name.rfind('/') + 1);
    return other.name != file.name && file.text.find(name) != std::string::npos;
  });
}

}  // namespace

namespace {

void hide_secrets(const Secrets& secrets, LaunchReading& reading) {
  reading.scenario = secrets.hidden_in_comments(reading.scenario);
  for (Guess& guess : reading.guesses) guess.why = secrets.hidden(guess.why);
  for (std::string& remark : reading.remarks) remark = secrets.hidden(remark);
}

// Variables that the engine takes from its environment, however a file sets them.
void remark_variables(const std::vector<const Source*>& sources, Findings& findings) {
  const Finding* engine = findings.find("serve.deployment.engine");
  if (engine == nullptr) return;
  for (const std::string& name : variables_of(engine->value))
    for (const Source* source : sources)
      for (std::uint32_t line = 1; line <= source->lines.size(); ++line) {
        const std::string_view text = source->lines.line(source->text, line);
        const auto at = text.substr(0, text.find('#')).find(name);
        if (at != std::string_view::npos)
          findings.remark(fmt::format("{}: a scenario has no word for it, and the prediction is "
                                      "that of the program's own choice",
                                      name),
                          {source, line});
      }
}

std::optional<LaunchReading> read_together(const std::vector<LaunchFile>& files, const Names& names,
                                           Findings& findings, Diagnostics& diagnostics) {
  for (const LaunchFile& file : files)
    if (file.name.ends_with(".yaml") || file.name.ends_with(".yml")) findings.promise(file.name);
  for (const LaunchFile& file : files) findings.offer(file.name, file.text);
  // What starts comes before the configurations of it.
  std::vector<LaunchFile> ordered = files;
  std::stable_partition(ordered.begin(), ordered.end(),
                        [&](const LaunchFile& file) { return !findings.reads(file.name); });
  // Who submits a script comes before that script.
  std::stable_partition(ordered.begin(), ordered.end(), [&](const LaunchFile& file) {
    return file.text.find("sbatch ") != std::string::npos && names_another(file, files);
  });
  // Pods come before the ConfigMaps whose scripts they start.
  std::stable_partition(ordered.begin(), ordered.end(),
                        [](const LaunchFile& file) { return !holds_values(file.text); });
  // A list of a cluster's nodes comes last: jobs say which of them they take.
  std::stable_partition(ordered.begin(), ordered.end(), [](const LaunchFile& file) {
    return file.text.find("NodeName=") == std::string::npos;
  });
  std::vector<const Source*> sources;
  for (const LaunchFile& file : ordered) {
    std::string text = file.text;
    if (auto wrong = config::refuse_unreadable(file.name, text, config::kYamlLimits)) {
      diagnostics.add(*std::move(wrong));
      continue;
    }
    sources.push_back(&findings.add(file.name, std::move(text)));
    keep_values(*sources.back(), findings);
  }
  for (const Source* source : sources) read_any(*source, findings);
  remark_variables(sources, findings);
  if (diagnostics.empty()) complete(findings);
  if (!diagnostics.empty()) return std::nullopt;
  if (!findings.has_launch) {
    std::string all;
    for (const LaunchFile& file : files) all += (all.empty() ? "" : ", ") + file.name;
    diagnostics.add({.code = lf::kNothingLaunched,
                     .message = fmt::format("nothing that launches is found in {}", all),
                     .hint = "a launch script, a manifest, a configuration, or the output of ps, "
                             "nvidia-smi -L or scontrol show nodes",
                     .where = {.file = files.empty() ? "" : files.front().name}});
    return std::nullopt;
  }
  auto reading = ScenarioWriter(findings, names).write();
  if (!diagnostics.empty()) return std::nullopt;
  return reading;
}

}  // namespace

std::optional<LaunchReading> read_launch(const std::vector<LaunchFile>& files, const Names& names,
                                         Diagnostics& diagnostics) {
  Diagnostics told;
  Findings findings(told);
  for (const LaunchFile& file : files) findings.secrets().learn(file.text);
  auto reading = read_together(files, names, findings, told);
  for (const Error& error : told.errors()) diagnostics.add(findings.secrets().hidden(error));
  if (reading) hide_secrets(findings.secrets(), *reading);
  return reading;
}

}  // namespace loadfactor::launch
