// Which column of a demand file means what: found by name, whatever its order and spelling.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loadfactor::demand {

enum class Meaning : std::uint8_t {
  kTime,
  kInput,
  kOutput,
  kClient,
  kSession,
  kPrefix,
  kWindowLength,
  kRate,
  kCv,
  kMeanInput,
  kMeanOutput,
  kSubmit,
  kStart,
  kEnd,
  kDuration,
  kWait,
  kGpus,
  kState,
  kJob,
  kActive,
  kTotal,
};

// Compared without case and without blanks, `_`, `-`, `.` and `/`.
std::optional<Meaning> meaning_of(std::string_view column);

// The known spellings of a meaning, for a message.
std::string spellings(Meaning meaning);

// The header of a file, resolved. The first column of a meaning wins, in the order of the table.
class Columns {
 public:
  explicit Columns(std::span<const std::string_view> header);

  std::optional<std::size_t> find(Meaning meaning) const;
  bool has(Meaning meaning) const { return find(meaning).has_value(); }
  // The name as written.
  const std::string& name(std::size_t index) const { return names_[index]; }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
};

}  // namespace loadfactor::demand
