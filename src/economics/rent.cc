#include "economics/rent.h"

#include <algorithm>
#include <cmath>

namespace loadfactor::economics {
namespace {

// Beyond this the first-order form understates the overhead by more than a tenth.
constexpr double kFirstOrderLimit = 0.3;

}  // namespace

RentCost rent_cost(const RentTerms& terms, double used, double committed) {
  RentCost cost;
  const double billed = std::max(used, terms.commit_floor * committed);
  cost.gpus = terms.price * billed;
  cost.surcharge = cost.gpus * terms.surcharge;
  const DollarsPerSecond bill = cost.gpus + cost.surcharge;
  cost.support = bill * terms.support;
  cost.goodput = bill * terms.goodput_loss;
  cost.storage = terms.storage;
  cost.egress = terms.egress;
  cost.debugging = terms.debugging;
  if (terms.term > Seconds()) cost.setup = terms.setup / terms.term;
  return cost;
}

Hertz interruption_hazard(double share, Seconds period) {
  return -std::log1p(-share) / period;
}

double spot_multiplier(const SpotTerms& terms) {
  const double expected = terms.gang * (terms.hazard * terms.loss);
  return expected > kFirstOrderLimit ? std::exp(expected) : 1.0 + expected;
}

double spot_waiting_share(const SpotTerms& terms) {
  const double waits = terms.gang * (terms.hazard * terms.wait);
  return waits / (1.0 + waits);
}

}  // namespace loadfactor::economics
