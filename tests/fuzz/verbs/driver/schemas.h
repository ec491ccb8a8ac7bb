// Whether an answer is what the published schemas of its verb say.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "oracles.h"

namespace loadfactor::fuzz {

class AnswerSchemas {
 public:
  // `documents`: the schemas by verb, as `fuzz_verbs.py --write-seeds` collects them.
  explicit AnswerSchemas(const Json& documents);
  ~AnswerSchemas();

  // The first complaint of the last schema of the verb, where none accepts the answer.
  Complaints wrong_with(const Json& document) const;

 private:
  struct Compiled;
  std::map<std::string, std::vector<std::unique_ptr<Compiled>>> by_verb_;
};

}  // namespace loadfactor::fuzz
