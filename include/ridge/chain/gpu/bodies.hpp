// The bodies of all GPU kernels of chains, without the host code that lays them over a device.
#pragma once

#include <ridge/chain/gpu/block.hpp>
#include <ridge/chain/gpu/columns.hpp>
#include <ridge/chain/gpu/elements.hpp>
#include <ridge/chain/gpu/exchange.hpp>
#include <ridge/chain/gpu/march.hpp>
#include <ridge/chain/gpu/points.hpp>
#include <ridge/chain/gpu/points_alike.hpp>
#include <ridge/chain/gpu/points_apart.hpp>
#include <ridge/chain/gpu/points_interior.hpp>
#include <ridge/chain/gpu/points_march.hpp>
#include <ridge/chain/gpu/tiles.hpp>
