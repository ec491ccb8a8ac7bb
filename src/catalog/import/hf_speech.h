// Whisper: an encoder of sound, and a decoder that looks at what it made.
#pragma once

#include "catalog/import/foreign_map.h"
#include "catalog/spec/model_spec.h"

namespace loadfactor::catalog {

// Layers, encoder and tables of a config.json whose model type is `whisper`.
void read_whisper(ForeignMap& root, ModelSpec& spec);

}  // namespace loadfactor::catalog
