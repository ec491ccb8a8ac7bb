// Any bytes as a LiteLLM price map: prices that can be saved and read back, or an error.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/error_codes.h"
#include "catalog/import/prices/litellm_prices.h"
#include "catalog/import/prices/price_csv.h"
#include "catalog/load/price_loader.h"

namespace {

namespace catalog = loadfactor::catalog;

void check_prices(const catalog::LiteLlmPrices& prices) {
  const auto& report = prices.report;
  LF_CHECK(report.read == report.used + report.num_dropped(), "every entry is accounted for");
  LF_CHECK(report.used == prices.prices.size(), "what is used is there");
  for (const auto& price : prices.prices) {
    LF_CHECK(price.input || price.output, "a price prices something");
    LF_CHECK(!price.input || price.input->base() > 0, "and is above zero");
  }
}

void check_errors(const loadfactor::Diagnostics& diagnostics) {
  for (const loadfactor::Error& error : diagnostics.errors()) {
    LF_CHECK(loadfactor::find_error_code(error.code) != nullptr, "the code is registered");
    LF_CHECK(!loadfactor::render(error).empty(), "an error can be shown");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  loadfactor::Diagnostics diagnostics;
  const auto prices = catalog::import_litellm_prices({.file = "prices.json",
                                                      .text = std::string(data, data + size),
                                                      .as_of = "2026-08-08",
                                                      .today = "2026-09-01",
                                                      .find_model = {}},
                                                     diagnostics);
  LF_CHECK(prices.has_value() == diagnostics.empty(), "prices or an error, never both");
  check_errors(diagnostics);
  if (!prices) return 0;
  check_prices(*prices);
  catalog::PriceBook book;
  loadfactor::Diagnostics saved;
  catalog::load_prices({"prices/api-import.csv", "api.csv", catalog::api_csv(prices->prices)}, book,
                       saved);
  check_errors(saved);
  return 0;
}
