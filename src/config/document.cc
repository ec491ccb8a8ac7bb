#include "config/document.h"

#include <utility>

namespace loadfactor::config {

Error Document::error(int code, Position position, std::string message, std::string hint) const {
  if (position.line >= kFirstOverrideLine) {
    const std::string& assignment = overrides[position.line - kFirstOverrideLine];
    const LineIndex line(assignment);
    position.line = 1;
    return error_at({"--set", assignment, &line}, code, position, std::move(message),
                    std::move(hint));
  }
  return error_at({file, text, &lines}, code, position, std::move(message), std::move(hint));
}

}  // namespace loadfactor::config
