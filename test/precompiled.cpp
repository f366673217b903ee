// Nothing but precompiled.hpp, which the build includes: the source that compiles it once for all
// tests.
