// How the lists of weight tensors are written down.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "workload/weight_tensor.h"

namespace loadfactor::workload {

// Adds tensors of one component, in the words of the formulas.
class TensorList {
 public:
  explicit TensorList(Component component) : component_(component) {}

  // Output features cut by tensor parallelism into `units`.
  void cut_rows(ProductRole role, std::string_view name, std::int64_t rows, std::int64_t columns,
                std::int64_t units) {
    add({.name = name,
         .rows = rows,
         .columns = columns,
         .split = Split::kRows,
         .units = units,
         .role = role});
  }
  // Input features cut.
  void cut_columns(ProductRole role, std::string_view name, std::int64_t rows, std::int64_t columns,
                   std::int64_t units) {
    add({.name = name,
         .rows = rows,
         .columns = columns,
         .split = Split::kColumns,
         .units = units,
         .role = role});
  }
  // The same on every rank.
  void whole(ProductRole role, std::string_view name, std::int64_t rows, std::int64_t columns) {
    add({.name = name, .rows = rows, .columns = columns, .role = role});
  }
  void vector(std::string_view name, std::int64_t length) { add({.name = name, .rows = length}); }
  void cut_vector(std::string_view name, std::int64_t length, std::int64_t units) {
    add({.name = name, .rows = length, .split = Split::kRows, .units = units});
  }
  void norm(std::string_view name, std::int64_t length) {
    add({.name = name, .component = Component::kNorms, .rows = length}, Component::kNorms);
  }
  void add(WeightTensor tensor) { add(tensor, component_); }

  std::vector<WeightTensor> take() && { return std::move(tensors_); }

 private:
  void add(WeightTensor tensor, Component component) {
    tensor.component = component;
    if (tensor.elements() > 0) tensors_.push_back(tensor);
  }

  Component component_;
  std::vector<WeightTensor> tensors_;
};

}  // namespace loadfactor::workload
