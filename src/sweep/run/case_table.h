// What is kept of each case, and its row.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loadfactor/engine.h"
#include "sweep/run/case_maker.h"
#include "sweep/store/results.h"

namespace loadfactor::sweep {

// A figure that is kept: a path into the answer, and an end of its interval where it is one.
struct KeptFigure {
  std::string path;
  std::string end;  // Empty, `low` or `high`.
};

class CaseTable {
 public:
  // Finds the figures in what the verbs answer; nothing, and the reason, where one is not there.
  // `catalogue` is the digest of all data that answers rest on.
  static std::unique_ptr<CaseTable> prepare(std::unique_ptr<CaseMaker> maker,
                                            const std::string& catalogue, Diagnostics& diagnostics);

  const CaseMaker& maker() const { return *maker_; }
  const Identity& identity() const { return identity_; }

  // Asks a case. Nothing where it was stopped before there was an answer.
  std::optional<CaseRow> row(const Engine& engine, std::int64_t number,
                             const std::atomic<bool>* stop) const;

  // The cases of a shard that count, without those that are done; sorted.
  std::vector<std::int64_t> open_cases(const std::vector<std::int64_t>& done, std::int64_t shard,
                                       std::int64_t shards) const;

 private:
  std::unique_ptr<CaseMaker> maker_;
  std::vector<KeptFigure> figures_;
  Identity identity_;
};

}  // namespace loadfactor::sweep
