// What an answer holds, and the making of one from a struct and its renderers.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include "loadfactor/ask.h"
#include "report/describe/notice_register.h"

namespace loadfactor {

class AnswerBody {
 public:
  AnswerBody() = default;
  virtual ~AnswerBody() = default;
  AnswerBody(const AnswerBody&) = delete;
  AnswerBody& operator=(const AnswerBody&) = delete;

  static Answer as_answer(std::shared_ptr<const AnswerBody> body) {
    return Answer(std::move(body));
  }
  static const AnswerBody& inside(const Answer& answer) { return *answer.body_; }

  virtual Result<std::string> render(Format format, const Style& style) const = 0;
  virtual const void* find(const std::type_info& type) const = 0;

  std::string_view verb;
  Outcome outcome = Outcome::kAnswer;
  bool is_timed = false;  // Otherwise its run times are left out of every form.
  std::vector<Notice> notices;
  std::vector<GateVerdict> gates;
  std::vector<std::string> remarks;
  std::vector<OutputFile> files;
};

namespace facade {

// LF603: an answer of this verb has no such form.
Error no_such_form(Format format);

// What stands beside an answer.
struct Beside {
  Outcome outcome = Outcome::kAnswer;
  bool is_timed = false;
  std::vector<GateVerdict> gates = {};
  std::vector<std::string> remarks = {};
  std::vector<OutputFile> files = {};
};

// What several parts of an answer noticed is said once.
void keep_once(std::vector<Notice>& notices);

template <typename T>
class BodyOf final : public AnswerBody {
 public:
  using Render = std::function<Result<std::string>(const T&, Format, const Style&)>;

  BodyOf(T data, Render render) : data_(std::move(data)), render_(std::move(render)) {
    if constexpr (requires { data_.notices; }) {
      keep_once(data_.notices);
      for (const Notice& notice : data_.notices) notices.push_back(report::told(notice));
    }
  }
  Result<std::string> render(Format format, const Style& style) const override {
    if constexpr (requires { data_.notices; }) {
      if (style.quiet && !data_.notices.empty()) {
        T quiet = data_;
        quiet.notices.clear();
        return render_(quiet, format, style);
      }
    }
    return render_(data_, format, style);
  }
  const void* find(const std::type_info& type) const override {
    return type == typeid(T) ? &data_ : nullptr;
  }

 private:
  T data_;
  Render render_;
};

template <typename T>
Answer make_answer(std::string_view verb, T data, typename BodyOf<T>::Render render,
                   Beside beside = {}) {
  auto body = std::make_shared<BodyOf<T>>(std::move(data), std::move(render));
  body->verb = verb;
  body->outcome = beside.outcome;
  body->is_timed = beside.is_timed;
  body->gates = std::move(beside.gates);
  body->remarks = std::move(beside.remarks);
  body->files = std::move(beside.files);
  return AnswerBody::as_answer(std::move(body));
}

}  // namespace facade
}  // namespace loadfactor
