// What renting is taken to cost, with what interruptions of spot add.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "resolve/terms/testing/market.h"

namespace loadfactor::engine {
namespace {

using testing::fact;
using testing::per_hour;
using testing::terms_of;

double hourly(const testing::Terms& terms, OptionKind kind) {
  const auto* rent = terms.rent(kind);
  return rent == nullptr ? 0 : per_hour(rent->price);
}

TEST(RentingTermsTest, AWrittenRentGoesBeforeEveryQuoteTermByTerm) {
  const auto terms = terms_of(
      {"money.rent={on_demand: 3.5 USD/GPU-hour, reserved_1y: 2.5 USD/GPU-hour, reserved_3y: 2 "
       "USD/GPU-hour, spot: 1.5 USD/GPU-hour}"});
  EXPECT_NEAR(hourly(terms, OptionKind::kOnDemand), 3.5, 1e-9);
  EXPECT_NEAR(hourly(terms, OptionKind::kReserved1y), 2.5, 1e-9);
  EXPECT_NEAR(hourly(terms, OptionKind::kReserved3y), 2, 1e-9);
  EXPECT_NEAR(hourly(terms, OptionKind::kSpot), 1.5, 1e-9);
}

TEST(RentingTermsTest, QuotesStandForTheRestAndATermWithoutOneHasNoPrice) {
  const auto terms = terms_of({"money.rent.provider=alpha"});
  EXPECT_NEAR(hourly(terms, OptionKind::kOnDemand), 3, 1e-9);
  EXPECT_NEAR(hourly(terms, OptionKind::kReserved1y), 2.4, 1e-9);
  EXPECT_NEAR(hourly(terms, OptionKind::kSpot), 1.2, 1e-9);
  EXPECT_EQ(terms.rent(OptionKind::kReserved3y), nullptr);
  EXPECT_EQ(terms.unpriced("reserved-3y"), lf::kPriceNotFound);
  EXPECT_EQ(terms.unpriced("reserved-1y"), 0);
}

TEST(RentingTermsTest, OnlyWhatIsAskedForIsReadAndOnDemandAlways) {
  const auto terms = terms_of({"money.options=[own]", "money.rent.provider=alpha"});
  EXPECT_NE(terms.rent(OptionKind::kOnDemand), nullptr);  // Others are held against it.
  EXPECT_EQ(terms.rent(OptionKind::kReserved1y), nullptr);
  EXPECT_EQ(terms.rent(OptionKind::kSpot), nullptr);
  EXPECT_EQ(terms.unpriced("reserved-3y"), 0);
  const auto none = terms_of({"hardware=[arc-b60]", "money.options=[own]"});
  EXPECT_EQ(none.unpriced("on-demand"), 0);  // Not asked for: nothing lacks.
}

TEST(RentingTermsTest, SpotAboveThePriceOnDemandIsNoSpotPrice) {
  const auto dear = terms_of({"money.rent.provider=gamma"});  // 6 against 5.
  EXPECT_EQ(dear.rent(OptionKind::kSpot), nullptr);
  EXPECT_EQ(dear.unpriced("spot"), lf::kPriceNotFound);
  const auto same = terms_of({"money.rent={provider: gamma, on_demand: 6 USD/GPU-hour}"});
  EXPECT_EQ(same.rent(OptionKind::kSpot), nullptr);  // No less either.
  const auto less = terms_of({"money.rent={provider: gamma, on_demand: 6.1 USD/GPU-hour}"});
  EXPECT_NEAR(hourly(less, OptionKind::kSpot), 6, 1e-9);
}

TEST(RentingTermsTest, TheLinesOfTheBillAreAsWritten) {
  const auto terms = terms_of(
      {"money.rent={on_demand: 3 USD/GPU-hour, commit: 60 %, support: 5 %, goodput_loss: 2 %, "
       "storage: 730 USD/month, egress: 1460 USD/month, debugging: 2190 USD/month, setup: 5000 "
       "USD}",
       "money.horizon=2 years"});
  const auto& rent = *terms.rent(OptionKind::kOnDemand);
  EXPECT_DOUBLE_EQ(rent.commit_floor, 0.6);
  EXPECT_DOUBLE_EQ(rent.support, 0.05);
  EXPECT_DOUBLE_EQ(rent.goodput_loss, 0.02);
  EXPECT_NEAR(per_hour(rent.storage), 1, 1e-12);
  EXPECT_NEAR(per_hour(rent.egress), 2, 1e-12);
  EXPECT_NEAR(per_hour(rent.debugging), 3, 1e-12);
  EXPECT_EQ(rent.setup.base(), 5000);
  EXPECT_DOUBLE_EQ(rent.term / kYear, 2);
  const auto plain = terms_of();
  EXPECT_EQ(plain.rent(OptionKind::kOnDemand)->commit_floor, 0);
  EXPECT_EQ(plain.rent(OptionKind::kOnDemand)->storage, DollarsPerSecond());
}

// 1 - e^(-λ·30 d) is the share that is interrupted within thirty days.
TEST(RentingTermsTest, SpotIsInterruptedAsOftenAsWrittenElseAsUsual) {
  const auto written =
      terms_of({"money.spot={interrupted: 20 %, loss: 0.5 h, wait: 0.25 h, gang: 3}",
                "money.rent.provider=alpha"});
  const auto& spot = written->terms.spot;
  EXPECT_NEAR(1 - std::exp(-spot.hazard.base() * 30 * 86400), 0.2, 1e-12);
  EXPECT_DOUBLE_EQ(spot.loss / kHour, 0.5);
  EXPECT_DOUBLE_EQ(spot.wait / kHour, 0.25);
  EXPECT_EQ(spot.gang, 3);
  const auto usual = terms_of({"money.rent.provider=alpha"});
  EXPECT_NEAR(1 - std::exp(-usual->terms.spot.hazard.base() * 30 * 86400),
              fact("spot_interruption", "aws-h100"), 1e-12);
  EXPECT_DOUBLE_EQ(usual->terms.spot.loss / kHour, fact("spot_loss", "checkpoint-and-restart"));
  EXPECT_DOUBLE_EQ(usual->terms.spot.wait / kHour, fact("spot_wait", "for-capacity"));
  EXPECT_EQ(usual->terms.spot.gang, 1);  // Replicas of a service stop one by one.
}

// 3 interruptions within the time that one costs: nodes·λ·loss.
TEST(RentingTermsTest, AGangThatIsInterruptedBeforeItHasCaughtUpGetsNowhere) {
  const double hazard = -std::log(1 - 0.5) / (30 * 24);  // Per hour.
  const double most = 3 / (hazard * 2);                  // With two hours lost each time.
  const auto gang = [](double nodes) {
    return terms_of({"money.spot={interrupted: 50 %, loss: 2 h, gang: " +
                         std::to_string(static_cast<int>(nodes)) + "}",
                     "money.rent.provider=alpha"});
  };
  const auto most_whole = std::floor(most);
  EXPECT_NE(gang(most_whole).rent(OptionKind::kSpot), nullptr);
  const auto hopeless = gang(most_whole + 1);
  EXPECT_EQ(hopeless.rent(OptionKind::kSpot), nullptr);
  EXPECT_EQ(hopeless.unpriced("spot"), lf::kMixTooSmall);
  // As minutes: between two interruptions of any of its nodes, and lost each time.
  const auto every = std::to_string(std::lround(60 / (hazard * (most_whole + 1))));
  for (const auto& row : hopeless->unpriced) {
    if (row.name != "spot") continue;
    EXPECT_NE(row.why.find("interrupted every " + every + " minutes and lose 120 minutes"),
              std::string::npos)
        << row.why;
  }
}

TEST(RentingTermsTest, ATrainingRunStopsWithAllItsNodes) {
  const std::string train = R"(
loadfactor: 1
name: run
capacity: {gpus: 18, load_factor: 40 %}
hardware: [plain-module]
train: {model: llama-3.1-8b, tokens: 1 T}
money: {rent: {provider: alpha}}
)";
  CostInputs known;
  known.capacity.emplace();
  known.capacity->gpus = 18;
  known.capacity->load_factor = 0.4;
  const auto terms = terms_of({}, known, train.c_str());
  ASSERT_TRUE(terms.setup) << render(terms.problems);
  EXPECT_EQ(terms->terms.spot.gang, 5);  // Eighteen GPUs are in five boxes of four.
  const auto cards =
      terms_of({"hardware=[plain-card]", "money.rent.spot=0.5 USD/GPU-hour"}, known, train.c_str());
  EXPECT_EQ(cards->terms.spot.gang, std::ceil(18 / fact("node_size", "usual")));
}

TEST(RentingTermsTest, APlatformAddsWhatIsWrittenElseWhatItIsKnownToAdd) {
  const auto written = terms_of({"money.rent={surcharge: 12 %, platform: sagemaker}"});
  EXPECT_DOUBLE_EQ(*written->terms.managed_surcharge, 0.12);
  const auto known = terms_of({"money.rent.platform=sagemaker"});
  EXPECT_DOUBLE_EQ(*known->terms.managed_surcharge, fact("platform_surcharge", "sagemaker"));
  const auto unknown = terms_of({"money.rent.platform=of-nobody"});
  EXPECT_FALSE(unknown->terms.managed_surcharge);
  EXPECT_EQ(unknown.unpriced("of-nobody"), lf::kPriceNotFound);
  EXPECT_FALSE(terms_of()->terms.managed_surcharge);
}

TEST(RentingTermsTest, LateResultsCostWhatIsWritten) {
  const auto terms =
      terms_of({"money.training={work: 1000 GPU-hours, serial: 1 %, delay_cost: 7300 USD/month}"});
  EXPECT_NEAR(per_hour(terms->terms.delay), 10, 1e-9);
}

// The sizes that a provider sells; for the market, those of all who quote the chip.
TEST(RentingTermsTest, GpusByTheHourComeInTheInstancesThatAreSold) {
  CostInputs known;
  known.capacity.emplace();
  known.capacity->gpus = 8;
  known.capacity->load_factor = 0.5;
  const auto paid = [&](const std::vector<std::string>& set, int needed, int replica) {
    const auto terms = terms_of(set, known, R"(
loadfactor: 1
name: market
hardware: [plain-module]
serve: {model: llama-3.1-8b}
money: {as_of: 2026-11-01}
)");
    return terms->terms.capacity.instances.paid(needed, replica);
  };
  EXPECT_EQ(paid({"money.rent.provider=alpha"}, 3, 1), 4);  // In pairs.
  EXPECT_EQ(paid({"money.rent.provider=alpha"}, 3, 3), 4);  // One of four for three.
  EXPECT_EQ(paid({"money.rent.provider=gamma"}, 5, 1), 8);
  EXPECT_EQ(paid({"money.rent.provider=delta"}, 5, 1), 8);
  EXPECT_EQ(paid({"money.rent.instance=6"}, 5, 1), 6);
  EXPECT_EQ(paid({}, 5, 1), 5);  // Somebody sells single ones,
  EXPECT_EQ(paid({}, 5, 5), 8);  // and somebody eight.
  EXPECT_EQ(paid({"money.rent.provider=market"}, 5, 5), 8);
  EXPECT_EQ(paid({"money.rent.provider=nobody"}, 5, 5), 5);  // Any number.
  // GPUs that are counted in the scenario are as many as are written.
  EXPECT_TRUE(terms_of()->terms.capacity.instances.empty());
}

TEST(RentingTermsTest, InstancesThatNobodyKnowsAreSaidWhereMachinesAreWhole) {
  CostInputs known;
  known.capacity.emplace();
  known.capacity->gpus = 8;
  known.capacity->load_factor = 0.5;
  const auto said = [&](const std::string& chip, const std::string& provider) {
    const auto terms =
        terms_of({"hardware=[" + chip + "]", "money.rent.provider=" + provider}, known,
                 "loadfactor: 1\nname: market\nserve: {model: llama-3.1-8b}\n");
    return terms.notes("instances-unknown");
  };
  EXPECT_TRUE(said("plain-module", "nobody"));
  EXPECT_FALSE(said("plain-module", "alpha"));
  EXPECT_FALSE(said("plain-card", "nobody"));  // Cards are sold one by one.
}

}  // namespace
}  // namespace loadfactor::engine
