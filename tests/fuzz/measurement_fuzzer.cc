// Any bytes as a measurement: figures that make sense, or an error that can be shown.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "base/check.h"
#include "base/error_codes.h"
#include "calibrate/measurement/measurement.h"

namespace {

namespace calibrate = loadfactor::calibrate;

void check_measurement(const calibrate::Measurement& measurement) {
  if (const auto* collectives = std::get_if<calibrate::CollectiveFile>(&measurement)) {
    for (const auto& point : collectives->points) {
      LF_CHECK(point.bytes.base() > 0 && point.duration.base() > 0, "a point has size and time");
      LF_CHECK(point.ranks >= 2 && !point.operation.empty(), "and a group and a name");
    }
  }
  if (const auto* serving = std::get_if<calibrate::ServingFile>(&measurement)) {
    for (const auto& point : serving->points)
      LF_CHECK(point.output_throughput > 0 && std::isfinite(point.output_throughput), "a rate");
  }
  if (const auto* log = std::get_if<calibrate::TrainingLog>(&measurement)) {
    LF_CHECK(!log->steps.empty(), "a log has steps");
    const auto step = log->typical_step();
    LF_CHECK(!step || (step->base() > 0 && std::isfinite(step->base())), "that take time");
    LF_CHECK(log->spread() >= 0, "and spread");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = calibrate::read_measurement("file", std::string(data, data + size));
  if (read) {
    check_measurement(*read);
    return 0;
  }
  LF_CHECK(loadfactor::find_error_code(read.error().code) != nullptr, "the code is registered");
  LF_CHECK(!loadfactor::render(read.error()).empty(), "an error can be shown");
  return 0;
}
