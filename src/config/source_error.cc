#include "config/source_error.h"

#include <utility>

#include <fmt/format.h>

namespace loadfactor::config {

Error written_error(const SourceView& source, std::span<const std::string> assignments, int code,
                    Position position, std::string message, std::string hint) {
  const bool is_set =
      position.giver == Giver::kSet && position.line >= 1 && position.line <= assignments.size();
  if (is_set) {
    const std::string& assignment = assignments[position.line - 1];
    const LineIndex line(assignment);
    position.line = 1;
    return error_at({"--set", assignment, &line}, code, position, std::move(message),
                    std::move(hint));
  }
  if (position.giver != Giver::kFile) position = {};
  return error_at(source, code, position, std::move(message), std::move(hint));
}

std::string to_text(const Origin& origin) {
  switch (origin.giver) {
    case Giver::kFile:
      break;
    case Giver::kSet:
      return "--set";
    case Giver::kDefault:
      return "default";
    case Giver::kPlanner:
      return "planner";
  }
  if (origin.where.line == 0) return origin.where.file;
  return fmt::format("{}:{}:{}", origin.where.file, origin.where.line, origin.where.column);
}

}  // namespace loadfactor::config
