// A symmetric positive definite system, by Cholesky.
#pragma once

#include <cstddef>
#include <vector>

namespace loadfactor::calibrate {

class SymmetricMatrix {
 public:
  explicit SymmetricMatrix(std::size_t size) : size_(size), cells_(size * size, 0.0) {}
  double& at(std::size_t i, std::size_t j) { return cells_[i * size_ + j]; }
  double at(std::size_t i, std::size_t j) const { return cells_[i * size_ + j]; }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_;
  std::vector<double> cells_;
};

// x of A x = b. A must be positive definite; only its lower triangle is read.
std::vector<double> solve(SymmetricMatrix a, std::vector<double> b);

// The diagonal of the inverse of A.
std::vector<double> inverse_diagonal(const SymmetricMatrix& a);

}  // namespace loadfactor::calibrate
