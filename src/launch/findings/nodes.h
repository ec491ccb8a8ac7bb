// Values of a YAML or JSON tree by their paths, as readers of launches ask for them.
#pragma once

#include <string>
#include <string_view>

#include "config/document.h"
#include "launch/findings/findings.h"

namespace loadfactor::launch {

const config::Node* member(const config::Node& node, std::string_view key);
// The value at `spec.template.spec`, or nothing.
const config::Node* at(const config::Node& node, std::string_view path);
// The text of a scalar; empty where there is none.
std::string words(const config::Node& node, std::string_view path);
Place place(const Source& source, const config::Node* node);
bool is_true(const config::Node& node, std::string_view path);
// Sets a key to the whole number at a path. "auto" leaves it open: the program that reads the file
// fills it in.
void count(const Source& source, const config::Node& root, std::string_view path,
           std::string_view key, Findings& findings);
// The word that a node is, as a shell would have it.
Word word(const config::Node& node);

}  // namespace loadfactor::launch
