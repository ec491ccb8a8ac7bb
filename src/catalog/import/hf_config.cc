#include "catalog/import/hf_config.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "catalog/import/foreign_map.h"
#include "catalog/import/hf_blocks.h"
#include "catalog/import/hf_encoder.h"
#include "catalog/import/hf_fallback.h"
#include "catalog/import/hf_layers.h"
#include "catalog/import/hf_speech.h"
#include "catalog/import/hf_text.h"
#include "catalog/import/hf_vision.h"
#include "config/document.h"

namespace loadfactor::catalog {
namespace {

// Keys that say nothing about parameters, cache or arithmetic.
constexpr std::array<std::string_view, 40> kIdleKeys{"_name_or_path",
                                                     "activation_function",
                                                     "architectures",
                                                     "attention_dropout",
                                                     "attn_pdrop",
                                                     "auto_map",
                                                     "bos_token_id",
                                                     "cache_implementation",
                                                     "decoder_start_token_id",
                                                     "embd_pdrop",
                                                     "eos_token_id",
                                                     "ep_size",
                                                     "hidden_act",
                                                     "hidden_activation",
                                                     "hidden_dropout",
                                                     "id2label",
                                                     "image_token_id",
                                                     "initializer_range",
                                                     "label2id",
                                                     "layer_norm_epsilon",
                                                     "layer_norm_eps",
                                                     "mlp_hidden_act",
                                                     "model_type",
                                                     "norm_epsilon",
                                                     "norm_eps",
                                                     "output_attentions",
                                                     "output_hidden_states",
                                                     "pad_token_id",
                                                     "pretraining_tp",
                                                     "resid_pdrop",
                                                     "rms_norm_eps",
                                                     "rope_theta",
                                                     "rotary_emb_base",
                                                     "router_aux_loss_coef",
                                                     "routed_scaling_factor",
                                                     "scoring_func",
                                                     "summary_type",
                                                     "topk_method",
                                                     "transformers_version",
                                                     "use_cache"};

constexpr double kMaxParameters = 1e15;
// A config is a page; one with a list per layer and a table of labels is a hundred pages.
constexpr config::Limits kConfigLimits{.bytes = std::size_t{4} << 20U,
                                       .scalar_bytes = std::size_t{64} << 10U};

// Everything that is at hand while one config is read.
struct Reading {
  ForeignMap root;
  std::string model_type;
  const HfSiblings& siblings;
  ImportedModel model;

  void notice(int code, std::string text, std::uint32_t line = 0) {
    model.notices.push_back({code, std::move(text), line});
  }
};

std::string joined(const std::vector<std::string>& words, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(words.size(), most); ++i) {
    text += (i == 0 ? "" : ", ") + words[i];
  }
  if (words.size() > most) text += fmt::format(" and {} more", words.size() - most);
  return text;
}

// A copy of the object that holds the text model's keys: `text_config`, or the root itself.
std::optional<ForeignMap> text_object(ForeignMap& root) {
  return root.map({"text_config", "llm_config", "language_config"});
}

std::string read_own_type(ForeignMap& map) {
  return map.text({"model_type"}).value_or("");
}

void read_names(Reading& reading) {
  ModelSpec& spec = reading.model.spec;
  std::string full = reading.siblings.name;
  const auto own = reading.root.text({"_name_or_path"});
  if (full.empty()) full = own.value_or("");
  if (full.empty()) full = reading.model_type;
  const std::size_t slash = full.rfind('/');
  spec.title = slash == std::string::npos ? full : full.substr(slash + 1);
  spec.organisation = slash == std::string::npos || slash == 0 ? "unknown" : full.substr(0, slash);
  spec.name = catalogue_name(full);
  if (spec.title.empty()) spec.title = spec.name;
}

void read_dtype(Reading& reading, ForeignMap& text) {
  for (ForeignMap* map : {&text, &reading.root}) {
    const auto name = map->text({"torch_dtype", "dtype"});
    if (!name) continue;
    if (const auto dtype = find_torch_dtype(*name)) {
      reading.model.spec.dtype = *dtype;
    } else {
      map->report(map->has("torch_dtype") ? "torch_dtype" : "dtype", lf::kUnknownWord,
                  fmt::format("'{}' is not a dtype of weights", *name),
                  "bfloat16, float16 and float32 are");
    }
    return;
  }
  reading.notice(0, "the config does not say its dtype; bf16 is assumed");
}

std::optional<HfQuantization> read_quant_sibling(Reading& reading) {
  Diagnostics& diagnostics = reading.root.diagnostics();
  const NamedText& sibling = *reading.siblings.quantization;
  auto document = config::parse_json(sibling.file, sibling.text, kConfigLimits);
  if (!document) {
    diagnostics.add(std::move(document).error());
    return std::nullopt;
  }
  check_keys(*document, diagnostics);
  auto root = as_map(*document, "an hf_quant_config.json", diagnostics);
  if (!root) return std::nullopt;
  return read_quant_file(*std::move(root));
}

void read_storage(Reading& reading, ForeignMap& text) {
  ImportedModel& model = reading.model;
  auto block = reading.root.map({"quantization_config", "compression_config"});
  if (!block) block = text.map({"quantization_config"});
  // The sibling overrules, and it may explain what the config leaves open; so it comes first.
  if (reading.siblings.quantization) {
    model.quantization = read_quant_sibling(reading);
  } else if (block) {
    model.quantization = read_quantization(*std::move(block));
  }
  if (!model.quantization) return;
  model.spec.dtype = model.quantization->weights;
  const std::size_t kept = model.quantization->kept.size();
  reading.notice(0, fmt::format("weights are stored as {} by {}; embeddings, norms{} keep a wider "
                                "dtype",
                                name(model.quantization->weights), model.quantization->method,
                                kept > 0 ? fmt::format(" and {} listed modules", kept) : ""));
  if (model.quantization->mixed) {
    reading.notice(0, "layers are stored in different dtypes; the most common one is given");
  }
}

void read_embedding(HfText& text, const HfDimensions& sizes, Reading& reading) {
  const HfArchitecture& row = text.row();
  ModelSpec& spec = reading.model.spec;
  EmbeddingSpec& embedding = spec.embedding;
  embedding.vocab = sizes.vocab;
  auto tied = text.map().boolean({"tie_word_embeddings"});
  if (!tied) tied = reading.root.boolean({"tie_word_embeddings"});
  embedding.tied = tied.value_or(row.sizes.tied);
  if (row.embedding.positions == HfPositions::kLearned) embedding.positions = sizes.context;
  if (row.embedding.positions == HfPositions::kLearnedPlus2)
    embedding.positions = sizes.context + 2;
  embedding.norm = row.embedding.norm;
  embedding.head_bias = text.flag(row.embedding.head_bias);
  if (row.quirk == HfQuirk::kMpt) {
    auto attention = text.map().map({"attn_config"});
    const bool alibi = attention && attention->boolean({"alibi"}).value_or(false);
    const bool learned = text.map().boolean({"learned_pos_emb"}).value_or(true);
    embedding.positions = learned && !alibi ? sizes.context : 0;
  }
  if (row.quirk == HfQuirk::kGemma4) {
    embedding.per_layer =
        text.map().count({"hidden_size_per_layer_input"}, 0, kMaxHidden).value_or(0);
  }
  if (row.quirk == HfQuirk::kOpt) {
    spec.final_norm = text.map().boolean({"do_layer_norm_before"}).value_or(true);
    const int project =
        text.map().count({"word_embed_proj_dim"}, 1, kMaxHidden).value_or(sizes.hidden);
    embedding.project = project == sizes.hidden ? 0 : project;
  }
}

// Layers that a config tells apart may come out the same, such as windows that are switched off.
void fill_layers(const std::vector<HfLayer>& plan, const HfBlocks& blocks, ModelSpec& spec) {
  std::vector<HfLayer> seen;
  std::vector<std::uint8_t> kind_of;  // By what was seen.
  for (const HfLayer& layer : plan) {
    auto found = std::find(seen.begin(), seen.end(), layer);
    if (found == seen.end()) {
      found = seen.insert(found, layer);
      const LayerSpec made = blocks.layer(layer);
      auto kind = std::find(spec.kinds.begin(), spec.kinds.end(), made);
      if (kind == spec.kinds.end()) kind = spec.kinds.insert(kind, made);
      kind_of.push_back(static_cast<std::uint8_t>(kind - spec.kinds.begin()));
    }
    spec.layers.push_back(kind_of[static_cast<std::size_t>(found - seen.begin())]);
  }
}

// A rough count, in floating point, before anybody counts in 64 bits.
double rough_parameters(const ModelSpec& spec) {
  double sum = 0;
  for (int i = 0; i < spec.num_layers(); ++i) {
    const LayerSpec& layer = spec.layer(i);
    const AttentionSpec& attention = layer.attention;
    const double mixer = 4.0 * (attention.heads + attention.value_heads + attention.q_rank) *
                         (attention.head_dim + attention.value_dim + attention.key_dim);
    const double experts = 3.0 * (layer.moe.experts + 1.0) * layer.moe.width;
    sum += spec.hidden * (mixer + experts + 3.0 * layer.mlp.width + layer.moe.shared_width);
  }
  return sum + 2.0 * spec.hidden * static_cast<double>(spec.embedding.vocab);
}

// A part of the model beside its text layers, or that it is not known.
template <typename Part>
void add_tower(Reading& reading, const char* name, const std::optional<Part>& part) {
  ModelSpec& spec = reading.model.spec;
  if (part) {
    spec.extras.push_back({name, part->parameters});
    spec.tower = part->tower;
  } else {
    reading.model.uncounted = name;
    reading.notice(0, fmt::format("the {} tower of '{}' is not counted", name, reading.model_type));
  }
}

void read_towers(Reading& reading) {
  const auto hidden = reading.model.spec.hidden;
  if (auto vision = reading.root.map({"vision_config"}))
    add_tower(reading, "vision",
              read_vision_part(reading.model_type, *std::move(vision), reading.root, hidden));
  if (auto audio = reading.root.map({"audio_config"}))
    add_tower(reading, "audio", read_audio_part(reading.model_type, *std::move(audio), hidden));
}

void read_rope(ForeignMap& map) {
  map.number({"rope_theta"});
  for (const std::string_view key : {"rope_scaling", "rope_parameters"}) {
    if (auto rope = map.map({key})) rope->number({"factor"});
  }
}

void notice_unread(Reading& reading, const HfText& text) {
  if (!text.defaults().empty()) {
    reading.notice(0, fmt::format("not stated, so taken from the defaults of '{}': {}",
                                  text.row().model_type, joined(text.defaults(), 12)));
  }
}

void notice_ignored(Reading& reading, ForeignMap& map) {
  map.allow({"text_config", "vision_config", "quantization_config", "compression_config",
             "torch_dtype", "dtype", "tie_word_embeddings"});
  std::vector<std::string> keys = map.unread();
  std::erase_if(keys, [](const std::string& key) {
    return std::find(kIdleKeys.begin(), kIdleKeys.end(), key) != kIdleKeys.end();
  });
  if (keys.empty()) return;
  reading.notice(0, fmt::format("{} keys were not used: {}", keys.size(), joined(keys, 8)));
}

void read_known(Reading& reading, const HfArchitecture& row, ForeignMap map, bool nested) {
  ModelSpec& spec = reading.model.spec;
  HfText text(row, std::move(map), nested);
  const HfDimensions sizes = read_dimensions(text);
  const auto plan = plan_layers(text, sizes);
  const HfBlocks blocks(text, sizes, plan);
  spec.family = row.family;
  spec.hidden = sizes.hidden;
  spec.context = sizes.context;
  spec.norm = row.block.norm;
  if (row.quirk == HfQuirk::kMpt && !text.map().boolean({"no_bias"}).value_or(true)) {
    spec.norm = NormKind::kLayer;
  }
  fill_layers(plan, blocks, spec);
  read_embedding(text, sizes, reading);
  read_rope(text.map());
  read_task(row, {reading.root, text.map(), reading.siblings.folder}, spec);
  spec.mtp_layers =
      text.map()
          .count({"num_nextn_predict_layers", "num_mtp_layers", "mtp_num_hidden_layers"}, 0, 16)
          .value_or(0);
  if (rough_parameters(spec) > kMaxParameters) {
    text.map().report("hidden_size", lf::kAbsurdMagnitude,
                      fmt::format("these sizes make {:.1e} parameters", rough_parameters(spec)),
                      "one of them is wrong by a factor");
  }
  notice_unread(reading, text);
  notice_ignored(reading, text.map());
}

void add_stored(Reading& reading) {
  ImportedModel& model = reading.model;
  const HfSiblings& siblings = reading.siblings;
  if (!siblings.shards.empty()) {
    model.stored = summarise(siblings.shards);
    if (siblings.index) check_shards(*siblings.index, siblings.shards, reading.root.diagnostics());
  } else if (siblings.index) {
    const auto dtype = model.quantization ? std::nullopt : std::optional<Dtype>(model.spec.dtype);
    model.stored = summarise(*siblings.index, dtype);
  }
}

void compare_stored(Reading& reading) {
  if (!reading.model.stored) return;
  const StoredWeights& stored = *reading.model.stored;
  EmbeddingSpec& embedding = reading.model.spec.embedding;
  if (!stored.has_own_head && !embedding.tied && embedding.head) {
    embedding.tied = true;
    reading.notice(0, "the checkpoint stores no output head; it is tied to the embedding");
  }
  const auto& index = reading.siblings.index;
  if (index && index->total_parameters && stored.parameters &&
      *index->total_parameters != *stored.parameters) {
    reading.notice(lf::kChecksumMismatch,
                   fmt::format("total_parameters says {}, the stored tensors are {}; a tied head "
                               "is often counted twice",
                               *index->total_parameters, *stored.parameters));
  }
}

// A type without a row: from the checkpoint if there is one.
void read_unknown(Reading& reading, ForeignMap text) {
  if (reading.model.stored) {
    reading.model.spec.family = catalogue_name(reading.model_type);
    return fill_from_checkpoint(std::move(text), *reading.model.stored, reading.model.spec,
                                reading.model.notices);
  }
  reading.root.report("model_type", lf::kUnsupportedModelType,
                      fmt::format("model type '{}' is not known", reading.model_type),
                      "import the folder with its model.safetensors.index.json, from which the "
                      "total can be read, or describe the model in YAML");
}

void read_model(Reading& reading) {
  auto nested = text_object(reading.root);
  ForeignMap text = nested ? *nested : reading.root;
  const std::string own_type = nested ? read_own_type(text) : reading.model_type;
  read_names(reading);
  read_dtype(reading, text);
  read_storage(reading, text);
  add_stored(reading);
  if (reading.model_type == "whisper") {
    read_whisper(reading.root, reading.model.spec);
    return notice_ignored(reading, reading.root);
  }
  const HfArchitecture* row = find_hf_architecture(own_type);
  if (row == nullptr) row = find_hf_architecture(reading.model_type);
  if (row == nullptr) {
    read_unknown(reading, std::move(text));
  } else {
    read_known(reading, *row, std::move(text), nested.has_value());
    compare_stored(reading);
  }
  read_towers(reading);
}

// What a character becomes in a name: lower case, or a hyphen.
char name_letter(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  const bool stays = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.';
  return stays ? c : '-';
}

}  // namespace

std::string catalogue_name(std::string_view text) {
  const std::size_t slash = text.rfind('/');
  if (slash != std::string_view::npos) text.remove_prefix(slash + 1);
  std::string name;
  for (const char written : text) {
    const char c = name_letter(written);
    if (c != '-' || (!name.empty() && name.back() != '-')) name += c;
  }
  name.erase(name.find_last_not_of("-.") + 1);
  return name.empty() ? "imported-model" : name;
}

std::optional<ImportedModel> import_hf_config(NamedText config, const HfSiblings& siblings,
                                              Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.size();
  auto document = config::parse_json(std::move(config.file), std::move(config.text), kConfigLimits);
  if (!document) {
    diagnostics.add(std::move(document).error());
    return std::nullopt;
  }
  check_keys(*document, diagnostics);
  auto root = as_map(*document, "a config.json", diagnostics);
  if (!root) return std::nullopt;
  Reading reading{.root = *std::move(root), .siblings = siblings};
  reading.model_type = read_own_type(reading.root);
  if (is_diffusion(reading.root)) {
    reading.root.report("_class_name", lf::kUnsupportedModelType,
                        "this is a part of a diffusion model",
                        "images that are painted step by step are not predicted here: models that "
                        "read or write text, and encoders of images and sound, are");
  } else if (!reading.root.has("model_type")) {
    reading.root.report_missing("model_type", "it names the architecture, such as \"llama\"");
  }
  if (diagnostics.size() != before) return std::nullopt;
  read_model(reading);
  reading.model.spec.provenance = {.kind = SourceKind::kPublished,
                                   .sources = {"user-import"},
                                   .date = siblings.date,
                                   .file = document->file,
                                   .line = 1};
  if (diagnostics.size() != before) return std::nullopt;
  return std::move(reading.model);
}

}  // namespace loadfactor::catalog
