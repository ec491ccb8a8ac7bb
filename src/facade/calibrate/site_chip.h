// Which accelerator of the catalogue was measured.
#pragma once

#include <string>

#include "catalog/catalog.h"
#include "loadfactor/ask.h"
#include "loadfactor/result.h"

namespace loadfactor::facade {

// The chip of a file whose driver calls it `device` (empty: the file does not say). LF420 where
// neither the file nor `--gpu` names one, or both do and differ; `file` is named then.
Result<const catalog::AcceleratorSpec*> measured_chip(const catalog::Catalog& catalog,
                                                      const SiteMeasurements& given,
                                                      const std::string& device,
                                                      const std::string& file);

// LF420 where `--gpu` names another chip than a scenario does.
Result<bool> check_gpu_flag(const catalog::Catalog& catalog, const SiteMeasurements& given,
                            const std::string& chip, const std::string& scenario);

}  // namespace loadfactor::facade
