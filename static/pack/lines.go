package main

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// The table of functions that Go's runtime unwinds stacks by, for wasm: see runtime/symtab.go. It begins with a header
// of eight-byte numbers, the last five of which are where its parts are.
const (
	tableStart  = "\xf1\xff\xff\xff\x00\x00\x01\x08"
	tableHeader = 9 * 8
	// Where a function has what, in fields of four bytes.
	fieldStack    = 4 // the first of its tables by program counter: how large its frame is
	fieldFile     = 5
	fieldLine     = 6
	fieldTables   = 7 // how many more of them follow the fields
	fieldUnit     = 8 // which files are the function's
	fieldDeclared = 9 // the line
	fields        = 11
)

var errTable = errors.New("the program has no table of functions, or one of another Go than this command knows")

// withoutLines returns a program that doesn't know in which file and line its code was written, which is a tenth of its
// download. A stack trace still names its functions, and has "?:0" where the line would be.
func withoutLines(program []byte) ([]byte, error) {
	m, err := readModule(program)
	if err != nil {
		return nil, err
	}
	at := bytes.Index(m.memory, []byte(tableStart))
	if at < 0 {
		return nil, errTable
	}
	t := table{text: m.memory[at:]}
	if !t.open() || !t.forget() {
		return nil, errTable
	}
	return m.program(), nil
}

// table is the table of functions, and what is behind it.
type table struct {
	text      []byte
	functions int
	// Where its parts begin: the files of units, the names of files, what is told by program counter, and the functions.
	units, files, counters, index int
}

// open reads the header, and reports whether it can be one.
func (t *table) open() bool {
	if len(t.text) < tableHeader {
		return false
	}
	number := func(i int) int { return int(binary.LittleEndian.Uint32(t.text[8*i:])) }
	t.functions = number(1)
	t.units, t.files, t.counters, t.index = number(5), number(6), number(7), number(8)
	return tableHeader <= t.units && t.units <= t.files && t.files <= t.counters && t.counters <= t.index &&
		t.index <= len(t.text) && t.functions <= (len(t.text)-t.index)/8
}

// forget clears what tells files and lines. It reports whether it could follow the table to its end.
func (t *table) forget() bool {
	counters := t.text[t.counters:t.index]
	needed := make([]byte, len(counters))
	keep := func(at int) bool {
		n, ok := tableLength(counters, at)
		if ok {
			copy(needed[at:], counters[at:at+n])
		}
		return ok
	}
	for i := range t.functions {
		f, ok := t.function(i)
		if !ok || !keep(f.get(fieldStack)) {
			return false
		}
		for n := range f.get(fieldTables) {
			if !keep(f.get(fields + n)) {
				return false
			}
		}
		for _, field := range []int{fieldFile, fieldLine, fieldUnit, fieldDeclared} {
			f.clear(field)
		}
	}
	copy(counters, needed)
	clear(t.text[t.units:t.counters])
	return true
}

// function is the fields of one.
type function []byte

func (t *table) function(i int) (function, bool) {
	at := t.index + int(binary.LittleEndian.Uint32(t.text[t.index+8*i+4:]))
	if at > len(t.text)-4*fields {
		return nil, false
	}
	f := function(t.text[at:])
	return f, f.get(fieldTables) <= len(f)/4-fields
}

func (f function) get(field int) int { return int(binary.LittleEndian.Uint32(f[4*field:])) }
func (f function) clear(field int)   { clear(f[4*field : 4*field+4]) }

// tableLength returns how many bytes one table by program counter has: pairs of numbers, how far a value and the
// counter go on, until a value that doesn't change, other than the first. At 0 there is none.
func tableLength(text []byte, at int) (int, bool) {
	if at == 0 {
		return 0, true
	}
	if at > len(text) {
		return 0, false
	}
	r := reader{rest: text[at:]}
	for first := true; ; first = false {
		if value := r.uint(); value == 0 && !first || r.failed {
			return len(text) - at - len(r.rest), !r.failed
		}
		r.uint()
	}
}
