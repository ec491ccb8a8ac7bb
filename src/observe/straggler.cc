#include "observe/straggler.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "observe/account.h"

namespace loadfactor::observe {
namespace {

constexpr int kFewestPeers = 4;
constexpr int kMostBlocks = 168;
constexpr int kSigns = 3;

// Continued fraction of the incomplete beta function [Numerical Recipes 6.4].
double beta_fraction(double a, double b, double x) {
  constexpr int kMostTerms = 300;
  constexpr double kTiny = 1e-300;
  double c = 1;
  double d = 1 - (a + b) * x / (a + 1);
  d = 1 / (std::abs(d) < kTiny ? kTiny : d);
  double h = d;
  for (int m = 1; m <= kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double delta = 1;
    for (const double term : {even, odd}) {
      d = 1 + term * d;
      c = 1 + term / c;
      d = 1 / (std::abs(d) < kTiny ? kTiny : d);
      c = std::abs(c) < kTiny ? kTiny : c;
      delta = c * d;
      h *= delta;
    }
    if (std::abs(delta - 1) < 1e-14) break;
  }
  return h;
}

double middle(std::vector<double> values) {
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), half, values.end());
  return *half;
}

struct Sum {
  double value = 0;
  double count = 0;
};

// A GPU's logarithm of its ratio to its peers, on average over the time that they worked together.
struct Residual {
  int gpu = 0;
  int workload = 0;
  double value = 0;
  double peers = 0;
};

double reading(const GpuTrack& gpu, StragglerSign sign, std::size_t s) {
  switch (sign) {
    case StragglerSign::kTensor:
      return gpu.tensor.empty() || gpu.tensor[s] == kNoShare ? 0 : gpu.tensor[s];
    case StragglerSign::kClock:
      return gpu.clock.empty() || gpu.clock[s] == kNoByte ? 0 : gpu.clock[s];
    case StragglerSign::kPower:
      break;
  }
  return gpu.power.empty() || gpu.power[s] == kNoByte ? 0 : gpu.power[s];
}

bool has_sign(const GpuTrack& gpu, StragglerSign sign) {
  switch (sign) {
    case StragglerSign::kTensor:
      return !gpu.tensor.empty();
    case StragglerSign::kClock:
      return !gpu.clock.empty();
    case StragglerSign::kPower:
      break;
  }
  return !gpu.power.empty();
}

using Blocks = std::vector<Sum>;

// Means of a sign by workload, GPU and block of time, while the GPU works.
std::map<int, std::map<int, Blocks>> block_means(const Cluster& cluster, StragglerSign sign) {
  const int slots = cluster.grid().slots();
  const int width = std::max(1, (slots + kMostBlocks - 1) / kMostBlocks);
  std::map<int, std::map<int, Blocks>> means;
  for (std::size_t g = 0; g < cluster.gpus().size(); ++g) {
    const GpuTrack& gpu = cluster.gpus()[g];
    if (gpu.first < 0 || gpu.weight < 1 || !has_sign(gpu, sign)) continue;
    Blocks* last = nullptr;  // Those of the workload that the slot before belongs to.
    int workload = -1;
    for (int s = gpu.first; s <= gpu.last; ++s) {
      const auto at = static_cast<std::size_t>(s);
      const Owner& owner = cluster.owners()[gpu.owner.at(s)];
      // Replicas of a service differ by what they are asked, not by what they can do.
      if (owner.workload < 0 || owner.is_service) continue;
      if (!gpu.is_known(s) || !is_active(gpu, s)) continue;
      const double value = reading(gpu, sign, at);
      if (value <= 0) continue;
      if (last == nullptr || workload != owner.workload) {
        workload = owner.workload;
        last = &means[workload][static_cast<int>(g)];
        if (last->empty()) last->resize(static_cast<std::size_t>((slots + width - 1) / width));
      }
      Sum& sum = (*last)[static_cast<std::size_t>(s / width)];
      sum.value += value;
      sum.count += 1;
    }
  }
  return means;
}

void add_residuals(int workload, const std::map<int, Blocks>& gpus, std::vector<Residual>& out) {
  if (static_cast<int>(gpus.size()) < kFewestPeers) return;
  const std::size_t blocks = gpus.begin()->second.size();
  std::map<int, Sum> logs;
  for (std::size_t b = 0; b < blocks; ++b) {
    std::vector<double> values;
    for (const auto& [gpu, means] : gpus)
      if (means[b].count > 0) values.push_back(means[b].value / means[b].count);
    if (static_cast<int>(values.size()) < kFewestPeers) continue;
    const double typical = middle(values);
    for (const auto& [gpu, means] : gpus) {
      if (means[b].count <= 0) continue;
      Sum& sum = logs[gpu];
      sum.value += std::log(means[b].value / means[b].count / typical) * means[b].count;
      sum.count += means[b].count;
    }
  }
  for (const auto& [gpu, sum] : logs)
    out.push_back({gpu, workload, sum.value / sum.count, static_cast<double>(gpus.size() - 1)});
}

// The lowest of all against the others; it is taken out when it is too low to be chance, and the
// test goes on without it.
void test_sign(const Cluster& cluster, StragglerSign sign, double least_effect,
               StragglerTest& test) {
  std::vector<Residual> residuals;
  for (const auto& [workload, gpus] : block_means(cluster, sign))
    add_residuals(workload, gpus, residuals);
  test.tested = std::max(test.tested, static_cast<int>(residuals.size()));
  std::sort(residuals.begin(), residuals.end(),
            [](const Residual& a, const Residual& b) { return a.value > b.value; });
  const double looks = static_cast<double>(residuals.size()) * kSigns;
  while (static_cast<int>(residuals.size()) > kFewestPeers) {
    const Residual lowest = residuals.back();
    residuals.pop_back();
    double sum = 0;
    double squares = 0;
    for (const Residual& other : residuals) sum += other.value;
    const auto count = static_cast<double>(residuals.size());
    const double mean = sum / count;
    for (const Residual& other : residuals) squares += (other.value - mean) * (other.value - mean);
    // GPUs of one kind differ by about a percent by their making.
    constexpr double kLeastSpread = 0.005;
    const double spread = std::max(kLeastSpread, std::sqrt(squares / (count - 1)));
    const double t = (lowest.value - mean) / (spread * std::sqrt(1 + 1 / count));
    const double chance = std::min(1.0, looks * student_tail(t, count - 1));
    if (chance > test.false_alarms || lowest.value > std::log1p(-least_effect)) break;
    test.found.push_back(
        {lowest.gpu, lowest.workload, sign, std::exp(lowest.value), t, chance, lowest.peers});
  }
}

}  // namespace

double student_tail(double t, double degrees) {
  const double x = degrees / (degrees + t * t);
  const double a = degrees / 2;
  const double b = 0.5;
  if (x <= 0) return 0;
  if (x >= 1) return 0.5;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  const double both = x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                                : 1 - front * beta_fraction(b, a, 1 - x) / b;
  return both / 2;
}

StragglerTest find_stragglers(const Cluster& cluster) {
  StragglerTest test;
  const Thresholds limits;
  test.false_alarms = limits["straggler_false_alarms"];
  for (const auto sign : {StragglerSign::kTensor, StragglerSign::kClock, StragglerSign::kPower})
    test_sign(cluster, sign, limits["straggler_effect"], test);
  // A GPU is named once, by the sign that tells most of its speed: power falls faster than it.
  std::sort(test.found.begin(), test.found.end(), [](const Straggler& a, const Straggler& b) {
    return a.gpu != b.gpu ? a.gpu < b.gpu : a.sign < b.sign;
  });
  test.found.erase(
      std::unique(test.found.begin(), test.found.end(),
                  [](const Straggler& a, const Straggler& b) { return a.gpu == b.gpu; }),
      test.found.end());
  std::sort(test.found.begin(), test.found.end(),
            [](const Straggler& a, const Straggler& b) { return a.ratio < b.ratio; });
  return test;
}

}  // namespace loadfactor::observe
