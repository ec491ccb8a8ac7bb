// Who of a run wrote a line of its log, or a whole log.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loadfactor::observe {

// What launchers write before the lines of each rank: `[rank3]:`, `3: ` of srun -l.
class LinePrefixes {
 public:
  LinePrefixes();  // Those of data/integrations/log_ranks.csv.

  struct Told {
    std::string rank;       // `rank 3`; empty where the line does not say.
    std::string_view text;  // The line behind it.
  };
  Told read(std::string_view line) const;

 private:
  struct Prefix {
    std::string before, after, noun;
  };
  std::vector<Prefix> prefixes_;
};

// What of a path says whose log it is: `run7/node2/rank3.log`, and torchrun's `run7/3/stdout.log`.
struct RankPath {
  std::string run;       // The path without it, which logs of one run share.
  std::string name;      // `node 2 rank 3`; empty where the path does not say.
  bool is_node = false;  // A node is all that it names.
};
RankPath rank_of_path(std::string_view path);

// Words of data/integrations/log_lines.csv that play a role there.
std::vector<std::string> log_words(std::string_view role);

}  // namespace loadfactor::observe
