// Published and measured training results as memory questions, for tests only.
//
// The tables stand beside the project. Nothing here reads a measured value into a question, and
// nothing looks at the name of a model or of a row.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catalog/catalog.h"
#include "catalog/spec/accelerator_spec.h"
#include "catalog/spec/model_spec.h"
#include "training/job/stack_file.h"
#include "training/memory/memory_plan.h"

namespace loadfactor::training {

using TableRow = std::map<std::string, std::string>;

struct PublishedMemory {
  std::string id;
  char tier = 'C';
  catalog::ModelSpec model;
  MemoryQuestion question;
  bool recompute_known = true;
  bool recomputes = false;
  std::optional<Bytes> measured;
  bool scorable = false;  // A measurement with everything the question needs.
};

// Everything the tests need, read once per test.
class PublishedTables {
 public:
  // Nothing when the tables do not stand beside the project.
  static std::unique_ptr<PublishedTables> open();

  std::vector<std::unique_ptr<PublishedMemory>> runs() const;       // Published results.
  std::vector<std::unique_ptr<PublishedMemory>> own_steps() const;  // Measured on one GPU.

 private:
  explicit PublishedTables(catalog::Catalog catalog) : catalog_(std::move(catalog)) {}
  std::unique_ptr<PublishedMemory> run_of(const TableRow& row) const;
  const catalog::AcceleratorSpec* find_chip(const std::string& name) const;

  std::vector<TableRow> published_;
  std::vector<TableRow> steps_;
  std::map<std::string, std::string> tiers_;
  catalog::Catalog catalog_;
  StackShelf stacks_;
};

}  // namespace loadfactor::training
