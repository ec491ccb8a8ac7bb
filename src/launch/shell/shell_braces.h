// `--tp {2,4}` and `node{01..04}`: words that the shell writes out before it does anything else.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace loadfactor::launch::shell {

// The words that a word stands for; itself where its braces are none of the shell's, or where there
// would be more than `most`. `syntax` is as long as the word and holds what of it stands in
// the text in no quotes, each character in its place.
std::vector<std::string> brace_words(std::string_view word, std::string_view syntax,
                                     std::size_t most);

}  // namespace loadfactor::launch::shell
