// Worked cases of ways to pay, random ones made from them, and their answers by trying everything.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "config/document.h"
#include "decide/ways_to_pay.h"

namespace loadfactor::decide {

struct PaymentCase {
  std::string name;
  PaymentQuestion question;
  double cost = 0;
  std::map<std::string, int> units;  // Whole units by name, those of a stage with its name behind.
  // Names in the order of the question.
  std::string purchase;
  std::vector<std::string> commitments;
  std::vector<std::string> stages;
  std::vector<std::vector<std::string>> stage_commitments;
};

namespace cases {

inline const config::Node* find(const config::Node& node, std::string_view key) {
  for (const auto& member : node.members)
    if (member.key == key) return &member.value;
  return nullptr;
}
inline double number(const config::Node& node, std::string_view key, double otherwise) {
  const config::Node* found = find(node, key);
  return found ? std::strtod(found->scalar.c_str(), nullptr) : otherwise;
}
inline int count(const config::Node& node, std::string_view key, int otherwise) {
  return static_cast<int>(number(node, key, otherwise));
}
inline std::string text(const config::Node& node, std::string_view key) {
  const config::Node* found = find(node, key);
  return found ? found->scalar : "";
}

inline Unit unit(const config::Node& node) {
  Unit unit;
  unit.gpus = count(node, "size", 1);
  if (find(node, "most")) unit.most = count(node, "most", 0);
  if (find(node, "spare_every")) unit.spare_every = count(node, "spare_every", 1);
  return unit;
}
inline Commitment commitment(const config::Node& node) {
  return {unit(node), Dollars::from_base(number(node, "cost", 0)),
          Dollars::from_base(number(node, "fixed", 0))};
}
// A case counts in any unit of time: its hours are seconds here.
inline Rental rental(const config::Node& node) {
  return {unit(node), DollarsPerSecond::from_base(number(node, "cost", 0)),
          DollarsPerSecond::from_base(number(node, "fixed", 0))};
}

inline Stage stage(const config::Node& node, std::vector<std::string>& names) {
  Stage stage;
  stage.before_delivery = find(node, "before_delivery") != nullptr;
  if (const auto* ways = find(node, "hourly"))
    for (const auto& way : ways->items) stage.rentals.push_back(rental(way));
  if (const auto* ways = find(node, "short"))
    for (const auto& way : ways->items) {
      stage.commitments.push_back(commitment(way));
      names.push_back(text(way, "name"));
    }
  for (const auto& cell : find(node, "cells")->items) {
    const auto value = [&](std::size_t i) {
      return std::strtod(cell.items[i].scalar.c_str(), nullptr);
    };
    AlikeHours hours{.time = Seconds::from_base(value(0)),
                     .gpus = static_cast<int>(value(1)),
                     .wide = static_cast<int>(value(3)),
                     .api = {}};
    if (cell.items[2].kind != config::NodeKind::kNull)
      hours.api = DollarsPerSecond::from_base(value(2));
    stage.hours.push_back(hours);
  }
  return stage;
}

inline PaymentCase read(const config::Node& node) {
  PaymentCase result;
  result.name = text(node, "name");
  PaymentQuestion& question = result.question;
  question.replica = count(node, "tp", 1);
  question.node = count(node, "node", 8);
  question.people = Dollars::from_base(number(node, "people", 0));
  if (const auto* ways = find(node, "long"))
    for (const auto& way : ways->items) {
      if (!find(way, "own")) {
        question.commitments.push_back(commitment(way));
        result.commitments.push_back(text(way, "name"));
        continue;
      }
      result.purchase = text(way, "name");
      question.purchase = {commitment(way),
                           DollarsPerGpuSecond::from_base(number(way, "working", 0)),
                           DollarsPerGpuSecond::from_base(number(way, "resale", 0))};
    }
  for (const auto& item : find(node, "stages")->items) {
    result.stages.push_back(text(item, "name"));
    result.stage_commitments.emplace_back();
    question.stages.push_back(stage(item, result.stage_commitments.back()));
  }
  const config::Node* best = find(node, "best");
  result.cost = number(*best, "cost", 0);
  for (const auto& member : find(*best, "units")->members)
    result.units[member.key] = std::atoi(member.value.scalar.c_str());
  return result;
}

}  // namespace cases

inline std::vector<PaymentCase> golden_payment_cases() {
  std::ifstream file(LF_SOURCE_DIR "/src/decide/testing/golden_pay.json");
  std::ostringstream text;
  text << file.rdbuf();
  const auto document = config::parse_json("golden_pay.json", text.str());
  std::vector<PaymentCase> result;
  if (document)
    for (const auto& item : document->root.items) result.push_back(cases::read(item));
  return result;
}

// The units of a choice by name, as the cases write them.
inline std::map<std::string, int> named_units(const PaymentCase& known,
                                              const PaymentChoice& choice) {
  std::map<std::string, int> units;
  const auto add = [&units](const std::string& name, int count) {
    if (count > 0) units[name] += count;
  };
  add(known.purchase, choice.purchased);
  for (std::size_t i = 0; i < choice.commitments.size(); ++i)
    add(known.commitments[i], choice.commitments[i]);
  for (std::size_t s = 0; s < choice.stages.size(); ++s)
    for (std::size_t i = 0; i < choice.stages[s].commitments.size(); ++i)
      add(known.stage_commitments[s][i] + "@" + known.stages[s], choice.stages[s].commitments[i]);
  return units;
}

// A known case with other prices, needs and terms, small enough to try everything.
inline PaymentQuestion random_payment_question(const std::vector<PaymentCase>& known,
                                               unsigned seed) {
  std::mt19937 random(seed);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const auto whole = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  const PaymentCase& from = known[seed % known.size()];
  PaymentQuestion question = from.question;
  const auto vary = [&](Unit& unit) {
    if (uniform(0, 1) < 0.15) unit.most = whole(0, 3);
    if (uniform(0, 1) < 0.15) unit.spare_every = whole(1, 4);
  };
  const auto vary_commitment = [&](Commitment& way) {
    vary(way);
    way.cost = way.cost * uniform(0.5, 1.5);
    if (uniform(0, 1) < 0.15) way.fixed = way.cost * uniform(0, 1);
  };
  if (question.purchase) {
    vary_commitment(*question.purchase);
    if (uniform(0, 1) < 0.5) {
      question.purchase->resale = DollarsPerGpuSecond::from_base(uniform(0, 0.15));
      question.purchase->working = DollarsPerGpuSecond::from_base(uniform(0, 0.15));
    }
  }
  for (Commitment& way : question.commitments) vary_commitment(way);
  const bool wide = from.name.find("big") != std::string::npos;
  for (Stage& stage : question.stages) {
    for (Commitment& way : stage.commitments) vary_commitment(way);
    for (Rental& way : stage.rentals) {
      vary(way);
      way.price = way.price * uniform(0.5, 1.5);
      if (uniform(0, 1) < 0.15) way.fixed = way.price * uniform(0, 1);
    }
    std::shuffle(stage.hours.begin(), stage.hours.end(), random);
    stage.hours.resize(std::min<std::size_t>(5, stage.hours.size()));
    for (AlikeHours& hours : stage.hours) {
      hours.gpus = whole(0, std::min(hours.gpus, 9 * question.replica));
      hours.api.reset();
      if (whole(0, 1)) hours.api = DollarsPerSecond::from_base(uniform(1, 5) * hours.gpus);
      hours.wide = wide && whole(0, 1) ? hours.gpus / 8 * 8 : 0;
    }
  }
  return question;
}

// Every count of every commitment, every cover of every hour.
class TryEverything {
 public:
  explicit TryEverything(const PaymentQuestion& question) : question_(question) {
    for (const Stage& stage : question.stages)
      for (const AlikeHours& hours : stage.hours) top_ = std::max(top_, replicas(hours.gpus));
  }

  double least() const {
    const int owned_most = question_.purchase ? most(*question_.purchase) : 0;
    double best = api_alone();
    for (int owned = 0; owned <= owned_most; ++owned) {
      double bill = question_.people.base();
      if (question_.purchase) bill += units_cost(*question_.purchase, owned);
      best =
          std::min(best, each_count(question_.commitments, 0, bill, {},
                                    [&](double b, Held held) { return b + stages(held, owned); }));
    }
    return best;
  }

 private:
  struct Held {
    int replicas = 0;
    int nodes = 0;
  };
  int replicas(int gpus) const { return (gpus + question_.replica - 1) / question_.replica; }
  bool fits(const Unit& unit) const { return unit.gpus >= question_.replica; }
  int most(const Unit& unit) const {
    if (!fits(unit)) return 0;
    const int each = unit.gpus / question_.replica;
    return std::min(unit.most.value_or(1 << 20), (top_ + each - 1) / each);
  }
  static double spared(const Unit& unit, int count) {
    return count + (unit.spare_every ? (count + *unit.spare_every - 1) / *unit.spare_every : 0);
  }
  static double units_cost(const Commitment& way, int count) {
    return count == 0 ? 0 : way.fixed.base() + way.cost.base() * spared(way, count);
  }
  static double units_cost(const Rental& way, int count) {
    return count == 0 ? 0 : way.fixed.base() + way.price.base() * spared(way, count);
  }
  Held with(Held held, const Unit& unit, int count) const {
    return {held.replicas + unit.gpus / question_.replica * count,
            held.nodes + unit.gpus / question_.node * count};
  }

  template <typename Ways, typename Value>
  double each_count(const Ways& ways, std::size_t i, double bill, Held held,
                    const Value& value) const {
    if (i == ways.size()) return value(bill, held);
    double best = each_count(ways, i + 1, bill, held, value);
    for (int count = 1; count <= most(ways[i]); ++count)
      best = std::min(best, each_count(ways, i + 1, bill + units_cost(ways[i], count),
                                       with(held, ways[i], count), value));
    return best;
  }

  double stages(Held base, int owned) const {
    double sum = 0;
    for (const Stage& stage : question_.stages)
      sum += each_count(stage.commitments, 0, 0.0, base, [&](double bill, Held held) {
        for (const AlikeHours& hours : stage.hours) bill += hour(stage, hours, held, owned);
        return bill;
      });
    return sum;
  }

  // Purchased machines work before any are rented.
  double hour(const Stage& stage, const AlikeHours& hours, Held base, int owned) const {
    const int there = stage.before_delivery ? 0 : owned;
    const Held both = question_.purchase && fits(*question_.purchase)
                          ? with(base, *question_.purchase, there)
                          : base;
    const int need = replicas(hours.gpus);
    const int gangs = (hours.wide + question_.node - 1) / question_.node;
    const auto gap = [&](Held held) {
      return std::max({0, need - held.replicas, (gangs - held.nodes) * question_.node});
    };
    const int lacks = gap(both);
    const int busy = gap(base) - lacks;
    const double api = hours.api ? hours.api->base() / std::max(1, need) : -1;
    const double cover = each_count(stage.rentals, 0, 0.0, Held{}, [&](double bill, Held held) {
      const int sent = std::max({0, lacks - held.replicas,
                                 (std::max(0, gangs - both.nodes) - held.nodes) * question_.node});
      if (sent == 0) return bill;
      return api < 0 ? HUGE_VAL : bill + sent * api;
    });
    double rate = 0;
    if (question_.purchase)
      rate = question_.purchase->working.base() * busy -
             question_.purchase->resale.base() * (both.replicas - base.replicas - busy);
    return hours.time.base() * (cover + rate * question_.replica);
  }

  double api_alone() const {
    double sum = 0;
    for (const Stage& stage : question_.stages)
      for (const AlikeHours& hours : stage.hours) {
        if (hours.gpus == 0) continue;
        if (!hours.api) return HUGE_VAL;
        sum += hours.time.base() * hours.api->base();
      }
    return sum;
  }

  const PaymentQuestion& question_;
  int top_ = 0;
};

}  // namespace loadfactor::decide
