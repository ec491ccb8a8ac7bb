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

}  // namespace loadfactor::engine
