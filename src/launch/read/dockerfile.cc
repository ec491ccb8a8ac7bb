// A Dockerfile: the program that its last stage starts, with what the image sets around it.
#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "launch/findings/flags.h"
#include "launch/read/readers.h"
#include "launch/vocabulary/reading_tables.h"

namespace loadfactor::launch {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// `CMD …` over all of its lines, which stay apart.
struct Instruction {
  std::string name = {};  // In capitals.
  std::string body = {};
  std::uint32_t line = 1;
  bool is_given = false;

  // `["vllm", "serve"]` is a list of words; anything else is for a shell.
  bool is_list() const { return trimmed(body).starts_with('['); }
};

// What a stage of a build has when it ends.
struct Stage {
  Instruction image, entry, command;
  std::vector<Instruction> variables;  // ENV and ARG, in their order.
};

std::vector<Instruction> instructions_of(const Source& source) {
  std::vector<Instruction> all;
  bool continues = false;
  for (std::uint32_t number = 1; number <= source.lines.size(); ++number) {
    std::string_view line = trimmed(source.lines.line(source.text, number));
    if (line.starts_with('#') || (line.empty() && !continues)) {
      if (continues) all.back().body += '\n';
      continue;
    }
    const bool goes_on = line.ends_with('\\');
    if (!continues) {
      const std::string_view word = line.substr(0, line.find_first_of(" \t["));
      Instruction made{.line = number, .is_given = true};
      for (const char c : word)
        made.name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      line = trimmed(line.substr(word.size()));
      all.push_back(std::move(made));
    }
    all.back().body += std::string(goes_on ? line.substr(0, line.size() - 1) : line) + "\n";
    continues = goes_on;
  }
  return all;
}

// The last stage; one that begins with another has what that one has.
Stage last_stage(const std::vector<Instruction>& all) {
  std::map<std::string, Stage, std::less<>> named;
  std::string name;
  Stage stage;
  for (const Instruction& each : all) {
    if (each.name == "FROM") {
      named[name] = stage;
      std::vector<Word> words =
          split_words(trimmed(each.body.substr(0, each.body.find('\n'))), 1, 1);
      std::erase_if(words, [](const Word& word) { return word.text.starts_with("--"); });
      const std::string image = words.empty() ? "" : words.front().text;
      const auto before = named.find(image);
      stage = before == named.end() || image.empty() ? Stage{} : before->second;
      if (before == named.end()) stage.image = {"FROM", image, each.line, true};
      name = words.size() > 2 ? words[2].text : "";
    } else if (each.name == "ENTRYPOINT") {
      stage.entry = each;
    } else if (each.name == "CMD") {
      stage.command = each;
    } else if (each.name == "ENV" || each.name == "ARG") {
      stage.variables.push_back(each);
    }
  }
  return stage;
}

// `NAME=value`, or `NAME value` as older files write it.
std::string as_assignment(const Instruction& each) {
  const std::string_view body = trimmed(each.body);
  const auto blank = body.find_first_of(" \t");
  const bool is_old =
      blank != std::string_view::npos && body.substr(0, blank).find('=') == std::string_view::npos;
  if (!is_old) return std::string(each.body);
  return fmt::format("{}=\"{}\"\n", body.substr(0, blank), trimmed(body.substr(blank)));
}

// The lines of an instruction are one of its shell, and stay where they are.
std::string in_one_line(const Instruction& each) {
  std::string text;
  const std::string_view body =
      trimmed(std::string_view(each.body).substr(0, each.body.rfind('\n')));
  for (const char c : body) text += c == '\n' ? "\\\n" : std::string(1, c);
  return text;
}

// What the environment of the container has: `ENV`, which may name arguments of the build.
Variables environment_of(const Source& source, const Stage& stage) {
  Variables known;
  Variables kept;
  for (const Instruction& each : stage.variables) {
    std::string text = as_assignment(each);
    std::replace(text.begin(), text.end(), '\n', ' ');
    for (auto& [name, value] : read_shell(text, known).variables) {
      const auto before = known.find(name);
      if (before != known.end() && before->second.text == value.text) continue;
      Word set = value;
      set.line = each.line;
      set.column = 1;
      set.origin = &source;
      if (each.name == "ARG" && set.doubt.empty())
        set.doubt = fmt::format("the default of the build's argument {}", name);
      known[name] = set;
      if (each.name == "ENV") kept[name] = set;
    }
  }
  return kept;
}

class DockerfileReader {
 public:
  DockerfileReader(const Source& source, Findings& findings)
      : source_(source), findings_(findings) {}

  void read() {
    Stage stage = last_stage(instructions_of(source_));
    const Variables variables = environment_of(source_, stage);
    if (const auto found = variables.find("CUDA_VISIBLE_DEVICES"); found != variables.end())
      read_visible(found->second.text, place_of(source_, found->second), findings_);
    if (stage.entry.is_given && !stage.entry.is_list()) {
      if (stage.command.is_given)
        findings_.remark("CMD is not used: an ENTRYPOINT that is no list takes no arguments",
                         {&source_, stage.command.line});
      return run(in_one_line(stage.entry), stage.entry.line, variables);
    }
    // An image that starts a server takes what follows as its arguments.
    if (!stage.entry.is_given && !Images().program(stage.image.body).empty()) {
      stage.entry = stage.image;
      stage.entry.body = fmt::format("[\"{}\"]", stage.image.body);
    }
    if (stage.command.is_given && !stage.command.is_list()) {
      if (!words_of(stage.entry).empty() && stage.entry.name == "ENTRYPOINT")
        findings_.remark("ENTRYPOINT is given /bin/sh -c and this CMD as its words: write a list",
                         {&source_, stage.command.line});
      return run(in_one_line(stage.command), stage.command.line, variables);
    }
    std::vector<Word> all = words_of(stage.entry);
    for (Word& word : words_of(stage.command)) all.push_back(std::move(word));
    start(std::move(all), variables);
  }

 private:
  // The words of a list, as they are written between their quotes.
  std::vector<Word> words_of(const Instruction& list) const {
    std::vector<Word> words;
    std::uint32_t line = list.line;
    for (std::size_t i = 0; i < list.body.size(); ++i) {
      const char quote = list.body[i];
      if (quote == '\n') ++line;
      if (quote != '"' && quote != '\'') continue;
      Word word{{}, std::min(line, source_.lines.size()), 0, true};
      for (++i; i < list.body.size() && list.body[i] != quote; ++i) {
        if (list.body[i] == '\\' && i + 1 < list.body.size()) ++i;
        word.text += list.body[i];
      }
      words.push_back(std::move(word));
    }
    return words;
  }
  // What a shell is given, with the environment of the image.
  void run(const std::string& text, std::uint32_t line, const Variables& variables) {
    for (auto command : read_shell(text, variables, &findings_.offered()).commands) {
      for (Word& word : command) {
        move_down(word, line - 1, source_.lines.size());
        word.column = 0;
      }
      read_command(source_, command, findings_);
    }
  }
  // Docker starts a list as it stands; a shell in it is given a script.
  void start(std::vector<Word> all, const Variables& variables) {
    if (all.empty()) return;
    const std::string_view first = std::string_view(all[0].text).substr(all[0].text.rfind('/') + 1);
    const bool is_shell = first == "sh" || first == "bash" || first == "dash";
    const bool is_script =
        is_shell && all.size() >= 3 && all[1].text.starts_with('-') && all[1].text.ends_with('c');
    if (is_script) return run(all[2].text, all[2].line, variables);
    for (Word& word : all) {
      if (word.text.find('$') == std::string::npos) continue;
      word.is_known = false;
      findings_.remark(
          fmt::format("{} stays as it is written: Docker puts no variable into a list, "
                      "write [\"sh\", \"-c\", \"…\"]",
                      word.text.substr(0, 80)),
          place_of(source_, word));
    }
    read_command(source_, all, findings_);
  }

  const Source& source_;
  Findings& findings_;
};

}  // namespace

void read_dockerfile(const Source& source, Findings& findings) {
  DockerfileReader(source, findings).read();
}

}  // namespace loadfactor::launch
