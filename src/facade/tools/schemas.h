// Schemas of our files and answers, and the check of any file that has one.
#pragma once

#include <string>
#include <vector>

#include "loadfactor/engine.h"
#include "loadfactor/result.h"

namespace loadfactor::facade {

std::vector<std::string> schema_names(const Engine& engine);
// The JSON Schema of that name. LF603, with the nearest, where there is none.
Result<std::string> schema_text(const Engine& engine, const std::string& name);
// Every field of every answer, as a page.
std::string all_fields_page();

// Reads any of our files by what it says it is; everything that is wrong with it.
Diagnostics check_file(const std::string& path, const std::string& text);

}  // namespace loadfactor::facade
