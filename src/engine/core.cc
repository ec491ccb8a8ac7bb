#include "engine/core.h"

#include <utility>

namespace loadfactor::engine {

std::unique_ptr<Core> Core::create(const std::vector<OverlayFile>& overlays,
                                   Diagnostics& diagnostics) {
  std::vector<catalog::DataFile> files = catalog::builtin_files();
  for (const auto& overlay : overlays)
    files.push_back({overlay.path, overlay.shown_as, overlay.text, catalog::Origin::kOverlay});
  auto opened = catalog::Catalog::open(std::move(files), diagnostics);
  if (!diagnostics.empty()) return nullptr;
  return std::unique_ptr<Core>(new Core(std::make_unique<catalog::Catalog>(std::move(opened))));
}

std::unique_ptr<const Core> Core::in_currency(double per_usd) const {
  std::unique_ptr<Core> core(
      new Core(std::make_unique<catalog::Catalog>(catalog_->in_currency(per_usd))));
  core->crew_ = crew_;
  return core;
}

}  // namespace loadfactor::engine
