// Does it fit, and how many sequences? Puts the answer together from the memory division.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "catalog/catalog.h"
#include "engine/core.h"
#include "engine/serve/fit_answer.h"
#include "resolve/serve/fit_setup.h"
#include "resolve/serve/smallest_deployment.h"
#include "serving/memory.h"
#include "workload/parameters.h"

namespace loadfactor {
namespace {

using engine::best_split;
using engine::count_sequences;
using engine::FitSetup;
using engine::Found;
using engine::ServingSetup;
using engine::smallest_deployment;
using workload::Sharding;

constexpr int kMostGpus = 512;  // How far the search for the smallest deployment goes.

// How experts are spread: inside the tensor-parallel group as engines do (ep up to tp), or over
// copies of the attention (ep a multiple of tp, and so many GPUs).
Result<Sharding> spread_experts(Sharding sharding, int ep) {
  const bool inside = sharding.tp % ep == 0;
  const bool over_copies = ep % sharding.tp == 0;
  if (!inside && !over_copies) {
    return Error{.code = lf::kNotDivisible,
                 .message = fmt::format("ep {} neither divides tp {} nor is a multiple of it", ep,
                                        sharding.tp),
                 .hint = fmt::format("write --ep {} or --tp {}", sharding.tp, ep)};
  }
  sharding.ep = ep;
  sharding.etp = inside ? sharding.tp / ep : 1;
  sharding.dp = inside ? 1 : ep / sharding.tp;
  return sharding;
}

// The sharding asked for, or the smallest that works, or the least bad one.
Result<Sharding> choose_sharding(const FitInputs& request, const FitSetup& setup,
                                 const std::optional<Found>& smallest,
                                 std::vector<Notice>& notices) {
  Sharding sharding{.tp = std::max(request.tp, 1), .pp = request.pp, .uneven = true};
  if (request.tp == 0 && request.pp == 1 && request.ep == 1) {
    sharding = smallest ? smallest->sharding : sharding;
    notices.push_back({.id = "chosen-layout", .arguments = {{"fewest_gpus", ""}}});
  } else if (request.tp == 0 && request.ep > 1) {
    sharding.tp = request.ep;
    notices.push_back({.id = "chosen-layout", .arguments = {{"as_wide_as_ep", ""}}});
  }
  TRY(sharding, spread_experts(sharding, request.ep));
  const auto problems = workload::validate_sharding(*setup.serving.model, sharding);
  if (!problems.empty()) return problems.errors().front();
  const auto& chip = *setup.serving.chip;
  if (sharding.tp > chip.scale_up.domain) {
    notices.push_back({.id = "tp-beyond-domain",
                       .arguments = {{"tp", std::to_string(sharding.tp)},
                                     {"accelerator", chip.title},
                                     {"domain", std::to_string(chip.scale_up.domain)}}});
  }
  return sharding;
}

std::vector<SequenceCount> count_by_length(const ServingSetup& serving,
                                           const engine::DeploymentMemory& memory,
                                           std::int64_t context) {
  constexpr std::array<std::int64_t, 4> kLengths{2048, 8192, 32768, 131072};
  const std::int64_t longest = serving.model->context;
  std::vector<std::int64_t> lengths{context};
  for (const auto length : kLengths) {
    if (longest == 0 || length <= longest) lengths.push_back(length);
  }
  std::sort(lengths.begin(), lengths.end());
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  std::vector<SequenceCount> counts;
  for (const auto length : lengths)
    counts.push_back({length, count_sequences(serving, memory, length)});
  return counts;
}

SmallestDeployment row_of(const std::string& accelerator, const std::optional<Found>& found) {
  SmallestDeployment row{.accelerator = accelerator};
  if (!found) return row;
  row.layout = engine::layout_of(found->sharding);
  row.sequences = found->sequences;
  return row;
}

// The same chip at neighbouring sizes: half, as asked, double.
std::vector<SmallestDeployment> neighbours(const FitSetup& setup, int gpus) {
  std::vector<SmallestDeployment> rows;
  for (int size = 1; size <= std::max(8, 2 * gpus) && size <= kMostGpus; size *= 2) {
    if (const auto found = best_split(setup.serving, size, setup.context))
      rows.push_back(row_of(setup.serving.chip->name, found));
  }
  return rows;
}

std::vector<SmallestDeployment> compare_chips(const FitSetup& setup,
                                              const catalog::Catalog& catalog) {
  std::vector<SmallestDeployment> rows;
  for (const auto& name : catalog.lineup().compare) {
    if (name == setup.serving.chip->name) continue;
    const auto chip = catalog.find_accelerator(name);
    if (!chip) continue;
    ServingSetup other = setup.serving;
    other.chip = *chip;
    rows.push_back(row_of(name, smallest_deployment(other, setup.context, kMostGpus)));
  }
  return rows;
}

}  // namespace

Result<FitAnswer> engine::Core::fit(const FitInputs& request) const {
  TRY(FitSetup setup, engine::make_fit_setup(request, *catalog_));
  const auto smallest = smallest_deployment(setup.serving, setup.context, kMostGpus);
  TRY(const Sharding sharding, choose_sharding(request, setup, smallest, setup.notices));
  const auto memory = engine::divide_memory(setup.serving, sharding);

  FitAnswer answer = engine::describe(setup, memory);
  answer.sequences = count_sequences(setup.serving, memory, setup.context);
  answer.sequences_low = count_sequences(setup.serving, memory, setup.context, engine::End::kLow);
  answer.sequences_high = count_sequences(setup.serving, memory, setup.context, engine::End::kHigh);
  answer.fits = answer.sequences > 0;
  answer.by_length = count_by_length(setup.serving, memory, setup.context);
  answer.min_gpus = smallest ? smallest->gpus() : 0;
  answer.smaller = neighbours(setup, memory.gpus());
  answer.elsewhere = compare_chips(setup, *catalog_);
  if (smallest) answer.closest = engine::layout_of(smallest->sharding);
  answer.notices = std::move(setup.notices);
  engine::confess_assumptions(setup, answer);
  return answer;
}

}  // namespace loadfactor
