// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only

// shortstacks - goroutines that go to the end of their small stacks, where the
// memory of others begins, and keep an eye on their own.
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
)

//go:noinline
//go:nosplit
func leaf(a uint64) uint64 { return (a^a>>7)*0x9e3779b97f4a7c15 + 1 }

// middle takes most of what functions may use without looking how much is left.
//
//go:noinline
//go:nosplit
func middle(a uint64) uint64 {
	var room [80]uint64
	room[a%80] = a
	return leaf(a) + room[(a+1)%80]
}

//go:noinline
func down(n int, a uint64) uint64 {
	if n == 0 {
		return middle(a)
	}
	return down(n-1, a+1) + 1
}

//go:noinline
func whole(mine *[16]uint64, id uint64) bool {
	for i := range mine {
		if mine[i] != id*99+uint64(i) {
			return false
		}
	}
	return true
}

func worker(id uint64, rounds int, bad chan<- bool, wg *sync.WaitGroup) {
	defer wg.Done()
	var mine [16]uint64
	for i := range mine {
		mine[i] = id*99 + uint64(i)
	}
	for i := 0; i < rounds; i++ {
		down(int(id%64), id)
		if !whole(&mine, id) {
			bad <- true
			return
		}
	}
}

func main() {
	rounds := 1000
	if len(os.Args) > 1 {
		rounds, _ = strconv.Atoi(os.Args[1])
	}
	bad := make(chan bool, 512)
	var wg sync.WaitGroup
	for id := uint64(0); id < 512; id++ {
		wg.Add(1)
		go worker(id, rounds, bad, &wg)
	}
	wg.Wait()
	fmt.Println("bad", len(bad))
	os.Exit(4)
}
