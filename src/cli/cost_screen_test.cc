// How `loadfactor cost` shows its answers, what it refuses, and the forms it exports.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/display_width.h"
#include "cli/testing/cost_answer.h"

namespace loadfactor::cli {
namespace {

using testing::Answer;
using testing::answer_of;
using testing::expect_near;
using testing::loadfactor;
using testing::Outcome;
using testing::shipped;

TEST(CostScreenTest, AnApiBelowTheLoadIsADashWithItsReason) {
  const Outcome outcome =
      loadfactor({"cost", shipped("chat-70b"), "--set", "money.api.limit=1000 tokens/s"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("api (LF3"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("limit of"), std::string::npos) << outcome.out;
}

TEST(CostScreenTest, EveryTableOfEveryQuestionFitsEightyColumns) {
  const std::filesystem::path folder =
      std::filesystem::path(LF_SOURCE_DIR) / "data" / "scenarios" / "cost";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    for (const char* gpus : {"", "capacity.gpus=1000000"}) {
      std::vector<std::string> words{"cost", entry.path().string(), "--explain", "--draws", "64"};
      if (*gpus != 0) words.insert(words.end(), {"--set", gpus});
      const Outcome outcome = loadfactor(words);
      EXPECT_TRUE(outcome.status == 0 || *gpus != 0) << entry.path() << outcome.err;
      std::istringstream lines(outcome.out);
      for (std::string line; std::getline(lines, line);)
        EXPECT_LE(display_width(line), 80) << entry.path() << " " << gpus << "\n" << line;
    }
  }
}

TEST(CostScreenTest, TheBillOfAnyOptionCanBeSeenAndSumsToIt) {
  for (const char* kind : {"own+on-demand", "own+spot", "spot", "autoscaled"}) {
    const Answer answer = answer_of("base-and-burst", {"--bill", kind});
    expect_near(answer.number("bill.total.value"),
                answer.number(std::string("options[kind=") + kind + "].per_month.value"), 1e-9);
  }
  const Outcome outcome = loadfactor({"cost", shipped("base-and-burst"), "--bill", "wishes"});
  EXPECT_NE(outcome.status, 0);
  EXPECT_NE(outcome.err.find("one of: on-demand"), std::string::npos) << outcome.err;
}

TEST(CostScreenTest, TheSameQuestionGivesTheSameBytes) {
  const auto ask = [] { return loadfactor({"cost", shipped("chat-70b"), "--format", "json"}).out; };
  EXPECT_EQ(ask(), ask());
}

TEST(CostScreenTest, TheScreenSaysWhatCarriedWorkAndWhatFlewEmpty) {
  const Outcome outcome = loadfactor({"cost", shipped("chat-70b")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("CHEAPEST TODAY: ")) << outcome.out;
  for (const char* words : {"carrying work", "flying empty", "break-even", "TOTAL", "people",
                            "prices used", "a full plane"})
    EXPECT_NE(outcome.out.find(words), std::string::npos) << words << "\n" << outcome.out;
}

TEST(CostScreenTest, AnOldPriceRaisesANotice) {
  const Outcome outcome =
      loadfactor({"cost", shipped("duty-40"), "--set", "money.rent.as_of=2026-01-05"});
  EXPECT_NE(outcome.out.find("older than 90 days"), std::string::npos) << outcome.out;
  const Outcome fresh =
      loadfactor({"cost", shipped("duty-40"), "--set", "money.rent.as_of=2026-10-05"});
  EXPECT_EQ(fresh.out.find("older than 90 days"), std::string::npos) << fresh.out;
}

TEST(CostScreenTest, AMissingPriceIsADashAndACodeNeverZero) {
  const Outcome outcome = loadfactor({"cost", shipped("duty-40"), "--set", "hardware=[l4]", "--set",
                                      "money.options=[on-demand, reserved-3y]"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("reserved-3y (LF302)"), std::string::npos) << outcome.out;
}

struct BadInput {
  const char* assignment;
  const char* code;
};

TEST(CostScreenTest, BadInputIsRefusedWithItsCode) {
  for (const BadInput& bad : {
           BadInput{"money.rent.on_demand=3.55", "LF301"},
           BadInput{"money.rent.on_demand=3.55 USD", "LF306"},
           BadInput{"money.rent.on_demand=3.55 EUR/GPU-hour", "LF203"},
           BadInput{"money.rent.on_demand=0 USD/GPU-hour", "LF207"},
           BadInput{"money.people=7500 USD", "LF306"},
           BadInput{"money.people=7500", "LF301"},
           BadInput{"money.own.price=40000", "LF301"},
           BadInput{"money.own.life=-3 years", "LF207"},
           BadInput{"money.own.residual=130 %", "LF207"},
           BadInput{"money.own.discount=-10 %", "LF207"},
           BadInput{"money.rent.as_of=2027-01-01", "LF307"},
           BadInput{"money.rent.as_of=yesterday", "LF510"},
           BadInput{"money.api.price=0.88 USD", "LF203"},
           BadInput{"capacity.load_factor=140 %", "LF207"},
           BadInput{"capacity.gpus=0", "LF207"},
           BadInput{"capacity={load_factor: 40 %}", "LF308"},
           BadInput{"hardware=[h100-smx9]", "LF401"},
           BadInput{"money.region=atlantis", "LF408"},
           BadInput{"money.nonsense=1", "LF502"},
           BadInput{"facility.cooling=snow", "LF506"},
           BadInput{"facility.network.topology=ring", "LF506"},
           BadInput{"facility={network: {topology: fat-tree, radix: 2}}", "LF312"},
           BadInput{"money.alternatives=[{name: x}]", "LF302"},
           BadInput{"nonsense", "LF310"},
       }) {
    const Outcome outcome = loadfactor({"cost", shipped("duty-40"), "--set", bad.assignment});
    EXPECT_NE(outcome.status, 0) << bad.assignment;
    EXPECT_NE(outcome.err.find(bad.code), std::string::npos) << bad.assignment << "\n"
                                                             << outcome.err;
  }
}

TEST(CostScreenTest, ARunIsBilledForItsHoursAndNotForAMonth) {
  const std::string focus = ::testing::TempDir() + "lf-run-focus.csv";
  const std::string scenario = std::string(LF_SOURCE_DIR) + "/data/scenarios/finetune-8b.yaml";
  const Outcome outcome = loadfactor({"cost", scenario, "--focus", focus, "--format", "json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  std::ifstream rows(focus);
  std::string row;
  std::getline(rows, row);
  double billed = 0;
  while (std::getline(rows, row)) {
    billed += std::stod(row);
    // It starts with the month and ends on its first day.
    EXPECT_NE(row.find("Usage-Based,2026-12-01T0"), std::string::npos) << row;
  }
  const double run = Answer(outcome.out).number("options[kind=on-demand].per_run.value");
  EXPECT_NEAR(billed, run, 0.01 * run);
  std::remove(focus.c_str());
}

// The numbers behind a key of JSON, in their order.
std::vector<double> numbers_of(const std::string& json, const std::string& key) {
  std::vector<double> numbers;
  const std::string start = "\"" + key + "\": \"";
  for (auto at = json.find(start); at != std::string::npos; at = json.find(start, at + 1))
    numbers.push_back(std::stod(json.substr(at + start.size())));
  return numbers;
}

TEST(CostScreenTest, PriceTimesQuantityIsTheCostInAnInfracostBreakdown) {
  const std::string file = ::testing::TempDir() + "lf-run-infracost.json";
  const std::string scenario = std::string(LF_SOURCE_DIR) + "/data/scenarios/finetune-8b.yaml";
  const Outcome outcome = loadfactor({"cost", scenario, "--infracost", file, "--format", "json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  const std::string json = text.str();
  std::size_t components = 0;
  for (auto at = json.find("\"monthlyQuantity\""); at != std::string::npos;
       at = json.find("\"monthlyQuantity\"", at + 1)) {
    const std::string rest = json.substr(at, 600);
    const double quantity = numbers_of(rest, "monthlyQuantity").at(0);
    const double price = numbers_of(rest, "price").at(0);
    const double cost = numbers_of(rest, "monthlyCost").at(0);
    EXPECT_NEAR(price * quantity, cost, 1e-3 * std::abs(cost) + 1e-3) << rest;
    ++components;
  }
  EXPECT_GE(components, 2U) << json;
  // Less than a month: the month of the bill is the run.
  const double run = Answer(outcome.out).number("options[kind=on-demand].per_run.value");
  EXPECT_NEAR(numbers_of(json, "totalMonthlyCost").at(0), run, 0.01 * run);
  EXPECT_NEAR(numbers_of(json, "runCost").at(0), run, 0.01 * run);
  std::remove(file.c_str());
}

TEST(CostScreenTest, ALongRunIsBilledByTheMonthInAnInfracostBreakdown) {
  const std::string file = ::testing::TempDir() + "lf-long-infracost.json";
  const std::string scenario = std::string(LF_SOURCE_DIR) + "/data/scenarios/finetune-8b.yaml";
  const auto told = [&](const std::string& tokens) {
    const Outcome outcome = loadfactor({"cost", scenario, "--infracost", file, "--format", "json",
                                        "--set", "train.tokens=" + tokens, "--set",
                                        "train.deadline=", "--set", "limits.budget="});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    return std::pair(numbers_of(text.str(), "totalMonthlyCost").at(0),
                     numbers_of(text.str(), "runHours").at(0));
  };
  const auto [some, some_hours] = told("1 T");
  const auto [more, more_hours] = told("2 T");
  ASSERT_GT(some_hours, 730.0);
  EXPECT_GT(more_hours, 1.5 * some_hours);
  EXPECT_NEAR(more, some, 0.2 * some);
  std::remove(file.c_str());
}

TEST(CostScreenTest, FocusTellsHowSpotAndReservedHoursArePriced) {
  const std::string focus = ::testing::TempDir() + "lf-category-focus.csv";
  const auto told = [&](const std::string& option) {
    const Outcome outcome = loadfactor({"cost", shipped("chat-70b"), "--focus", focus, "--format",
                                        "json", "--set", "money.options=[" + option + "]"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::stringstream text;
    text << std::ifstream(focus).rdbuf();
    return text.str();
  };
  EXPECT_NE(told("spot").find(",Dynamic,"), std::string::npos) << told("spot");
  EXPECT_EQ(told("spot").find(",Standard,"), std::string::npos) << told("spot");
  EXPECT_NE(told("reserved-1y").find(",Committed,"), std::string::npos);
  // A commitment is named with all that FOCUS asks of one, and spot has none of it.
  EXPECT_NE(told("reserved-1y").find(",Usage,lf-reserved-1y/"), std::string::npos);
  EXPECT_NE(told("reserved-3y").find(",Usage,lf-reserved-3y/"), std::string::npos);
  EXPECT_NE(told("reserved-1y").find(",Used,Reservation,"), std::string::npos);
  EXPECT_EQ(told("spot").find("lf-reserved"), std::string::npos);
  EXPECT_NE(told("spot").find("Z,,,,,,"), std::string::npos) << told("spot");
  EXPECT_NE(told("on-demand").find(",Standard,"), std::string::npos);
  std::remove(focus.c_str());
}

TEST(CostScreenTest, TheBillIsWrittenAsFocusRowsAndAsAnInfracostBreakdown) {
  const std::string focus = ::testing::TempDir() + "lf-cost-focus.csv";
  const std::string infracost = ::testing::TempDir() + "lf-cost-infracost.json";
  const Outcome outcome = loadfactor({"cost", shipped("chat-70b"), "--focus", focus, "--infracost",
                                      infracost, "--format", "json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  std::ifstream rows(focus);
  std::string header;
  std::getline(rows, header);
  for (const char* column :
       {"BilledCost",        "BillingAccountId",   "BillingAccountName", "BillingCurrency",
        "BillingPeriodEnd",  "BillingPeriodStart", "ChargeCategory",     "ChargeClass",
        "ChargeDescription", "ChargePeriodEnd",    "ChargePeriodStart",  "ContractedCost",
        "EffectiveCost",     "InvoiceIssuerName",  "ListCost",           "PricingQuantity",
        "PricingUnit",       "ProviderName",       "PublisherName",      "ServiceCategory",
        "ServiceName"})
    EXPECT_NE(header.find(column), std::string::npos) << column;
  double billed = 0;
  for (std::string row; std::getline(rows, row);) {
    billed += std::stod(row);
    EXPECT_NE(row.find("lf:forecast"), std::string::npos);
    EXPECT_NE(row.find("2026-12-01T00:00:00Z"), std::string::npos);
  }
  const double total = Answer(outcome.out).number("bill.total.value");
  EXPECT_NEAR(billed, total, 0.05);
  std::stringstream text;
  text << std::ifstream(infracost).rdbuf();
  EXPECT_NE(text.str().find("\"totalMonthlyCost\": \""), std::string::npos);
  EXPECT_NE(text.str().find("flying empty"), std::string::npos);
  std::remove(focus.c_str());
  std::remove(infracost.c_str());
}

}  // namespace
}  // namespace loadfactor::cli
