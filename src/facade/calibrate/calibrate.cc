// `calibrate`: the model is made to match measurements.
#include <variant>

#include "facade/calibrate/calibrations.h"

namespace loadfactor::facade {

std::optional<Answer> ask(const Desk& desk, const CalibrateQuestion& question) {
  return std::visit([&](const auto& from) { return calibrate(desk, question.settings, from); },
                    question.from);
}

}  // namespace loadfactor::facade
