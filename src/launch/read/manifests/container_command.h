// What a container of a manifest or of compose starts: its variables, and the words of its command.
#pragma once

#include <string>
#include <vector>

#include "launch/findings/nodes.h"
#include "launch/shell/shell.h"
#include "launch/vocabulary/reading_tables.h"

namespace loadfactor::launch {

// The variables of a container that are plain values, those of ConfigMaps among them.
Variables container_variables(const Source& source, const config::Node& node,
                              const Findings& findings);

// The words of a container's command; an image that starts a server comes before its arguments.
std::vector<Word> container_command(const config::Node& node, const Variables& variables,
                                    const Images& images, const Findings& findings);

// The pool that a command names: prefill or decode; else the one that is given.
std::string side_of(const std::vector<Word>& command, const std::string& pool);

}  // namespace loadfactor::launch
