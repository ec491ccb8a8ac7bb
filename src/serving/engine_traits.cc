#include "serving/engine_traits.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

namespace loadfactor::serving {
namespace {

bool is_large(const catalog::AcceleratorSpec& chip) {
  constexpr double kLarge = 70.0 * 1024 * 1024 * 1024;
  return chip.memory.usable / Bytes::from_base(1.0) >= kLarge && chip.family != "ampere";
}

std::string lower(std::string_view text) {
  std::string result;
  for (const char c : text)
    result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

EngineEra tensorrt_era(const std::optional<ReleaseNumber>& version, int year) {
  if (version) {
    if (version->is_before({0, 10})) return EngineEra::kTensorRtStatic;
    return version->is_before({0, 20}) ? EngineEra::kTensorRtCpp : EngineEra::kTensorRtPython;
  }
  if (year == 0 || year >= 2025) return EngineEra::kTensorRtPython;
  return year <= 2023 ? EngineEra::kTensorRtStatic : EngineEra::kTensorRtCpp;
}

EngineEra vllm_era(const std::optional<ReleaseNumber>& version, int year) {
  if (version) {
    if (version->is_before({0, 8})) return EngineEra::kVllmV0;
    return version->is_before({0, 14}) ? EngineEra::kVllmV1 : EngineEra::kVllmAsync;
  }
  if (year == 0 || year >= 2026) return EngineEra::kVllmAsync;
  return year == 2025 ? EngineEra::kVllmV1 : EngineEra::kVllmV0;
}

}  // namespace

std::optional<ReleaseNumber> parse_release(std::string_view text) {
  constexpr int kNoRelease = 9;  // Majors from here on are years of containers.
  std::size_t i = 0;
  while (i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) == 0) ++i;
  const std::string digits(text.substr(i));
  char* end = nullptr;
  ReleaseNumber number{static_cast<int>(std::strtol(digits.c_str(), &end, 10)), 0};
  if (end == digits.c_str() || *end != '.') return std::nullopt;
  const char* minor = end + 1;
  number.minor = static_cast<int>(std::strtol(minor, &end, 10));
  if (end == minor || number.major >= kNoRelease) return std::nullopt;
  return number;
}

std::int64_t EngineTraits::chunk_on(const catalog::AcceleratorSpec& chip) const {
  return is_large(chip) ? chunk_large : chunk;
}

std::int64_t EngineTraits::max_sequences_on(const catalog::AcceleratorSpec& chip) const {
  return is_large(chip) ? max_sequences_large : max_sequences;
}

bool is_known_engine(std::string_view engine) {
  constexpr std::array<std::string_view, 7> kWords{"tensorrt", "trt",     "vllm", "sglang",
                                                   "neuron",   "pytorch", "plain"};
  const std::string word = lower(engine);
  return std::any_of(kWords.begin(), kWords.end(), [&word](std::string_view part) {
    return word.find(part) != std::string::npos;
  });
}

EngineEra find_era(std::string_view engine, std::string_view version, int year) {
  const std::string word = lower(engine);
  const auto has = [&](std::string_view part) { return word.find(part) != std::string::npos; };
  const auto parsed = parse_release(version);
  if (has("tensorrt") || has("trt")) return tensorrt_era(parsed, year);
  if (has("rocm")) return EngineEra::kVllmRocm;
  if (has("v0")) return EngineEra::kVllmV0;
  if (has("neuron")) return EngineEra::kNeuron;
  if (has("vllm")) return has("tpu") ? EngineEra::kVllmV1 : vllm_era(parsed, year);
  if (has("pytorch") || has("plain")) return EngineEra::kPlain;
  return EngineEra::kSglang;
}

}  // namespace loadfactor::serving
