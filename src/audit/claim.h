// What somebody says about a cluster: any subset of figures, each with its place in the file.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "audit/figure.h"
#include "catalog/spec/dtype.h"
#include "config/document.h"
#include "loadfactor/result.h"

namespace loadfactor::audit {

struct StatedFigure {
  double value = 0;  // In base units.
  config::Position position;
};

struct StatedName {
  std::string value;
  config::Position position;
};

// Where state goes that GPUs do not hold.
enum class Offload : std::uint8_t { kNone, kCpu, kNvme };
enum class Optimizer : std::uint8_t { kAdam, kAdam8Bit, kAdafactor, kLion, kMuon, kSgd };

struct Claim {
  std::string name;
  std::string says;  // The sentence as it was written; may be empty.
  config::Position position;
  std::array<std::optional<StatedFigure>, kNumFigures> stated;
  std::optional<StatedName> gpu;
  std::optional<StatedName> model;
  std::optional<StatedName> link;
  std::optional<StatedName> cooling;
  catalog::Dtype dtype = catalog::Dtype::kBf16;
  bool dtype_stated = false;
  std::optional<int> zero;  // Which ZeRO stage, where the layout says.
  std::optional<Offload> offload;
  std::optional<Optimizer> optimizer;
  std::optional<catalog::Dtype> kv_dtype;
  std::optional<bool> speculative;  // Several tokens may come from one reading of the weights.
  std::optional<bool> fits;         // "It fits", "it does not".
  bool converged = false;           // "To convergence".
  std::optional<bool> cheaper;      // "Cheaper than the rival", "dearer".
  const config::Document* document = nullptr;

  const std::optional<StatedFigure>& operator[](Figure figure) const {
    return stated[static_cast<std::size_t>(figure)];
  }
  std::optional<StatedFigure>& operator[](Figure figure) {
    return stated[static_cast<std::size_t>(figure)];
  }
};

// A file holds one claim, or a list `claims:`. The claims point into the document. Nothing if the
// file has errors; all of them are reported.
std::vector<Claim> read_claims(const config::Document& document, Diagnostics& diagnostics);

}  // namespace loadfactor::audit
