// What the remarks of a published result say about its run, as columns: rules are data.
#pragma once

#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "loadfactor/result.h"
#include "validation/inference/inference_row.h"

namespace loadfactor::validation {

// Rules of data/published/remarks.csv, in their order: the first that applies to a row gives it a
// column that it does not have.
class RowRemarks {
 public:
  RowRemarks() = default;
  // None where the file is not there.
  static Result<RowRemarks> read(const catalog::Catalog& catalog);

  // The row with every column that a rule knows. What a run of its kind usually is stands last.
  InferenceRow completed(InferenceRow row) const;

 private:
  struct Rule {
    std::string words;
    bool at_start = false;
    std::string metric;  // Empty: any; so are the others.
    std::string batch;
    double least_tokens = 0;  // Prompt and answer together.
    double most_tokens = 0;   // 0: any.
    std::string column;
    std::string value;
  };
  static bool applies(const Rule& rule, const InferenceRow& row);
  static std::string value_of(const Rule& rule, const InferenceRow& row);

  std::vector<Rule> rules_;
};

}  // namespace loadfactor::validation
