#include "catalog/import/prices/skypilot_prices.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "catalog/import/prices/skypilot_names.h"

namespace loadfactor::catalog {
namespace {

constexpr std::string_view kHeader =
    "Cloud,InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Region,"
    "AvailabilityZone,Price,SpotPrice\n";

// A small stand-in for the catalogue's rule of names.
std::optional<NamedAccelerator> find(std::string_view name) {
  if (name == "H100") return NamedAccelerator{"h100-sxm", true};
  if (name == "H100-SXM") return NamedAccelerator{"h100-sxm", false};
  if (name == "H100-PCIe") return NamedAccelerator{"h100-pcie", false};
  if (name == "A100-80GB") return NamedAccelerator{"a100-80gb-sxm", true};
  if (name == "A10G") return NamedAccelerator{"a10g", false};
  if (name.starts_with("tpu-")) return NamedAccelerator{std::string(name), false};
  return std::nullopt;
}

SkypilotPrices imported(const std::string& rows) {
  Diagnostics diagnostics;
  auto prices = import_skypilot_prices({{.file = "vms.csv",
                                         .text = std::string(kHeader) + rows,
                                         .cloud = "",
                                         .as_of = "2026-08-22"}},
                                       find, diagnostics);
  EXPECT_TRUE(prices.has_value()) << render(diagnostics);
  return prices ? *std::move(prices) : SkypilotPrices{};
}

double dollars_per_hour(DollarsPerGpuSecond price) {
  return price.base() * 3600.0;
}

const RentPrice* find_rent(const std::vector<RentPrice>& rents, std::string_view cloud,
                           std::string_view accelerator, RentTerm term = RentTerm::kOnDemand) {
  for (const RentPrice& rent : rents) {
    if (rent.provider == cloud && rent.accelerator == accelerator && rent.term == term) {
      return &rent;
    }
  }
  return nullptr;
}

double price_of(const SkypilotPrices& prices, std::string_view cloud, std::string_view accelerator,
                RentTerm term = RentTerm::kOnDemand) {
  const RentPrice* rent = find_rent(prices.rent, cloud, accelerator, term);
  return rent == nullptr ? -1.0 : dollars_per_hour(rent->price);
}

TEST(SkypilotPricesTest, DividesAnInstanceByItsAccelerators) {
  const auto prices = imported("aws,big,96,1024,H100-SXM,8.0,whatever,r1,z1,40,16\n");
  EXPECT_DOUBLE_EQ(price_of(prices, "aws", "h100-sxm"), 5.0);
  EXPECT_DOUBLE_EQ(price_of(prices, "aws", "h100-sxm", RentTerm::kSpot), 2.0);
}

TEST(SkypilotPricesTest, AddsTheHostToAGoogleAccelerator) {
  // (90.74744 + 10.95381) / 8 = 12.7127; without the host it would read 11.34.
  const auto prices = imported(
      "gcp,,,,H100,8,,asia-east1,asia-east1-c,90.74744,51.5616\n"
      "gcp,a3-highgpu-8g,208,1872,,,,asia-east1,asia-east1-c,10.95381,6.22128\n");
  EXPECT_NEAR(price_of(prices, "gcp", "h100-sxm"), 12.7127, 5e-5);
  EXPECT_NEAR(price_of(prices, "gcp", "h100-sxm", RentTerm::kSpot), (51.5616 + 6.22128) / 8, 1e-12);
  EXPECT_EQ(prices.report.used, 1U);
}

TEST(SkypilotPricesTest, LeavesOutAGoogleAcceleratorWithoutItsHost) {
  const auto prices = imported(
      "gcp,,,,H100,8,,r1,z1,90,\n"
      "gcp,a3-highgpu-8g,208,1872,,,,r1,z2,10,\n"
      "aws,i,1,1,H100-SXM,1,,r,z,5,\n");
  EXPECT_EQ(price_of(prices, "gcp", "h100-sxm"), -1.0);
  EXPECT_EQ(prices.report.dropped.at("no host row"), 1U);
  EXPECT_EQ(prices.report.notices.front().code, lf::kPriceNotFound);
}

TEST(SkypilotPricesTest, ReadsTheSizeOfATpuSliceFromItsName) {
  // v5p counts TensorCores, so 8 of them are 4 chips; v6e counts chips.
  const auto prices = imported(
      "gcp,,,,tpu-v5p-8,1,tpu-v5p-8,europe-west1,europe-west1-b,17.83782,6.11748\n"
      "gcp,,,,tpu-v6e-8,1,tpu-v6e-8,r1,z1,21.6,\n");
  EXPECT_NEAR(price_of(prices, "gcp", "tpu-v5p"), 4.4595, 5e-5);
  EXPECT_DOUBLE_EQ(price_of(prices, "gcp", "tpu-v6e"), 2.7);
}

TEST(SkypilotPricesTest, LeavesOutOnePriceForAllSizesOfASlice) {
  const auto prices = imported(
      "gcp,,,,tpu-v6e-8,1,,r1,z1,700,700\n"
      "gcp,,,,tpu-v6e-1,1,,r1,z1,700,700\n"
      "gcp,,,,tpu-v6e-256,1,,r1,z1,700,700\n"
      "gcp,,,,tpu-v6e-4,1,,r1,z2,10.8,\n");
  EXPECT_DOUBLE_EQ(price_of(prices, "gcp", "tpu-v6e"), 2.7);
  EXPECT_EQ(prices.report.dropped.at("placeholder price"), 3U);
}

TEST(SkypilotPricesTest, LeavesOutARowFarAboveTheMedian) {
  // The median is 3; fifteen is five times that and stays, sixteen goes.
  const auto prices = imported(
      "a,i,1,1,H100-SXM,1,,r,z,2,\n"
      "b,i,1,1,H100-SXM,1,,r,z,3,\n"
      "c,i,1,1,H100-SXM,1,,r,z,3,\n"
      "d,i,1,1,H100-SXM,1,,r,z,15,\n"
      "e,i,1,1,H100-SXM,1,,r,z,16,\n");
  EXPECT_DOUBLE_EQ(price_of(prices, "d", "h100-sxm"), 15.0);
  EXPECT_EQ(price_of(prices, "e", "h100-sxm"), -1.0);
  EXPECT_EQ(prices.report.notices.back().code, lf::kPlaceholderPrice);
}

TEST(SkypilotPricesTest, TakesZeroAndTheSamePriceAgainForNoSpot) {
  const auto prices = imported(
      "vast,i,1,1,H100-SXM,1,,r,,1.80,0.00\n"
      "runpod,i,1,1,H100-SXM,1,,r,z,3.29,3.29\n");
  EXPECT_EQ(find_rent(prices.rent, "vast", "h100-sxm", RentTerm::kSpot), nullptr);
  EXPECT_EQ(find_rent(prices.rent, "runpod", "h100-sxm", RentTerm::kSpot), nullptr);
  EXPECT_EQ(prices.report.used, 2U);
}

TEST(SkypilotPricesTest, KeepsSpotAboveOnDemand) {
  const auto prices = imported("aws,i,1,1,A10G,1,,r,z,5.73277,5.7328\n");
  EXPECT_GT(price_of(prices, "aws", "a10g", RentTerm::kSpot), price_of(prices, "aws", "a10g"));
}

TEST(SkypilotPricesTest, KeepsAuctionFloorsOutOfTheMarket) {
  const auto prices = imported(
      "mithril,i,1,1,H100-SXM,8,,r,,8,8\n"
      "aws,i,1,1,H100-SXM,1,,r,z,4,\n");
  ASSERT_EQ(prices.bids.size(), 1U);
  EXPECT_DOUBLE_EQ(dollars_per_hour(prices.bids[0].price), 1.0);
  ASSERT_EQ(prices.market.size(), 1U);
  EXPECT_DOUBLE_EQ(dollars_per_hour(prices.market[0].price), 4.0);
  EXPECT_EQ(prices.market[0].clouds, 1);
}

TEST(SkypilotPricesTest, DoesNotBelieveTheMemoryInGpuInfo) {
  const auto a =
      imported("x,i,1,1,A100-80GB,1,\"{'Gpus': [{'MemoryInfo': {'SizeInMiB': 80}}]}\",r,z,2,\n");
  const auto b = imported("x,i,1,1,A100-80GB,1,\"{'SizeInMiB': 655360}\",r,z,2,\n");
  EXPECT_EQ(a.rent[0].accelerator, b.rent[0].accelerator);
}

TEST(SkypilotPricesTest, TakesTheFormFromTheInstanceOrSaysItIsOpen) {
  const auto prices = imported(
      "lambda,gpu_1x_h100_pcie,1,1,H100,1,,r,,3.29,\n"
      "azure,Standard_X,1,1,H100,1,,r,,4,\n");
  EXPECT_DOUBLE_EQ(price_of(prices, "lambda", "h100-pcie"), 3.29);
  EXPECT_EQ(find_rent(prices.rent, "lambda", "h100-pcie")->note, "");
  EXPECT_EQ(find_rent(prices.rent, "azure", "h100-sxm")->note, "form factor not stated");
  EXPECT_EQ(prices.report.notices.front().code, lf::kAmbiguousAccelerator);
}

TEST(SkypilotPricesTest, CountsACloudOnceHoweverManyZonesItLists) {
  std::string rows;
  for (int zone = 0; zone < 50; ++zone) rows += "runpod,i,1,1,H100-SXM,1,,r,z,3,\n";
  rows += "aws,i,1,1,H100-SXM,1,,r,a,6,\naws,i,1,1,H100-SXM,1,,r,b,8,\n";
  rows += "lambda,i,1,1,H100-SXM,1,,r,a,4,\n";
  const auto prices = imported(rows);
  // Cloud medians 3, 7 and 4: the market is at 4, the median row at 3.
  ASSERT_EQ(prices.market.size(), 1U);
  EXPECT_DOUBLE_EQ(dollars_per_hour(prices.market[0].price), 4.0);
  EXPECT_EQ(prices.market[0].clouds, 3);
  const RentPrice* aws = find_rent(prices.rent, "aws", "h100-sxm");
  EXPECT_DOUBLE_EQ(dollars_per_hour(aws->price), 7.0);
  EXPECT_DOUBLE_EQ(dollars_per_hour(*aws->low), 6.0);
  EXPECT_DOUBLE_EQ(dollars_per_hour(*aws->high), 8.0);
}

TEST(SkypilotPricesTest, CountsWhatItLeavesOut) {
  const auto prices = imported(
      "aws,c5,1,1,,,,r,z,1,\n"
      "aws,g,1,1,A10G,0.5,,r,z,1,\n"
      "aws,f1,1,1,Virtex,1,,r,z,1,\n"
      "aws,p,1,1,A10G,1,,r,z,,\n"
      "aws,q,1,1,A10G,1,,r,z,0,0\n"
      "aws,ok,1,1,A10G,1,,r,z,1,\n");
  EXPECT_EQ(prices.report.read, 6U);
  EXPECT_EQ(prices.report.used, 1U);
  EXPECT_EQ(prices.report.dropped,
            (std::map<std::string, std::size_t>{{"no accelerator", 1},
                                                {"a fraction of an accelerator", 1},
                                                {"unknown accelerator", 1},
                                                {"no price", 2}}));
}

TEST(SkypilotPricesTest, ReadsColumnsByNameInAnyOrder) {
  Diagnostics diagnostics;
  const auto prices = import_skypilot_prices(
      {{.file = "lambda/vms.csv",
        .text = "Price,Region,AcceleratorCount,Generation,AcceleratorName,InstanceType\n"
                "8,r,2.0,x,H100-SXM,i\n",
        .cloud = "Lambda",
        .as_of = "2026-08-03"}},
      find, diagnostics);
  ASSERT_TRUE(prices.has_value()) << render(diagnostics);
  EXPECT_DOUBLE_EQ(price_of(*prices, "lambda", "h100-sxm"), 4.0);
  EXPECT_EQ(prices->rent[0].provenance.date, "2026-08-03");
}

TEST(SkypilotPricesTest, OrderOfRowsChangesNothing) {
  const std::vector<std::string> rows{
      "gcp,,,,H100,8,,r,z,80,40\n", "gcp,a3-highgpu-8g,1,1,,,,r,z,8,4\n",
      "aws,i,1,1,H100-SXM,1,,r,z,6,3\n", "aws,i,1,1,H100-SXM,1,,r,y,8,\n",
      "gcp,,,,tpu-v6e-8,1,,r,z,21.6,\n"};
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::string first;
  do {
    std::string text;
    for (const std::size_t i : order) text += rows[i];
    const auto prices = imported(text);
    std::string seen;
    for (const auto& rent : prices.rent) {
      seen += rent.provider + rent.accelerator + std::to_string(dollars_per_hour(rent.price)) + ";";
    }
    if (first.empty()) first = seen;
    ASSERT_EQ(seen, first);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(SkypilotPricesTest, TwiceThePricesAreTwiceTheRent) {
  const auto once = imported("aws,i,1,1,H100-SXM,4,,r,z,10,6\naws,i,1,1,H100-SXM,8,,r,z,24,9\n");
  const auto twice = imported("aws,i,1,1,H100-SXM,4,,r,z,20,12\naws,i,1,1,H100-SXM,8,,r,z,48,18\n");
  ASSERT_EQ(once.rent.size(), twice.rent.size());
  for (std::size_t i = 0; i < once.rent.size(); ++i) {
    EXPECT_DOUBLE_EQ(2.0 * once.rent[i].price.base(), twice.rent[i].price.base());
  }
}

TEST(SkypilotNamesTest, KnowsGoogleHosts) {
  EXPECT_EQ(google_host("H100", 8), "a3-highgpu-8g");
  EXPECT_EQ(google_host("H100-MEGA", 8), "a3-megagpu-8g");
  EXPECT_EQ(google_host("H200", 8), "a3-ultragpu-8g");
  EXPECT_EQ(google_host("B200", 8), "a4-highgpu-8g");
  EXPECT_EQ(google_host("A100", 4), "a2-highgpu-4g");
  EXPECT_EQ(google_host("A100", 16), "a2-megagpu-16g");
  EXPECT_EQ(google_host("A100-80GB", 2), "a2-ultragpu-2g");
  EXPECT_EQ(google_host("T4", 1), "");
}

TEST(SkypilotNamesTest, RefusesSlicesThatAreNone) {
  EXPECT_EQ(parse_tpu("tpu-v4-16")->chips, 8);
  EXPECT_EQ(parse_tpu("tpu-v5litepod-4")->name, "tpu-v5e");
  EXPECT_FALSE(parse_tpu("tpu-v5p-"));
  EXPECT_FALSE(parse_tpu("tpu-v5p-1"));
  EXPECT_FALSE(parse_tpu("tpu-v6e-8x8"));
  EXPECT_FALSE(parse_tpu("H100"));
}

SkypilotPrices read_prices(const std::filesystem::path& path) {
  std::ifstream stream(path);
  Diagnostics diagnostics;
  auto prices = import_skypilot_prices({{.file = path.string(),
                                         .text = {std::istreambuf_iterator<char>(stream), {}},
                                         .cloud = "",
                                         .as_of = "2026-08-22"}},
                                       find, diagnostics);
  EXPECT_TRUE(prices.has_value()) << render(diagnostics);
  return prices ? *std::move(prices) : SkypilotPrices{};
}

TEST(SkypilotPricesTest, ReadsTheSampleFile) {
  const auto prices = read_prices(std::string(LF_SOURCE_DIR) + "/tests/data/prices/skypilot.csv");
  const RentPrice* acme = find_rent(prices.rent, "acme", "h100-sxm");
  ASSERT_NE(acme, nullptr);
  EXPECT_DOUBLE_EQ(dollars_per_hour(*acme->low), 3.0);   // 24 USD for eight.
  EXPECT_DOUBLE_EQ(dollars_per_hour(*acme->high), 3.5);  // 28 USD in the west.
  EXPECT_DOUBLE_EQ(price_of(prices, "acme", "h100-sxm", RentTerm::kSpot), 1.2);
  EXPECT_DOUBLE_EQ(price_of(prices, "bolt", "h100-sxm"), 2.5);
  EXPECT_EQ(prices.report.dropped.at("placeholder price"), 1U);  // 99 USD among threes.
  EXPECT_EQ(price_of(prices, "delta", "abacus"), -1.0);
}

// Reference data do not ship; LOADFACTOR_REFERENCE_DATA says where they are.
TEST(SkypilotPricesTest, ReadsTheReferenceFileWhereItIsAtHand) {
  const char* const folder =
      std::getenv("LOADFACTOR_REFERENCE_DATA");  // NOLINT(concurrency-mt-unsafe)
  if (folder == nullptr) return;                 // The sample above stands for it.
  const auto path = std::filesystem::path(folder) / "catalog" / "fixture_skypilot_vms.csv";
  ASSERT_TRUE(std::filesystem::exists(path)) << path;
  const auto prices = read_prices(path);
  const RentPrice* gcp = find_rent(prices.rent, "gcp", "h100-sxm");
  ASSERT_NE(gcp, nullptr);
  EXPECT_NEAR(dollars_per_hour(*gcp->low), 12.7127, 5e-5);
  EXPECT_NEAR(price_of(prices, "gcp", "tpu-v5p"), 4.4595, 5e-5);
  EXPECT_EQ(prices.report.dropped.at("placeholder price"), 2U);
  EXPECT_EQ(prices.bids.size(), 1U);
}

}  // namespace
}  // namespace loadfactor::catalog
