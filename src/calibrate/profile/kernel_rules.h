// The class of a kernel by its name; the rules are data.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/profile/work_class.h"
#include "catalog/load/data_file.h"
#include "loadfactor/result.h"

namespace loadfactor::calibrate {

struct KernelRule {
  WorkClass work = WorkClass::kUnclassed;
  std::vector<std::string> contains;  // In small letters,
  std::vector<std::string> starts;    // both.
};

struct KernelRules {
  std::vector<KernelRule> rules;
  std::vector<std::string> steps;             // How ranges begin that are a step each.
  std::vector<std::string> optimizer_ranges;  // How ranges begin in which the optimizer works.

  // The class of the first rule that matches.
  WorkClass class_of(std::string_view kernel) const;
  bool is_step(std::string_view range) const;
  bool is_optimizer(std::string_view range) const;
};

// integrations/kernels.yaml. LF511 for another schema, LF506 for a class that does not exist.
std::optional<KernelRules> load_kernel_rules(const catalog::DataFile& file,
                                             Diagnostics& diagnostics);

}  // namespace loadfactor::calibrate
