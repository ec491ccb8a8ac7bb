// Any bytes as a safetensors header or index: tensors that tile their file, or an error.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/check.h"
#include "base/error_codes.h"
#include "catalog/import/stored_weights.h"

namespace {

namespace catalog = loadfactor::catalog;

void check_errors(const loadfactor::Diagnostics& diagnostics) {
  for (const loadfactor::Error& error : diagnostics.errors()) {
    LF_CHECK(loadfactor::find_error_code(error.code) != nullptr, "the code is registered");
    LF_CHECK(!loadfactor::render(error).empty(), "an error can be shown");
  }
}

void check_header(const std::string& bytes) {
  loadfactor::Diagnostics diagnostics;
  const auto header =
      catalog::parse_safetensors_header({"model.safetensors", bytes, std::nullopt}, diagnostics);
  LF_CHECK(header.has_value() == diagnostics.empty(), "a header or an error, never both");
  check_errors(diagnostics);
  if (!header) return;
  const auto weights = catalog::summarise(std::span(&*header, 1));
  LF_CHECK(weights.bytes == header->data_bytes, "the tensors are the data");
  LF_CHECK(*weights.parameters >= 0, "no tensor holds less than nothing");
}

// The length in front of a header is hard to guess, so it is also written for the fuzzer.
std::string with_length(const std::string& json) {
  std::string bytes;
  for (unsigned i = 0; i < 8; ++i) bytes += static_cast<char>((json.size() >> (8 * i)) & 0xffU);
  return bytes + json;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  check_header(text);
  check_header(with_length(text));
  loadfactor::Diagnostics diagnostics;
  const auto index = catalog::parse_safetensors_index("index.json", text, diagnostics);
  LF_CHECK(index.has_value() == diagnostics.empty(), "an index or an error, never both");
  check_errors(diagnostics);
  if (index) {
    const auto weights = catalog::summarise(*index, catalog::Dtype::kBf16);
    LF_CHECK(weights.tensors == index->weight_map.size(), "every tensor is counted");
  }
  return 0;
}
