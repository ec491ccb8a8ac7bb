#include "launch/vocabulary/titan_models.h"

#include <algorithm>
#include <array>

namespace loadfactor::launch {
namespace {

struct ModelRow {
  std::string_view config;
  std::string_view model;  // The first of a configuration is the one that it is read as.
};
constexpr std::array kModels{
    ModelRow{"llama3_8b", "llama-3.1-8b"},
    ModelRow{"llama3_8b", "llama-3-8b"},
    ModelRow{"llama3_70b", "llama-3.1-70b"},
    ModelRow{"llama3_70b", "llama-3-70b"},
    ModelRow{"llama3_70b", "llama-3.3-70b"},
    ModelRow{"llama3_405b", "llama-3.1-405b"},
    ModelRow{"deepseek_v3_16b", "deepseek-v2-lite"},
    ModelRow{"deepseek_v3_671b", "deepseek-v3"},
    ModelRow{"gpt_oss_20b", "gpt-oss-20b"},
    ModelRow{"gpt_oss_120b", "gpt-oss-120b"},
    ModelRow{"qwen3_0_6b", "qwen3-0.6b"},
    ModelRow{"qwen3_1_7b", "qwen3-1.7b"},
    ModelRow{"qwen3_14b", "qwen3-14b"},
    ModelRow{"qwen3_30b_a3b", "qwen3-30b-a3b"},
    ModelRow{"qwen3_32b", "qwen3-32b"},
};
struct SuffixRow {
  std::string_view suffix;
  std::string_view precision;
};
constexpr std::array kSuffixes{SuffixRow{"_float8", "fp8"}, SuffixRow{"_mxfp8", "mxfp8"}};

std::optional<TitanConfig> registered(const std::string& config) {
  for (auto& each : read_titan_configs())
    if (each.config == config) return std::move(each);
  return std::nullopt;
}

}  // namespace

std::optional<TitanConfig> titan_config_of(std::string_view model, std::string_view precision) {
  const auto* row = std::find_if(kModels.begin(), kModels.end(),
                                 [&](const ModelRow& each) { return each.model == model; });
  if (row == kModels.end()) return std::nullopt;
  std::string config(row->config);
  for (const auto& [suffix, word] : kSuffixes)
    if (word == precision) return registered(config + std::string(suffix));
  const bool is_plain = precision == "bf16" || precision == "bf16-pure" || precision == "fp16";
  return is_plain ? registered(config) : std::nullopt;
}

TitanModel titan_model_of(std::string_view config) {
  TitanModel found;
  for (const auto& [suffix, word] : kSuffixes) {
    if (!config.ends_with(suffix)) continue;
    found.precision = word;
    config.remove_suffix(suffix.size());
  }
  const auto* row = std::find_if(kModels.begin(), kModels.end(),
                                 [&](const ModelRow& each) { return each.config == config; });
  if (row != kModels.end()) found.model = row->model;
  return found;
}

}  // namespace loadfactor::launch
