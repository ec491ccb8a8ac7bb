// The catalogue's names of models, formats and cards that files name in words of their own.
#include <array>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/read/scenario/scenario_writer.h"
#include "launch/vocabulary/public_names.h"
#include "launch/vocabulary/reading_tables.h"

namespace loadfactor::launch {
namespace {

class NameSettler {
 public:
  NameSettler(Findings& findings, const Names& names) : findings_(findings), names_(names) {}

  std::vector<Question> settle() {
    resolve_models();
    resolve_format();
    resolve_hardware();
    check_formats();
    for (const std::string pool : {"", "prefill.", "decode."})
      count_copies("serve.deployment." + pool);
    return std::move(questions_);
  }

 private:
  void resolve_models() {
    const Finding* mark = findings_.find("mark.model");
    for (const std::string_view key :
         {"serve.model", "train.model", "train.method.reward.model", "train.method.value.model"}) {
      const bool is_wanted =
          key == "serve.model" ? starts_service(findings_) : starts_run(findings_);
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
    if (starts_run(findings_) && findings_.find("train.model") == nullptr) model_by_dimensions();
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
  void ask(std::string_view key, std::string_view value, std::string_view what) {
    questions_.push_back({std::string(key), std::string(value), std::string(what)});
  }

  Findings& findings_;
  const Names& names_;
  std::vector<Question> questions_;
};

}  // namespace

bool starts_service(const Findings& findings) {
  return findings.find("serve.deployment.engine") != nullptr;
}

bool starts_run(const Findings& findings) {
  return findings.find("program") != nullptr || findings.find("train.global_batch") != nullptr;
}

std::vector<Question> settle_names(Findings& findings, const Names& names) {
  return NameSettler(findings, names).settle();
}

}  // namespace loadfactor::launch
