package main

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
)

// dataField is where the runtime's moduledata has the address of the data that functions' offsets point into: after
// the address of the table, six slices and 21 addresses.
const dataField = 8 + 6*24 + 21*8

// bucketsField is where it has the address of the buckets by which the runtime finds the function of a program counter.
const bucketsField = 8 + 6*24

// A bucket has the number of a function, and 16 bytes of which all are zero in wasm. Each function has 16 buckets,
// since its program counters take the room of 16. The runtime reads the first, and goes on from the function there
// until it meets the one that it looks for. So functions in a group may have the number of the group's first, which
// takes most of the table off the download.
const (
	bucketSize  = 20
	perFunction = 16
	groupSize   = 16
)

// group gives all functions of each group the number of its first. It reports whether it understood the table.
func (t *table) group(memory []byte, at int) bool {
	module, ok := moduleData(memory, at, t)
	if !ok {
		return false
	}
	start := binary.LittleEndian.Uint64(module[bucketsField:])
	last := perFunction * (t.functions - 1)
	if start > uint64(len(memory)) || last < 0 || bucketSize*(last+1) > len(memory)-int(start) {
		return false
	}
	for i := range last + 1 {
		number := memory[int(start)+bucketSize*i:][:4]
		function := i / perFunction
		if int(binary.LittleEndian.Uint32(number)) > function {
			return false
		}
		binary.LittleEndian.PutUint32(number, uint32(function/groupSize*groupSize))
	}
	return true
}

// moduleData finds the runtime's moduledata in the memory with the table at an address.
func moduleData(memory []byte, at int, t *table) ([]byte, bool) {
	start := binary.LittleEndian.AppendUint64(nil, uint64(at))
	start = binary.LittleEndian.AppendUint64(start, uint64(at+t.names))
	module := bytes.Index(memory, start)
	if module < 0 || module+dataField+8 > len(memory) {
		return nil, false
	}
	return memory[module:], true
}

// functionData finds that data in the memory with the table at an address.
func functionData(memory []byte, at int, t *table) ([]byte, bool) {
	module, ok := moduleData(memory, at, t)
	if !ok {
		return nil, false
	}
	data := binary.LittleEndian.Uint64(module[dataField:])
	if data == 0 || data > uint64(len(memory)) {
		return nil, false
	}
	return memory[data:], true
}

// clearData clears the data that only needless offsets of functions point to. Each piece ends where the next begins.
// It reports whether it understood the functions.
func (t *table) clearData(data []byte) bool {
	needed := map[int]bool{}
	for i := range t.functions {
		f, ok := t.function(i)
		if !ok {
			return false
		}
		for n := range f.offsets() {
			if at := f.get(fields + f.get(fieldTables) + n); at != noOffset {
				needed[at] = needed[at] || !slices.Contains(needlessOffsets, n)
			}
		}
	}
	starts := slices.Sorted(maps.Keys(needed))
	for i, at := range starts {
		if at > len(data) {
			return false
		}
		if i > 0 && !needed[starts[i-1]] {
			clear(data[starts[i-1]:at])
		}
	}
	return true
}
