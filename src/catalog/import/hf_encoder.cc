#include "catalog/import/hf_encoder.h"

#include <algorithm>
#include <string>
#include <vector>

#include "catalog/index/model_purpose.h"

namespace loadfactor::catalog {
namespace {

using Count = std::int64_t;
constexpr int kMostLabels = 1 << 20;

// The class that the file names first, such as `BertForSequenceClassification`; empty: none.
std::string class_of(ForeignMap& root) {
  if (!root.is_list("architectures")) return {};
  const auto classes = root.texts({"architectures"});
  return classes.empty() ? std::string() : classes.front();
}

// Scores that the last layer gives: as listed, as counted, or two.
Count labels_of(ForeignMap& root) {
  if (auto names = root.map({"id2label"}))
    return std::max<Count>(1, static_cast<Count>(names->node().members.size()));
  return root.count({"num_labels", "_num_labels"}, 1, kMostLabels).value_or(2);
}

void add_extra(ModelSpec& spec, const char* name, Count parameters) {
  if (parameters > 0) spec.extras.push_back({name, parameters});
}

// What stands at the end of an encoder of this class, besides its layers.
void add_ends(const HfArchitecture& row, std::string_view type, ForeignMap& root, ModelSpec& spec) {
  const Count hidden = spec.hidden;
  const Count dense = hidden * hidden + hidden;
  const bool scores = type.ends_with("ForSequenceClassification");
  const bool fills_gaps = type.ends_with("ForMaskedLM");
  const bool pools = row.encoder.pooler == HfPooler::kDense && !fills_gaps &&
                     !(scores && row.encoder.deep_classifier);
  if (pools) add_extra(spec, "pooler", dense);
  if (scores) {
    const Count labels = labels_of(root);
    add_extra(spec, "classifier",
              labels * (hidden + 1) + (row.encoder.deep_classifier ? dense : 0));
  }
  if (!fills_gaps) return;
  // A dense layer and a norm in front of the tied table, and a bias for each word.
  const bool plain = row.block.norm == NormKind::kLayer;
  add_extra(spec, "head",
            (plain ? dense + 2 * hidden : hidden * hidden + hidden) + spec.embedding.vocab);
}

ModelTask task_of(std::string_view type, const ModelSpec& spec) {
  if (type.ends_with("ForSequenceClassification")) return ModelTask::kRerank;
  const ModelTask named = named_purpose(spec.title).task;
  return named == ModelTask::kRerank ? named : ModelTask::kEmbed;
}

// The tables of positions and of kinds of text are as wide as each other.
void set_tables(const HfArchitecture& row, ForeignMap& text, ModelSpec& spec) {
  if (row.encoder.text_kinds > 0)
    spec.embedding.positions +=
        text.count({"type_vocab_size"}, 0, kMostLabels).value_or(row.encoder.text_kinds);
  spec.context = std::max<Count>(1, spec.context - row.encoder.unused_positions);
}

// Layers without what makes words of them, such as `MistralModel`.
bool is_bare(std::string_view type) {
  return type.ends_with("Model") && type.find("For") == std::string_view::npos;
}

void read_encoder(const HfArchitecture& row, ForeignMap& root, ForeignMap& text, ModelSpec& spec) {
  const std::string type = class_of(root);
  spec.causal = row.encoder.is_causal;
  spec.final_norm = row.encoder.final_norm;
  spec.embedding.tied = true;
  spec.embedding.head = false;
  spec.task = task_of(type, spec);
  set_tables(row, text, spec);
  add_ends(row, type, root, spec);
}

}  // namespace

void read_task(const HfArchitecture& row, const HfPurpose& purpose, ModelSpec& spec) {
  ForeignMap& root = purpose.root;
  ForeignMap& text = purpose.text;
  if (row.encoder.is_encoder) return read_encoder(row, root, text, spec);
  if (text.boolean({"use_bidirectional_attention"}).value_or(false)) spec.causal = false;
  const std::string type = class_of(root);
  NamedPurpose named = named_purpose(spec.title);
  if (named.task == ModelTask::kGenerate) named = named_purpose(purpose.folder);
  const bool scores = type.ends_with("ForSequenceClassification");
  const bool embeds = !spec.causal || named.task == ModelTask::kEmbed || is_bare(type);
  // A reranker that answers "yes" or "no" keeps its head.
  if (named.task == ModelTask::kRerank) spec.task = ModelTask::kRerank;
  if (scores) spec.task = ModelTask::kRerank;
  if (embeds && !scores) spec.task = ModelTask::kEmbed;
  if (!scores && spec.task != ModelTask::kEmbed) return;
  spec.embedding.head = false;
  if (scores) add_extra(spec, "classifier", labels_of(root) * spec.hidden);
}

bool is_diffusion(ForeignMap& root) {
  return root.has("_class_name") || root.has("_diffusers_version");
}

}  // namespace loadfactor::catalog
