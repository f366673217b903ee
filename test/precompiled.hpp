// What most tests include, compiled once. Tests still include all they use.
#pragma once

#include <ridge/device/queue.hpp>
#include <ridge/record/record.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>
