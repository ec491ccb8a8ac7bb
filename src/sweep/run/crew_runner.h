// The cases of a sweep on many processes: the first one hands them out and writes what comes back.
#pragma once

#include "base/crew.h"
#include "sweep/run/runner.h"

namespace loadfactor::sweep {

// At the first member: as run_cases, with one case at a time on each member; `ask.jobs` is theirs.
Result<RunTally> run_with_crew(Crew& crew, const CaseTable& table, const Engine& engine,
                               Results& results, const RunAsk& ask);
// At every other member, and at the first one where it has nothing to hand out.
void work_for_crew(Crew& crew, const CaseTable& table, const Engine& engine,
                   const RunAsk& ask = {});

}  // namespace loadfactor::sweep
