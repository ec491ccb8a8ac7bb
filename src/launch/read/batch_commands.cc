// Command lines of Slurm: scripts that are handed to it, and steps that take a part of a job.
#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/findings/flags.h"
#include "launch/machines/elsewhere.h"
#include "launch/read/readers.h"

namespace loadfactor::launch {
namespace {

// Options of one letter that take no value.
bool stands_alone(std::string_view option) {
  constexpr std::array<std::string_view, 9> kAlone{"-h", "-H", "-I", "-k", "-O",
                                                   "-Q", "-s", "-v", "-W"};
  constexpr std::array<std::string_view, 11> kWords{
      "--exclusive", "--hold",  "--no-kill", "--no-requeue", "--overcommit", "--oversubscribe",
      "--parsable",  "--quiet", "--requeue", "--test-only",  "--wait"};
  return std::find(kAlone.begin(), kAlone.end(), option) != kAlone.end() ||
         std::find(kWords.begin(), kWords.end(), option) != kWords.end();
}

// The script of a submission: the first word that is neither an option nor its value.
std::size_t script_in(Words words) {
  std::size_t i = 1;
  while (i < words.size() && words[i].text.starts_with('-')) {
    const std::string& text = words[i].text;
    const bool is_long = text.starts_with("--");
    const bool is_joined = is_long ? text.find('=') != std::string::npos : text.size() > 2;
    i += is_joined || stands_alone(text) ? 1 : 2;
  }
  return std::min(i, words.size());
}

// `--export=ALL,MODEL=a,TP=4`.
Variables exported(const Source& source, Words words) {
  constexpr std::string_view kExport = "--export=";
  Variables variables;
  for (const Word& word : words) {
    if (!word.text.starts_with(kExport)) continue;
    std::string_view rest = std::string_view(word.text).substr(kExport.size());
    while (!rest.empty()) {
      const std::string_view part = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(part.size() + 1, rest.size()));
      const auto equals = part.find('=');
      if (equals == std::string_view::npos) continue;
      Word value = word;
      value.text = std::string(part.substr(equals + 1));
      value.origin = &source;
      variables[std::string(part.substr(0, equals))] = std::move(value);
    }
  }
  return variables;
}

// By its name, or because it is given.
bool is_script(const std::string& name, const Findings& findings) {
  constexpr std::array<std::string_view, 5> kEnds{".sh", ".bash", ".sbatch", ".slurm", ".batch"};
  return findings.is_given(name) ||
         std::any_of(kEnds.begin(), kEnds.end(), [&](auto end) { return name.ends_with(end); });
}

// A script that was written beside the command is read already: what the command says of the job
// stands in place of it.
void override_job(const Source& source, Words options, Findings& findings) {
  Diagnostics unheard;
  Findings said(unheard);
  read_batch_words(source, options, source, said);
  for (const char* key : {"nodes", "gpus_per_node", "world", "gres", "tasks", "array"}) {
    const Finding* own = said.find(key);
    const Finding* other = findings.find(key);
    if (own == nullptr || (other != nullptr && other->value == own->value)) continue;
    if (other != nullptr)
      findings.remark(fmt::format("{} of {} is overridden by the command line: {}", other->value,
                                  to_text(other->place), own->value),
                      own->place);
    const Finding kept = *own;
    findings.erase(key);
    findings.set(key, kept.value, kept.place);
  }
}

}  // namespace

std::vector<Word> separated_options(Words words) {
  std::vector<Word> separated;
  for (const Word& word : words) {
    const std::string& text = word.text;
    const bool is_joined = text.size() > 2 && text[0] == '-' && text[2] != '=' &&
                           std::isalpha(static_cast<unsigned char>(text[1])) != 0 &&
                           !stands_alone(std::string_view(text).substr(0, 2));
    separated.push_back(word);
    if (!is_joined) continue;
    separated.back().text = text.substr(0, 2);
    separated.push_back(word);
    separated.back().text = text.substr(2);
    separated.back().column += 2;
  }
  return separated;
}

bool read_submission(const Source& source, Words words, Findings& findings) {
  const std::size_t script = script_in(words);
  const std::vector<Word> options = separated_options(words.subspan(1, script - 1));
  if (script >= words.size() || !is_script(words[script].text, findings)) {
    if (script < words.size()) override_job(source, options, findings);
    return false;
  }
  const std::string& name = words[script].text;
  if (!findings.is_given(name)) {
    findings.remark(
        fmt::format("{} is not read, and what it starts is not known: give it, too", name),
        place_of(source, words[script]));
    read_batch_words(source, options, source, findings);
    return true;
  }
  Submission made{
      .source = &source, .words = options, .arguments = {}, .variables = exported(source, options)};
  for (Word argument : words.subspan(script + 1)) {
    argument.origin = &source;
    made.arguments.push_back(std::move(argument));
  }
  findings.submit(name, std::move(made));
  return true;
}

}  // namespace loadfactor::launch
