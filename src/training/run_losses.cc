#include "training/run_losses.h"

#include <algorithm>
#include <cmath>

#include "base/calendar.h"
#include "catalog/load/fact_loader.h"

namespace loadfactor::training {
namespace {

// Names that take more than this are a fault of the data, not of a run.
constexpr double kMostNamed = 0.9;

}  // namespace

double RunLosses::shares() const {
  return std::min(kMostNamed, evaluation + slow_nodes + thrown_away);
}

RunTime RunLosses::pay(Seconds kept) const {
  RunTime run{.kept = kept, .shared = kept / (1.0 - shares())};
  const bool is_whole = run.shared + warm_up >= known_from;
  run.named = is_whole ? run.shared + warm_up : run.shared / (1.0 - warm_up / known_from);
  const double known = is_whole ? 1.0 : run.named / known_from;
  run.paid = run.named * std::pow(unexplained, known);
  run.low = std::pow(unexplained_low / unexplained, known);
  run.high = std::pow(unexplained_high / unexplained, known);
  return run;
}

Seconds RunLosses::practised(Seconds best) const {
  const Seconds seldom = std::max(best, shortest_interval);
  return longest_interval > Seconds() ? std::min(seldom, longest_interval) : seldom;
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
  losses.most_to_habit = read("checkpoint-habit-most", 1);
  return losses;
}

}  // namespace loadfactor::training
