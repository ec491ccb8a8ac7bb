#include "calibrate/robust_fit.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace loadfactor::calibrate {
namespace {

using Vector = std::vector<double>;

double loss(const Vector& residuals, double spread) {
  double sum = 0.0;
  for (const double r : residuals) {
    const double scaled = r / spread;
    sum += std::log1p(scaled * scaled / kDegrees);
  }
  return 0.5 * (kDegrees + 1.0) * sum;
}

// One fit in progress.
class Descent {
 public:
  explicit Descent(const RobustProblem& problem) : problem_(problem) {
    for (const FreeParameter& p : problem.parameters) x_.push_back(p.start);
    residuals_.resize(problem.num_residuals);
    problem_.residuals(x_, residuals_);
  }

  RobustResult run() {
    for (int round = 0; round < problem_.rounds; ++round) {
      spread_ = std::max(problem_.least_spread, robust_spread(residuals_));
      linearise();
      if (!improve()) break;
    }
    return {x_, robust_spread(residuals_), loss(residuals_, 0.1)};
  }

 private:
  double pull(std::size_t i, double value) const {
    const FreeParameter& p = problem_.parameters[i];
    return p.looseness > 0.0 ? (value - p.prior) / (p.looseness * p.looseness) : 0.0;
  }
  double total(const Vector& x, const Vector& residuals) const {
    double sum = loss(residuals, spread_);
    for (std::size_t i = 0; i < x.size(); ++i) {
      sum += 0.5 * pull(i, x[i]) * (x[i] - problem_.parameters[i].prior);
    }
    return sum;
  }

  // Builds the weighted normal equations at x_.
  void linearise() {
    const std::size_t n = x_.size();
    const std::size_t rows = residuals_.size();
    std::vector<Vector> slopes(n, Vector(rows));
    Vector shifted(rows);
    for (std::size_t i = 0; i < n; ++i) {
      const double step = x_[i] + 1e-4 > problem_.parameters[i].high ? -1e-4 : 1e-4;
      Vector x = x_;
      x[i] += step;
      problem_.residuals(x, shifted);
      for (std::size_t r = 0; r < rows; ++r) slopes[i][r] = (shifted[r] - residuals_[r]) / step;
    }
    normal_.assign(n * n, 0.0);
    gradient_.assign(n, 0.0);
    for (std::size_t r = 0; r < rows; ++r) {
      const double weight = student_weight(residuals_[r], spread_) / (spread_ * spread_);
      for (std::size_t i = 0; i < n; ++i) {
        gradient_[i] -= weight * slopes[i][r] * residuals_[r];
        for (std::size_t j = 0; j <= i; ++j) {
          normal_[i * n + j] += weight * slopes[i][r] * slopes[j][r];
        }
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double looseness = problem_.parameters[i].looseness;
      if (looseness > 0.0) normal_[i * n + i] += 1.0 / (looseness * looseness);
      gradient_[i] -= pull(i, x_[i]);
      for (std::size_t j = 0; j < i; ++j) normal_[j * n + i] = normal_[i * n + j];
    }
  }

  // Tries steps of growing caution; false when none helps.
  bool improve() {
    const std::size_t n = x_.size();
    const double before = total(x_, residuals_);
    Vector trial(residuals_.size());
    for (int attempt = 0; attempt < 12; ++attempt) {
      Vector matrix = normal_;
      Vector step = gradient_;
      for (std::size_t i = 0; i < n; ++i) {
        matrix[i * n + i] += damping_ * (normal_[i * n + i] + 1e-6);
      }
      Vector x = x_;
      if (solve_positive(matrix, step)) {
        for (std::size_t i = 0; i < n; ++i) {
          const FreeParameter& p = problem_.parameters[i];
          x[i] = std::clamp(x[i] + step[i], p.low, p.high);
        }
        problem_.residuals(x, trial);
        const double after = total(x, trial);
        if (after < before) {
          x_ = std::move(x);
          residuals_ = trial;
          damping_ = std::max(1e-7, damping_ * 0.2);
          return before - after > 1e-7 * before;
        }
      }
      damping_ = std::min(1e6, damping_ * 5.0);
    }
    return false;
  }

  const RobustProblem& problem_;
  Vector x_;
  Vector residuals_;
  Vector normal_;
  Vector gradient_;
  double spread_ = 1.0;
  double damping_ = 1e-2;
};

}  // namespace

double robust_spread(std::span<const double> residuals) {
  if (residuals.empty()) return 0.0;
  Vector sizes;
  sizes.reserve(residuals.size());
  for (const double r : residuals) sizes.push_back(std::abs(r));
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return 1.4826 * *middle;
}

double student_weight(double residual, double spread) {
  const double scaled = residual / spread;
  return (kDegrees + 1.0) / (kDegrees + scaled * scaled);
}

bool solve_positive(Vector& matrix, Vector& right_side) {
  const std::size_t n = right_side.size();
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j; i < n; ++i) {
      double sum = matrix[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= matrix[i * n + k] * matrix[j * n + k];
      if (i == j) {
        if (!(sum > 0.0)) return false;
        matrix[j * n + j] = std::sqrt(sum);
      } else {
        matrix[i * n + j] = sum / matrix[j * n + j];
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) right_side[i] -= matrix[i * n + k] * right_side[k];
    right_side[i] /= matrix[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) right_side[i] -= matrix[k * n + i] * right_side[k];
    right_side[i] /= matrix[i * n + i];
  }
  return true;
}

RobustResult fit_robust(const RobustProblem& problem) {
  return Descent(problem).run();
}

}  // namespace loadfactor::calibrate
