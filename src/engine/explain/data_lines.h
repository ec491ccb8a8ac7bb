// Where the fitted numbers stand, and how many rows of data are behind each.
#pragma once

#include <string>
#include <string_view>

#include "catalog/catalog.h"
#include "cost/kernel_fit.h"
#include "engine/explain/explain.h"

namespace loadfactor::engine {

// A place of a file of the catalogue, with what the numbers there were fitted to.
struct DataLine {
  std::string place;  // `builtin:calibration/training.yaml:12`.
  Evidence evidence;
};

// Lines of the files that an engine was made with, a user's own over ours.
class DataLines {
 public:
  explicit DataLines(const catalog::Catalog& catalog) : catalog_(&catalog) {}

  // The first line with `words` behind the first with `below`, which may be empty; the file's first
  // where there is none.
  std::string place(std::string_view file, std::string_view below, std::string_view words) const;
  // Where the glossary fixes a term.
  std::string term(std::string_view name) const;
  // A constant of the training model, by its name.
  DataLine training(std::string_view name) const;
  // What a chip's products sustain: `sustained_16`, `attention`.
  DataLine training_chip(std::string_view accelerator, std::string_view name) const;
  // A constant of the serving model: `gemm_16`, `family.hopper`, `vllm-async.launch`.
  DataLine serving(std::string_view name) const;
  // The fit of a kernel on the chip whose table it comes from.
  DataLine kernel(std::string_view chip, const cost::KernelFit& fit) const;

 private:
  const catalog::Catalog* catalog_;
};

// A leaf with its place and what is behind it.
ExplainNode leaf(Term term, AnyQuantity value, DataLine from, std::string of = {});

}  // namespace loadfactor::engine
