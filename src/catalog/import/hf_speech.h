// Encoders of sound: Whisper's, with a decoder that looks at what it made, and those beside text
// models.
#pragma once

#include <optional>
#include <string_view>

#include "catalog/import/foreign_map.h"
#include "catalog/spec/model_spec.h"

namespace loadfactor::catalog {

// Layers, encoder and tables of a config.json whose model type is `whisper`.
void read_whisper(ForeignMap& root, ModelSpec& spec);

struct AudioPart {
  std::int64_t parameters = 0;
  TowerSpec tower;
};

// Everything that `audio` (an `audio_config`) describes, and what joins it to a text model `hidden`
// wide. Nothing when the model type's tower is not one we know.
std::optional<AudioPart> read_audio_part(std::string_view model_type, ForeignMap audio,
                                         std::int64_t hidden);

}  // namespace loadfactor::catalog
