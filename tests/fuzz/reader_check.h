// A reader of ours on any document: it answers with a value or with errors that point into the
// text.
#pragma once

#include <optional>

#include "base/check.h"
#include "base/error_codes.h"
#include "config/document.h"

namespace loadfactor::fuzz {

// What the reader made of the document; nothing where there is none or it has errors.
template <auto kRead>
auto checked_reading(const Result<config::Document>& document) {
  Diagnostics diagnostics;
  decltype(kRead(*document, diagnostics)) read;
  if (!document) return read;
  read = kRead(*document, diagnostics);
  LF_CHECK(read.has_value() == diagnostics.empty(), "a value or errors");
  LF_CHECK(render(diagnostics).empty() == diagnostics.empty(), "errors can be shown");
  for (const auto& error : diagnostics.errors()) {
    LF_CHECK(find_error_code(error.code) != nullptr, "the code is registered");
    LF_CHECK(error.where.line >= 1 && error.where.line <= document->lines.size(),
             "an error points into the text");
  }
  return read;
}

}  // namespace loadfactor::fuzz
