// The model beside published figures.
#pragma once

#include <string>

namespace ridge::app {

/// Prints the table of the AMD Laplacian series, as text or JSON, and where `figure` is not empty
/// the points of that file. Throws Failure when the model is off by more than it may be.
void print_published(const std::string& figure, bool json);

} // namespace ridge::app
