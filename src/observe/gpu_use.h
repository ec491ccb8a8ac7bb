// What one GPU did for each of its owners: every paid second has a cause.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "observe/account.h"
#include "observe/full_level.h"
#include "observe/paid_spans.h"
#include "observe/service_load.h"

namespace loadfactor::observe {

// By hour of the week, Monday 0 h UTC first.
using WeekSeconds = std::array<double, 168>;
std::size_t hour_of_week(double time);

// One owner's part of a GPU. What was not seen of it is taken to be as what was.
struct OwnerUse {
  SeenSeconds window, hour;               // The hour is the last of the window.
  CauseSeconds use, now;                  // And what became of each.
  WeekSeconds week_load{}, week_known{};  // What was seen alone.
  double active = 0;
  double busy_only = 0, busy_now = 0;  // Work of which only is known that a kernel ran.
  SensorMean busy, tensor, dram;
  // Time whose work a failure lost, and what is seen of it: when it was, and what was work of it.
  double held_to = 0;  // When the owner held the GPU last.
  double lost_from = 0, lost_to = 0;
  SeenSeconds lost, lost_now;
  double lost_load = 0;

  // Whether no sample tells of any of it.
  bool is_unseen() const { return window.known <= 0; }
};

class GpuUse {
 public:
  GpuUse(const Cluster& cluster, const FullLevels& full, const ServiceLoads& services,
         const AccountRules& rules, const GpuTrack& gpu);

  const std::map<OwnerIndex, OwnerUse>& owners() const { return owners_; }
  const std::vector<Span>& spans() const { return spans_; }
  // The sums over all owners.
  SeenSeconds window() const { return window_; }
  SeenSeconds hour() const { return hour_; }

 private:
  void count_seen();
  void find_lost();
  static double lost_share(const OwnerUse& use, const Span& span);
  void put(const Span& span, Cause cause, double share);
  void put_unseen(const Span& span);
  void put_silent(const Span& span);
  void put_service(const Span& span);
  void put_active(const Span& span);
  void note_sensors(const Span& span);
  std::size_t add_run(std::size_t i);
  std::size_t add_stop(std::size_t i);
  Cause stop_cause(std::size_t from, std::size_t to) const;
  bool is_told(const Span& span) const;
  bool is_told_by_engine(const Span& span) const;
  static void settle(OwnerUse& use);

  const Owner& owner_of(const Span& span) const { return cluster_.owners()[span.owner]; }
  // Spans of one owner follow each other.
  OwnerUse& use_of(const Span& span) {
    if (last_ == nullptr || last_owner_ != span.owner) last_ = &owners_[span.owner];
    last_owner_ = span.owner;
    return *last_;
  }

  const Cluster& cluster_;
  const FullLevels& full_;
  const ServiceLoads& services_;
  const AccountRules& rules_;
  const GpuTrack& gpu_;
  std::vector<Span> spans_;
  std::map<OwnerIndex, OwnerUse> owners_;
  OwnerUse* last_ = nullptr;
  OwnerIndex last_owner_ = kNoOwner;
  SeenSeconds window_, hour_;
};

}  // namespace loadfactor::observe
