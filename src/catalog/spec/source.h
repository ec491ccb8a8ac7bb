// A document that facts come from: a row of SOURCES.md.
#pragma once

#include <cstdint>
#include <string>

namespace loadfactor::catalog {

struct Source {
  std::string id;
  std::string document;
  std::string date;
  std::string file;  // Where the row stands.
  std::uint32_t line = 0;
};

}  // namespace loadfactor::catalog
