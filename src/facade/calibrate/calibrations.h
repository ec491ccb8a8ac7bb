// Each kind of calibration: its answer, or everything that is wrong.
#pragma once

#include <optional>

#include "facade/verbs.h"

namespace loadfactor::facade {

std::optional<Answer> calibrate(const Desk& desk, const Settings& settings,
                                const SiteMeasurements& measured);
std::optional<Answer> calibrate(const Desk& desk, const Settings& settings,
                                const TrainingRefit& refit);
std::optional<Answer> calibrate(const Desk& desk, const Settings& settings,
                                const ServingRefit& refit);
std::optional<Answer> calibrate(const Desk& desk, const Settings& settings,
                                const KernelTables& tables);
std::optional<Answer> calibrate(const Desk& desk, const Settings& settings,
                                const CollectiveTables& tables);

}  // namespace loadfactor::facade
