// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only

// goroutines - thousands of goroutines that come and go on few threads, pass
// values through channels, let their stacks grow, and are preempted by signals
// in loops without calls, while the garbage collector walks their stacks.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
)

//go:noinline
func step(a uint64) uint64 {
	return (a^a>>7)*0x9e3779b97f4a7c15 + 1
}

// deep makes the stack grow, and so move.
//
//go:noinline
func deep(n int, a uint64) uint64 {
	var room [64]uint64
	room[n%64] = a
	if n == 0 {
		return step(room[0])
	}
	return deep(n-1, a+room[n%64]) + room[(n+1)%64]
}

// spin has no call in its loop: only a signal takes it off its thread.
//
//go:noinline
func spin(n int, a uint64) uint64 {
	for i := 0; i < n; i++ {
		a = a<<3 ^ a>>5 ^ uint64(i)
	}
	return a
}

func worker(in <-chan uint64, out chan<- uint64, wg *sync.WaitGroup) {
	defer wg.Done()
	for a := range in {
		garbage := make([]byte, 64+a%4096)
		out <- deep(int(a%100), a) ^ spin(20000, a) + uint64(len(garbage))
	}
}

func main() {
	n := 20000
	if len(os.Args) > 1 {
		n, _ = strconv.Atoi(os.Args[1])
	}
	runtime.GOMAXPROCS(4)
	in, out := make(chan uint64), make(chan uint64, 64)
	var wg sync.WaitGroup
	for i := 0; i < 200; i++ {
		wg.Add(1)
		go worker(in, out, &wg)
	}
	go func() {
		for i := 0; i < n; i++ {
			in <- uint64(i)
			if i%100 == 0 {
				done := make(chan uint64)
				go func() { done <- spin(10000, uint64(i)) }()
				<-done
			}
		}
		close(in)
		wg.Wait()
		close(out)
	}()
	var sum uint64
	for a := range out {
		sum += step(a) // in any order
	}
	fmt.Printf("%x\n", sum)
	os.Exit(6)
}
