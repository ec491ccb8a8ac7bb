#include "catalog/index/accelerator_name.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "base/error_codes.h"
#include "base/quoted.h"
#include "catalog/index/name_rule.h"

namespace loadfactor::catalog {
namespace {

constexpr std::array<std::string_view, 4> kFormWords{"sxm", "pcie", "oam", "nvl"};

// Words that name the seller, the series or the system, and never the chip.
constexpr std::array<std::string_view, 33> kVendorWords{
    "nvidia",  "amd",        "intel",       "google",   "aws",      "amazon", "huawei",
    "habana",  "qualcomm",   "graphcore",   "cerebras", "groq",     "tesla",  "instinct",
    "geforce", "quadro",     "radeon",      "dgx",      "dgx1",     "dgx2",   "hgx",
    "mgx",     "gpu",        "accelerator", "tensor",   "core",     "data",   "center",
    "series",  "generation", "server",      "edition",  "blackwell"};

bool is_vendor_word(std::string_view word) {
  return std::find(kVendorWords.begin(), kVendorWords.end(), word) != kVendorWords.end();
}

// The number that `word` begins with and what follows it.
std::pair<std::optional<double>, std::string_view> leading_number(std::string_view word) {
  double value = 0.0;
  const auto [end, problem] =
      std::from_chars(word.data(), word.data() + word.size(), value, std::chars_format::fixed);
  if (problem != std::errc()) return {std::nullopt, word};
  return {value, word.substr(static_cast<std::size_t>(end - word.data()))};
}

// `h100sxm5` as `h100 sxm5`: a form glued to the chip is split off.
std::vector<std::string> split_forms(std::string_view word) {
  for (const auto form : kFormWords) {
    const auto at = word.find(form);
    if (at == std::string_view::npos || at == 0) continue;
    std::vector<std::string> parts{std::string(word.substr(0, at))};
    auto end = at + form.size();
    if (end < word.size() && all_digits(word.substr(end, 1))) {
      // A digit is the socket's (SXM4) unless a memory size follows (sxm80gb).
      const auto run = word.find_first_not_of("0123456789", end);
      if (run == std::string_view::npos) end = word.size();
    }
    parts.emplace_back(word.substr(at, end - at));
    if (end < word.size()) parts.emplace_back(word.substr(end));
    return parts;
  }
  return {std::string(word)};
}

bool take_form(std::string_view word, AcceleratorQuery& query) {
  if (word == "bse") {  // Blackwell Server Edition: a card.
    query.form = "pcie";
    return true;
  }
  for (const auto form : kFormWords) {
    if (!word.starts_with(form)) continue;
    const std::string_view rest = word.substr(form.size());
    if (rest.empty()) {
      query.form = form;
      return true;
    }
    const auto [number, tail] = leading_number(rest);
    if (!number) return false;
    if (form == "nvl") {
      query.domain = static_cast<int>(*number);  // NVL72, and NVL36x2.
    } else if (!tail.empty()) {
      return false;
    } else {
      query.form = form;  // SXM2 to SXM6 are one form.
    }
    return true;
  }
  return false;
}

bool take_memory(std::string_view word, AcceleratorQuery& query) {
  const auto [number, unit] = leading_number(word);
  if (!number) return false;
  for (const std::string_view known : {"gb", "gib", "g"}) {
    if (!unit.starts_with(known)) continue;
    const std::string_view count = unit.substr(known.size());  // 24GBx2: two chips of 24 GB.
    if (!count.empty() && (count[0] != 'x' || !all_digits(count.substr(1)))) continue;
    query.memory = Bytes::from_base(*number * 1e9);
    return true;
  }
  return false;
}

bool take_memory_type(std::string_view word, AcceleratorQuery& query) {
  for (const std::string_view known : {"hbm", "gddr", "lpddr"}) {
    if (!word.starts_with(known)) continue;
    query.memory_type = word;
    return true;
  }
  return false;
}

bool is_power(std::string_view word) {
  return word.size() > 1 && word.back() == 'w' && all_digits(word.substr(0, word.size() - 1));
}

bool same_form(std::string_view spec, std::string_view said) {
  const auto is_card = [](std::string_view form) {
    return form == "pcie" || form == "card" || form == "nvl";
  };
  return spec == said || (said == "pcie" && is_card(spec));
}

// Keeps the variants for which `agrees` holds; all of them if it holds for none.
template <typename Agrees>
bool keep(std::vector<const AcceleratorSpec*>& variants, Agrees agrees) {
  std::vector<const AcceleratorSpec*> kept;
  std::copy_if(variants.begin(), variants.end(), std::back_inserter(kept), agrees);
  if (kept.empty()) return false;
  variants = std::move(kept);
  return true;
}

double memory_gap(const AcceleratorSpec& spec, Bytes said) {
  return std::abs(spec.memory.nominal / said - 1.0);
}

// The variants whose memory is nearest to what was said; vendors round by up to an eighth.
bool keep_memory(std::vector<const AcceleratorSpec*>& variants, Bytes said) {
  constexpr double kRounding = 0.125;
  double best = kRounding;
  for (const auto* spec : variants) best = std::min(best, memory_gap(*spec, said));
  return keep(variants, [&](const auto* spec) { return memory_gap(*spec, said) <= best + 1e-9; });
}

Error no_such_variant(std::string_view written, const std::vector<const AcceleratorSpec*>& all) {
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const auto* spec : all) names.push_back(spec->name);
  std::sort(names.begin(), names.end());
  return Error{.code = lf::kUnknownAccelerator,
               .message = "no accelerator named " + in_quotes(written) +
                          ": the chip is known, this variant is not",
               .hint = did_you_mean(names)};
}

// Orders the variants that a bare name can mean: the smallest is chosen.
auto preference(const AcceleratorSpec& spec) {
  const bool is_module = spec.form == "sxm" || spec.form == "oam";
  return std::tuple(is_module ? 0 : 1, parse_accelerator_name(spec.name).memory ? 1 : 0,
                    spec.form == "pcie" || spec.form == "card" ? 0 : 1,
                    -spec.memory.nominal.base());
}

// `TPU7x` and `TPU v7x` are the same chip.
std::string without_version_letter(std::string key) {
  if (key.starts_with("tpuv")) key.erase(3, 1);
  return key;
}

}  // namespace

std::string AcceleratorQuery::chip() const {
  std::string key;
  for (const auto& word : words) key += word;
  return without_version_letter(std::move(key));
}

AcceleratorQuery parse_accelerator_name(std::string_view text) {
  AcceleratorQuery query;
  std::vector<std::string> idle;
  std::vector<std::string> words;
  for (const auto& word : words_of(without_remark(text))) {
    const bool is_unit = word == "gb" || word == "gib";
    if (is_unit && !words.empty() && all_digits(words.back())) {
      words.back() += word;  // `80 GB` as two words.
      continue;
    }
    for (auto& part : split_forms(word)) words.push_back(std::move(part));
  }
  for (auto& word : words) {
    if (take_form(word, query) || take_memory(word, query) || take_memory_type(word, query) ||
        is_power(word)) {
      continue;
    }
    (is_vendor_word(word) ? idle : query.words).push_back(std::move(word));
  }
  // A name made of such words alone is still a name.
  if (query.words.empty()) query.words = std::move(idle);
  return query;
}

bool is_called(const AcceleratorSpec& spec, const AcceleratorQuery& query) {
  std::set<std::string> called;
  const auto add = [&called](std::string_view text) {
    for (auto& word : words_of(text)) called.insert(std::move(word));
  };
  called.insert(parse_accelerator_name(spec.name).chip());
  add(spec.name);
  add(spec.title);
  add(spec.vendor);
  add(spec.family);
  for (const auto& alias : spec.aliases) add(alias);
  const auto has_digit = [](const std::string& word) {
    return word.find_first_of("0123456789") != std::string::npos;
  };
  return std::any_of(query.words.begin(), query.words.end(), has_digit) &&
         std::all_of(query.words.begin(), query.words.end(), [&called](const std::string& word) {
           return called.contains(word) || called.contains(without_version_letter(word));
         });
}

Result<const AcceleratorSpec*> choose_variant(std::string_view written,
                                              const AcceleratorQuery& query,
                                              std::vector<const AcceleratorSpec*> variants) {
  const auto all = variants;
  if (!query.form.empty() &&
      !keep(variants, [&](const auto* spec) { return same_form(spec->form, query.form); })) {
    return no_such_variant(written, all);
  }
  keep(variants, [&](const auto* spec) { return spec->form == query.form; });
  if (query.domain > 0 &&
      !keep(variants, [&](const auto* spec) { return spec->scale_up.domain == query.domain; })) {
    return no_such_variant(written, all);
  }
  if (query.memory && !keep_memory(variants, *query.memory)) return no_such_variant(written, all);
  keep(variants, [&](const auto* spec) { return spec->memory.type == query.memory_type; });
  const auto sooner = [](const auto* a, const auto* b) { return preference(*a) < preference(*b); };
  std::sort(variants.begin(), variants.end(), sooner);
  if (variants.size() > 1 && !sooner(variants[0], variants[1])) {
    return Error{.code = lf::kAmbiguousName,
                 .message = in_quotes(written) + " may be '" + variants[0]->name + "' or '" +
                            variants[1]->name + "'",
                 .hint = "write the name of one of them"};
  }
  return variants.front();
}

}  // namespace loadfactor::catalog
