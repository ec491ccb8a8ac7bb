// What the GPUs of a pool cost for a load, by the one optimiser of ways to pay.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "fleet/problem.h"

namespace loadfactor::fleet {

// A price that nobody pays, where infinities would be subtracted.
inline constexpr double kFar = 1e13;

// One way to pay of a bill.
struct BillRow {
  OptionKind kind = OptionKind::kOwn;
  int gpus = 0;          // Committed to, or rented at most.
  double gpu_hours = 0;  // Paid for.
  Dollars cost;
};
struct Bill {
  Dollars cost;
  int committed = 0;     // GPUs.
  double gpu_hours = 0;  // Paid for, however.
  std::vector<BillRow> rows;
};

// The cheapest whole machines and hours for so many GPUs in each slot. Nothing where the ways
// cannot carry them.
std::optional<Bill> cheapest_bill(const Pool& pool, std::span<const double> hours,
                                  std::span<const int> load);

// The prices that a schedule is made by: the cheapest commitment, the cheapest hour, and what a
// GPU at work costs however it is paid for. No bill is less than they say.
class PoolPrices {
 public:
  PoolPrices(const Pool& pool, std::span<const double> hours);

  const Pool& pool() const { return *pool_; }
  std::span<const double> hours() const { return hours_; }
  double all_hours() const { return all_hours_; }
  double working() const { return working_; }  // USD, one GPU at work for an hour.
  double hourly() const { return hourly_; }    // USD, one GPU rented for an hour, beyond working.
  double machine() const { return machine_; }  // USD, one machine all the time, beyond working.
  bool has_committed() const { return machine_ < kFar; }
  bool may_hold(int gpus) const { return !pool_->most || gpus <= *pool_->most; }
  // GPUs that are rented on top of so many machines.
  int rented(int load, int machines) const;
  double cost(std::span<const int> load, int machines) const;

 private:
  const Pool* pool_;
  std::span<const double> hours_;
  double all_hours_ = 0;
  double working_ = 0;
  double hourly_ = kFar;
  double machine_ = kFar;
};

}  // namespace loadfactor::fleet
