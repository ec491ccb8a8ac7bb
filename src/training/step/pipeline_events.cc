#include "training/step/pipeline_events.h"

#include <algorithm>
#include <cstddef>

#include "base/check.h"
#include "training/step/pipeline_time.h"

namespace loadfactor::training {

PipelineRun run_pipeline(const PipelineShape& shape) {
  LF_CHECK(shape.times.size() == static_cast<std::size_t>(shape.ranks * shape.chunks));
  const PipelineForm form = with_lengths(shape.form(), shape.times);
  const std::vector<PlannedTask> tasks = plan_order(form);
  PipelineRun run;
  run.events.reserve(tasks.size());
  PipelineScratch scratch;
  run.makespan = run_order(
      form, tasks, {shape.times, shape.send}, scratch,
      [&](const PlannedTask& task, Seconds start, Seconds end) {
        const bool second = form.schedule == Schedule::kDualPipe ? task.micro_batch % 2 != 0
                                                                 : task.stage >= form.ranks;
        const int chunk =
            form.schedule == Schedule::kInterleaved ? task.stage / form.ranks : second;
        run.events.push_back({task.rank, chunk, task.micro_batch, task.pass, start, end});
      });
  return run;
}

}  // namespace loadfactor::training
