// One checked pair of figures: what the claim says, what follows from the rest of it, and the sum.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "audit/figure.h"

namespace loadfactor::audit {

enum class Verdict : std::uint8_t { kConsistent, kUnsupported, kInconsistent };
// What a check rests on.
enum class Ground : std::uint8_t { kArithmetic, kPhysics, kCatalogue, kRecord, kModel };

std::string_view name(Verdict verdict);
std::string_view name(Ground ground);

struct Finding {
  std::string rule;      // Stable id of the rule: "site-power".
  std::string claim;     // "site power 3.6 MW".
  std::string computed;  // "0.9 MW".
  std::string sum;       // "30 (racks) × 30 kW (power of a rack) = 0.9 MW".
  std::string why;       // What that means, in a sentence; empty when consistent.
  std::string source;
  Verdict verdict = Verdict::kConsistent;
  Ground ground = Ground::kArithmetic;
  std::uint32_t line = 0;
  double ratio = 1;             // Claimed over computed.
  std::vector<Figure> figures;  // Figures of the claim that took part.
};

// How grave: "error" for what cannot hold, "caution" for what nobody has shown, "none".
std::string_view severity(const Finding& finding);

}  // namespace loadfactor::audit
