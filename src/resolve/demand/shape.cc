#include "resolve/demand/shape.h"

#include <utility>

#include <fmt/format.h>

#include "demand/read/week_file.h"
#include "demand/traffic_file.h"

namespace loadfactor::engine {
namespace {

constexpr double kAfternoon = 14;  // When a day is busiest where nobody says.

bool is_fitted_model(std::string_view bytes) {
  return bytes.find("schema: traffic/1") != std::string_view::npos;
}

Result<demand::TrafficModel> traffic_of_file(const std::string& file, std::string_view bytes) {
  if (is_fitted_model(bytes)) {
    Diagnostics diagnostics;
    auto model = demand::read_traffic(file, std::string(bytes), diagnostics);
    if (!model) return diagnostics.errors().front();
    return *std::move(model);
  }
  demand::TrafficModel model;
  TRY(model.week, demand::read_week(file, bytes));
  model.base = Hertz::from_base(1);
  return model;
}

}  // namespace

Result<demand::TrafficModel> shape_traffic(const config::ShapeSection& shape,
                                           std::string_view bytes) {
  if (shape.file) return traffic_of_file(shape.file->value, bytes);
  demand::TrafficModel model;
  model.base = Hertz::from_base(1);
  if (shape.daily_peak) model.day.amplitude = demand::amplitude_of_peak(shape.daily_peak->value);
  model.day.peak_hour = shape.peak_hour ? shape.peak_hour->value : kAfternoon;
  if (shape.weekend) model.weekend = shape.weekend->value;
  return model;
}

std::string shape_text(const config::ShapeSection& shape) {
  if (shape.file) return shape.file->value;
  std::string text;
  if (shape.daily_peak) text = fmt::format("daily peak {:g}", shape.daily_peak->value);
  if (shape.weekend)
    text += fmt::format("{}weekend {:g}", text.empty() ? "" : ", ", shape.weekend->value);
  return text;
}

}  // namespace loadfactor::engine
