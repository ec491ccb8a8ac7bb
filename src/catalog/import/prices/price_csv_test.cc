#include "catalog/import/prices/price_csv.h"

#include <gtest/gtest.h>

#include "catalog/load/price_loader.h"

namespace loadfactor::catalog {
namespace {

Provenance provenance() {
  return {.kind = SourceKind::kPublished, .sources = {"a-list"}, .date = "2026-08-01"};
}

DollarsPerGpuSecond per_hour(double dollars) {
  return DollarsPerGpuSecond::from_base(dollars / 3600.0);
}

TEST(PriceCsvTest, RentReadsBackAsItWas) {
  RentPrice rent{.provider = "acme",
                 .accelerator = "h100-sxm",
                 .region = "any",
                 .term = RentTerm::kSpot,
                 .price = per_hour(2.5),
                 .low = per_hour(2.0),
                 .high = std::nullopt,
                 .note = "one, \"two\"",
                 .provenance = provenance()};
  PriceBook book;
  Diagnostics diagnostics;
  load_prices({"prices/rent-import.csv", "rent.csv", rent_csv({&rent, 1})}, book, diagnostics);
  ASSERT_TRUE(diagnostics.empty()) << render(diagnostics);
  ASSERT_EQ(book.rent.size(), 1U);
  EXPECT_EQ(book.rent[0].provider, "acme");
  EXPECT_EQ(book.rent[0].term, RentTerm::kSpot);
  EXPECT_DOUBLE_EQ(book.rent[0].price.base(), rent.price.base());
  EXPECT_DOUBLE_EQ(book.rent[0].low->base(), rent.low->base());
  EXPECT_FALSE(book.rent[0].high.has_value());
  EXPECT_EQ(book.rent[0].note, rent.note);
}

TEST(PriceCsvTest, ApiPricesReadBackAsTheyWere) {
  ApiPrice api{.provider = "acme",
               .model_id = "toy/1b,long",
               .input = DollarsPerToken::from_base(2.5e-6),
               .output = DollarsPerToken::from_base(1e-5),
               .context = 128000,
               .deprecated = "2027-01-01",
               .provenance = provenance()};
  PriceBook book;
  Diagnostics diagnostics;
  load_prices({"prices/api-import.csv", "api.csv", api_csv({&api, 1})}, book, diagnostics);
  ASSERT_TRUE(diagnostics.empty()) << render(diagnostics);
  ASSERT_EQ(book.api.size(), 1U);
  EXPECT_EQ(book.api[0].model_id, api.model_id);
  EXPECT_DOUBLE_EQ(book.api[0].input->base(), 2.5e-6);
  EXPECT_DOUBLE_EQ(book.api[0].output->base(), 1e-5);
  EXPECT_FALSE(book.api[0].cached.has_value());
  EXPECT_EQ(book.api[0].context, 128000);
  EXPECT_EQ(book.api[0].deprecated, "2027-01-01");
}

}  // namespace
}  // namespace loadfactor::catalog
