#include "config/document.h"

#include <utility>

#include "config/source_error.h"

namespace loadfactor::config {

Error Document::error(int code, Position position, std::string message, std::string hint) const {
  return written_error({file, text, &lines}, overrides, code, position, std::move(message),
                       std::move(hint));
}

}  // namespace loadfactor::config
