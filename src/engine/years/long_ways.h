// Every way to pay for a service, month by month as its traffic grows, at today's prices.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "catalog/catalog.h"
#include "economics/years.h"
#include "engine/plan/plan.h"
#include "resolve/terms/cost_setup.h"

namespace loadfactor::engine {

struct NamedWay {
  LongRunWay name;
  economics::LongWay way;
  int from = 0;  // The month from which on its machines can be had.
};

class LongWays {
 public:
  LongWays(const catalog::Catalog& catalog, const PlanGround& ground, const config::Growth& growth)
      : catalog_(catalog), ground_(ground), growth_(growth) {}

  // Ways that can be had in all of these months; the others go to `outgrown`.
  std::vector<NamedWay> over(int months, std::vector<OutgrownWay>& outgrown);
  // The terms of the plan's own machines at today's traffic; nullptr where they have none.
  std::unique_ptr<CostSetup> today() const;

 private:
  // A way of one month, with what a purchase costs in it.
  struct PricedWay {
    economics::WayMonth month;
    economics::CapitalTerms capital = {};
    int term = 12;
  };
  // By accelerator, and by kind.
  using Ways = std::map<std::pair<std::string, OptionKind>, PricedWay>;

  const Ways& at(double traffic);
  void price(const PlanGround::Row& row, double traffic, Ways& ways) const;
  // The API at today's traffic.
  void price_tokens(Ways& ways);
  std::optional<CostInputs> resized(const PlanGround::Row& row, double traffic) const;

  const catalog::Catalog& catalog_;
  const PlanGround& ground_;
  const config::Growth& growth_;
  std::map<double, Ways> known_;
  std::string seller_;
};

// Sets from which month on the machines of each way can be had: those that are announced, from the
// end of the year for which they are. Tells which are not there yet.
std::vector<ComingChip> delay_announced(const catalog::Catalog& catalog, const std::string& today,
                                        std::vector<NamedWay>& ways);

}  // namespace loadfactor::engine
