#include "resolve/train/train_site.h"

namespace loadfactor::engine {

std::optional<calibrate::SiteCalibration> find_site(const catalog::Catalog& catalog,
                                                    std::string_view chip, std::string_view stack,
                                                    Diagnostics& diagnostics) {
  if (const auto* file = catalog.find_file("site.yaml")) {
    auto site = calibrate::load_site(*file, diagnostics);
    const auto speaks_of = [](const std::string& said, std::string_view wanted) {
      return said.empty() || said == wanted;
    };
    if (site && speaks_of(site->chip, chip) && speaks_of(site->stack, stack)) return site;
  }
  return shipped_site(catalog, diagnostics);
}

std::optional<calibrate::SiteCalibration> shipped_site(const catalog::Catalog& catalog,
                                                       Diagnostics& diagnostics) {
  const auto* shipped = catalog.find_file("calibration/site-terms.yaml");
  if (shipped == nullptr) return std::nullopt;
  return calibrate::load_site(*shipped, diagnostics);
}

training::StepTime step_of(const TrainAnswer& answer) {
  training::StepTime time;
  for (const StepPart& row : answer.parts) {
    for (std::size_t i = 0; i < training::kNumParts; ++i) {
      const auto part = static_cast<training::Part>(i);
      if (training::name(part) == row.key) time[part] = row.time.value();
    }
  }
  return time;
}

}  // namespace loadfactor::engine
