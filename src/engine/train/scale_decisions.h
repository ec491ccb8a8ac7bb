// What to spend the next dollar on, and one large accelerator against several small ones.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/train/scale_curve.h"
#include "loadfactor/search.h"

namespace loadfactor::engine {

// More GPUs (where the limits allow them), a faster network, more memory: each searched afresh at
// this machine.
std::vector<ScaleOption> next_dollar(const SearchMachine& machine, const ChosenLayout& now,
                                     const ScaleRequest& request, const catalog::Catalog& catalog);

// Taller against wider nodes, and fast links against sharding over slow ones, at this machine.
std::vector<std::string> link_decisions(const SearchMachine& machine, const ChosenLayout& now,
                                        const ScaleRequest& request,
                                        const catalog::Catalog& catalog);

// What a budget should buy: one large accelerator or several, one node or several, with reasons.
// The first sentence is the decision; empty where nothing has a rent.
struct BoughtSize {
  std::string accelerator;
  int gpus = 0;
};
// The machine of that sentence.
std::optional<BoughtSize> bought_size(const std::vector<ScaleCurve>& curves, Dollars budget);
std::vector<std::string> budget_decisions(const std::vector<ScaleCurve>& curves, Dollars budget);

// One accelerator against several, at the sizes of the curves; empty where none runs alone.
std::string one_or_several(const std::vector<ScaleCurve>& curves);

// A small machine that beats a larger one; empty if none does.
std::string smaller_is_better(const std::vector<ScaleCurve>& curves);

// A larger machine with worse links that wins all the same, and why; empty if none does.
std::string larger_wins(const std::vector<ScaleCurve>& curves);

}  // namespace loadfactor::engine
