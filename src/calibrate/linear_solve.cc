#include "calibrate/linear_solve.h"

#include <cmath>

namespace loadfactor::calibrate {

namespace {

// Overwrites the lower triangle with L of A = L Lᵀ.
void factor(SymmetricMatrix& a) {
  const std::size_t n = a.size();
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k) {
      const double pivot = a.at(j, k);
      if (pivot == 0.0) continue;
      for (std::size_t i = j; i < n; ++i) a.at(i, j) -= a.at(i, k) * pivot;
    }
    const double root = std::sqrt(a.at(j, j));
    for (std::size_t i = j; i < n; ++i) a.at(i, j) /= root;
  }
}

void substitute(const SymmetricMatrix& l, std::vector<double>& b) {
  const std::size_t n = l.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= l.at(i, k) * b[k];
    b[i] /= l.at(i, i);
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= l.at(k, i) * b[k];
    b[i] /= l.at(i, i);
  }
}

}  // namespace

std::vector<double> solve(SymmetricMatrix a, std::vector<double> b) {
  factor(a);
  substitute(a, b);
  return b;
}

std::vector<double> inverse_diagonal(const SymmetricMatrix& a) {
  SymmetricMatrix l = a;
  factor(l);
  std::vector<double> diagonal(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::vector<double> unit(a.size(), 0.0);
    unit[i] = 1.0;
    substitute(l, unit);
    diagonal[i] = unit[i];
  }
  return diagonal;
}

}  // namespace loadfactor::calibrate
