#include "calibrate/profile/account.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

namespace loadfactor::calibrate {
namespace {

// Work of one device with its class.
struct Work {
  Seconds start;
  Seconds end;
  std::uint64_t launch = 0;
  WorkClass work = WorkClass::kUnclassed;
};

struct Range {
  Seconds start;
  Seconds end;
};

// Ranges that do not overlap, in order.
std::vector<Range> merged(std::vector<Range> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.start < b.start; });
  std::vector<Range> out;
  for (const Range& range : ranges) {
    if (!out.empty() && range.start <= out.back().end) {
      out.back().end = std::max(out.back().end, range.end);
    } else {
      out.push_back(range);
    }
  }
  return out;
}

bool is_inside(const std::vector<Range>& ranges, Seconds moment) {
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), moment,
                       [](Seconds at, const Range& range) { return at < range.start; });
  return after != ranges.begin() && moment < std::prev(after)->end;
}

using Launches = std::unordered_map<std::uint64_t, Seconds>;

// What one device did. Seconds of all steps.
struct DeviceAccount {
  WorkTimes times;
  Seconds hidden;
  std::int64_t waits = 0;
};

// Walks the boundaries of a device's work in order.
class Walk {
 public:
  Walk(std::vector<Work> work, const Launches& launches)
      : work_(std::move(work)), launches_(launches) {}

  // Steps that are marked last as long as their marks, though the device has no work at the end.
  DeviceAccount account(const std::optional<Range>& marks) {
    std::sort(work_.begin(), work_.end(),
              [](const Work& a, const Work& b) { return a.start < b.start; });
    std::vector<std::pair<Seconds, WorkClass>> ends;
    for (const Work& work : work_) ends.emplace_back(work.end, work.work);
    std::sort(ends.begin(), ends.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    now_ = work_.front().start;
    std::size_t ended = 0;
    for (const Work& work : work_) {
      for (; ended < ends.size() && ends[ended].first <= work.start; ++ended)
        finish(ends[ended].first, ends[ended].second);
      begin(work);
    }
    for (; ended < ends.size(); ++ended) finish(ends[ended].first, ends[ended].second);
    if (marks) {
      const Seconds end = std::max(work_.front().start, marks->start) + (marks->end - marks->start);
      if (end > now_) sums_.times[WorkClass::kIdle] += end - now_;
    }
    return sums_;
  }

 private:
  void begin(const Work& work) {
    if (running_ == 0) {
      wait_for(work);
    } else {
      advance(work.start);
    }
    ++active_[static_cast<std::size_t>(work.work)];
    ++running_;
  }

  void finish(Seconds moment, WorkClass work) {
    advance(moment);
    --active_[static_cast<std::size_t>(work)];
    --running_;
  }

  // Counts the time since the last boundary for the first class that runs.
  void advance(Seconds moment) {
    if (moment <= now_) return;
    const Seconds passed = moment - now_;
    now_ = moment;
    bool counted = false;
    for (std::size_t c = 0; c < kNumWorkClasses; ++c) {
      if (active_[c] == 0) continue;
      const auto work = static_cast<WorkClass>(c);
      if (!counted) sums_.times[work] += passed;
      if (counted && (work == WorkClass::kCommunication || work == WorkClass::kCopies))
        sums_.hidden += passed;
      counted = true;
    }
  }

  // The device ran dry: up to the moment at which the host asked for more it waited for the host.
  void wait_for(const Work& next) {
    if (next.start <= now_) return;
    const auto launch = next.launch == 0 ? launches_.end() : launches_.find(next.launch);
    Seconds asked = now_;
    if (launch != launches_.end()) asked = std::clamp(launch->second, now_, next.start);
    if (asked > now_) ++sums_.waits;
    sums_.times[WorkClass::kHost] += asked - now_;
    sums_.times[WorkClass::kIdle] += next.start - asked;
    now_ = next.start;
  }

  std::vector<Work> work_;
  const Launches& launches_;
  DeviceAccount sums_;
  Seconds now_;
  std::array<std::int64_t, kNumWorkClasses> active_{};
  std::int64_t running_ = 0;
};

// The steps that are marked: how many, and from the first to the end of the last.
struct MarkedSteps {
  std::int64_t count = 0;
  std::optional<Range> range;

  void add(const NamedRange& step) {
    ++count;
    if (!range) range = Range{step.start, step.end};
    range->start = std::min(range->start, step.start);
    range->end = std::max(range->end, step.end);
  }
};

// Ranges on the host say how many steps there were; those on the device where there are none.
MarkedSteps marked_steps(const Timeline& timeline, const KernelRules& rules) {
  MarkedSteps host;
  MarkedSteps device;
  for (const NamedRange& range : timeline.ranges) {
    if (rules.is_step(timeline.names[range.name])) (range.on_device ? device : host).add(range);
  }
  MarkedSteps steps = host.count > 0 ? host : device;
  constexpr std::int64_t kMaxSteps = 1'000'000;
  steps.count = std::min(steps.count, kMaxSteps);
  return steps;
}

std::vector<Range> optimizer_ranges(const Timeline& timeline, const KernelRules& rules) {
  std::vector<Range> ranges;
  for (const NamedRange& range : timeline.ranges) {
    if (range.on_device && rules.is_optimizer(timeline.names[range.name]))
      ranges.push_back({range.start, range.end});
  }
  return merged(std::move(ranges));
}

struct NameSums {
  Seconds seconds;
  std::int64_t calls = 0;
};

// Classes every span, and sums those of each name.
class Sorting {
 public:
  Sorting(const Timeline& timeline, const KernelRules& rules)
      : timeline_(timeline), optimizer_(optimizer_ranges(timeline, rules)) {
    for (std::uint32_t id = 0; id < timeline.names.size(); ++id)
      classes_.push_back(rules.class_of(timeline.names[id]));
    for (const DeviceSpan& span : timeline.spans) add(span);
  }

  const std::map<std::uint32_t, std::vector<Work>>& devices() const { return devices_; }

  // The largest of a class, as one of `shares` equal parts.
  std::vector<KernelSum> largest(WorkClass work, double shares) const {
    std::vector<KernelSum> sums;
    for (const auto& [key, sum] : sums_) {
      if (key.second == work)
        sums.push_back({timeline_.names[key.first], sum.seconds / shares,
                        static_cast<std::int64_t>(static_cast<double>(sum.calls) / shares + 0.5)});
    }
    constexpr std::size_t kKept = 3;
    const std::size_t kept = std::min(kKept, sums.size());
    std::partial_sort(sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(kept), sums.end(),
                      [](const auto& a, const auto& b) {
                        return a.seconds != b.seconds ? a.seconds > b.seconds : a.name < b.name;
                      });
    sums.resize(kept);
    return sums;
  }

 private:
  void add(const DeviceSpan& span) {
    WorkClass work = classes_[span.name];
    if (work == WorkClass::kPointwise && is_inside(optimizer_, span.start))
      work = WorkClass::kOptimizer;
    devices_[span.device].push_back({span.start, span.end, span.launch, work});
    NameSums& sum = sums_[{span.name, work}];
    sum.seconds += span.end - span.start;
    ++sum.calls;
  }

  const Timeline& timeline_;
  std::vector<Range> optimizer_;
  std::vector<WorkClass> classes_;
  std::map<std::uint32_t, std::vector<Work>> devices_;
  std::map<std::pair<std::uint32_t, WorkClass>, NameSums> sums_;
};

Launches launches_of(const Timeline& timeline) {
  Launches launches;
  launches.reserve(timeline.launches.size());
  for (const HostLaunch& call : timeline.launches) launches.try_emplace(call.launch, call.start);
  return launches;
}

}  // namespace

Seconds ProfileAccount::busy() const {
  return times.total() - times[WorkClass::kHost] - times[WorkClass::kIdle];
}

double ProfileAccount::classed() const {
  const Seconds all = busy();
  return all > Seconds() ? 1 - times[WorkClass::kUnclassed] / all : 1;
}

ProfileAccount account_for(const Timeline& timeline, const KernelRules& rules) {
  const Sorting sorting(timeline, rules);
  const Launches launches = launches_of(timeline);
  ProfileAccount account;
  const MarkedSteps marked = marked_steps(timeline, rules);
  account.steps_marked = marked.count > 0;
  account.steps = std::max(1, static_cast<int>(marked.count));
  account.devices = std::max(1, static_cast<int>(sorting.devices().size()));
  const double shares = static_cast<double>(account.steps) * account.devices;
  double waits = 0;
  for (const auto& [device, work] : sorting.devices()) {
    const DeviceAccount sums = Walk(work, launches).account(marked.range);
    for (std::size_t c = 0; c < kNumWorkClasses; ++c)
      account.times.seconds[c] += sums.times.seconds[c] / shares;
    account.hidden += sums.hidden / shares;
    waits += static_cast<double>(sums.waits) / shares;
  }
  account.waits = static_cast<std::int64_t>(waits + 0.5);
  account.calls =
      static_cast<std::int64_t>(static_cast<double>(timeline.spans.size()) / shares + 0.5);
  for (std::size_t c = 0; c < kNumWorkClasses; ++c)
    account.largest[c] = sorting.largest(static_cast<WorkClass>(c), shares);
  return account;
}

}  // namespace loadfactor::calibrate
