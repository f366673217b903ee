// By what names sources call types that C++ cannot spell otherwise.
#pragma once

#include <string>
#include <typeinfo>

namespace ridge::launch {

/// Says by what name the source of a type calls it; type_text then does, too. Some types have no
/// other that C++ could read: those in anonymous namespaces, of lambdas, and with numbers or
/// objects as parameters of templates.
void know_name(const std::type_info& type, const std::string& name);

} // namespace ridge::launch
