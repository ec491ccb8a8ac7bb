#include "catalog/load/model_loader.h"

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "base/error_codes.h"
#include "catalog/load/entry_reader.h"
#include "catalog/load/layer_reader.h"

namespace loadfactor::catalog {
namespace {

using config::MapReader;
using config::Range;
using config::Word;

constexpr Range kParameters{1e5, 1e15, true};

constexpr std::array kCheckpointDtypes{
    Word<Dtype>{"bf16", Dtype::kBf16},   Word<Dtype>{"fp16", Dtype::kFp16},
    Word<Dtype>{"fp32", Dtype::kFp32},   Word<Dtype>{"fp8", Dtype::kFp8},
    Word<Dtype>{"mxfp4", Dtype::kMxfp4}, Word<Dtype>{"nvfp4", Dtype::kNvfp4},
    Word<Dtype>{"int8", Dtype::kInt8},   Word<Dtype>{"int4", Dtype::kInt4},
};
constexpr std::array kNormKinds{
    Word<NormKind>{"rms", NormKind::kRms},
    Word<NormKind>{"layer", NormKind::kLayer},
    Word<NormKind>{"layer-no-bias", NormKind::kLayerNoBias},
    Word<NormKind>{"non-parametric", NormKind::kNonParametric},
};

constexpr std::array kActiveExcludes{
    Word<ActiveExcludes>{"none", ActiveExcludes::kNothing},
    Word<ActiveExcludes>{"input", ActiveExcludes::kInput},
    Word<ActiveExcludes>{"embeddings", ActiveExcludes::kEmbeddings},
};

constexpr std::array kTasks{
    Word<ModelTask>{"generate", ModelTask::kGenerate},
    Word<ModelTask>{"embed", ModelTask::kEmbed},
    Word<ModelTask>{"rerank", ModelTask::kRerank},
};
constexpr std::array kModalities{
    Word<Modality>{"vision", Modality::kVision},
    Word<Modality>{"audio", Modality::kAudio},
};

void read_published(MapReader& reader, ModelSpec& spec) {
  auto block = reader.map("published", false);
  if (!block) return;
  spec.published_parameters = block->count("parameters", kParameters);
  spec.published_active = block->maybe_count("active", kParameters).value_or(0.0);
  spec.published_nominal = block->maybe_boolean("nominal").value_or(false);
  spec.published_active_excludes =
      block->maybe_word<ActiveExcludes>("active_excludes", kActiveExcludes)
          .value_or(ActiveExcludes::kNothing);
  spec.published_provenance = read_provenance(*block);
  if (spec.published_active > spec.published_parameters) {
    block->report("active", lf::kInconsistentFigures,
                  "more parameters are active than the model has", "swap them, or correct one");
  }
  block->finish();
}

EmbeddingSpec read_embedding(MapReader& reader) {
  EmbeddingSpec embedding;
  embedding.vocab = reader.integer("vocab", {1, 1e8});
  auto block = reader.map("embedding");
  if (!block) return embedding;
  embedding.tied = block->boolean("tied");
  embedding.positions = block->maybe_integer("positions", {0, 1e8}).value_or(0);
  embedding.norm = block->maybe_boolean("norm").value_or(false);
  embedding.head = block->maybe_boolean("head").value_or(true);
  embedding.head_bias = block->maybe_boolean("head_bias").value_or(false);
  embedding.project = static_cast<int>(block->maybe_integer("project", {0, 1e6}).value_or(0));
  embedding.per_layer = static_cast<int>(block->maybe_integer("per_layer", {0, 1e6}).value_or(0));
  block->finish();
  return embedding;
}

// Returns the norms of a layer.
int read_norm(MapReader& reader, ModelSpec& spec) {
  auto block = reader.map("norm");
  if (!block) return 2;
  spec.norm = block->word<NormKind>("kind", kNormKinds, NormKind::kRms);
  const auto per_layer = block->integer("per_layer", {0, 8});
  spec.final_norm = block->maybe_boolean("final").value_or(true);
  block->finish();
  return static_cast<int>(per_layer);
}

std::vector<ExtraParameters> read_extras(MapReader& reader) {
  std::vector<ExtraParameters> extras;
  const config::Node* node = reader.node("extras");
  auto block = reader.map("extras", false);
  if (!block || node == nullptr) return extras;
  for (const auto& member : node->members) {
    extras.push_back({member.key, block->integer(member.key, {1, 1e13})});
  }
  block->finish();
  return extras;
}

std::optional<TowerSpec> read_tower(MapReader& reader) {
  auto block = reader.map("tower", false);
  if (!block) return std::nullopt;
  const auto size = [&](std::string_view key) {
    return static_cast<int>(block->integer(key, {1, 1e6}));
  };
  TowerSpec tower;
  tower.reads = block->word<Modality>("reads", kModalities, Modality::kVision);
  tower.layers = size("layers");
  tower.hidden = size("hidden");
  tower.heads = size("heads");
  tower.width = size("width");
  tower.gated = block->maybe_boolean("gated").value_or(false);
  tower.patches = block->integer("patches", {1, 1e8});
  tower.tokens = block->integer("tokens", {1, 1e8});
  tower.output = block->integer("output", {1, 1e8});
  if (tower.hidden % tower.heads != 0)
    block->report("heads", lf::kNotDivisible, "heads do not divide the width of the tower");
  block->finish();
  return tower;
}

void read_mtp(MapReader& reader, ModelSpec& spec) {
  auto block = reader.map("mtp", false);
  if (!block) return;
  spec.mtp_layers = static_cast<int>(block->integer("layers", {0, 16}));
  block->finish();
}

}  // namespace

ModelSpec load_model(const DataFile& file, Diagnostics& diagnostics) {
  ModelSpec spec;
  spec.name = stem(file.path);
  const auto document = open_entry(file, diagnostics);
  if (!document) return spec;
  MapReader reader(*document, document->root, "model", diagnostics);
  spec.title = read_head(reader, "model/1", file).title;
  spec.organisation = reader.text("organisation");
  spec.family = reader.text("family");
  spec.aliases = reader.texts("aliases");
  read_published(reader, spec);
  spec.dtype = reader.word<Dtype>("dtype", kCheckpointDtypes, Dtype::kBf16);
  spec.task = reader.maybe_word<ModelTask>("task", kTasks).value_or(ModelTask::kGenerate);
  spec.causal = reader.maybe_boolean("causal").value_or(true);
  spec.hidden = static_cast<int>(reader.integer("hidden", {1, 1e6}));
  spec.context = reader.integer("context", {1, 1e9});
  spec.embedding = read_embedding(reader);
  const int norms = read_norm(reader, spec);
  auto layers = read_layers(reader, norms);
  spec.kinds = std::move(layers.kinds);
  spec.layers = std::move(layers.layers);
  if (reader.maybe_boolean("cross").value_or(false))
    for (LayerSpec& kind : spec.kinds) kind.cross = true;
  read_mtp(reader, spec);
  spec.extras = read_extras(reader);
  spec.tower = read_tower(reader);
  spec.note = reader.maybe_text("note").value_or("");
  spec.provenance = read_provenance(reader);
  spec.provenance.line = 1;
  reader.finish();
  return spec;
}

}  // namespace loadfactor::catalog
