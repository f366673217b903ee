// Records for the tests of reports.
#pragma once

#include <ridge/report/read.hpp>

#include <string>

namespace ridge::report {

/// A record with the fields of the contract; `change` is further JSON fields, which begin with a
/// comma and win over those before.
inline std::string record_json(const std::string& change = "") {
  return R"({"pattern":"stencil","kernel":"laplacian","device":"cuda:0","device_name":"a GPU",
             "precision":"fp64","size":[64,32,16],"schedule":"tile=4 store=plain",
             "schedule_name":"default","seconds":2e-3,"seconds_min":1.9e-3,"seconds_max":2.2e-3,
             "repeats":15,"bytes_read":1000000,"bytes_written":500000,"flops":3000000,
             "items":300000,"convention":"each point once","achieved":7.5e8,"achieved_unit":"B/s",
             "roof":1e9,"roof_name":"copy","fraction":0.75,
             "check":{"ok":true,"max_error":1e-15,"against":"reference"})" +
         change + "}";
}

/// A file of such records, one for each of `changes`.
inline Saved saved(const std::string& name, std::initializer_list<std::string> changes) {
  std::string text;
  for (const std::string& change : changes)
    text += (text.empty() ? "[" : ",") + record_json(change);
  return parse_saved(text + "]", name);
}

} // namespace ridge::report
