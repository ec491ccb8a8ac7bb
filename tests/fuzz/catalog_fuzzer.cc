// Any bytes as a user's entry, table or list of sources, and as names to be found: refused or
// read, never a crash. The first byte says what the rest takes the place of.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/catalog.h"
#include "catalog/testing/toy_catalog.h"
#include "loadfactor/result.h"

namespace {

using loadfactor::Diagnostics;
using loadfactor::catalog::Catalog;
using loadfactor::catalog::DataFile;
using loadfactor::catalog::Origin;

constexpr std::array<std::string_view, 13> kPlaces{"hardware/accelerators/toy.yaml",
                                                   "hardware/nodes/toybox.yaml",
                                                   "hardware/fabrics/toylink.yaml",
                                                   "models/toy-1b.yaml",
                                                   "regions/toyland.yaml",
                                                   "prices/rent.csv",
                                                   "prices/api.csv",
                                                   "prices/capex.csv",
                                                   "prices/rent_history.csv",
                                                   "prices/tco.csv",
                                                   "facility/facility.csv",
                                                   "reliability/hazards.csv",
                                                   "SOURCES.md"};

// An entry that nothing was said against must be found by its own name.
void check_found(const Catalog& catalog, std::string_view place) {
  if (place.starts_with("models/") && !catalog.find_model("toy-1b")) std::abort();
  if (place.starts_with("hardware/accelerators/") && !catalog.find_accelerator("toy")) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::string_view place = kPlaces[data[0] % kPlaces.size()];
  std::vector<DataFile> files = loadfactor::catalog::testing::toy_files();
  files.push_back({std::string(place), "input", text, Origin::kOverlay});
  Diagnostics diagnostics;
  const Catalog catalog = Catalog::open(std::move(files), diagnostics, "2025-12-31");
  if (diagnostics.empty()) check_found(catalog, place);
  for (const auto& error : diagnostics.errors()) {
    if (error.code == 0 || error.message.empty()) std::abort();
  }
  render(diagnostics);
  (void)catalog.find_accelerator(text);
  (void)catalog.find_model(text);
  (void)catalog.find_node(text);
  return 0;
}
