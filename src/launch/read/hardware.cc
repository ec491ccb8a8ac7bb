// Lists of hardware, as tools print them.
#include <algorithm>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/read/flags.h"
#include "launch/read/readers.h"

namespace loadfactor::launch {

void read_device_list(const Source& source, Findings& findings) {
  std::int64_t count = 0;
  for (std::uint32_t line = 1; line <= source.lines.size(); ++line) {
    const std::string_view text = source.lines.line(source.text, line);
    const auto colon = text.find(": ");
    if (!text.starts_with("GPU ") || colon == std::string_view::npos) continue;
    auto end = text.find(" (UUID");
    if (end == std::string_view::npos) end = text.size();
    ++count;
    const Place place{&source, line, static_cast<std::uint32_t>(colon + 3),
                      static_cast<std::uint32_t>(end - colon - 2)};
    findings.set("hardware", std::string(text.substr(colon + 2, end - colon - 2)), place);
  }
  if (count == 0) return;
  findings.has_launch = true;
  findings.set("gpus_per_node", count, {&source, 1});
}

void read_topology(const Source& source, Findings& findings) {
  std::int64_t count = 0;
  std::int64_t linked = 0;
  for (std::uint32_t line = 1; line <= source.lines.size(); ++line) {
    const auto words = split_words(source.lines.line(source.text, line), line, 1);
    if (words.size() < 2 || !words[0].text.starts_with("GPU") || words[1].text.starts_with("GPU"))
      continue;
    ++count;
    for (const Word& word : words)
      linked += word.text.starts_with("NV") && word.text.size() > 2 ? 1 : 0;
  }
  if (count == 0) return;
  findings.has_launch = true;
  findings.set("gpus_per_node", count, {&source, 1});
  findings.remark(linked > 0
                      ? "the GPUs are joined by NVLink"
                      : "the GPUs are joined by PCIe alone: name the unbridged form of the card",
                  {&source, 1});
}

void read_node_list(const Source& source, Findings& findings) {
  std::int64_t nodes = 0;
  for (std::uint32_t line = 1; line <= source.lines.size(); ++line) {
    for (const Word& word : split_words(source.lines.line(source.text, line), line, 1)) {
      if (word.text.starts_with("NodeName=")) ++nodes;
      if (!word.text.starts_with("Gres=gpu:")) continue;
      std::string rest = word.text.substr(9);
      rest.resize(std::min(rest.find('('), rest.size()));
      const auto colon = rest.rfind(':');
      const std::string type = colon == std::string::npos ? "" : rest.substr(0, colon);
      const auto count = whole_number(colon == std::string::npos ? rest : rest.substr(colon + 1));
      if (!count) {
        findings.error(lf::kWrongType, place_of(source, word),
                       fmt::format("'{}' is no number of GPUs", rest));
        continue;
      }
      findings.set("gpus_per_node", *count, place_of(source, word));
      if (!type.empty()) findings.set("hardware", type, place_of(source, word));
    }
  }
  if (nodes == 0) return;
  findings.has_launch = true;
  findings.set("nodes", nodes, {&source, 1});
}

namespace {

bool has(const Source& source, std::string_view text) {
  return source.text.find(text) != std::string::npos;
}

char first_character(const std::string& text) {
  const auto at = text.find_first_not_of(" \t\r\n");
  return at == std::string::npos ? '\0' : text[at];
}

// `key: value` on a line of its own, and no command.
bool looks_like_yaml(const Source& source) {
  for (std::uint32_t line = 1; line <= source.lines.size(); ++line) {
    const std::string_view text = source.lines.line(source.text, line);
    if (text.empty() || text.front() == '#' || text == "---") continue;
    const auto colon = text.find(':');
    const auto blank = text.find(' ');
    return colon != std::string_view::npos && (blank == std::string_view::npos || colon < blank) &&
           (colon + 1 == text.size() || text[colon + 1] == ' ' || text[colon + 1] == '\r');
  }
  return false;
}

bool looks_like_toml(const Source& source) {
  for (std::uint32_t line = 1; line <= source.lines.size(); ++line) {
    const std::string_view text = source.lines.line(source.text, line);
    if (text.empty() || text.front() == '#') continue;
    return text.front() == '[' && text.find(']') != std::string_view::npos &&
           !text.starts_with("[[ ");
  }
  return false;
}

bool looks_like_processes(const Source& source) {
  const std::string_view first = source.lines.line(source.text, 1);
  return first.find("PID") != std::string_view::npos &&
         (first.find("CMD") != std::string_view::npos ||
          first.find("COMMAND") != std::string_view::npos);
}

}  // namespace

void read_any(const Source& source, Findings& findings) {
  const std::string& name = source.name;
  if (name.ends_with(".json") || first_character(source.text) == '{')
    return read_documents(source, findings, true);
  if (has(source, "NodeName=") && has(source, "CPUTot=")) return read_node_list(source, findings);
  if (has(source, "GPU 0: ") || source.text.starts_with("GPU "))
    return read_device_list(source, findings);
  if (has(source, "\tGPU0") || has(source, "GPU0\t") || has(source, "CPU Affinity"))
    return read_topology(source, findings);
  if (has(source, "micro_batch_size ....") || has(source, "tensor_model_parallel_size ...."))
    return read_argument_dump(source, findings);
  if (name.find("Dockerfile") != std::string::npos || source.text.starts_with("FROM ") ||
      has(source, "\nFROM "))
    return read_dockerfile(source, findings);
  if (looks_like_processes(source)) return read_processes(source, findings);
  if (name.ends_with(".toml") || looks_like_toml(source)) return read_toml(source, findings);
  if (name.ends_with(".yaml") || name.ends_with(".yml") || looks_like_yaml(source))
    return read_documents(source, findings, false);
  read_script(source, findings);
}

}  // namespace loadfactor::launch
