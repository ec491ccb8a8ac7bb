// Here documents of a script: configurations that it writes, and commands for others to run.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "launch/findings/flags.h"
#include "launch/read/readers.h"
#include "launch/shell/shell_reader.h"

namespace loadfactor::launch {
namespace {

template <std::size_t kCount>
bool is_one_of(const std::array<std::string_view, kCount>& all, std::string_view word) {
  return std::find(all.begin(), all.end(), word) != all.end();
}

std::string_view last_part(std::string_view path) {
  return path.substr(path.find_last_of("/=:@") + 1);
}

// Whether a file is a configuration by its name.
bool is_configuration(std::string_view file) {
  constexpr std::array<std::string_view, 5> kEnds{".yaml", ".yml", ".json", ".toml", ".service"};
  return file.find("Dockerfile") != std::string_view::npos ||
         std::any_of(kEnds.begin(), kEnds.end(),
                     [&](std::string_view end) { return file.ends_with(end); });
}

// Whether a command takes a file as more than a thing to show, move or mark. A `tee` of it writes.
bool takes(const std::vector<Word>& command, std::string_view file) {
  constexpr std::array<std::string_view, 17> kOthers{
      "cat", "chmod", "chown", "echo", "printf", "ls", "rm",   "head", "vi",
      "vim", "nano",  "less",  "more", "wc",     "[",  "test", "tee"};
  if (command.empty() || is_one_of(kOthers, last_part(command.front().text))) return false;
  return std::any_of(command.begin(), command.end(), [&](const Word& word) {
    return last_part(word.text) == file ||
           word.text.find(std::string(file) + " ") != std::string::npos;
  });
}

class DocumentReader {
 public:
  DocumentReader(const Source& source, const ShellText& script, Findings& findings)
      : source_(source), script_(script), findings_(findings) {}

  void read(bool launches) {
    std::vector<const HereDocument*> idle;
    for (const HereDocument& document : script_.here_documents) {
      if (document.is_run || is_blank(document) || is_shown(document)) continue;
      if (!is_used(document)) {
        idle.push_back(&document);
        continue;
      }
      launches = true;
      read_one(document, "");
    }
    // A script that starts nothing itself writes what somebody starts later.
    for (const HereDocument* document : idle) {
      if (!launches)
        read_one(*document, "nothing in the files runs " + document->file);
      else if (may_launch(*document))
        findings_.remark(fmt::format("{} is written here, and nothing in the files runs it: it is "
                                     "not read",
                                     document->file),
                         {&source_, std::min(document->text.line, source_.lines.size())});
    }
  }

 private:
  static bool is_blank(const HereDocument& document) {
    return document.text.text.find_first_not_of(" \t\r\n") == std::string::npos;
  }
  // What is printed, or goes into a variable, is for people and tests.
  static bool is_shown(const HereDocument& document) {
    constexpr std::array<std::string_view, 12> kShow{"cat",  "echo", "printf", "less",
                                                     "more", "tee",  "read",   ":",
                                                     "true", "mail", "wall",   "mapfile"};
    return document.file.empty() &&
           (document.given_to.empty() || is_one_of(kShow, document.given_to));
  }
  bool is_used(const HereDocument& document) const {
    if (document.file.empty()) return true;
    // A configuration may be named by another one, or by a program that is written likewise.
    const bool is_named = std::any_of(
        script_.here_documents.begin(), script_.here_documents.end(), [&](const auto& other) {
          return &other != &document && other.text.text.find(document.file) != std::string::npos;
        });
    return is_named ||
           std::any_of(script_.commands.begin(), script_.commands.end(),
                       [&](const auto& command) { return takes(command, document.file); });
  }
  bool may_launch(const HereDocument& document) const {
    constexpr std::array<std::string_view, 6> kNames{"vllm",     "sglang",     "trtllm",
                                                     "torchrun", "accelerate", "deepspeed"};
    return std::any_of(kNames.begin(), kNames.end(), [&](std::string_view name) {
      return document.text.text.find(name) != std::string::npos;
    });
  }
  void read_one(const HereDocument& document, const std::string& doubt) {
    const Word text = filled_in(document);
    const auto first = text.text.find_first_not_of(" \t\r\n");
    if (first == std::string::npos) return;
    const bool is_manifest =  // As it stands, for kubectl or docker compose.
        text.text.find("apiVersion:") != std::string::npos || text.text.starts_with("services:");
    const bool is_json = text.text[first] == '{';
    if (is_manifest || is_json || is_configuration(document.file))
      return read_configuration(document, text, is_json, is_manifest, doubt);
    const std::string name = fmt::format("{}:{}", source_.name, text.line);
    if (document.given_to.starts_with("python") || document.file.ends_with(".py")) {
      const Source& program = findings_.add_part(source_, name, text.text, text.line);
      if (looks_like_python(program)) read_python(program, findings_);
      return;
    }
    read_commands(document, text, doubt);
  }
  void read_configuration(const HereDocument& document, const Word& text, bool is_json,
                          bool is_manifest, const std::string& doubt) {
    const Place where{&source_, std::min(text.line, source_.lines.size())};
    if (!text.doubt.empty())
      findings_.remark("values of this document may be others: " + text.doubt, where);
    if (!doubt.empty()) findings_.remark(doubt + ": it is read as if it ran", where);
    const std::string name = fmt::format("{}:{}", source_.name, text.line);
    if (is_json || is_manifest)
      return read_documents(findings_.add(name, text.text), findings_, is_json);
    read_any(findings_.add(fmt::format("{}/{}", name, document.file), text.text), findings_);
  }
  void read_commands(const HereDocument& document, const Word& text, const std::string& doubt) {
    const std::string script =
        document.is_quoted ? document.text.text : shell::unescaped(document.text.text);
    for (auto command : read_shell(script, document.variables).commands) {
      for (Word& word : command) {
        move_down(word, text.line - 1, source_.lines.size());
        if (word.doubt.empty()) word.doubt = doubt;
      }
      read_command(source_, command, findings_);
    }
  }

  const Source& source_;
  const ShellText& script_;
  Findings& findings_;
};

}  // namespace

void read_here_documents(const Source& source, const ShellText& script, bool launches,
                         Findings& findings) {
  DocumentReader(source, script, findings).read(launches);
}

}  // namespace loadfactor::launch
