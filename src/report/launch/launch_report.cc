#include "report/launch/launch_report.h"

#include <fmt/format.h>

namespace loadfactor::report {

std::string emit_text(const engine::EmitAnswer& answer, const std::string& folder) {
  std::string text;
  if (!folder.empty()) {
    for (const auto& file : answer.files)
      text += fmt::format("{}/{}  ({})\n", folder, file.path, name_of(file.role));
    return text;
  }
  if (answer.files.size() == 1) return answer.files.front().text;
  for (const auto& file : answer.files)
    text += fmt::format("{}==> {} <==\n{}", text.empty() ? "" : "\n", file.path, file.text);
  return text;
}

std::string emit_markdown(const engine::EmitAnswer& answer) {
  std::string text;
  for (const auto& file : answer.files)
    text += fmt::format("{}**{}** ({})\n\n```\n{}```\n", text.empty() ? "" : "\n", file.path,
                        name_of(file.role), file.text);
  return text;
}

std::string read_text(const engine::ReadAnswer& answer) {
  return answer.reading.scenario;
}

}  // namespace loadfactor::report
