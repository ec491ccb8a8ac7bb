// Units of systemd, and of podman's containers below it: what ExecStart, or an image with Exec,
// starts, with the variables that Environment sets.
#include <algorithm>
#include <string>
#include <string_view>

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

// A line of a unit as a shell would write it; empty where it starts and sets nothing. Marks before
// a command (`-`, `@`, `:`, `+`, `!`) say how systemd takes its end.
std::string shell_line(std::string_view line, std::string_view image) {
  constexpr std::string_view kArguments = "Exec=";
  if (line.starts_with(kArguments))
    return std::string(image) + " " + std::string(line.substr(kArguments.size()));
  constexpr std::string_view kStart = "ExecStart=";
  constexpr std::string_view kVariable = "Environment=";
  if (line.starts_with(kVariable)) return "export " + std::string(line.substr(kVariable.size()));
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

void read_unit(const Source& source, Findings& findings) {
  // Every line of the unit stays a line, so that words keep their places.
  std::string script;
  const std::string image = image_of(source);
  bool continues = false;
  for (std::uint32_t line = 1; line <= source.lines.size(); ++line) {
    const std::string_view text = bare_line(source.lines.line(source.text, line));
    const std::string said =
        without_specifiers(continues ? std::string(text) : shell_line(text, image));
    continues = text.ends_with('\\') && !said.empty();
    script += said + "\n";
  }
  const ShellText parsed = read_shell(script);
  for (const auto& each : parsed.commands) {
    std::vector<Word> words = each;
    for (Word& word : words) word.line = std::min(word.line, source.lines.size());
    read_command(source, words, findings);
  }
}

}  // namespace loadfactor::launch
