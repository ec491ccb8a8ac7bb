// The module loadfactor._core: questions as JSON in, answers as JSON and texts out. What Python
// users see stands in python/loadfactor.
#include <utility>

#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "asking.h"
#include "described.h"
#include "facade/tools/schemas.h"
#include "loadfactor/version.h"
#include "report/describe/tree.h"
#include "report/schemas/answer_schemas.h"

namespace py = pybind11;

namespace loadfactor::python {
namespace {

// An answer, and how it was asked to be shown. Run times are left out of every form.
struct Given {
  Answer answer;
  Style style;

  std::string json() const { return to_json(answer, style); }
  // The text, or what is wrong as JSON and as people read it.
  py::tuple text(const std::string& name, int width, bool explain) const {
    const auto format = find_format(name);
    if (!format) throw py::value_error("no format '" + name + "'");
    Style shown = style;
    shown.width = width;
    shown.explain = shown.explain || explain;
    const auto made = to_text(answer, *format, shown);
    if (made) return py::make_tuple(*made, py::none(), py::none());
    return py::make_tuple(py::none(), to_json(made.error()), render(made.error()));
  }
};

// Ctrl-C is heard, and the caller told, in the thread that asks.
Listen listener(const py::object& report) {
  return [&report, last = -1.0](double share) mutable {
    const py::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (report.is_none() || share < 0 || share == last) return true;
    last = share;
    return !report(share).is(py::bool_(false));
  };
}

py::tuple ask_python(const std::string& question, const std::string& verb,
                     const std::vector<std::string>& folders, const py::object& report) {
  Asked asked;
  {
    const py::gil_scoped_release unlock;
    asked = ask(question, verb, folders, listener(report));
  }
  if (!asked.answer)
    return py::make_tuple(py::none(), to_json(asked.problems), render(asked.problems));
  asked.style.reproducible = true;
  return py::make_tuple(Given{*std::move(asked.answer), asked.style}, py::none(), py::none());
}

std::string schema(const std::string& name) {
  Diagnostics problems;
  const auto engine = Engine::create({}, problems);
  if (engine == nullptr) throw std::runtime_error(render(problems));
  const auto text = facade::schema_text(*engine, name);
  if (!text) throw py::key_error(name);
  return *text;
}

// Schemas of all answers, by their names.
std::vector<std::pair<std::string, std::string>> answer_schemas() {
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& each : report::answer_schemas())
    all.emplace_back(each.name, report::print_json(report::document_schema(each)));
  return all;
}

py::object unit(const std::string& text) {
  const auto found = unit_in_base(text);
  if (!found) return py::none();
  return py::make_tuple(found->factor, found->exponents);
}

}  // namespace
}  // namespace loadfactor::python

PYBIND11_MODULE(_core, module) {
  using namespace loadfactor::python;
  module.attr("__version__") = LOADFACTOR_VERSION;
  py::class_<Given>(module, "Given")
      .def("json", &Given::json)
      .def("text", &Given::text, py::arg("format"), py::arg("width"), py::arg("explain"))
      .def_property_readonly("exit_status",
                             [](const Given& given) { return given.answer.exit_status(); })
      .def_property_readonly("remarks", [](const Given& given) { return given.answer.remarks(); })
      .def_property_readonly("gates",
                             [](const Given& given) {
                               std::vector<std::pair<bool, std::string>> gates;
                               for (const auto& gate : given.answer.gates())
                                 gates.emplace_back(gate.holds, gate.words);
                               return gates;
                             })
      .def_property_readonly("files", [](const Given& given) {
        std::vector<std::pair<std::string, std::string>> files;
        for (const auto& file : given.answer.files()) files.emplace_back(file.path, file.text);
        return files;
      });
  module.def("ask", &ask_python, py::arg("question"), py::arg("verb"), py::arg("folders"),
             py::arg("report"));
  module.def("verbs", &verbs_json);
  module.def("schema", &schema, py::arg("name"));
  module.def("answer_schemas", &answer_schemas);
  module.def("unit", &unit, py::arg("text"));
}
