#include "catalog/import/hf_speech.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "catalog/import/hf_text.h"

namespace loadfactor::catalog {
namespace {

using Count = std::int64_t;

// One half of the model.
struct Half {
  int layers = 0;
  int heads = 0;
  int width = 0;
};

int read(ForeignMap& root, ForeignMap::Keys keys, int high) {
  if (const auto stated = root.count(keys, 1, high)) return *stated;
  if (!root.has(*keys.begin())) root.report_missing(*keys.begin());
  return 1;
}

void check_heads(ForeignMap& root, std::string_view key, int heads, int hidden) {
  if (hidden % heads == 0 || !root.diagnostics().empty()) return;
  root.report(key, lf::kNotDivisible,
              fmt::format("{} attention heads do not divide the width {}", heads, hidden));
}

// Two convolutions, a table of positions, the layers and a norm. Keys have no bias.
Count encoder_parameters(const Half& half, Count hidden, Count mel, Count positions) {
  const Count attention = 4 * hidden * hidden + 3 * hidden;
  const Count mlp = 2 * hidden * half.width + half.width + hidden;
  const Count layer = attention + mlp + 4 * hidden;
  constexpr Count kTaps = 3;
  const Count convolutions = kTaps * hidden * (mel + hidden) + 2 * hidden;
  return convolutions + positions * hidden + half.layers * layer + 2 * hidden;
}

}  // namespace

void read_whisper(ForeignMap& root, ModelSpec& spec) {
  constexpr int kMostPositions = 1 << 20;
  const int hidden = read(root, {"d_model"}, kMaxHidden);
  const Half encoder{read(root, {"encoder_layers"}, kMaxLayers),
                     read(root, {"encoder_attention_heads"}, kMaxHeads),
                     read(root, {"encoder_ffn_dim"}, kMaxWidth)};
  const Half decoder{read(root, {"decoder_layers"}, kMaxLayers),
                     read(root, {"decoder_attention_heads"}, kMaxHeads),
                     read(root, {"decoder_ffn_dim"}, kMaxWidth)};
  check_heads(root, "encoder_attention_heads", encoder.heads, hidden);
  check_heads(root, "decoder_attention_heads", decoder.heads, hidden);
  const Count mel = root.count({"num_mel_bins"}, 1, 4096).value_or(80);
  const Count frames = root.count({"max_source_positions"}, 1, kMostPositions).value_or(1500);
  const Count words = root.count({"max_target_positions"}, 1, kMostPositions).value_or(448);
  spec.family = "whisper";
  spec.hidden = hidden;
  spec.norm = NormKind::kLayer;
  spec.context = frames + words;
  spec.embedding = {.vocab = read(root, {"vocab_size"}, kMaxVocab), .tied = true};
  spec.embedding.positions = words;
  LayerSpec layer{.norms = 3, .cross = true};
  layer.attention = {.heads = decoder.heads,
                     .kv_heads = decoder.heads,
                     .head_dim = std::max(1, hidden / decoder.heads),
                     .qkv_bias = true,
                     .out_bias = true,
                     .key_bias = false};
  layer.mlp = {.kind = MlpKind::kPlain, .width = decoder.width, .bias = true};
  spec.kinds = {layer};
  spec.layers.assign(static_cast<std::size_t>(decoder.layers), 0);
  spec.extras.push_back({"encoder", encoder_parameters(encoder, hidden, mel, frames)});
  // The decoder makes keys and values of every frame, for each of its layers.
  spec.tower = TowerSpec{.reads = Modality::kAudio,
                         .layers = encoder.layers,
                         .hidden = hidden,
                         .heads = encoder.heads,
                         .width = encoder.width,
                         .patches = frames,
                         .tokens = frames,
                         .output = 2 * Count{hidden} * decoder.layers};
}

std::optional<AudioPart> read_audio_part(std::string_view model_type, ForeignMap audio,
                                         Count hidden) {
  const bool is_qwen = model_type == "qwen2_audio";
  if (!is_qwen && model_type != "voxtral") return std::nullopt;
  // Whisper's encoder, by its own names or by those of text models.
  constexpr int kMostPositions = 1 << 20;
  const int width = read(audio, {is_qwen ? "d_model" : "hidden_size"}, kMaxHidden);
  const Half half{
      read(audio, {is_qwen ? "encoder_layers" : "num_hidden_layers"}, kMaxLayers),
      read(audio, {is_qwen ? "encoder_attention_heads" : "num_attention_heads"}, kMaxHeads),
      read(audio, {is_qwen ? "encoder_ffn_dim" : "intermediate_size"}, kMaxWidth)};
  const Count mel = audio.count({"num_mel_bins"}, 1, 4096).value_or(128);
  const Count frames = audio.count({"max_source_positions"}, 1, kMostPositions).value_or(1500);
  // One layer for every two frames; or two layers, without biases, for as many frames as are as
  // wide as the MLP.
  const Count joined = is_qwen ? 2 : std::max(1, half.width / width);
  const Count projector =
      is_qwen ? Count{width} * hidden + hidden : Count{half.width} * hidden + hidden * hidden;
  return AudioPart{encoder_parameters(half, width, mel, frames) + projector,
                   {.reads = Modality::kAudio,
                    .layers = half.layers,
                    .hidden = width,
                    .heads = half.heads,
                    .width = half.width,
                    .patches = frames,
                    .tokens = std::max<Count>(1, frames / joined),
                    .output = is_qwen ? hidden : 2 * hidden}};
}

}  // namespace loadfactor::catalog
