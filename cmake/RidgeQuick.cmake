# ridge_quick_flags: passes of -O1 that take a fifth of the time in which kernels are compiled, for kernels that are
# compiled more often than run. What they compute does not depend on these passes.
set(ridge_quick_flags)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT RIDGE_SANITIZE) # sanitized code is not optimised
  foreach(pass tree-pta tree-dominator-opts tree-loop-optimize tree-dse tree-sink tree-ch tree-slsr ssa-phiopt
               if-conversion if-conversion2 forward-propagate cprop-registers shrink-wrap split-wide-types
               ipa-modref ipa-pure-const ipa-reference ipa-profile guess-branch-probability)
    list(APPEND ridge_quick_flags -fno-${pass})
  endforeach()
endif()
