// The arguments of a program, each held to the program's own table, with where its value is from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "launch/emit/emission.h"
#include "launch/vocabulary/program.h"

namespace loadfactor::launch {

struct Argument {
  std::string name;
  std::vector<std::string> values;  // None: a switch.
  std::string remark;
};

class Arguments {
 public:
  // Without a table, what is added is not checked.
  explicit Arguments(Desk& desk, Program program = {})
      : desk_(&desk), program_(std::move(program)) {}

  void add(std::string_view name, std::string_view remark);  // A switch.
  void add(std::string_view name, std::string_view value, std::string_view remark);
  void add(std::string_view name, const char* value, std::string_view remark) {
    add(name, std::string_view(value), remark);
  }
  void add(std::string_view name, std::int64_t value, std::string_view remark) {
    add(name, std::string_view(std::to_string(value)), remark);
  }
  void add(std::string_view name, int value, std::string_view remark) {
    add(name, std::int64_t{value}, remark);
  }
  void add(std::string_view name, double value, std::string_view remark);
  void add(std::string_view name, const std::vector<std::string>& values, std::string_view remark);
  // A switch that has a name for no, one way or the other.
  void toggle(std::string_view name, bool is_on, std::string_view remark);

  const Program& program() const { return program_; }
  const std::vector<Argument>& all() const { return arguments_; }
  // All of them as words: `--tp-size`, `4`.
  std::vector<std::string> words() const;
  // As an array of bash, a comment behind each.
  std::string as_array(std::string_view name) const;
  // One flag a line, a comment behind each.
  std::string as_lines() const;

 private:
  std::string as_rows(std::string_view indent) const;

  Desk* desk_;
  Program program_;
  std::vector<Argument> arguments_;
};

}  // namespace loadfactor::launch
