package main

import (
	"encoding/binary"
	"errors"
)

// module is a WebAssembly program, parsed so far that its initial memory can be changed.
type module struct {
	before, after []byte // the sections around the data section
	memory        []byte // the initial memory, from address 0
}

const (
	preamble    = "\x00asm\x01\x00\x00\x00"
	codeSection = 10
	dataSection = 11
	constant    = 0x41 // i32.const
	end         = 0x0b
	mostMemory  = 1 << 28

	// Number of zeros in memory that start a new segment. For shorter gaps, the segment's header would take more room
	// in the compressed program. The linker uses 8.
	gap = 64
)

var errModule = errors.New("not a WebAssembly program as Go's linker writes it")

// readModule parses a program.
func readModule(program []byte) (*module, error) {
	r := reader{rest: program}
	if string(r.bytes(len(preamble))) != preamble {
		return nil, errModule
	}
	for len(r.rest) > 0 {
		before := program[:len(program)-len(r.rest)]
		id, body := r.byte(), r.bytes(r.uint())
		if id == dataSection && !r.failed {
			memory, ok := readMemory(body)
			if !ok {
				return nil, errModule
			}
			return &module{before: before, after: r.rest, memory: memory}, nil
		}
	}
	return nil, errModule
}

// readMemory lays out the data segments. It reports whether it understood all of them.
func readMemory(body []byte) ([]byte, bool) {
	r := reader{rest: body}
	var memory []byte
	for range r.uint() {
		number, op, at, last := r.uint(), r.byte(), r.uint(), r.byte()
		text := r.bytes(r.uint())
		if r.failed || number != 0 || op != constant || last != end || at > mostMemory {
			return nil, false
		}
		if missing := at + len(text) - len(memory); missing > 0 {
			memory = append(memory, make([]byte, missing)...)
		}
		copy(memory[at:], text)
	}
	return memory, !r.failed
}

// program reassembles the module. It leaves out zeros, since memory starts as zeros.
func (m *module) program() []byte {
	var segments []byte
	n := 0
	for at := 0; at < len(m.memory); {
		if m.memory[at] == 0 {
			at++
			continue
		}
		from, zeros := at, 0
		for ; at < len(m.memory) && zeros < gap; at++ {
			zeros++
			if m.memory[at] != 0 {
				zeros = 0
			}
		}
		text := m.memory[from : at-zeros]
		segments = append(appendSigned(append(segments, 0, constant), from), end)
		segments = append(binary.AppendUvarint(segments, uint64(len(text))), text...)
		n++
	}
	count := binary.AppendUvarint(nil, uint64(n))
	program := append(append([]byte{}, m.before...), dataSection)
	program = binary.AppendUvarint(program, uint64(len(count)+len(segments)))
	return append(append(append(program, count...), segments...), m.after...)
}

// appendSigned appends n, which must not be negative, as a signed LEB128 number.
func appendSigned(to []byte, n int) []byte {
	for ; n >= 0x40; n >>= 7 {
		to = append(to, byte(n)|0x80)
	}
	return append(to, byte(n))
}

// reader reads from the start of rest, until a read fails.
type reader struct {
	rest   []byte
	failed bool
}

func (r *reader) byte() byte {
	b := r.bytes(1)
	if b == nil {
		return 0
	}
	return b[0]
}

func (r *reader) bytes(n int) []byte {
	if n > len(r.rest) || r.failed {
		r.rest, r.failed = nil, true
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

// uint reads an unsigned LEB128 number of up to 32 bits.
func (r *reader) uint() int {
	n, read := binary.Uvarint(r.rest)
	if read <= 0 || n>>32 != 0 {
		r.rest, r.failed = nil, true
		return 0
	}
	r.rest = r.rest[read:]
	return int(n)
}
