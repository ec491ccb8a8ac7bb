// What plain `loadfactor` prints.
#pragma once

#include "cli/session/session.h"

namespace loadfactor::cli {

void print_welcome(Session& session);

}  // namespace loadfactor::cli
