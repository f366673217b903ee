// What `ridge doctor` prints.
#pragma once

#include <ridge/lab/visit.hpp>

namespace ridge::app {

void print_visit(const lab::Visit& visit, bool json);
void print_explanation(const doctor::Cause& cause);
/// All causes, and the confusion table.
void print_causes(bool json);
void print_checklist(const model::Facts& facts, bool json);

} // namespace ridge::app
