// What went wrong, as RFC 9457 has it, with our codes and places.
#pragma once

#include <string>

#include "loadfactor/result.h"
#include "web/wire/call.h"

namespace loadfactor::web {

// A refusal that is about the request and not about the question in it.
Reply problem(int status, const std::string& detail);
// The same, to be tried again.
Reply busy(int status, const std::string& detail, int seconds);

Reply problem(const Diagnostics& diagnostics);
Reply problem(const Error& error);

// The words that HTTP has for a status.
std::string_view reason_of(int status);

}  // namespace loadfactor::web
