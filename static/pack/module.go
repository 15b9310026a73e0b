package main

import (
	"encoding/binary"
	"errors"
)

// module is a WebAssembly program, taken apart as far as its memory can be changed.
type module struct {
	before, after []byte // the sections round that of the data
	memory        []byte // what the program finds in its memory when it starts, from address 0
}

const (
	preamble    = "\x00asm\x01\x00\x00\x00"
	dataSection = 11
	constant    = 0x41 // i32.const
	end         = 0x0b
	mostMemory  = 1 << 28

	// Zeros in memory that are left out: where there are fewer of them, what begins a segment behind them takes more
	// room in the compressed program. The linker leaves out 8.
	gap = 64
)

var errModule = errors.New("not a WebAssembly program as Go's linker writes it")

// readModule takes a program apart.
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

// readMemory lays out the segments of the data. It reports whether it understands them all.
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

// program puts m together again. Zeros are left out of it, since memory consists of them.
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

// appendSigned appends n, which isn't negative, as a signed number.
func appendSigned(to []byte, n int) []byte {
	for ; n >= 0x40; n >>= 7 {
		to = append(to, byte(n)|0x80)
	}
	return append(to, byte(n))
}

// reader reads from the beginning of what is left, until something isn't there.
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

// uint reads a number of up to 32 bits.
func (r *reader) uint() int {
	n, read := binary.Uvarint(r.rest)
	if read <= 0 || n>>32 != 0 {
		r.rest, r.failed = nil, true
		return 0
	}
	r.rest = r.rest[read:]
	return int(n)
}
