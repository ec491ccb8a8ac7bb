// The best layout at each size of a machine, and what binds it there.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engine/search_machines.h"
#include "loadfactor/search.h"

namespace loadfactor::engine {

// The fastest layout of a machine; nothing if none fits.
std::optional<ChosenLayout> best_layout(const SearchMachine& machine, const SearchRequest& request);

// The same with the job changed: another fabric, another memory, another batch.
using JobChange = std::function<void(training::TrainingJob&)>;
std::optional<ChosenLayout> best_layout_with(const SearchMachine& machine,
                                             const SearchRequest& request, const JobChange& change);

// Useful tokens per second of a layout on its machine.
double useful_rate(const SearchMachine& machine, const ChosenLayout& chosen);

// The curve of one accelerator over its machines, which have rising sizes.
struct CurveResult {
  ScaleCurve curve;
  std::vector<const SearchMachine*> machines;  // Of its points,
  std::vector<ChosenLayout> chosen;            // and what they run.
};
CurveResult make_curve(const std::vector<const SearchMachine*>& machines,
                       const ScaleRequest& request, const catalog::Catalog& catalog);

bool is_stopped(const SearchRequest& request);

}  // namespace loadfactor::engine
