#include "training/run_losses.h"

#include <algorithm>

#include "base/calendar.h"
#include "catalog/load/fact_loader.h"

namespace loadfactor::training {
namespace {

// Names that take more than this are a fault of the data, not of a run.
constexpr double kMostNamed = 0.9;

}  // namespace

double RunLosses::warming(Seconds run) const {
  return run > Seconds() ? std::min(1.0, warm_up / run) : 0.0;
}

Seconds RunLosses::practised(Seconds best) const {
  const Seconds seldom = std::max(best, shortest_interval);
  return longest_interval > Seconds() ? std::min(seldom, longest_interval) : seldom;
}

double RunLosses::named(Seconds run) const {
  return std::min(kMostNamed, evaluation + slow_nodes + thrown_away + warming(run));
}

RunLosses read_run_losses(const std::vector<catalog::Fact>& facts) {
  RunLosses losses;
  const auto read = [&](const char* name, double otherwise) {
    const auto* fact = catalog::find_fact(facts, name);
    if (fact == nullptr) return otherwise;
    losses.facts.push_back(fact);
    return fact->value;
  };
  losses.evaluation = read("evaluation-share", 0);
  losses.slow_nodes = read("slow-nodes-share", 0);
  losses.thrown_away = read("rewind-share", 0);
  losses.warm_up = kHour * read("warm-up-time", 0);
  losses.shortest_interval = kMinute * read("checkpoint-interval-shortest", 0);
  losses.longest_interval = kMinute * read("checkpoint-interval-longest", 0);
  losses.known_from = kDay * read("run-known-from", 0);
  losses.unexplained = read("run-unexplained", 1);
  losses.unexplained_low = read("run-unexplained-low", losses.unexplained);
  losses.unexplained_high = read("run-unexplained-high", losses.unexplained);
  return losses;
}

}  // namespace loadfactor::training
