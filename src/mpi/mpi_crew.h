// A crew of MPI ranks. Rank 0 serves the queue from one thread and works in another; the others
// ask, work and send. A counter in a window would be fair in shared memory alone.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/crew.h"

namespace loadfactor {

class MpiCrew final : public Crew {
 public:
  // Joins the ranks that were started together.
  MpiCrew(int* argc, char*** argv);

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void farm(const std::vector<std::int64_t>& numbers, const Work& work, const Take& take,
            const std::function<bool()>& is_stopped) override;
  std::vector<std::string> share(std::size_t count, const Work& work) override;

  // Ends the work of all ranks together. Rank 0 gets the ranks that did not come to the end; then
  // it must abort, for the others wait for them. Called once, last of all.
  std::vector<int> leave();
  // Ends all ranks that are left, with this exit status.
  [[noreturn]] static void abort(int status);

 private:
  void work_on(const Work& work) const;

  int rank_ = 0;
  int size_ = 1;
  std::vector<int> lost_;  // Took work and never came back; rank 0 did it.
};

}  // namespace loadfactor
