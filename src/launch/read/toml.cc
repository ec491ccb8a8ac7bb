// torchtitan's TOML, line by line.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/read/readers.h"
#include "launch/vocabulary/reading_tables.h"
#include "launch/vocabulary/titan_models.h"

namespace loadfactor::launch {
namespace {

std::string_view bare(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

class TomlReader {
 public:
  TomlReader(const Source& source, Findings& findings) : source_(source), findings_(findings) {}

  void read() {
    for (std::uint32_t line = 1; line <= source_.lines.size(); ++line) {
      std::string_view text = source_.lines.line(source_.text, line);
      text = bare(text.substr(0, std::min(text.find('#'), text.size())));
      if (!text.empty()) read_line(text, {&source_, line, 1, config::count_characters(text)});
    }
    const AsConfiguration weight(findings_);
    read_torchtitan({.source = source_, .words = rest_, .at = {&source_, 1}, .is_dump = true},
                    findings_);
    findings_.guess("train.precision", "bf16", "torchtitan's default");
  }

 private:
  void read_line(std::string_view text, const Place& place) {
    if (text.starts_with("[") && !is_list_) {
      const auto end = text.find(']');
      if (end == std::string_view::npos)
        return findings_.error(lf::kSyntax, place, "nothing closes this section",
                               "TOML has `[section]`");
      section_ = std::string(text.substr(1, end - 1));
      return;
    }
    const auto equals = text.find('=');
    if (is_list_ || equals == std::string_view::npos) {
      if (!is_list_)
        findings_.error(lf::kSyntax, place, "neither a section nor a key",
                        "TOML has `key = value`");
      is_list_ = is_list_ && text.find(']') == std::string_view::npos;
      return;
    }
    const std::string key(bare(text.substr(0, equals)));
    std::string value(bare(text.substr(equals + 1)));
    is_list_ = value.starts_with("[") && value.find(']') == std::string::npos;
    std::erase(value, '"');
    std::erase(value, '\'');
    entry(key, value, place);
  }
  void entry(const std::string& key, const std::string& written, const Place& place) {
    const std::string value = plain_number(written);
    if (section_ == "model" && key == "name")
      findings_.set(kTitanName, value, place, Weight::kConfiguration);
    if (section_ == "model" && key == "flavor")
      findings_.set(kTitanFlavor, value, place, Weight::kConfiguration);
    if (section_ == "float8" && key == "enable_float8_linear" && value == "true")
      findings_.set(kTitanProducts, "fp8", place, Weight::kConfiguration);
    if (section_ == "model" && key == "converters")
      findings_.set(kTitanProducts, titan_products(value), place, Weight::kConfiguration);
    if (key == "enable_fsdp_float8_all_gather" && value == "true")
      remark_titan_gather(place, findings_);
    if (key == "recipe_name" && section_.find("float8") != std::string::npos)
      findings_.set(kTitanRecipe, value, place, Weight::kConfiguration);
    bool is_read = false;
    for (const TitanKey& row : keys_) {
      if (row.section != section_ || row.name != key) continue;
      is_read = true;
      const auto& words = row.choices;
      const bool is_any = !words.empty() && words.front() == "*";
      const bool is_word = std::find(words.begin(), words.end(), value) != words.end();
      if (words.empty() && !whole_number(value))
        findings_.error(lf::kWrongType, place, fmt::format("'{}' is no whole number", value),
                        fmt::format("digits alone, as in {} = 8", key));
      else if (!words.empty() && !is_any && !is_word)
        findings_.error(lf::kWrongType, place,
                        fmt::format("'{}' is none of {}", value, fmt::join(words, ", ")),
                        "torchtitan itself would refuse it");
      else
        findings_.set(row.key, value, place, Weight::kConfiguration);
    }
    if (section_ == "experimental" && key == "pipeline_parallel_degree" && value != "1")
      findings_.leave_open("train.layout.micro_batch", place,
                           "how releases with this section cut the batch for a pipeline");
    if (!is_read) keep(key, value, place);
  }
  // Other keys are flags of the command line as well.
  void keep(const std::string& key, const std::string& value, const Place& place) {
    const std::string flag = "--" + section_ + "." + key;
    const bool matters = section_ == "training" || section_ == "experimental" ||
                         section_ == "parallelism" || section_ == "activation_checkpoint";
    if (!flags_.find(flag) && matters && !harmless_.has(flag, value))
      findings_.remark(fmt::format("{}.{} is no key of torchtitan that we know", section_, key),
                       place);
    if (!flags_.find(flag) || value.starts_with("[")) return;
    rest_.push_back({flag, place.line, place.column, true});
    if (!value.empty()) rest_.push_back({value, place.line, place.column, true});
  }

  const Source& source_;
  Findings& findings_;
  const std::vector<TitanKey> keys_ = read_titan_keys();
  const Program flags_ = read_program("torchtitan");
  const Harmless harmless_{"torchtitan"};
  std::vector<Word> rest_;
  std::string section_;
  bool is_list_ = false;  // Whether a list goes on in the next line.
};

}  // namespace

bool looks_like_titan(const Source& source) {
  const auto keys = read_titan_keys();
  std::string section;
  for (std::uint32_t line = 1; line <= source.lines.size(); ++line) {
    std::string_view text = source.lines.line(source.text, line);
    text = bare(text.substr(0, std::min(text.find('#'), text.size())));
    if (text.starts_with("[")) section = std::string(text.substr(1, text.find(']') - 1));
    const auto equals = std::min(text.find('='), text.size());
    const std::string_view name = bare(text.substr(0, equals));
    const bool is_model = section == "model" && (name == "flavor" || name == "name");
    const bool is_key = std::any_of(keys.begin(), keys.end(), [&](const TitanKey& key) {
      return key.section == section && (key.name == name || name.starts_with("["));
    });
    if (is_model || is_key) return true;
  }
  return false;
}

void name_titan_model(Findings& findings) {
  const Finding* name = findings.find(kTitanName);
  const Finding* flavor = findings.find(kTitanFlavor);
  if (name == nullptr || flavor == nullptr) return;
  std::string config = name->value + "_" + flavor->value;
  std::transform(config.begin(), config.end(), config.begin(), [](unsigned char c) {
    return c == '.' || c == '-' ? '_' : static_cast<char>(std::tolower(c));
  });
  const std::string words = fmt::format("model {} in its flavor {}", name->value, flavor->value);
  const std::string model = titan_model_of(config).model;
  if (model.empty())
    return findings.remark(words + " is none of torchtitan's that we know: write the model",
                           flavor->place);
  findings.guess("train.model", model, words);
}

void read_toml(const Source& source, Findings& findings) {
  findings.has_launch = true;
  findings.guess("program", "torchtitan", "by its keys");
  TomlReader(source, findings).read();
}

}  // namespace loadfactor::launch
