// What a Kubernetes manifest may hold: fields and types of each kind, and the rules beyond them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "launch/vocabulary/tree.h"

namespace loadfactor::launch {

// Something wrong with a manifest, at a path: `spec.replicas`, `'four' is no whole number`.
struct ManifestFault {
  std::string path;
  std::string what;
};

class Kinds {
 public:
  static Kinds read();

  bool has(std::string_view kind, std::string_view api_version) const;
  // The version under which a kind is known; empty where it is not.
  std::string api_version(std::string_view kind) const;
  // Everything that is wrong: fields that do not exist, values of another type, fields that are
  // missing, and what the types do not say: names, labels, selectors, whole GPUs in limits.
  std::vector<ManifestFault> check(const Tree& manifest) const;

 private:
  struct Field {
    std::string holds;
    bool is_required = false;
    std::vector<std::string> choices;
  };
  struct Kind {
    std::string api_version;
    std::string type;
  };
  using Fields = std::map<std::string, Field, std::less<>>;

  void check_type(const Tree& value, const std::string& type, const std::string& path,
                  std::vector<ManifestFault>& faults) const;
  void check_value(const Tree& value, const Field& field, const std::string& path,
                   std::vector<ManifestFault>& faults) const;

  std::map<std::string, Kind, std::less<>> kinds_;
  std::map<std::string, Fields, std::less<>> types_;
};

}  // namespace loadfactor::launch
