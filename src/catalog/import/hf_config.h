// A Hugging Face config.json as one of our models.
//
// Model types are rows of hf_architecture.h. A type without a row is not refused if the index of
// its checkpoint is at hand: the total then comes from the stored bytes (see hf_fallback.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catalog/import/hf_quantization.h"
#include "catalog/import/import_report.h"
#include "catalog/import/stored_weights.h"
#include "catalog/spec/model_spec.h"
#include "loadfactor/result.h"

namespace loadfactor::catalog {

struct ImportedModel {
  ModelSpec spec;
  std::optional<HfQuantization> quantization;
  std::optional<StoredWeights> stored;
  std::vector<ImportNotice> notices;
  std::string uncounted;  // What a tower reads of which no more is known: vision or audio.
};

struct NamedText {
  std::string file;  // As the user named it.
  std::string text;
};

// What is known of a model besides its config.json.
struct HfSiblings {
  std::string name;         // How the model shall be called; empty: as the config calls itself.
  std::string date;         // YYYY-MM-DD of the files; written into the provenance.
  std::string folder = {};  // Where the config lies; its name may say what the model is for.
  std::optional<NamedText> quantization;  // hf_quant_config.json; overrules the config.
  std::optional<SafetensorsIndex> index;
  std::vector<SafetensorsHeader> shards;
};

// Nothing exactly when something was reported. Codes: those of config::parse_json, LF102 heads
// that do not divide, LF205 absurd and LF207 impossible sizes, LF209 figures that contradict each
// other, LF407 a model type that is not known, LF503 to LF506 keys and words.
std::optional<ImportedModel> import_hf_config(NamedText config, const HfSiblings& siblings,
                                              Diagnostics& diagnostics);

// A name as the catalogue wants it: lower case, hyphens, no organisation in front.
std::string catalogue_name(std::string_view text);

}  // namespace loadfactor::catalog
