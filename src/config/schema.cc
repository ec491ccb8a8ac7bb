#include "config/schema.h"

#include <charconv>
#include <string>

#include "base/error_codes.h"

namespace loadfactor::config {
namespace {

// A version from 1 written in digits; 0 otherwise.
int version_in(std::string_view text) {
  int version = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), version);
  const bool whole = status == std::errc() && end == text.data() + text.size();
  return whole && version > 0 ? version : 0;
}

std::string_view scalar_of(const Node* node) {
  return node != nullptr && node->kind == NodeKind::kScalar ? std::string_view(node->scalar)
                                                            : std::string_view();
}

int checked(MapReader& reader, std::string_view key, int version, int newest) {
  if (version <= newest) return version;
  reader.report(key, lf::kWrongSchema,
                "this file is of version " + std::to_string(version) +
                    "; this program reads up to version " + std::to_string(newest),
                "update loadfactor, or write the file for version " + std::to_string(newest));
  return 0;
}

}  // namespace

int check_schema(MapReader& reader, std::string_view kind, int newest) {
  const std::string wanted = std::string(kind) + "/" + std::to_string(newest);
  const std::string_view found = scalar_of(reader.node("schema"));
  const std::size_t slash = found.find('/');
  const int version = slash == found.npos ? 0 : version_in(found.substr(slash + 1));
  if (found.substr(0, slash) == kind && version > 0)
    return checked(reader, "schema", version, newest);
  reader.report("schema", lf::kWrongSchema,
                reader.has("schema") ? "this is not a schema of a " + std::string(kind)
                                     : reader.what() + " does not say which schema it follows",
                "write 'schema: " + wanted + "'");
  return 0;
}

int check_version(MapReader& reader, std::string_view key, int newest) {
  const int version = version_in(scalar_of(reader.node(key)));
  if (version > 0) return checked(reader, key, version, newest);
  const std::string line = std::string(key) + ": " + std::to_string(newest);
  reader.report(key, lf::kWrongSchema,
                reader.has(key) ? "this is not a version" : "the file does not say its version",
                "write '" + line + "'");
  return 0;
}

}  // namespace loadfactor::config
