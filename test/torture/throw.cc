/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * throw.cc - C++ exceptions through probed frames, with destructors to run and
 * handlers at several depths, in threads.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static thread_local uint64_t alive, done;

struct guard {
	guard() { alive++; }
	~guard()
	{
		alive--;
		done++;
	}
};

__attribute__((noinline)) static uint64_t
deep(int n, uint64_t x)
{
	guard g;

	if (n == 0) {
		if (x % 3 == 0)
			throw std::runtime_error("three " + std::to_string(x));
		if (x % 5 == 0)
			throw static_cast<int>(x);
		return x;
	}
	if (n == 4) {
		try {
			return deep(n - 1, x) + 1;
		} catch (const int &v) {
			return static_cast<uint64_t>(v) + 17;
		}
	}
	return deep(n - 1, x) + done % 2;
}

static uint64_t
work(uint64_t seed, uint64_t n)
{
	uint64_t sum = 0;

	done = 0;
	for (uint64_t i = 0; i < n; i++) {
		try {
			sum += deep(8, seed + i);
		} catch (const std::exception &e) {
			sum += std::string(e.what()).size();
		}
	}
	return sum * 31 + alive;
}

int
main(int argc, char **argv)
{
	uint64_t n = argc > 1 ? strtoull(argv[1], nullptr, 0) : 100000;
	std::vector<std::thread> t;
	uint64_t sum[3] = {};

	for (unsigned i = 0; i < 3; i++)
		t.emplace_back([&sum, i, n] { sum[i] = work(i * 7, n); });
	for (auto &x : t)
		x.join();
	printf("%llx\n",
	       static_cast<unsigned long long>(sum[0] + sum[1] * 3 + sum[2] * 7));
	return 7;
}
