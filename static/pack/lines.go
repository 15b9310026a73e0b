package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
)

// The function table with which Go's runtime unwinds stacks, for wasm: see runtime/symtab.go. Its header has
// eight-byte numbers. The last five are the offsets of its parts.
const (
	tableStart  = "\xf1\xff\xff\xff\x00\x00\x01\x08"
	tableHeader = 9 * 8
	// Indexes of a function's four-byte fields.
	fieldName     = 1
	fieldStack    = 4 // its first table by program counter: the size of its frame
	fieldFile     = 5
	fieldLine     = 6
	fieldTables   = 7  // the number of further tables after the fields
	fieldUnit     = 8  // the function's files
	fieldDeclared = 9  // the line
	fieldKinds    = 10 // its last byte is the number of offsets, of data elsewhere, after the tables
	fields        = 11
	noOffset      = math.MaxUint32
)

// Tables and offsets, by their indexes, that only stack traces use, for inlined functions and arguments. Table 0 is for
// preemption by signals, which wasm doesn't have.
var (
	needlessTables  = []int{0, 2, 3}
	needlessOffsets = []int{3, 5, 6}
)

var errTable = errors.New("the program has no table of functions, or one of an unknown version of Go")

// withoutLines returns the program without what only stack traces use, apart from the names of functions: a seventh of
// the download. They have "?:0" for the line, no arguments, and no functions that are inlined. Unless kept is empty,
// functions whose names begin with it keep their lines, and all keep what is inlined: runtime.Callers counts that.
func withoutLines(program []byte, kept string) ([]byte, error) {
	m, err := readModule(program)
	if err != nil {
		return nil, err
	}
	at := bytes.Index(m.memory, []byte(tableStart))
	if at < 0 {
		return nil, errTable
	}
	t := table{text: m.memory[at:], kept: kept}
	if !t.open() {
		return nil, errTable
	}
	if kept == "" {
		data, ok := functionData(m.memory, at, &t)
		if !ok || !t.clearData(data) {
			return nil, errTable
		}
	}
	if !t.forget() {
		return nil, errTable
	}
	return m.program(), nil
}

// table is the function table and everything after it.
type table struct {
	text      []byte
	kept      string // how the names of functions begin that keep their lines; empty for none
	functions int
	// Offsets of its parts: the names of functions, the files of units, the file names, the tables by program counter,
	// and the functions.
	names, units, files, counters, index int
}

// open reads the header and reports whether it is plausible.
func (t *table) open() bool {
	if len(t.text) < tableHeader {
		return false
	}
	number := func(i int) int { return int(binary.LittleEndian.Uint32(t.text[8*i:])) }
	t.functions = number(1)
	t.names, t.units, t.files, t.counters, t.index = number(4), number(5), number(6), number(7), number(8)
	return tableHeader <= t.names && t.names <= t.units && t.units <= t.files && t.files <= t.counters &&
		t.counters <= t.index && t.index <= len(t.text) && t.functions <= (len(t.text)-t.index)/8
}

// forget clears files and lines. It reports whether it understood the whole table.
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
		switch {
		case t.kept == "":
			f.forgetLines()
			f.forgetInlined()
		case !t.keeps(f):
			f.forgetLines()
		case !keep(f.get(fieldFile)) || !keep(f.get(fieldLine)):
			return false
		}
		for n := range f.get(fieldTables) {
			if !keep(f.get(fields + n)) {
				return false
			}
		}
	}
	copy(counters, needed)
	if t.kept == "" {
		clear(t.text[t.units:t.counters])
	}
	return true
}

// keeps reports whether a function keeps its lines.
func (t *table) keeps(f function) bool {
	at := t.names + f.get(fieldName)
	return at < t.units && bytes.HasPrefix(t.text[at:t.units], []byte(t.kept))
}

// function holds one function's fields.
type function []byte

func (t *table) function(i int) (function, bool) {
	at := t.index + int(binary.LittleEndian.Uint32(t.text[t.index+8*i+4:]))
	if at > len(t.text)-4*fields {
		return nil, false
	}
	f := function(t.text[at:])
	room := len(f)/4 - fields - f.offsets()
	return f, f.get(fieldTables) <= room
}

// forgetLines clears the fields with files and lines.
func (f function) forgetLines() {
	for _, field := range []int{fieldFile, fieldLine, fieldUnit, fieldDeclared} {
		f.set(field, 0)
	}
}

// forgetInlined clears what tells of arguments and inlined functions.
func (f function) forgetInlined() {
	tables := f.get(fieldTables)
	for _, n := range needlessTables {
		if n < tables {
			f.set(fields+n, 0)
		}
	}
	for _, n := range needlessOffsets {
		if n < f.offsets() {
			f.set(fields+tables+n, noOffset)
		}
	}
}

func (f function) get(field int) int           { return int(binary.LittleEndian.Uint32(f[4*field:])) }
func (f function) set(field int, value uint32) { binary.LittleEndian.PutUint32(f[4*field:], value) }
func (f function) offsets() int                { return int(f[4*fieldKinds+3]) }

// tableLength returns the length in bytes of one table by program counter: pairs of steps, of a value and of the
// counter, up to a value step of 0 that isn't the first. Offset 0 means no table.
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
