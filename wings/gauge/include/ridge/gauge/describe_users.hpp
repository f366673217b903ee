// Descriptions of site operators in users' files.
#pragma once

#if defined(RIDGE_HAS_SITE_OPERATORS)
#include <ridge/gauge/user_operator.hpp>
#endif
