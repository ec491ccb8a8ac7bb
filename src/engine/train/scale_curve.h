// The best layout at each size of a machine, and what binds it there.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/train/search_machines.h"
#include "loadfactor/search.h"

namespace loadfactor::engine {

// The fastest layout of a machine; nothing if none fits.
std::optional<ChosenLayout> best_layout(const SearchMachine& machine, const SearchInputs& request);

// The same with the job changed: another fabric, another memory, another batch.
using JobChange = std::function<void(training::TrainingJob&)>;
std::optional<ChosenLayout> best_layout_with(const SearchMachine& machine,
                                             const SearchInputs& request, const JobChange& change);

// Useful tokens per second of a layout, which may be of another size or batch than its machine,
// with the goodput of one way to pay; where that has no price, of machines nobody takes away.
double useful_rate(const catalog::Catalog& catalog, const SearchMachine& machine,
                   const ChosenLayout& chosen, std::optional<OptionKind> option);
// The way to pay that a run of this layout would use; empty where none has a price.
std::optional<OptionKind> option_of(const SearchMachine& machine, const ChosenLayout& chosen);

// The curve of one accelerator over its machines, which have rising sizes.
struct CurveResult {
  ScaleCurve curve;
  std::vector<const SearchMachine*> machines;  // What each point was searched on.
  std::vector<ChosenLayout> chosen;            // What each point runs.
};
CurveResult make_curve(const std::vector<const SearchMachine*>& machines,
                       const ScaleInputs& request, const catalog::Catalog& catalog);

bool is_stopped(const SearchInputs& request);

}  // namespace loadfactor::engine
