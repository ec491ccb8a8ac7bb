#include "loadfactor/engine.h"

#include <utility>

#include "catalog/catalog.h"

namespace loadfactor {

std::unique_ptr<Engine> Engine::create(const std::vector<OverlayFile>& overlays,
                                       Diagnostics& diagnostics) {
  std::vector<catalog::DataFile> files = catalog::builtin_files();
  for (const auto& overlay : overlays)
    files.push_back({overlay.path, overlay.shown_as, overlay.text, catalog::Origin::kOverlay});
  auto opened = catalog::Catalog::open(std::move(files), diagnostics);
  if (!diagnostics.empty()) return nullptr;
  return std::unique_ptr<Engine>(new Engine(std::make_unique<catalog::Catalog>(std::move(opened))));
}

Engine::Engine(std::unique_ptr<catalog::Catalog> catalog) : catalog_(std::move(catalog)) {}
Engine::~Engine() = default;

}  // namespace loadfactor
