#pragma once
#include "assertions.hpp"
