// The files that a scenario names, found among those that were handed in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loadfactor/ask.h"
#include "loadfactor/result.h"

namespace loadfactor::facade {

// A file or, for a model, perhaps a folder.
struct NamedFile {
  config::Name name;  // As the scenario writes it, and where.
  bool is_model = false;
};
// What the verb reads beside the scenario.
std::vector<NamedFile> files_named_by(const config::Scenario& scenario, std::string_view verb);

// LF601, at the place that names it, where it was not handed in.
Result<std::vector<ModelFile>> model_files(const ScenarioWithFiles& about,
                                           const config::ModelSection& model);
// No bytes where the demand names neither a trace nor the file of a shape.
Result<std::string_view> trace_bytes(const ScenarioWithFiles& about,
                                     const config::ServeSection& ask);

ModelFile model_file(const InputFile& file, std::string name);

}  // namespace loadfactor::facade
