#include "catalog/import/model_yaml.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "catalog/load/entry_reader.h"

namespace loadfactor::catalog {
namespace {

constexpr std::size_t kMaxColumns = 100;

std::string_view text_of(NormKind kind) {
  switch (kind) {
    case NormKind::kRms:
      return "rms";
    case NormKind::kLayer:
      return "layer";
    case NormKind::kLayerNoBias:
      return "layer-no-bias";
    case NormKind::kNonParametric:
      return "non-parametric";
  }
  return "rms";
}

std::string_view text_of(QkNorm norm) {
  switch (norm) {
    case QkNorm::kNone:
      return "none";
    case QkNorm::kHead:
      return "head";
    case QkNorm::kFull:
      return "full";
  }
  return "none";
}

std::string_view text_of(KvSource source) {
  switch (source) {
    case KvSource::kOwn:
      return "own";
    case KvSource::kTied:
      return "tied";
    case KvSource::kReuse:
      return "reuse";
  }
  return "own";
}

std::string_view text_of(ModelTask task) {
  switch (task) {
    case ModelTask::kGenerate:
      return "generate";
    case ModelTask::kEmbed:
      return "embed";
    case ModelTask::kRerank:
      return "rerank";
  }
  return "generate";
}

std::string_view text_of(MlpKind kind) {
  return kind == MlpKind::kGated ? "gated" : "plain";
}

// Collects `key: value` pairs of a flow map.
class FlowMap {
 public:
  template <typename T>
  FlowMap& add(std::string_view key, const T& value) {
    pairs_.push_back(fmt::format("{}: {}", key, value));
    return *this;
  }
  template <typename T>
  FlowMap& add_unless(T usual, std::string_view key, const T& value) {
    return value == usual ? *this : add(key, value);
  }
  std::string text() const { return fmt::format("{{{}}}", fmt::join(pairs_, ", ")); }

 private:
  std::vector<std::string> pairs_;
};

void add_heads(const AttentionSpec& spec, FlowMap& map) {
  map.add("heads", spec.heads).add("kv_heads", spec.kv_heads).add("head_dim", spec.head_dim);
  FlowMap bias;
  bias.add("qkv", spec.qkv_bias).add("out", spec.out_bias).add_unless(true, "key", spec.key_bias);
  map.add("bias", bias.text());
  map.add("qk_norm", text_of(spec.qk_norm));
  map.add("window", spec.window).add("sinks", spec.sinks).add("gate", spec.gate);
  map.add_unless(std::string_view("own"), "kv", text_of(spec.kv));
  map.add("q_rank", spec.q_rank);
  map.add_unless(0, "out_rank", spec.out_rank).add_unless(0, "out_groups", spec.out_groups);
  map.add_unless(0, "compress", spec.compress);
  if (spec.sparse_top_k == 0) return;
  map.add("sparse", FlowMap()
                        .add("top_k", spec.sparse_top_k)
                        .add("index_heads", spec.index_heads)
                        .add("index_dim", spec.index_dim)
                        .text());
}

std::string attention_text(const AttentionSpec& spec) {
  FlowMap map;
  switch (spec.kind) {
    case AttentionKind::kNone:
      return "none";
    case AttentionKind::kStandard:
      add_heads(spec, map.add("kind", "standard"));
      break;
    case AttentionKind::kLatent:
      add_heads(spec, map.add("kind", "latent"));
      map.add("kv_rank", spec.kv_rank).add("nope_dim", spec.nope_dim);
      map.add("rope_dim", spec.rope_dim).add("value_dim", spec.value_dim);
      break;
    case AttentionKind::kLinear:
      map.add("kind", "linear").add("key_heads", spec.key_heads);
      map.add("value_heads", spec.value_heads).add("key_dim", spec.key_dim);
      map.add("value_dim", spec.value_dim).add("conv", spec.conv);
      break;
    case AttentionKind::kMamba2:
      map.add("kind", "mamba2").add("inner_heads", spec.value_heads);
      map.add("inner_dim", spec.value_dim).add("state", spec.key_dim);
      map.add("groups", spec.groups).add("conv", spec.conv);
      break;
  }
  return map.text();
}

std::string mlp_text(const MlpSpec& spec) {
  if (spec.width == 0) return "none";
  return FlowMap()
      .add("kind", text_of(spec.kind))
      .add("width", spec.width)
      .add("bias", spec.bias)
      .text();
}

std::string moe_text(const MoeSpec& spec) {
  if (spec.experts == 0) return "none";
  FlowMap map;
  map.add("experts", spec.experts).add("top_k", spec.top_k).add("width", spec.width);
  map.add("kind", text_of(spec.kind)).add("bias", spec.bias);
  map.add("router_bias", spec.router_bias).add("correction_bias", spec.correction_bias);
  if (spec.shared_width > 0) {
    map.add("shared",
            FlowMap().add("width", spec.shared_width).add("gate", spec.shared_gate).text());
  }
  return map.add_unless(0, "latent", spec.latent).text();
}

std::string mixer_word(const AttentionSpec& spec) {
  switch (spec.kind) {
    case AttentionKind::kNone:
      return "";
    case AttentionKind::kStandard:
    case AttentionKind::kLatent:
      return spec.window > 0 ? "sliding" : "full";
    case AttentionKind::kLinear:
      return "linear";
    case AttentionKind::kMamba2:
      return "mamba";
  }
  return "";
}

// A word for each kind: `sliding-dense`, `full-moe`, `mamba`; a number where two agree.
std::vector<std::string> kind_words(const ModelSpec& model) {
  std::vector<std::string> words;
  for (const LayerSpec& layer : model.kinds) {
    std::string word = mixer_word(layer.attention);
    const char* feed = layer.moe.experts > 0 ? "moe" : layer.mlp.width > 0 ? "dense" : "";
    if (!word.empty() && *feed != '\0') word += '-';
    word += feed;
    if (word.empty()) word = "empty";
    const std::string stem = word;
    for (int i = 2; std::find(words.begin(), words.end(), word) != words.end(); ++i) {
      word = fmt::format("{}-{}", stem, i);
    }
    words.push_back(word);
  }
  return words;
}

// The shortest run of layers whose repetition gives them all.
std::size_t period_of(const std::vector<std::uint8_t>& layers) {
  for (std::size_t period = 1; period < layers.size(); ++period) {
    bool repeats = true;
    for (std::size_t i = period; i < layers.size() && repeats; ++i) {
      repeats = layers[i] == layers[i - period];
    }
    if (repeats) return period;
  }
  return layers.size();
}

// `key: [a, b]`, over several lines if it must be.
std::string wrapped_list(std::string_view key, const std::vector<std::string>& words) {
  std::string text = fmt::format("{}: [", key);
  std::size_t column = text.size();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word = words[i] + (i + 1 < words.size() ? "," : "");
    if (column + word.size() + 1 > kMaxColumns) {
      text += "\n ";
      column = 1;
    }
    text += (i == 0 ? "" : " ") + word;
    column += word.size() + 1;
  }
  return text + "]\n";
}

const AttentionSpec& base_attention(const ModelSpec& model) {
  for (const LayerSpec& layer : model.kinds) {
    if (layer.attention.kind != AttentionKind::kNone) return layer.attention;
  }
  return model.kinds.front().attention;
}

void write_layers(const ModelSpec& model, std::string& out) {
  out += fmt::format("attention: {}\n", attention_text(base_attention(model)));
  if (model.kinds.size() == 1) {
    const LayerSpec& layer = model.kinds.front();
    if (layer.mlp.width > 0) out += fmt::format("mlp: {}\n", mlp_text(layer.mlp));
    if (layer.moe.experts > 0) out += fmt::format("moe: {}\n", moe_text(layer.moe));
    return;
  }
  const auto words = kind_words(model);
  std::vector<std::string> pattern;
  for (std::size_t i = 0; i < period_of(model.layers); ++i) {
    pattern.push_back(words[model.layers[i]]);
  }
  out += wrapped_list("layer_pattern", pattern);
  out += "layer_kinds:\n";
  for (std::size_t i = 0; i < model.kinds.size(); ++i) {
    const LayerSpec& layer = model.kinds[i];
    out += fmt::format("  {}:\n    attention: {}\n", words[i], attention_text(layer.attention));
    out += fmt::format("    mlp: {}\n    moe: {}\n", mlp_text(layer.mlp), moe_text(layer.moe));
    if (layer.norms != model.kinds.front().norms)
      out += fmt::format("    norms: {}\n", layer.norms);
  }
}

std::string sources_text(const Provenance& provenance) {
  if (provenance.sources.size() == 1) return yaml_text(provenance.sources.front());
  std::vector<std::string> quoted;
  for (const auto& source : provenance.sources) quoted.push_back(yaml_text(source));
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

void write_head(const ModelSpec& model, std::string& out) {
  out += fmt::format("schema: model/1\nname: {}\ntitle: {}\norganisation: {}\nfamily: {}\n",
                     yaml_text(model.name), yaml_text(model.title), yaml_text(model.organisation),
                     yaml_text(model.family));
  if (!model.aliases.empty()) {
    std::vector<std::string> quoted;
    for (const auto& alias : model.aliases) quoted.push_back(yaml_text(alias));
    out += wrapped_list("aliases", quoted);
  }
  if (model.published_parameters > 0) {
    FlowMap map;
    map.add("parameters", fmt::format("{:.0f}", model.published_parameters));
    if (model.published_active > 0)
      map.add("active", fmt::format("{:.0f}", model.published_active));
    map.add_unless(false, "nominal", model.published_nominal);
    map.add("kind", text_of(model.published_provenance.kind));
    map.add("source", sources_text(model.published_provenance));
    out += fmt::format("published: {}\n", map.add("date", model.published_provenance.date).text());
  }
}

// What a request gets, where that is not text that is written token by token.
void write_purpose(const ModelSpec& model, std::string& out) {
  if (!model.generates()) out += fmt::format("task: {}\n", text_of(model.task));
  if (!model.causal) out += "causal: false\n";
  if (model.has_decoder_apart()) out += "cross: true\n";
}

void write_tower(const ModelSpec& model, std::string& out) {
  if (!model.tower) return;
  const TowerSpec& tower = *model.tower;
  FlowMap map;
  map.add("reads", tower.reads == Modality::kAudio ? "audio" : "vision");
  map.add("layers", tower.layers).add("hidden", tower.hidden).add("heads", tower.heads);
  map.add("width", tower.width).add_unless(false, "gated", tower.gated);
  map.add("patches", tower.patches).add("tokens", tower.tokens).add("output", tower.output);
  out += fmt::format("tower: {}\n", map.text());
}

void write_sizes(const ModelSpec& model, std::string& out) {
  const EmbeddingSpec& embedding = model.embedding;
  out +=
      fmt::format("dtype: {}\nlayers: {}\nhidden: {}\nvocab: {}\ncontext: {}\n", name(model.dtype),
                  model.num_layers(), model.hidden, embedding.vocab, model.context);
  FlowMap table;
  table.add("tied", embedding.tied).add("positions", embedding.positions);
  table.add("norm", embedding.norm).add_unless(true, "head", embedding.head);
  table.add_unless(false, "head_bias", embedding.head_bias);
  table.add_unless(0, "project", embedding.project);
  table.add_unless(0, "per_layer", embedding.per_layer);
  out += fmt::format("embedding: {}\n", table.text());
  FlowMap norm;
  norm.add("kind", text_of(model.norm)).add("per_layer", model.kinds.front().norms);
  out += fmt::format("norm: {}\n", norm.add("final", model.final_norm).text());
}

}  // namespace

std::string yaml_text(std::string_view text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '/';
  };
  const bool starts_well = !text.empty() && text.front() != '-' && text.front() != '.' &&
                           (text.front() < '0' || text.front() > '9');
  constexpr std::string_view kReserved[] = {"null",  "Null",  "NULL",  "true", "True", "TRUE",
                                            "false", "False", "FALSE", "yes",  "no",   "none"};
  const bool reserved =
      std::find(std::begin(kReserved), std::end(kReserved), text) != std::end(kReserved);
  if (starts_well && !reserved && std::all_of(text.begin(), text.end(), is_plain)) {
    return std::string(text);
  }
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += byte < 0x20 || byte == 0x7f ? ' ' : c;
  }
  return quoted + '"';
}

std::string to_yaml(const ModelSpec& model) {
  std::string out;
  write_head(model, out);
  write_purpose(model, out);
  write_sizes(model, out);
  write_layers(model, out);
  if (model.mtp_layers > 0) out += fmt::format("mtp: {{layers: {}}}\n", model.mtp_layers);
  if (!model.extras.empty()) {
    FlowMap extras;
    for (const auto& extra : model.extras) extras.add(yaml_text(extra.name), extra.parameters);
    out += fmt::format("extras: {}\n", extras.text());
  }
  write_tower(model, out);
  out += fmt::format("kind: {}\nsource: {}\ndate: {}\n", text_of(model.provenance.kind),
                     sources_text(model.provenance), model.provenance.date);
  if (!model.note.empty()) out += fmt::format("note: {}\n", yaml_text(model.note));
  return out;
}

}  // namespace loadfactor::catalog
