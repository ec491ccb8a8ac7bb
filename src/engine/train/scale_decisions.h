// What to spend the next dollar on, and one large accelerator against several small ones.
#pragma once

#include <optional>
#include <vector>

#include "engine/train/scale_curve.h"
#include "loadfactor/search.h"

namespace loadfactor::engine {

// More GPUs (where the limits allow them), a faster network, more memory: each searched afresh at
// this machine.
std::vector<ScaleOption> next_dollar(const SearchMachine& machine, const ChosenLayout& now,
                                     const ScaleInputs& request, const catalog::Catalog& catalog);

// Taller against wider nodes, at this machine; nothing where one domain holds all of it.
std::optional<TallerDomain> taller_domain(const SearchMachine& machine, const ChosenLayout& now,
                                          const ScaleInputs& request,
                                          const catalog::Catalog& catalog);

// Fast links against sharding over slow ones, at this machine; nothing where it has none.
std::optional<WithoutLinks> without_links(const SearchMachine& machine, const ChosenLayout& now,
                                          const ScaleInputs& request,
                                          const catalog::Catalog& catalog);

// The best that a budget buys, or the cheapest beyond it; nothing where nothing has a rent.
std::optional<Purchase> best_purchase(const std::vector<ScaleCurve>& curves, Dollars budget);

// One large accelerator or several, one node or several, fast links or none, within a budget.
std::vector<BudgetDecision> budget_decisions(const std::vector<ScaleCurve>& curves, Dollars budget);

// One accelerator against several, at the sizes of the curves; nothing where none runs alone.
std::optional<OneOrSeveral> one_or_several(const std::vector<ScaleCurve>& curves);

// A small machine that beats a larger one, else a larger one with worse links that wins all the
// same; nothing where neither is there.
std::optional<SizeSurprise> size_surprise(const std::vector<ScaleCurve>& curves);

}  // namespace loadfactor::engine
