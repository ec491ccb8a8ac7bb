// `fit` for a page: options as JSON in, the JSON that the command line prints out.
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include <nlohmann/json.hpp>

#include "engine/core.h"
#include "loadfactor/fit.h"
#include "report/serve/fit_report.h"

namespace {

using namespace loadfactor;

FitInputs inputs_of(const nlohmann::json& options) {
  FitInputs inputs;
  inputs.model = options.value("model", "");
  inputs.accelerator = options.value("gpu", "");
  inputs.tp = options.value("tp", 0);
  inputs.pp = options.value("pp", 1);
  inputs.ep = options.value("ep", 1);
  inputs.quantisation = options.value("quant", "");
  inputs.kv_dtype = options.value("kv", "");
  inputs.context = options.value("context", std::int64_t{0});
  inputs.engine = options.value("engine", "");
  return inputs;
}

std::string answer_of(const std::string& text) {
  static Diagnostics problems;
  static const auto core = engine::Core::create({}, problems);
  if (core == nullptr) return problems.errors().front().message;
  const FitInputs inputs = inputs_of(nlohmann::json::parse(text));
  const auto answer = core->fit(inputs);
  return answer ? report::fit_json(*answer, inputs) : answer.error().message;
}

}  // namespace

extern "C" const char* loadfactor_fit(const char* options) {
  static std::string answer;
  try {
    answer = answer_of(options);
  } catch (const std::exception& fault) {
    answer = fault.what();
  }
  return answer.c_str();
}
