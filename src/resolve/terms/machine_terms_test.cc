// Which machine is priced, with the dates and the facts that prices come with.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "resolve/terms/testing/market.h"

namespace loadfactor::engine {
namespace {

using testing::terms_of;

TEST(MachineTermsTest, TheFirstChipIsPricedAndItsBoxComesWithIt) {
  const auto one = terms_of();
  EXPECT_EQ(one->chip->name, "plain-module");
  EXPECT_EQ(one->node->name, "plain-box");
  EXPECT_FALSE(one.notes("first-accelerator"));
  EXPECT_FALSE(one.notes("default-accelerator"));
  const auto two = terms_of({"hardware=[plain-card, plain-module]"});
  EXPECT_EQ(two->chip->name, "plain-card");
  EXPECT_EQ(two->node, nullptr);
  EXPECT_EQ(two.told("first-accelerator", "candidates"), "2");
  const auto other = terms_of({"facility.node=hgx-h100"});
  EXPECT_EQ(other->node->name, "hgx-h100");
  EXPECT_EQ(terms_of({"facility.network.topology=fat-tree"})->node->name, "plain-box");
}

TEST(MachineTermsTest, WithoutAChipTheUsualOneIsTakenAndSaidSo) {
  const auto terms = terms_of({}, {}, R"(
loadfactor: 1
name: market
capacity: {gpus: 8, rate: 1000 tokens/s/GPU, load_factor: 40 %}
)");
  ASSERT_TRUE(terms.setup);
  EXPECT_EQ(terms->chip->name, testing::market().lineup().standard);
  EXPECT_TRUE(terms.notes("default-accelerator"));
}

TEST(MachineTermsTest, NamesThatNobodyKnowsAreRefusedAtTheirPlace) {
  const auto at = [](const std::string& key) {
    const auto terms = terms_of({key});
    EXPECT_FALSE(terms.setup) << key;
    return terms.code();
  };
  EXPECT_NE(at("hardware=[no-such-chip-at-all]"), 0);
  EXPECT_NE(at("facility.node=no-such-box-at-all"), 0);
  EXPECT_NE(at("money.region=no-such-place-at-all"), 0);
}

TEST(MachineTermsTest, BoardsComeWholeAndCardsOneByOne) {
  CostInputs known;
  known.capacity.emplace();
  known.capacity->gpus = 8;
  known.capacity->load_factor = 0.5;
  const auto machine = [&](const char* chip) {
    const auto terms = terms_of({}, known,
                                (std::string(R"(
loadfactor: 1
name: market
hardware: [)") + chip + "]\nserve: {model: llama-3.1-8b}\n")
                                    .c_str());
    return terms->terms.capacity.machine;
  };
  EXPECT_EQ(machine("plain-module"), 4);
  EXPECT_EQ(machine("plain-card"), 1);  // Nobody says what it comes in.
  EXPECT_EQ(machine("rtx-4090"), 1);    // A card of a box of eight.
  EXPECT_EQ(machine("h100-sxm"), 8);
}

TEST(MachineTermsTest, ADateAheadOfTodayIsRefusedWhereverItStands) {
  for (const char* key :
       {"money.as_of=2026-11-16", "money.own.as_of=2026-12", "money.rent.as_of=2027",
        "money.api={price: 1 USD/M tokens, as_of: 2026-11-16}",
        "money.alternatives=[{name: x, all_in: 1 USD/GPU-hour, as_of: 2026-11-16}]"})
    EXPECT_EQ(terms_of({key}).code(), lf::kFutureDate) << key;
  EXPECT_EQ(terms_of({"money.as_of=2026-11-15"}).code(), 0);
}

TEST(MachineTermsTest, OldPricesAndAssumedFactsAreConfessed) {
  // 2026-08-17 is 90 days before the day of the question, the day before 91.
  const auto fresh = terms_of({"money.rent.on_demand=3 USD/GPU-hour", "money.options=[on-demand]",
                               "money.as_of=2026-08-17"});
  EXPECT_FALSE(fresh.notes("stale-price"));
  const auto old = terms_of({"money.rent.on_demand=3 USD/GPU-hour", "money.options=[on-demand]",
                             "money.as_of=2026-08-16"});
  EXPECT_TRUE(old.notes("stale-price"));
  ASSERT_EQ(old->prices.size(), 1U);
  EXPECT_EQ(old->prices[0].age_days, 91);
  EXPECT_TRUE(terms_of().notes("assumed-facts"));
}

TEST(MachineTermsTest, AFactIsTakenOnceAndOneThatLacksIsNoNumber) {
  CostSetup setup;
  setup.catalog = &testing::market();
  EXPECT_EQ(setup.fact("maintenance", "hardware"), testing::fact("maintenance", "hardware"));
  setup.fact("maintenance", "hardware");
  EXPECT_EQ(setup.facts.size(), 1U);
  setup.fact("uncertainty", "rent");  // Assumed by nature: no confession.
  setup.fact("correlation", "rent-and-residual");
  setup.fact("pue", "new-large-site");  // Published.
  EXPECT_EQ(setup.facts.size(), 4U);
  EXPECT_EQ(take_assumed(setup).size(), 1U);
  EXPECT_TRUE(take_assumed(setup).empty());
  EXPECT_EQ(setup.find_fact("pue", "moon"), nullptr);
  EXPECT_EQ(setup.find_fact("moon", "new-large-site"), nullptr);
}

TEST(MachineTermsTest, APriceIsToldOnceWithItsAge) {
  const auto terms = terms_of({"money.options=[on-demand]", "money.rent.provider=alpha"});
  ASSERT_EQ(terms->prices.size(), 1U);
  EXPECT_EQ(terms->prices[0].what, "rent of plain-module, on-demand, alpha");
  EXPECT_EQ(terms->prices[0].age_days, 31 + 14);
  EXPECT_TRUE(terms->prices[0].assumed);
  CostSetup setup;
  setup.today = testing::kToday;
  const auto& row = testing::market().prices().rent.front();
  setup.use_price("a", "the same", "1", row.provenance);
  setup.use_price("b", "the same", "1", row.provenance);
  setup.use_price("c", "another", "1", row.provenance);
  EXPECT_EQ(setup.prices.size(), 2U);
  EXPECT_EQ(setup.facts.size(), 2U);
}

TEST(MachineTermsTest, AWrittenPriceHasTheDateNextToItElseThatOfAllMoney) {
  const auto date = [](const std::vector<std::string>& set) {
    return terms_of(set)->prices.at(0).date;
  };
  const std::string rent = "money.rent.on_demand=3 USD/GPU-hour";
  const std::string only = "money.options=[on-demand]";
  EXPECT_EQ(date({rent, only}), "2026-11-01");
  EXPECT_EQ(date({rent, only, "money.rent.as_of=2026-10"}), "2026-10");
  const auto undated =
      terms_of({"money={options: [on-demand], rent: {on_demand: 3 USD/GPU-hour}}"});
  EXPECT_EQ(undated->prices.at(0).date, "not dated");
  EXPECT_FALSE(undated->prices.at(0).age_days);
}

TEST(MachineTermsTest, GpusThatContradictAWrittenDeploymentAreAFault) {
  const auto fault = [](const std::string& text, double deployed) {
    return find_gpus_fault(config::testing::sound(text), deployed).has_value();
  };
  const std::string head = "loadfactor: 1\nname: x\nhardware: [plain-module]\n";
  const std::string gpus = "capacity: {gpus: 8, load_factor: 40 %}\n";
  const std::string serve = R"(serve:
  model: llama-3.1-8b
  demand: {requests_per_day: 150 K, tokens_in: 3000, tokens_out: 300}
  deployment: {replicas: 2}
)";
  const std::string free_serve = R"(serve:
  model: llama-3.1-8b
  demand: {requests_per_day: 150 K, tokens_in: 3000, tokens_out: 300}
)";
  EXPECT_TRUE(fault(head + gpus + serve, 4));
  EXPECT_FALSE(fault(head + gpus + serve, 8));
  EXPECT_FALSE(fault(head + serve, 4));              // Nothing is stated.
  EXPECT_FALSE(fault(head + gpus + free_serve, 4));  // No deployment is written.
  EXPECT_FALSE(fault(head + gpus, 4));
  EXPECT_FALSE(fault(head + "capacity: {mean: 4}\n" + serve, 4));
}

TEST(MachineTermsTest, ACurrencyIsSaidWithItsRate) {
  const auto terms = terms_of({"money.currency={code: EUR, per_usd: 0.875, date: 2026-11-01}"});
  EXPECT_EQ(terms.told("currency", "code"), "EUR");
  EXPECT_EQ(terms.told("currency", "rate"), "0.875");
  EXPECT_FALSE(terms_of().notes("currency"));
}

}  // namespace
}  // namespace loadfactor::engine
