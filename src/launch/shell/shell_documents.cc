// Here documents of a shell script: what they are given to, what they write, and what runs of it.
#include <algorithm>
#include <array>
#include <utility>

#include "launch/shell/shell_reader.h"

namespace loadfactor::launch::shell {
namespace {

std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

bool is_shell(std::string_view word) {
  constexpr std::array<std::string_view, 5> kShells{"bash", "sh", "zsh", "dash", "ksh"};
  return is_among(kShells, last_part(word));
}

// Programs that start the script that their words name.
bool starts_scripts(std::string_view word) {
  constexpr std::array<std::string_view, 14> kStarters{
      "srun", "sbatch", "nohup", "exec",   "ssh",    "docker",  "podman",
      "sudo", "env",    "time",  "mpirun", "setsid", "timeout", "pdsh"};
  return is_among(kStarters, last_part(word));
}

bool is_script(std::string_view file) {
  constexpr std::array<std::string_view, 4> kEnds{".sh", ".bash", ".sbatch", ".slurm"};
  return std::any_of(kEnds.begin(), kEnds.end(),
                     [&](std::string_view end) { return file.ends_with(end); });
}

// Where the words begin that start the script at `file`: a shell with its options, or itself.
std::size_t shell_before(const std::vector<Word>& words, std::size_t file) {
  std::size_t from = file;
  while (from > 0 && words[from - 1].text.starts_with('-')) --from;
  return from > 0 && is_shell(words[from - 1].text) ? from - 1 : file;
}

// Whether a command runs what it is given: `bash`, `srun bash -s`, `ssh host`.
bool runs_input(const std::vector<Word>& words) {
  if (words.empty()) return false;
  std::size_t last = words.size() - 1;
  while (last > 0 && words[last].text.starts_with('-')) --last;
  const std::string_view text = words[last].text;
  const bool is_login = last == 1 && words.size() == 2 && words.front().text == "ssh";
  return is_login || is_shell(text.substr(0, text.find(" -")));
}

}  // namespace

std::string written_file(const std::vector<Word>& words) {
  const auto known = [&](std::size_t i) {
    return i < words.size() && words[i].is_known ? std::string(last_part(words[i].text)) : "";
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& text = words[i].text;
    const auto behind = text.find_first_not_of('>');
    if (!text.starts_with('>')) {
      if (last_part(text) != "tee") continue;
      std::size_t file = i + 1;
      while (file < words.size() && words[file].text.starts_with('-')) ++file;
      return known(file);
    }
    if (behind == std::string::npos) return known(i + 1);
    if (text[behind] != '&' && words[i].is_known)
      return std::string(last_part(std::string_view(text).substr(behind)));
  }
  return {};
}

void ShellReader::here_document() {
  forward();
  forward();
  if (at_ < text_.size() && here() == '<') return forward();
  if (at_ < text_.size() && here() == '-') forward();
  while (at_ < text_.size() && is_blank(here())) forward();
  End end;
  while (at_ < text_.size() && !is_blank(here()) &&
         std::string_view("\n;|&<>()").find(here()) == std::string_view::npos) {
    const bool is_quote = std::string_view("'\"\\").find(here()) != std::string_view::npos;
    end.is_quoted = end.is_quoted || is_quote;
    if (!is_quote) end.word += here();
    forward();
  }
  if (!end.word.empty()) ends_.push_back(std::move(end));
}

void ShellReader::skip_here_documents() {
  for (const auto& [end, is_quoted, is_run] : std::exchange(ends_, {})) {
    Word inside{{}, line_, 1, true};
    while (at_ < text_.size()) {
      const auto stop = std::min(text_.find('\n', at_), text_.size());
      std::string_view line = text_.substr(at_, stop - at_);
      while (at_ < stop) forward();
      if (at_ < text_.size()) forward();
      while (line.ends_with('\r')) line.remove_suffix(1);
      if (line.substr(std::min(line.find_first_not_of('\t'), line.size())) == end) break;
      inside.text += std::string(line) + "\n";
    }
    if (!is_run) continue;
    if (!reads_into_.empty()) take_here_document(inside, is_quoted);
    keep_document(std::move(inside), is_quoted);
  }
  writes_into_.clear();
  given_to_.clear();
  put_back(std::exchange(own_, {}));
}

void ShellReader::keep_document(Word text, bool is_quoted) {
  HereDocument document{.text = std::move(text), .file = writes_into_, .is_quoted = is_quoted};
  const std::vector<Word> command = std::exchange(given_to_, {});
  if (!command.empty()) document.given_to = std::string(last_part(command.front().text));
  if (out_.here_documents.size() < kMostDocuments) document.variables = out_.variables;
  if (!document.file.empty() && run() != Run::kNo)
    written_[document.file] = out_.here_documents.size();
  out_.here_documents.push_back(std::move(document));
  const HereDocument& kept = out_.here_documents.back();
  const bool is_run = kept.file.empty() && run() != Run::kNo && runs_input(command) &&
                      depth_ < kMaxDepth && may_reread(kept.text.text.size());
  if (is_run) run_document(out_.here_documents.size() - 1, command, command.size());
}

// What `read` is given.
void ShellReader::take_here_document(const Word& text, bool is_quoted) {
  const std::string name = std::exchange(reads_into_, "");
  Word value = text;
  if (!is_quoted && text.text.find_first_of("$`") != std::string::npos) {
    value = expanded(text.text);
    value.line = text.line;
    value.column = 1;
  }
  set_variable(name, std::move(value));
}

const std::string* ShellReader::text_of(std::string_view file) const {
  if (const auto written = written_.find(last_part(file)); written != written_.end())
    return &out_.here_documents[written->second].text.text;
  if (files_ == nullptr) return nullptr;
  const auto found = files_->find(last_part(file));
  return found == files_->end() ? nullptr : &found->second;
}

bool ShellReader::run_written(const std::vector<Word>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto found = written_.find(last_part(words[i].text));
    if (found == written_.end() || !words[i].is_known) continue;
    const bool is_run = i == 0 || shell_before(words, i) < i ||
                        (starts_scripts(words.front().text) && is_script(found->first));
    const std::size_t size = out_.here_documents[found->second].text.text.size();
    if (!is_run || depth_ >= kMaxDepth || !may_reread(size)) return false;
    run_document(found->second, words, i);
    return true;
  }
  return false;
}

void ShellReader::run_document(std::size_t number, const std::vector<Word>& words,
                               std::size_t file) {
  HereDocument& document = out_.here_documents[number];
  document.is_run = true;
  const std::uint32_t before = document.text.line - 1;
  // What stands in the document is put in when it is written; the rest is known where it runs.
  std::string text = document.text.text;
  Variables variables = out_.variables;
  if (!document.is_quoted) {
    text = unescaped(text);
    for (const auto& [name, value] : document.variables) variables[name] = value;
  }
  ShellReader inner(text, std::move(variables), files_, depth_ + 1);
  inner.passes_ = passes_;
  inner.reread_ = reread_;
  const std::size_t behind = std::min(file + 1, words.size());
  inner.give({words.begin() + static_cast<std::ptrdiff_t>(behind), words.end()});
  ShellText read = inner.read();
  passes_ = inner.passes_;
  reread_ = inner.reread_;
  const auto move_down = [&](Word& word) { launch::move_down(word, before, line_); };
  const std::vector<Word> prefix(
      words.begin(), words.begin() + static_cast<std::ptrdiff_t>(shell_before(words, file)));
  const bool is_batch = !prefix.empty() && last_part(prefix.front().text) == "sbatch";
  for (std::size_t i = 0; i < read.commands.size(); ++i) {
    std::vector<Word> command = prefix;
    for (Word& word : read.commands[i]) {
      move_down(word);
      command.push_back(std::move(word));
    }
    for (Word& word : command)
      if (word.doubt.empty()) word.doubt = doubt();
    if (is_in_open_loop() || read.in_open_loop.contains(i))
      out_.in_open_loop.insert(out_.commands.size());
    count_ += command.size();
    out_.commands.push_back(std::move(command));
  }
  for (Word& comment : read.comments) {
    if (comment.text.starts_with("#SBATCH") && !is_batch) continue;
    move_down(comment);
    out_.comments.push_back(std::move(comment));
  }
  for (HereDocument& nested : read.here_documents) {
    move_down(nested.text);
    out_.here_documents.push_back(std::move(nested));
  }
  if (read.unclosed && !out_.unclosed) {
    move_down(*read.unclosed);
    out_.unclosed = std::move(read.unclosed);
  }
}

std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape =
        text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '$' || text[i + 1] == '`');
    if (!is_escape) plain += text[i];
  }
  return plain;
}

}  // namespace loadfactor::launch::shell

namespace loadfactor::launch {

Word filled_in(const HereDocument& document) {
  if (document.is_quoted || document.text.text.find_first_of("$`") == std::string::npos)
    return document.text;
  std::string quoted = "v=\"";
  for (std::size_t i = 0; i < document.text.text.size(); ++i) {
    const char c = document.text.text[i];
    const bool ends_line = c == '\\' && i + 1 < document.text.text.size() &&
                           document.text.text[i + 1] == '\n';  // Lines stay where they are.
    quoted += c == '"' || ends_line ? std::string("\\") + c : std::string(1, c);
  }
  ShellText read = read_shell(quoted + "\"", document.variables);
  Word filled = read.variables["v"];
  filled.line = document.text.line;
  return filled;
}

}  // namespace loadfactor::launch
