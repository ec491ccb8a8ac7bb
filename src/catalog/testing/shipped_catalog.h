// The catalogue that ships, read once.
#pragma once

#include "catalog/catalog.h"

namespace loadfactor::catalog::testing {

inline const Catalog& shipped() {
  static const Catalog kCatalog = [] {
    Diagnostics diagnostics;
    return Catalog::open(builtin_files(), diagnostics);
  }();
  return kCatalog;
}

}  // namespace loadfactor::catalog::testing
