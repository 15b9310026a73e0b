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

// functionData finds that data in the memory with the table at an address.
func functionData(memory []byte, at int, t *table) ([]byte, bool) {
	start := binary.LittleEndian.AppendUint64(nil, uint64(at))
	start = binary.LittleEndian.AppendUint64(start, uint64(at+t.names))
	module := bytes.Index(memory, start)
	if module < 0 || module+dataField+8 > len(memory) {
		return nil, false
	}
	data := binary.LittleEndian.Uint64(memory[module+dataField:])
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
