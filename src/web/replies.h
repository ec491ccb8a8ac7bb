// The parts of the interface; api.cc says which path leads where.
#pragma once

#include <optional>
#include <string>

#include "web/site.h"
#include "web/wire/call.h"

namespace loadfactor::web {

// Questions: `POST /api/v1/VERB`, and what is asked by GET.
Reply ask(const Site& site, Call& call, const std::string& verb);
Reply ask(const Site& site, const Call& call, Work work);
Reply check(const Site& site, Call& call);
bool is_verb(const std::string& name);
// The question of a request; a refusal where it holds none.
std::optional<Reply> read_work_of(const Site& site, Call& call, Work& work);
// Whether others shall not wait behind it.
Lane lane_of(const std::string& verb);
Reply refusal_reply(Refusal refusal);
Reply reply_of(const Finished& finished);

// Jobs.
Reply add_job(const Site& site, Call& call);
Reply job_reply(const Site& site, const Call& call, const std::string& rest);
Reply cancel_job(const Site& site, const std::string& id);

// Uploads.
Reply add_file(const Site& site, Call& call);
Reply list_files(const Site& site);
Reply remove_file(const Site& site, const std::string& id);

// What is known.
Reply known(const Site& site, const Call& call, const std::string& path);
bool is_known(const std::string& path);

// The whole body; a refusal where it is too large or broke off.
std::optional<Reply> read_body(Call& call, std::size_t most, std::string& to);

// The pages, which are part of the program.
Reply page(const Call& call);

}  // namespace loadfactor::web
