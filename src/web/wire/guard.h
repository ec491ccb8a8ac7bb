// Who may ask: the names that the server answers to, and the token where one is needed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "web/wire/call.h"

namespace loadfactor::web {

struct Door {
  std::string address = "127.0.0.1";   // Where it listens.
  int port = 0;                        // As bound.
  std::vector<std::string> hostnames;  // Names that lead here, through a proxy perhaps.
  std::string token;                   // Empty: none is needed.
};

// Whether only programs of this machine reach the address.
bool is_loopback(const std::string& address);

// A refusal; nothing for those who may come in.
std::optional<Reply> refuse_stranger(const Call& call, const Door& door);

}  // namespace loadfactor::web
