// `observe`, whose exporter and whose refreshing table the command line runs itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facade/forms/form.h"

namespace loadfactor::facade {

class ObserveForm final : public Form {
 public:
  ObserveForm();
  std::optional<Question> question(const Reading& reading) override;

  // Every file that the question is read from, and what is no file.
  std::vector<std::string> files_read() const;

  std::string serve;           // Address of an exporter; empty: none.
  bool watch = false;          // Asks again and again.
  std::string every = "60 s";  // How often.

 private:
  std::optional<Error> idle_access() const;
  Result<bool> read_sources(const Reading& reading, ObserveQuestion& question) const;
  Result<bool> read_times(ObserveQuestion& question) const;

  std::vector<std::string> sources_, scenarios_;
  std::string since_, step_, interval_ = "60 s", checkpoint_, price_, now_;
  std::string to_, demand_, metrics_;
  ServerAccess access_;
};

}  // namespace loadfactor::facade
