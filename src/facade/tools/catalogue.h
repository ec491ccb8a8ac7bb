// What the catalogue holds, in numbers, and the scenarios that ship with it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "loadfactor/engine.h"

namespace loadfactor::facade {

struct CatalogueCounts {
  std::size_t accelerators = 0;
  std::size_t nodes = 0;
  std::size_t links = 0;
  std::size_t models = 0;
  std::size_t engines = 0;
  std::size_t rents = 0;
  std::size_t api_prices = 0;
  std::size_t regions = 0;
};
CatalogueCounts count_catalogue(const Engine& engine);

// How many there are by name alone, without reading them.
struct CatalogueNames {
  std::size_t accelerators = 0;
  std::size_t models = 0;
};
CatalogueNames count_names(const Engine& engine);

// The text of a file of data/ that is built in; empty where there is none.
std::string shipped_text(std::string_view path);

// Everything that is wrong with a scenario: its text, and names that the catalogue does not have.
Diagnostics check_scenario(const Engine& engine, const std::string& name, const std::string& text);

// Whether a file of traffic says how long its requests are.
Result<bool> has_lengths(const std::string& path, std::string_view bytes);

}  // namespace loadfactor::facade
