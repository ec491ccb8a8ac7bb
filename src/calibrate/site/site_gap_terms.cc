#include "calibrate/site/site_gap_terms.h"

namespace loadfactor::calibrate {
namespace {

using training::Part;

const char* group_of(Part part) {
  switch (part) {
    case Part::kGemm:
    case Part::kAttention:
    case Part::kPointwise:
    case Part::kHead:
    case Part::kRecompute:
    case Part::kOptimizer:
      return "kernels";
    case Part::kTp:
    case Part::kCp:
    case Part::kEp:
    case Part::kFsdp:
    case Part::kDp:
    case Part::kP2p:
    case Part::kOffload:
      return "communication";
    case Part::kBubble:
    case Part::kImbalance:
      return "bubble";
    case Part::kHost:
    case Part::kData:
      return "host";
    case Part::kStraggler:
    case Part::kCount:
      break;
  }
  return "stragglers";
}

}  // namespace

std::vector<GapTerm> gap_terms(const SiteCalibration& site) {
  std::vector<GapTerm> terms;
  for (const SiteTermEntry& entry : site.terms)
    terms.push_back({entry.term.name, entry.term.width,
                     entry.parts.empty() ? entry.term.name : group_of(entry.parts.front())});
  return terms;
}

std::vector<GapTerm> gap_terms(const ServingSite& site) {
  std::vector<GapTerm> terms;
  for (const ServingTermEntry& entry : site.terms)
    terms.push_back({entry.term.name, entry.term.width, entry.term.name});
  terms.push_back({"other", 0.0, "other"});
  return terms;
}

}  // namespace loadfactor::calibrate
