#include "facade/calibrate/site_chip.h"

#include <fmt/format.h>

#include "base/error_codes.h"

namespace loadfactor::facade {

Result<const catalog::AcceleratorSpec*> measured_chip(const catalog::Catalog& catalog,
                                                      const SiteMeasurements& given,
                                                      const std::string& device,
                                                      const std::string& file) {
  if (given.gpu.empty() && device.empty())
    return Error{.code = lf::kUnknownDevice,
                 .message = "nothing says on which accelerator this was measured",
                 .hint = "name it: --gpu h200-sxm",
                 .where = {.file = file}};
  const auto found = catalog.find_accelerator(given.gpu.empty() ? device : given.gpu);
  const auto measured = catalog.find_accelerator(device);
  if (found && !device.empty() && measured && *measured != *found)
    return Error{.code = lf::kUnknownDevice,
                 .message = fmt::format("what was measured is a '{}', not a '{}'",
                                        (*measured)->name, (*found)->name),
                 .hint = "leave --gpu out",
                 .where = {.file = file}};
  if (found) return *found;
  Error error = found.error();
  error.code = lf::kUnknownDevice;
  error.hint = "name it: --gpu h200-sxm";
  error.where.file = file;
  return error;
}

Result<bool> check_gpu_flag(const catalog::Catalog& catalog, const SiteMeasurements& given,
                            const std::string& chip, const std::string& scenario) {
  if (given.gpu.empty()) return true;
  TRY(const auto* named, catalog.find_accelerator(given.gpu));
  if (named->name == chip) return true;
  return Error{.code = lf::kUnknownDevice,
               .message = fmt::format("--gpu says '{}', the scenario '{}'", named->name, chip),
               .hint = "leave --gpu out, or correct the scenario",
               .where = {.file = scenario}};
}

}  // namespace loadfactor::facade
