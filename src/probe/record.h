// What the probe found, section by section, on its way into one JSON file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "json_writer.h"
#include "statistics.h"

namespace loadfactor::probe {

using Value = std::variant<std::string, double, std::int64_t, bool>;

// One measurement or fact: named values in the order they were added.
class Row {
 public:
  Row& text(std::string key, std::string value) { return add(std::move(key), std::move(value)); }
  Row& number(std::string key, double value) { return add(std::move(key), value); }
  Row& whole(std::string key, std::int64_t value) { return add(std::move(key), value); }
  Row& truth(std::string key, bool value) { return add(std::move(key), value); }
  // seconds, low, high, best and repeats.
  Row& timing(const Summary& summary);
  void write(JsonWriter& json) const;

 private:
  Row& add(std::string key, Value value) {
    values_.emplace_back(std::move(key), std::move(value));
    return *this;
  }
  std::vector<std::pair<std::string, Value>> values_;
};

struct Failure {
  std::string section;
  std::string reason;
};

struct Record {
  Row tool;
  Row machine;
  Row versions;
  std::vector<std::string> warnings;
  std::map<std::string, std::vector<Row>> sections;
  std::vector<Failure> failures;
  double elapsed_seconds = 0;
};

// The text of a probe file, schema probe/1.
std::string to_json(const Record& record);

}  // namespace loadfactor::probe
