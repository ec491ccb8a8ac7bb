#include "catalog/load/price_loader.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "catalog/testing/complaints.h"
#include "catalog/testing/toy_catalog.h"

namespace loadfactor::catalog {
namespace {

using namespace literals;
using testing::kToyApi;
using testing::kToyRent;
using testing::with;

std::string complaints(std::string_view path, std::string_view text) {
  Diagnostics diagnostics;
  PriceBook book;
  load_prices(testing::file(path, text), book, diagnostics);
  return testing::complaints(diagnostics);
}

PriceBook load(std::string_view path, std::string_view text, PriceBook book = {}) {
  Diagnostics diagnostics;
  load_prices(testing::file(path, text), book, diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
  return book;
}

TEST(PriceLoaderTest, RentIsReadPerGpuAndSecond) {
  const PriceBook book = load("prices/rent.csv", kToyRent);
  ASSERT_EQ(book.rent.size(), 2U);
  // 3.60 USD an hour are 0.001 USD a second.
  EXPECT_DOUBLE_EQ(book.rent[0].price.base(), 0.001);
  EXPECT_EQ(book.rent[0].term, RentTerm::kOnDemand);
  EXPECT_EQ(book.rent[0].provenance.line, 2U);
  EXPECT_EQ(book.rent[0].provenance.date, "2024-07");
}

TEST(PriceLoaderTest, AnEmptyCellIsUnknownNeverZero) {
  const PriceBook book = load("prices/rent.csv", kToyRent);
  EXPECT_FALSE(book.rent[1].low.has_value());
  const PriceBook api = load("prices/api.csv", kToyApi);
  EXPECT_FALSE(api.api[1].cached.has_value());
  EXPECT_DOUBLE_EQ(api.api[1].batch_input->base(), 1e-6);
}

TEST(PriceLoaderTest, AZeroIsAPlaceholder) {
  EXPECT_EQ(complaints("prices/rent.csv", with(kToyRent, "1.8,,", "0.00,,")), "3:LF304");
  EXPECT_EQ(complaints("prices/api.csv", with(kToyApi, "1,0.1,4", "1,0,4")), "2:LF304");
}

TEST(PriceLoaderTest, EveryBrokenCellIsReported) {
  EXPECT_EQ(complaints("prices/rent.csv",
                       "provider,accelerator,region,term,usd_per_gpu_hour,low,high,as_of,kind,"
                       "source,note\n"
                       ",toy,any,monthly,3.6,,,2024-07,published,toy-lab,\n"
                       "a,toy,any,spot,cheap,,,07/2024,rumour,toy-lab,\n"
                       "b,toy,any,spot,-1,,,2024-07,published,,\n"
                       "c,toy,any,spot,3600,nan,,2024-07,published,toy-lab,\n"
                       "d,toy,any,spot,3,4,5,2024-07,published,toy-lab,\n"),
            "2:LF504 2:LF506 3:LF208 3:LF510 3:LF506 4:LF207 4:LF504 5:LF205 5:LF206 6:LF209");
}

TEST(PriceLoaderTest, ColumnsAreKnownByNameInAnyOrder) {
  const PriceBook book = load("prices/capex.csv",
                              "source,accelerator,usd_per_gpu,low,high,as_of,kind,note\n"
                              "toy-lab,toy,25000,,,2024,published,\n");
  EXPECT_EQ(book.capex.at(0).price, 25000_USD);
}

TEST(PriceLoaderTest, MissingDoubledAndUnknownColumnsAreReported) {
  EXPECT_EQ(complaints("prices/capex.csv",
                       "accelerator,usd_per_gpu,low,low,as_of,kind,source,note,colour\n"),
            "1:LF503 1:LF502 1:LF513");
}

TEST(PriceLoaderTest, ARowStandsOnce) {
  EXPECT_EQ(complaints("prices/rent.csv", with(kToyRent, "any,spot,1.8", "any,on-demand,1.8")),
            "3:LF515");
}

TEST(PriceLoaderTest, ALaterFileAddsRowsAndReplacesThoseOfTheSameKey) {
  const PriceBook book =
      load("prices/rent-mine.csv",
           "provider,accelerator,region,term,usd_per_gpu_hour,low,high,as_of,kind,source,note\n"
           "acme,toy,any,on-demand,7.2,,,2025-01,published,toy-lab,\n"
           "best,toy,any,on-demand,1.8,,,2025-01,published,toy-lab,\n",
           load("prices/rent.csv", kToyRent));
  ASSERT_EQ(book.rent.size(), 3U);
  EXPECT_DOUBLE_EQ(book.rent[0].price.base(), 0.002);
  EXPECT_EQ(book.rent[0].provenance.file, "prices/rent-mine.csv");
  EXPECT_EQ(book.rent[1].provenance.file, "prices/rent.csv");
  EXPECT_EQ(book.rent[2].provider, "best");
}

TEST(PriceLoaderTest, HistoryAndOwnershipAreRead) {
  const PriceBook history =
      load("prices/rent_history.csv",
           "provider,accelerator,date,usd_per_gpu_hour_min,usd_per_gpu_hour_median,spot_min,"
           "spot_median,source\n"
           "acme,toy,2023-01-17,3.6,7.2,,,toy-lab\n");
  EXPECT_DOUBLE_EQ(history.history.at(0).median->base(), 0.002);
  EXPECT_EQ(history.history.at(0).provenance.date, "2023-01-17");
  const PriceBook ownership =
      load("prices/tco.csv",
           "accelerator,tier,usd_per_gpu_hour,kw_per_gpu,as_of,kind,source\n"
           "toy,neocloud,3.6,2,2024,published,toy-lab\n");
  EXPECT_EQ(ownership.ownership.at(0).power_per_gpu, 2_kW);
}

TEST(PriceLoaderTest, FilesAreKnownByTheirStem) {
  EXPECT_EQ(price_table_of("prices/rent.csv"), PriceTable::kRent);
  EXPECT_EQ(price_table_of("prices/rent_history.csv"), PriceTable::kRentHistory);
  EXPECT_EQ(price_table_of("prices/rent-quotes.csv"), PriceTable::kRent);
  EXPECT_EQ(price_table_of("prices/rental.csv"), std::nullopt);
  EXPECT_EQ(price_table_of("rent.csv"), std::nullopt);
}

}  // namespace
}  // namespace loadfactor::catalog
