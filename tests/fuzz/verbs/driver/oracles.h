// What must hold for every reply, whatever was asked: the rules of oracles.py beside the schemas.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace loadfactor::fuzz {

using Json = nlohmann::json;
using Complaints = std::vector<std::string>;

// Checks an answer as JSON: intervals hold, nothing beats light, parts make their sums.
Complaints wrong_with_answer(const Json& document);
// Checks the table of an answer: lines of at most 80 columns.
Complaints wrong_with_table(const std::string& verb, const std::string& text);
// Checks a refusal: its code, its status and its place in the files that were given.
Complaints wrong_with_refusal(const Json& document, const Json& files);

// The figure of an estimate or of a plain number; nothing where there is none.
bool figure_of(const Json& tree, double& value);

}  // namespace loadfactor::fuzz
