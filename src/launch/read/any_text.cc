// A text by the look of it.
#include <utility>

#include "config/document.h"
#include "config/foreign_yaml.h"
#include "launch/read/readers.h"

namespace loadfactor::launch {

namespace {

bool has(const Source& source, std::string_view text) {
  return source.text.find(text) != std::string::npos;
}

char first_character(const std::string& text) {
  const auto at = text.find_first_not_of(" \t\r\n");
  return at == std::string::npos ? '\0' : text[at];
}

// A map in braces is YAML, too: what is no JSON is read as that where it goes, or goes further.
bool is_written_in_json(const Source& source) {
  if (source.name.ends_with(".json")) return true;
  const auto json = config::parse_json(source.name, source.text);
  if (json) return true;
  const auto yaml = config::parse_foreign_yaml(source.name, source.text);
  if (yaml) return false;
  const auto reached = [](const Error& error) {
    return std::pair(error.where.line, error.where.column);
  };
  return reached(json.error()) >= reached(yaml.error());
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

// By its name, or by the shell that its first line names.
bool is_shell_script(const Source& source) {
  const std::string_view first = source.lines.line(source.text, 1);
  const bool names_shell = first.starts_with("#!") && first.find("sh") != std::string_view::npos;
  return names_shell || source.name.ends_with(".sh") || source.name.ends_with(".bash");
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
    return read_documents(source, findings, is_written_in_json(source));
  if (looks_like_server_log(source)) return read_server_log(source, findings);
  if (has(source, "NodeName=") &&
      (has(source, "CPUTot=") || has(source, "Gres=") || has(source, "State=")))
    return read_node_list(source, findings);
  if (has(source, "GPU 0: ") || source.text.starts_with("GPU "))
    return read_device_list(source, findings);
  if (has(source, "| NVIDIA-SMI ")) return read_device_table(source, findings);
  if (has(source, "\tGPU0") || has(source, "GPU0\t") || has(source, "CPU Affinity"))
    return read_topology(source, findings);
  if (has(source, "micro_batch_size ....") || has(source, "tensor_model_parallel_size ...."))
    return read_argument_dump(source, findings);
  if (name.find("Dockerfile") != std::string::npos || source.text.starts_with("FROM ") ||
      has(source, "\nFROM "))
    return read_dockerfile(source, findings);
  if (looks_like_hosts(source)) return read_hosts(source, findings);
  if (looks_like_python(source)) return read_python(source, findings);
  if (looks_like_processes(source)) return read_processes(source, findings);
  if (looks_like_unit(source)) return read_unit(source, findings);
  if (is_shell_script(source)) return read_script(source, findings);
  if (name.ends_with(".toml") || looks_like_toml(source)) {
    if (looks_like_titan(source)) read_toml(source, findings);
    return;
  }
  if (name.ends_with(".yaml") || name.ends_with(".yml") || looks_like_yaml(source))
    return read_documents(source, findings, false);
  read_script(source, findings);
}

}  // namespace loadfactor::launch
