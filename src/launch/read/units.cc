// Units of systemd, and of podman's containers below it: what ExecStart, or an image with Exec,
// starts, with the variables that Environment sets.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "launch/read/readers.h"

namespace loadfactor::launch {
namespace {

std::string_view bare_line(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// What systemd puts in for `%i` and its like is not in the unit: a variable that nobody sets.
std::string without_specifiers(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char next = i + 1 < line.size() ? line[i + 1] : '\0';
    const bool is_letter = (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z');
    if (line[i] == '%' && is_letter)
      out += std::string("${systemd_") + line[++i] + "}";
    else if (line[i] == '%' && next == '%')
      out += line[++i];
    else
      out += line[i];
  }
  return out;
}

// A line of a unit as a shell would write it; empty where it starts nothing. Marks before
// a command (`-`, `@`, `:`, `+`, `!`) say how systemd takes its end.
std::string shell_line(std::string_view line, std::string_view image) {
  constexpr std::string_view kArguments = "Exec=";
  if (line.starts_with(kArguments))
    return std::string(image) + " " + std::string(line.substr(kArguments.size()));
  constexpr std::string_view kStart = "ExecStart=";
  if (!line.starts_with(kStart)) return {};
  line.remove_prefix(kStart.size());
  return std::string(line.substr(std::min(line.find_first_not_of("-@:+!"), line.size())));
}

// The image of a container; empty where the unit has none.
std::string image_of(const Source& source) {
  constexpr std::string_view kImage = "Image=";
  for (std::uint32_t line = 1; line <= source.lines.size(); ++line) {
    const std::string_view text = bare_line(source.lines.line(source.text, line));
    if (text.starts_with(kImage)) return std::string(text.substr(kImage.size()));
  }
  return {};
}

}  // namespace

bool looks_like_unit(const Source& source) {
  bool has_section = false;
  for (std::uint32_t line = 1; line <= source.lines.size(); ++line) {
    const std::string_view text = bare_line(source.lines.line(source.text, line));
    has_section = has_section || text == "[Service]" || text == "[Container]";
    if (has_section && (text.starts_with("ExecStart=") || text.starts_with("Exec="))) return true;
  }
  return false;
}

namespace {

// The lines of a unit that stand behind a key, each in its own line, so that words keep their
// places: as a shell would write them.
template <typename ShellLine>
std::string script_of(const Source& source, ShellLine shell_line_of) {
  std::string script;
  bool continues = false;
  for (std::uint32_t line = 1; line <= source.lines.size(); ++line) {
    const std::string_view text = bare_line(source.lines.line(source.text, line));
    const std::string said =
        without_specifiers(continues ? std::string(text) : shell_line_of(text));
    continues = text.ends_with('\\') && !said.empty();
    script += said + "\n";
  }
  return script;
}

// A file of variables that a unit names.
struct EnvironmentFile {
  std::string name;
  std::uint32_t line = 1;
};
std::vector<EnvironmentFile> environment_files(const Source& source) {
  constexpr std::string_view kFile = "EnvironmentFile=";
  std::vector<EnvironmentFile> files;
  for (std::uint32_t line = 1; line <= source.lines.size(); ++line) {
    std::string_view text = bare_line(source.lines.line(source.text, line));
    if (!text.starts_with(kFile)) continue;
    text.remove_prefix(kFile.size());
    // A file that may be missing has a mark before its name.
    if (text.starts_with('-')) text.remove_prefix(1);
    std::string name(text);
    std::erase(name, '"');
    if (!name.empty()) files.push_back({std::move(name), line});
  }
  return files;
}

// What a file sets stands in place of what the unit sets, whichever comes first.
void take_file(const EnvironmentFile& file, const Source& source, Variables& variables,
               Findings& findings) {
  const auto given =
      findings.offered().find(std::string_view(file.name).substr(file.name.rfind('/') + 1));
  if (given != findings.offered().end()) {
    for (auto& [name, value] : read_shell(given->second).variables) {
      Word taken = value;
      taken.line = file.line;
      taken.column = 1;
      taken.doubt.clear();
      variables.insert_or_assign(name, std::move(taken));
    }
    return;
  }
  for (auto& [name, value] : variables)
    if (value.doubt.empty()) {
      value.doubt = fmt::format("{} may set {} otherwise", file.name, name);
      value.sure = 0;
    }
  findings.remark(
      fmt::format("{} is not read, and what it sets is not known: give it, too", file.name),
      {&source, file.line});
}

}  // namespace

void read_unit(const Source& source, Findings& findings) {
  constexpr std::string_view kVariable = "Environment=";
  const auto exported = [&](std::string_view line) {
    return line.starts_with(kVariable) ? "export " + std::string(line.substr(kVariable.size()))
                                       : std::string();
  };
  Variables variables = read_shell(script_of(source, exported)).variables;
  for (const EnvironmentFile& file : environment_files(source))
    take_file(file, source, variables, findings);
  const std::string image = image_of(source);
  const auto started = [&](std::string_view line) { return shell_line(line, image); };
  const ShellText parsed = read_shell(script_of(source, started), variables);
  for (const auto& each : parsed.commands) {
    std::vector<Word> words = each;
    for (Word& word : words) word.line = std::min(word.line, source.lines.size());
    read_command(source, words, findings);
  }
}

}  // namespace loadfactor::launch
