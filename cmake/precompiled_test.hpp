// Precompiled once for all tests.
#include <doctest/doctest.h>

#include "precompiled.hpp"
