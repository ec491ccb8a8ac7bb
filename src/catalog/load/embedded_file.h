// The bytes of data/ inside the binary; cmake/embed_files.cmake writes the definition.
#pragma once

#include <span>
#include <string_view>

namespace loadfactor::catalog {

struct EmbeddedFile {
  std::string_view path;  // Relative to data/.
  const char* begin;
  const char* end;
};

std::span<const EmbeddedFile> embedded_files();

}  // namespace loadfactor::catalog
