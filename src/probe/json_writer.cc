#include "json_writer.h"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace loadfactor::probe {
namespace {

// Rows of measurements stay on one line each, so that two files compare line by line.
constexpr std::size_t kBrokenLevels = 3;

}  // namespace

void JsonWriter::place(std::string_view key) {
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.empty) out_ += ',';
  if (levels_.size() <= kBrokenLevels) {
    out_ += '\n';
    out_.append(2 * levels_.size(), ' ');
  } else if (!level.empty) {
    out_ += ' ';
  }
  level.empty = false;
  if (level.closing == ']') return;
  quote(key);
  out_ += ": ";
}

void JsonWriter::quote(std::string_view value) {
  out_ += '"';
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out_ += '\\';
      out_ += c;
    } else if (byte < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", byte);
      out_ += code;
    } else {
      out_ += c;
    }
  }
  out_ += '"';
}

JsonWriter& JsonWriter::open(char bracket, char closing, std::string_view key) {
  place(key);
  out_ += bracket;
  levels_.push_back({closing, true});
  return *this;
}

JsonWriter& JsonWriter::end() {
  const Level level = levels_.back();
  if (!level.empty && levels_.size() <= kBrokenLevels) {
    out_ += '\n';
    out_.append(2 * (levels_.size() - 1), ' ');
  }
  levels_.pop_back();
  out_ += level.closing;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view key, std::string_view value) {
  place(key);
  quote(value);
  return *this;
}

JsonWriter& JsonWriter::number(std::string_view key, double value) {
  place(key);
  if (!std::isfinite(value)) {
    out_ += "null";
    return *this;
  }
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out_.append(digits, end);
  return *this;
}

JsonWriter& JsonWriter::whole(std::string_view key, std::int64_t value) {
  place(key);
  out_ += std::to_string(value);
  return *this;
}

JsonWriter& JsonWriter::truth(std::string_view key, bool value) {
  place(key);
  out_ += value ? "true" : "false";
  return *this;
}

std::string JsonWriter::finish() {
  while (!levels_.empty()) end();
  out_ += '\n';
  return std::move(out_);
}

}  // namespace loadfactor::probe
