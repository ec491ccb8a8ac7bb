// One checked pair of figures: what the claim says, what follows from the rest of it, and how.
// Figures only: the sentences are written by the report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/check.h"
#include "audit/figure.h"

namespace loadfactor::audit {

enum class Verdict : std::uint8_t { kConsistent, kUnsupported, kInconsistent };
// What a check rests on.
enum class Ground : std::uint8_t { kArithmetic, kPhysics, kCatalogue, kRecord, kModel };
// What the claimed figure must be to the computed one.
enum class Relation : std::uint8_t {
  kEquals,
  kAtMost,
  kAtLeast,
  kWhole,   // The computed figure is a whole number.
  kAgrees,  // A yes or no of the claim is the one that follows.
};

std::string_view name(Verdict verdict);
std::string_view name(Ground ground);
std::string_view name(Relation relation);

struct Term {
  Figure figure;
  double value = 0;
  int power = 1;  // In a sum: how often it is added.
};

// One line of the working: a constant times powers of figures, or a constant plus figures.
struct Step {
  enum class Form : std::uint8_t { kProduct, kSum };
  Figure result;
  double value = 0;
  Form form = Form::kProduct;
  double constant = 1;
  std::vector<Term> terms;
};

// The layout that our own model was asked about.
struct PredictedLayout {
  int gpus = 0;
  int tp = 1;
  int pp = 1;
  int dp = 1;
  std::int64_t sequence = 0;
  std::int64_t global_batch = 0;
  std::string stack;
  std::string nearest;  // Where it does not fit: keys of the closest layout that does.
};

struct Finding {
  Check check = Check::kCount;
  Verdict verdict = Verdict::kConsistent;
  Ground ground = Ground::kArithmetic;
  Relation relation = Relation::kEquals;
  Figure figure = Figure::kGpus;  // What the claim speaks of.
  double stated = 0;              // In base units, as are all figures here.
  std::optional<bool> says;       // Where the claim is a yes or no.
  Figure follows = Figure::kGpus;
  double computed = 0;
  std::optional<double> low;  // Our model's interval.
  std::optional<double> high;
  std::vector<Step> steps;
  std::optional<PredictedLayout> layout;
  std::uint32_t line = 0;
  double ratio = 1;             // Claimed over computed.
  std::vector<Figure> figures;  // Figures of the claim that took part.
  std::string source;
};

// How grave: "error" for what cannot hold, "caution" for what nobody has shown, "none".
std::string_view severity(const Finding& finding);

}  // namespace loadfactor::audit
