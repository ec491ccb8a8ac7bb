// The texts of notices that are raised as an id with arguments, table by table.
#include "report/describe/notice_texts.h"

#include <array>

namespace loadfactor::report {
namespace {

constexpr NoticeText kPhrases[] = {
    {"on-demand", "on demand"},
    {"reserved-1y", "reserved for a year"},
    {"reserved-3y", "reserved for three years"},
    {"spot", "spot"},
    {"way-to-pay",
     "{option} at {price} USD per GPU-hour<, {days}, {cost}>< ({share} of it binds for "
     "{share_binds}, the run takes {days})>< (binds for {binds}, the run takes {days})>< (terms of "
     "{terms}, the last one whole)>< (terms of {terms_or_on_demand}, the last one whole or on "
     "demand)>"},
};

}  // namespace

std::span<const std::span<const NoticeText>> notice_texts() {
  static const std::array kTables = {catalogue_texts(), fleets_texts(),  jobs_texts(),
                                     metrics_texts(),   money_texts(),   serving_texts(),
                                     traffic_texts(),   training_texts()};
  return kTables;
}

std::span<const NoticeText> phrase_texts() {
  return kPhrases;
}

}  // namespace loadfactor::report
