// Every broken entry and table of tests/broken/catalog_* is refused at its line with its code.
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "catalog/catalog.h"
#include "catalog/testing/toy_catalog.h"
#include "tests/broken/broken_inputs.h"

namespace loadfactor::catalog {
namespace {

struct PlaceRow {
  std::string_view prefix;  // Beginning of the broken file's name.
  std::string_view path;    // What it takes the place of in the toy catalogue.
};
constexpr std::array kPlaces{
    PlaceRow{"accelerator-", "hardware/accelerators/toy.yaml"},
    PlaceRow{"node-", "hardware/nodes/toybox.yaml"},
    PlaceRow{"fabric-", "hardware/fabrics/toylink.yaml"},
    PlaceRow{"model-", "models/toy-1b.yaml"},
    PlaceRow{"region-", "regions/toyland.yaml"},
    PlaceRow{"engine-", "engines/toyserve.yaml"},
    PlaceRow{"rent_history-", "prices/rent_history.csv"},
    PlaceRow{"rent-", "prices/rent.csv"},
    PlaceRow{"capex-", "prices/capex.csv"},
    PlaceRow{"api-", "prices/api.csv"},
    PlaceRow{"tco-", "prices/tco.csv"},
    PlaceRow{"facility-", "facility/facility.csv"},
    PlaceRow{"hazards-", "reliability/hazards.csv"},
};

std::string_view place_of(std::string_view name) {
  for (const auto& row : kPlaces) {
    if (name.starts_with(row.prefix)) return row.path;
  }
  ADD_FAILURE() << name << " begins with no known prefix";
  return {};
}

// What a user sees who lays this file over the catalogue.
Diagnostics complaints(const std::string& name, const std::string& text) {
  auto files = testing::toy_files();
  files.push_back({std::string(place_of(name)), name, text, Origin::kOverlay});
  Diagnostics diagnostics;
  Catalog::open(std::move(files), diagnostics, "2025-12-31");
  return diagnostics;
}

std::string repeated(std::string_view unit, std::size_t bytes) {
  std::string text;
  text.reserve(bytes + unit.size());
  while (text.size() < bytes) text += unit;
  return text;
}

constexpr std::size_t kTenMegabytes = 10'000'000;

TEST(CatalogBrokenTest, EveryBrokenEntryIsRefusedAtItsLineWithItsCode) {
  const std::string head = "schema: model/1\nname: ";
  broken::expect_all_refused(
      std::filesystem::path(LF_SOURCE_DIR) / "tests/broken/catalog_yaml", complaints,
      {
          {"model-ten-megabytes.yaml", "huge", 0, lf::kTooLarge,
           head + repeated("x", kTenMegabytes)},
          {"model-long-name.yaml", "huge", 2, lf::kTooLarge, head + repeated("x", 500'000)},
          {"model-long-list.yaml", "huge", 3, lf::kTooLarge,
           head + "toy-1b\naliases: [" + repeated("a,", 500'000) + "]"},
          {"model-brackets.yaml", "huge", 1, lf::kTooDeep, repeated("[", 500'000)},
      });
}

TEST(CatalogBrokenTest, EveryBrokenTableIsRefusedAtItsLineWithItsCode) {
  const std::string head(testing::kToyRent.substr(0, testing::kToyRent.find('\n') + 1));
  broken::expect_all_refused(
      std::filesystem::path(LF_SOURCE_DIR) / "tests/broken/catalog_csv", complaints,
      {
          {"rent-hundred-megabytes.csv", "huge", 0, lf::kTooLarge, repeated("x", 70'000'000)},
          {"rent-long-cell.csv", "huge", 2, lf::kTooLarge,
           head + "acme,toy,any,spot," + repeated("1", kTenMegabytes) +
               ",,,2024,assumed,toy-lab,\n"},
          {"rent-many-rows.csv", "huge", 2, lf::kRaggedRow, head + repeated("a,b\n", 1'000'000)},
          {"rent-open-quote.csv", "huge", 2, lf::kSyntax, head + '"' + repeated("x\n", 1'000'000)},
      });
}

}  // namespace
}  // namespace loadfactor::catalog
