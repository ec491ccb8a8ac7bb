// A form that was filled in: its question is asked, and the answer written.
#pragma once

#include "cli/session/session.h"
#include "facade/forms/form.h"

namespace loadfactor::cli {

void ask_and_write(Session& session, facade::Form& form);

}  // namespace loadfactor::cli
