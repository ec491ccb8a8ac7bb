// What a written model may be called in the catalogue: family, version and size, without the
// organisation, the kind of tuning, the quantisation and the date of the release.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catalog/spec/model_spec.h"

namespace loadfactor::catalog {

// Spellings to look up, the first that is found is meant: as written; without a parenthesised
// remark; without words such as Instruct, hf or AWQ; without a date (2407); without a point
// release (v0.1); and all of it again without what stands before the last slash.
std::vector<std::string> model_spellings(std::string_view written);

// Whether a name has a word such as Coder, VL or Thinking that the name of an entry lacks: layers
// and widths may be the same, and it is another model, with prices of its own.
bool is_other_variant(std::string_view written, std::string_view name);

// The plain form of a name as its model is released: without what stands before the last slash, the
// quantisation, the context and the date. `qwen2p5-coder-32b-instruct-128k` and
// `Qwen/Qwen2.5-Coder-32B` are one.
std::string release_key(std::string_view written);

// The sizes in a name are optional where nothing else could be meant: `Gopher` is gopher-280b
// and `Llama4-Maverick-17B-128E` is llama-4-maverick.
struct SizedName {
  std::string family;              // The plain key of the words that are no sizes.
  std::vector<std::string> sizes;  // `17b`, `128e`, `a3b`, `8x7b`; sorted.
};
SizedName split_sizes(std::string_view key_words);

// Whether two names are the same but for sizes that one of them leaves out.
bool agree_but_for_sizes(const SizedName& written, const SizedName& name);

// Whether the sizes written that are not in the name can be the model's: a tenth around its
// total or active parameters, or its number of experts.
bool sizes_fit(const SizedName& written, const SizedName& name, const ModelSpec& model);

}  // namespace loadfactor::catalog
