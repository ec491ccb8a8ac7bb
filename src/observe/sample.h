// What readers of metrics hand on: series by name and labels, and their samples in time.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loadfactor::observe {

struct Label {
  std::string name;
  std::string value;
};
using Labels = std::vector<Label>;

// The value of a label; empty where it is not there.
std::string_view find_label(std::span<const Label> labels, std::string_view name);
// The first of several names that is there.
std::string_view find_label(std::span<const Label> labels, std::span<const std::string_view> names);

class SampleSink {
 public:
  SampleSink() = default;
  virtual ~SampleSink() = default;
  SampleSink(const SampleSink&) = delete;
  SampleSink& operator=(const SampleSink&) = delete;

  // A series by which samples are told; negative where nobody wants them.
  virtual int series(std::string_view metric, const Labels& labels) = 0;
  // Seconds since 1970.
  virtual void sample(int series, double time, double value) = 0;
};

// Samples of a file, and what could not be read of it.
struct ReadCount {
  std::size_t samples = 0;
  std::size_t bad_lines = 0;
  std::size_t first_bad_line = 0;
  std::string warning;  // The first that a server gives beside its answer.

  // Rows that were passed over, or read in part, by the id of the notice that says why.
  struct OddRows {
    std::size_t rows = 0;
    std::size_t first_line = 0;  // 0: it is all rows.
  };
  std::map<std::string, OddRows, std::less<>> odd_rows;
};

}  // namespace loadfactor::observe
