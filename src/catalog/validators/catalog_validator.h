// Holds the entries of a catalogue against every rule.
#pragma once

#include <cstdint>
#include <string_view>

#include "catalog/index/shelves.h"
#include "loadfactor/result.h"

namespace loadfactor::catalog {

enum class CheckScope : std::uint8_t {
  kOverlays,    // A user's files, and what they change.
  kEverything,  // Every file of the catalogue.
};

// Reads what is in scope and reports everything that is wrong with it: the errors of the files
// themselves, stray files (LF520), names claimed twice (LF406), and the rules of the nouns.
void validate(const Shelves& shelves, CheckScope scope, std::string_view today,
              Diagnostics& diagnostics);

}  // namespace loadfactor::catalog
