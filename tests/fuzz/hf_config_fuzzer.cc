// Any bytes as a config.json: a model that can be counted, saved and read back, or an error.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/error_codes.h"
#include "catalog/import/hf_config.h"
#include "catalog/import/model_yaml.h"
#include "catalog/load/model_loader.h"
#include "workload/parameters.h"

namespace {

namespace catalog = loadfactor::catalog;

void check_errors(const loadfactor::Diagnostics& diagnostics) {
  for (const loadfactor::Error& error : diagnostics.errors()) {
    LF_CHECK(loadfactor::find_error_code(error.code) != nullptr, "the code is registered");
    LF_CHECK(!loadfactor::render(error).empty(), "an error can be shown");
  }
}

void check_model(const catalog::ModelSpec& model) {
  LF_CHECK(model.num_layers() > 0, "a model has layers");
  const auto count = loadfactor::workload::count_parameters(model);
  LF_CHECK(count.total() > 0, "a model has parameters");
  LF_CHECK(count.active() <= count.total(), "no more are active than there are");
  loadfactor::Diagnostics diagnostics;
  const catalog::ModelSpec again = catalog::load_model(
      {"models/" + model.name + ".yaml", "saved.yaml", catalog::to_yaml(model)}, diagnostics);
  LF_CHECK(diagnostics.empty(), "a saved model is a valid entry");
  LF_CHECK(again.kinds == model.kinds && again.layers == model.layers, "and the same model");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  catalog::HfSiblings siblings{.name = "", .date = "2026-08-01"};
  loadfactor::Diagnostics diagnostics;
  const auto model = catalog::import_hf_config({"config.json", text}, siblings, diagnostics);
  LF_CHECK(model.has_value() == diagnostics.empty(), "a model or an error, never both");
  check_errors(diagnostics);
  if (model) check_model(model->spec);
  // With a checkpoint beside it, an unknown type is read too.
  siblings.index = catalog::SafetensorsIndex{.file = "index.json",
                                             .total_size = 16'060'522'496,
                                             .total_parameters = std::nullopt,
                                             .weight_map = {{"lm_head.weight", "a"}}};
  loadfactor::Diagnostics more;
  const auto stored = catalog::import_hf_config({"config.json", text}, siblings, more);
  LF_CHECK(stored.has_value() == more.empty(), "a model or an error, never both");
  check_errors(more);
  return 0;
}
