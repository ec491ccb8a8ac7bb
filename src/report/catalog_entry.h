// One entry of the catalogue fact by fact, the verdict on all of it, and what there is to list.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/catalog.h"
#include "catalog/stated_facts.h"
#include "report/catalog_report.h"
#include "report/describe/envelope.h"

namespace loadfactor::report {

struct EntryAnswer {
  std::string asked;  // The name as it was asked for.
  std::string name;   // The catalogue's own.
  std::string noun;   // The list that it stands in: `gpus`.
  std::string file;
  std::string text;  // The file as it is.
  std::vector<catalog::StatedFact> facts;
};
std::string entry_text(const EntryAnswer& answer);
std::string entry_json(const EntryAnswer& answer);
std::string entry_csv(const EntryAnswer& answer);
AnswerSchema entry_schema();

// A catalogue in which no rule found fault; where one does, the errors are the answer.
struct SoundCatalog {
  std::string today;                                        // Dates were held against it.
  std::vector<std::pair<std::string, std::int64_t>> known;  // Entries of each noun.
};
SoundCatalog sound_catalog(const catalog::Catalog& catalog, std::string today);
std::string sound_text(const SoundCatalog& answer);
std::string sound_json(const SoundCatalog& answer);
std::string sound_csv(const SoundCatalog& answer);
AnswerSchema check_schema();

// What `catalog` alone answers.
struct NounList {
  std::vector<NounMeaning> lists;
};
std::string nouns_text(const NounList& answer);
std::string nouns_json(const NounList& answer);
std::string nouns_csv(const NounList& answer);
AnswerSchema nouns_schema();

}  // namespace loadfactor::report
