// The sizes of the machines that a provider rents out.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "resolve/terms/cost_setup.h"

namespace loadfactor::engine {
namespace {

// Rows of the price list that stand for several providers.
bool is_basket(std::string_view provider) {
  return provider.empty() || provider == "market" || provider == "hyperscaler-median";
}

std::vector<int> known_sizes(const CostSetup& setup, std::string_view provider) {
  std::vector<int> sizes;
  for (const auto& row : setup.catalog->prices().instances)
    if (row.provider == provider && row.accelerator == setup.chip->name) sizes.push_back(row.gpus);
  return sizes;
}

// What any provider with a quote sells; nothing where the sizes of one of them are not known.
std::vector<int> sizes_of_market(const CostSetup& setup) {
  std::set<int> sizes;
  for (const auto& row : setup.catalog->prices().rent) {
    if (row.accelerator != setup.chip->name || is_basket(row.provider)) continue;
    const auto sold = known_sizes(setup, row.provider);
    if (sold.empty()) return {};
    sizes.insert(sold.begin(), sold.end());
  }
  return {sizes.begin(), sizes.end()};
}

std::vector<int> sizes_on_offer(CostSetup& setup) {
  const auto& ask = setup.money().rent;
  if (ask.instance) return {static_cast<int>(ask.instance->value)};
  const std::string provider = ask.provider ? ask.provider->value : "";
  if (is_basket(provider)) return sizes_of_market(setup);
  auto sizes = known_sizes(setup, provider);
  if (sizes.empty() && setup.terms.capacity.machine > 1)
    setup.note({.id = "instances-unknown",
                .arguments = {{"accelerator", setup.chip->title}, {"provider", provider}}});
  return sizes;
}

}  // namespace

void read_instances(CostSetup& setup) {
  const bool is_counted = setup.scenario.capacity && setup.scenario.capacity->gpus;
  if (setup.chip == nullptr || is_counted) return;
  setup.terms.capacity.instances = InstanceSizes(sizes_on_offer(setup));
}

}  // namespace loadfactor::engine
