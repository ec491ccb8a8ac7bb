#include "report/train/reason_words.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/plural.h"

namespace loadfactor::report {
namespace {

struct PartWords {
  std::string_view part;
  std::string_view words;
};
constexpr PartWords kWords[] = {
    PartWords{"gemm", "slower matrix products"},
    PartWords{"attention", "slower attention"},
    PartWords{"pointwise", "more pointwise traffic"},
    PartWords{"head", "embedding and head"},
    PartWords{"recompute", "recomputation"},
    PartWords{"tp", "tensor-parallel collectives not hidden"},
    PartWords{"cp", "keys and values on the ring"},
    PartWords{"ep", "expert all-to-all"},
    PartWords{"fsdp", "all-gather not hidden"},
    PartWords{"dp", "gradient reduction not hidden"},
    PartWords{"p2p", "pipeline sends"},
    PartWords{"bubble", "bubble"},
    PartWords{"imbalance", "uneven stages"},
    PartWords{"optimizer", "optimizer"},
    PartWords{"offload", "offload traffic"},
    PartWords{"host", "host"},
    PartWords{"data", "waiting for input"},
    PartWords{"straggler", "stragglers"},
    PartWords{"rollout", "slower answers"},
    PartWords{"learning", "slower learning"},
};

std::string_view words_of(std::string_view part) {
  for (const PartWords& row : kWords)
    if (row.part == part) return row.words;
  return part;
}

std::string best_words(const LayoutReasons& best) {
  std::vector<std::string> words;
  if (best.tp > 1)
    words.push_back(
        best.tp <= best.domain
            ? fmt::format("tp {} stays in the scale-up domain of {}", best.tp, best.domain)
            : fmt::format(
                  "tp {} leaves the scale-up domain of {}: smaller ones do not fit or starve",
                  best.tp, best.domain));
  if (best.pp > 1)
    words.push_back(fmt::format("pp {} {}, bubble {:.1f} %", best.pp,
                                best.gpus > best.domain ? "between domains" : "inside the domain",
                                100.0 * best.bubble));
  if (best.dp > 1) words.push_back(fmt::format("dp {} outermost", best.dp));
  words.push_back(fmt::format("{:.0f} % of the memory needed", 100.0 * best.memory_share));
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

std::string reason_words(const LayoutReasons& reasons) {
  if (reasons.is_best) return best_words(reasons);
  std::vector<std::string> words;
  if (reasons.gpus != reasons.best_gpus)
    words.push_back(fmt::format("{}, not {}", counted(reasons.gpus, "GPU"), reasons.best_gpus));
  if (reasons.leaves_domain)
    words.push_back(
        fmt::format("tp {} crosses the scale-up domain of {}", reasons.tp, reasons.domain));
  if (reasons.is_tight) words.emplace_back("memory is tight");
  constexpr std::size_t kMostNamed = 2;
  for (std::size_t i = 0; i < std::min(kMostNamed, reasons.losses.size()); ++i)
    words.push_back(fmt::format("{} +{:.1f} %", words_of(reasons.losses[i].part),
                                100.0 * reasons.losses[i].more));
  return words.empty() ? "as fast; less plain" : fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace loadfactor::report
