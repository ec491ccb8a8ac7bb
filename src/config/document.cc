#include "config/document.h"

#include <utility>

namespace loadfactor::config {

Error Document::error(int code, Position position, std::string message, std::string hint) const {
  return error_at({file, text, &lines}, code, position, std::move(message), std::move(hint));
}

}  // namespace loadfactor::config
