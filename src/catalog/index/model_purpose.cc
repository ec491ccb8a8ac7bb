#include "catalog/index/model_purpose.h"

#include <algorithm>
#include <array>
#include <string>

#include "catalog/index/name_rule.h"

namespace loadfactor::catalog {
namespace {

// A word of a name, whole or at its beginning, and what it says.
struct PurposeWord {
  std::string_view word;
  bool whole = true;
  NamedPurpose purpose;
};
constexpr NamedPurpose kEmbeds{.task = ModelTask::kEmbed};
constexpr NamedPurpose kScores{.task = ModelTask::kRerank};
constexpr NamedPurpose kSees{.reads = Modality::kVision};
constexpr NamedPurpose kHears{.reads = Modality::kAudio};
constexpr NamedPurpose kPairs{.task = ModelTask::kEmbed, .reads = Modality::kVision};
constexpr NamedPurpose kPaints{.makes_images = true};
// The first that a name has counts: a reranker of the BGE family scores.
constexpr std::array kPurposeWords{
    PurposeWord{"diffusion", false, kPaints}, PurposeWord{"flux", false, kPaints},
    PurposeWord{"sdxl", false, kPaints},      PurposeWord{"sd3", false, kPaints},
    PurposeWord{"dalle", false, kPaints},     PurposeWord{"imagen", true, kPaints},
    PurposeWord{"midjourney", true, kPaints}, PurposeWord{"pixart", true, kPaints},
    PurposeWord{"kandinsky", true, kPaints},  PurposeWord{"rerank", false, kScores},
    PurposeWord{"ranker", true, kScores},     PurposeWord{"embed", false, kEmbeds},
    PurposeWord{"clip", true, kPairs},        PurposeWord{"siglip", false, kPairs},
    PurposeWord{"whisper", false, kHears},    PurposeWord{"audio", true, kHears},
    PurposeWord{"speech", true, kHears},      PurposeWord{"asr", true, kHears},
    PurposeWord{"vl", true, kSees},           PurposeWord{"vlm", true, kSees},
    PurposeWord{"vision", true, kSees},       PurposeWord{"llava", false, kSees},
    PurposeWord{"pixtral", false, kSees},     PurposeWord{"bert", true, kEmbeds},
    PurposeWord{"roberta", true, kEmbeds},    PurposeWord{"distilbert", true, kEmbeds},
    PurposeWord{"modernbert", true, kEmbeds}, PurposeWord{"e5", true, kEmbeds},
    PurposeWord{"bge", true, kEmbeds},        PurposeWord{"gte", true, kEmbeds},
    PurposeWord{"minilm", true, kEmbeds},
};

}  // namespace

NamedPurpose named_purpose(std::string_view name) {
  const auto words = words_of(name);
  for (const PurposeWord& row : kPurposeWords) {
    const bool has = std::any_of(words.begin(), words.end(), [&](const std::string& word) {
      return row.whole ? word == row.word : word.starts_with(row.word);
    });
    if (has) return row.purpose;
  }
  return {};
}

}  // namespace loadfactor::catalog
