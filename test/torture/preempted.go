// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only

// preempted - goroutines that do nothing but call short functions without calls
// and without a check of their stack, on few threads: nearly all of them wait,
// taken off their thread by a signal at some instruction of such a function.
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
)

var table [64]uint64

//go:noinline
func add(a, b uint64) uint64 { return a + b<<1 }

//go:noinline
func mix(a uint64) uint64 { return (a ^ a>>7) * 0x9e3779b97f4a7c15 }

//go:noinline
func pick(a uint64) uint64 { return table[a&63] }

// frame keeps something on its stack, so that it ends with more than a ret.
//
//go:noinline
func frame(a uint64) uint64 {
	var room [9]uint64
	room[a&7] = a
	return room[(a+1)&7] + room[a>>3&7]
}

//go:noinline
func outer(a uint64) uint64 { return frame(a) + mix(pick(a)) }

func worker(n int, a uint64) uint64 {
	for i := 0; i < n; i++ {
		a = add(outer(a), mix(a)) + pick(frame(a))
	}
	return a
}

func main() {
	n := 3000000
	if len(os.Args) > 1 {
		n, _ = strconv.Atoi(os.Args[1])
	}
	for i := range table {
		table[i] = mix(uint64(i))
	}
	var wg sync.WaitGroup
	sums := make([]uint64, 100)
	for i := range sums {
		wg.Add(1)
		go func(i int) {
			defer wg.Done()
			sums[i] = worker(n, uint64(i))
		}(i)
	}
	wg.Wait()
	var sum uint64
	for _, s := range sums {
		sum = sum*31 + s
	}
	fmt.Printf("%x\n", sum)
}
