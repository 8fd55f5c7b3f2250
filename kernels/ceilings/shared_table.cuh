// A power of two, so that going round its end costs one instruction.
#pragma once
constexpr int table_size = 4096;
// The elements between one read and the next: a multiple of every vector, but not of a row of banks.
constexpr int table_shift = 132;
