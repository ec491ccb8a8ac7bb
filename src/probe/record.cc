#include "record.h"

namespace loadfactor::probe {

Row& Row::timing(const Summary& summary) {
  return number("seconds", summary.median)
      .number("low", summary.low)
      .number("high", summary.high)
      .number("best", summary.best)
      .whole("repeats", summary.count);
}

void Row::write(JsonWriter& json) const {
  for (const auto& [key, value] : values_) {
    if (const auto* text = std::get_if<std::string>(&value)) json.text(key, *text);
    if (const auto* number = std::get_if<double>(&value)) json.number(key, *number);
    if (const auto* whole = std::get_if<std::int64_t>(&value)) json.whole(key, *whole);
    if (const auto* truth = std::get_if<bool>(&value)) json.truth(key, *truth);
  }
}

std::string to_json(const Record& record) {
  JsonWriter json;
  json.begin_object().text("schema", "probe/1");
  const auto block = [&](const char* key, const Row& row) {
    json.begin_object(key);
    row.write(json);
    json.end();
  };
  block("tool", record.tool);
  block("machine", record.machine);
  block("versions", record.versions);
  json.begin_array("warnings");
  for (const std::string& warning : record.warnings) json.text({}, warning);
  json.end();
  json.begin_object("measurements");
  for (const auto& [name, rows] : record.sections) {
    json.begin_array(name);
    for (const Row& row : rows) {
      json.begin_object();
      row.write(json);
      json.end();
    }
    json.end();
  }
  json.end();
  json.begin_array("failures");
  for (const Failure& failure : record.failures) {
    json.begin_object();
    json.text("section", failure.section).text("reason", failure.reason);
    json.end();
  }
  json.end();
  json.number("elapsed_seconds", record.elapsed_seconds);
  return json.finish();
}

}  // namespace loadfactor::probe
