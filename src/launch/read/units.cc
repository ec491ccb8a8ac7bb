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

// A line as a shell would write it, and the column of the unit's line that each of its characters
// comes from.
struct ScriptLine {
  std::string text;
  std::vector<std::uint32_t> columns;

  void add(std::string_view piece, std::uint32_t column) {
    text += piece;
    columns.insert(columns.end(), piece.size(), column);
  }
};

// What systemd puts in for `%i` and its like is not in the unit: a variable that nobody sets.
// `column` is that of the text, and `step` how far it moves with a character.
void add_without_specifiers(std::string_view text, std::uint32_t column, std::uint32_t step,
                            ScriptLine& line) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    const bool is_letter = (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z');
    const std::uint32_t at = column + step * static_cast<std::uint32_t>(i);
    if (text[i] == '%' && is_letter)
      line.add(std::string("${systemd_") + text[++i] + "}", at);
    else if (text[i] == '%' && next == '%')
      line.add(text.substr(++i, 1), at);
    else
      line.add(text.substr(i, 1), at);
  }
}

// What a line of a unit says to a shell: a part of the line, and words to put before it.
struct Said {
  std::string before;
  std::string_view rest;
  bool is_empty() const { return before.empty() && rest.empty(); }
};

// A line of a unit as a shell would write it; empty where it starts nothing. Marks before
// a command (`-`, `@`, `:`, `+`, `!`) say how systemd takes its end.
Said shell_line(std::string_view line, std::string_view image) {
  constexpr std::string_view kArguments = "Exec=";
  if (line.starts_with(kArguments))
    return {std::string(image) + " ", line.substr(kArguments.size())};
  constexpr std::string_view kStart = "ExecStart=";
  if (!line.starts_with(kStart)) return {};
  line.remove_prefix(kStart.size());
  return {{}, line.substr(std::min(line.find_first_not_of("-@:+!"), line.size()))};
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

// The lines of a unit that stand behind a key, each in its own line, as a shell would write them.
struct Script {
  std::string text;
  std::vector<std::vector<std::uint32_t>> columns;  // Those of each line.

  // Moves a word of the script to its place in the unit.
  void place(Word& word) const {
    if (word.origin != nullptr || columns.empty()) return;
    word.line = std::clamp(word.line, 1U, static_cast<std::uint32_t>(columns.size()));
    const auto& line = columns[word.line - 1];
    const std::size_t at = std::max(word.column, 1U) - 1;
    word.column = line.empty() ? 1 : line[std::min(at, line.size() - 1)];
  }
};
template <typename ShellLine>
Script script_of(const Source& source, ShellLine shell_line_of) {
  Script script;
  bool continues = false;
  for (std::uint32_t line = 1; line <= source.lines.size(); ++line) {
    const std::string_view whole = source.lines.line(source.text, line);
    const std::string_view text = bare_line(whole);
    const Said said = continues ? Said{{}, text} : shell_line_of(text);
    continues = text.ends_with('\\') && !said.is_empty();
    ScriptLine written;
    const auto column =
        said.rest.empty() ? 1 : static_cast<std::uint32_t>(said.rest.data() - whole.data()) + 1;
    add_without_specifiers(said.before, column, 0, written);
    add_without_specifiers(said.rest, column, 1, written);
    script.text += written.text + "\n";
    script.columns.push_back(std::move(written.columns));
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
    return line.starts_with(kVariable) ? Said{"export ", line.substr(kVariable.size())} : Said{};
  };
  const Script setting = script_of(source, exported);
  Variables variables = read_shell(setting.text).variables;
  for (auto& [name, value] : variables) setting.place(value);
  for (const EnvironmentFile& file : environment_files(source))
    take_file(file, source, variables, findings);
  const std::string image = image_of(source);
  const auto started = [&](std::string_view line) { return shell_line(line, image); };
  const Script starting = script_of(source, started);
  const ShellText parsed = read_shell(starting.text, variables);
  for (const auto& each : parsed.commands) {
    std::vector<Word> words = each;
    for (Word& word : words) starting.place(word);
    read_command(source, words, findings);
  }
}

}  // namespace loadfactor::launch
