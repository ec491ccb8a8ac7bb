// What the search for a layout says, in sentences.
#pragma once

#include <string>
#include <string_view>

#include "loadfactor/search.h"

namespace loadfactor::report {

// What plans are judged by.
std::string_view objective_words(Objective objective);

// The first line: the best plan, or why there is none.
std::string search_verdict(const SearchAnswer& answer);

// What comes closest where there is no plan; empty where nothing does.
std::string nearest_words(const SearchAnswer& answer);

// A limit as a sentence names it: "the deadline of 30 days".
std::string missed_limit_words(const MissedLimit& limit);

// "MISSES … and …. ", or nothing.
std::string missed_words(const std::vector<MissedLimit>& missed);

}  // namespace loadfactor::report
