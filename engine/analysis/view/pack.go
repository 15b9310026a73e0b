package view

import (
	"encoding/binary"
	"slices"
)

// packer writes the long lists of a State into a block of bytes, or reads them back. A packed State takes a tenth
// of the memory and holds nothing for the garbage collector to scan. Each packed field is named once, for both
// directions. The zero value is ready to write.
//
// For each eight consecutive values, one byte tells which aren't as in the list's element before, and then those values
// follow: numbers as the difference, a zigzag varint, a string as its number in the block, with its length and bytes
// where it first occurs.
type packer struct {
	block   []byte // being written
	rest    string // the rest of the block being read: strings share its memory
	reading bool

	present int   // position of that byte in the block
	byte    uint8 // while reading
	values  int   // values of that byte already taken

	before []value // the fields of the element before; the first is the list's length
	field  int     // the index there of the next field

	known   map[string]uint64 // while writing, numbered from 1
	strings []string          // while reading
}

// value is a number or a string.
type value struct {
	number int64
	text   string
}

// pack returns the lists of s as a block.
func (p *packer) pack(s *State) string {
	known := p.known
	if known == nil {
		known = map[string]uint64{}
	}
	clear(known)
	*p = packer{block: p.block[:0], strings: p.strings[:0], before: p.before, known: known, values: 8}
	p.lists(s)
	return string(p.block)
}

// unpack puts the lists of a block into s and reuses the memory of its lists.
func (p *packer) unpack(block string, s *State) {
	*p = packer{block: p.block, strings: p.strings[:0], before: p.before, known: p.known, values: 8, rest: block,
		reading: true}
	p.lists(s)
}

// next stores is while writing; while reading it returns the stored bit: whether the next value follows.
func (p *packer) next(is bool) bool {
	if p.values == 8 {
		p.values = 0
		if p.reading {
			p.byte, p.rest = p.rest[0], p.rest[1:]
		} else {
			p.present = len(p.block)
			p.block = append(p.block, 0)
		}
	}
	bit := uint8(1) << p.values
	p.values++
	if p.reading {
		return p.byte&bit != 0
	}
	if is {
		p.block[p.present] |= bit
	}
	return is
}

func (p *packer) uvarint() uint64 {
	var v uint64
	for i := 0; ; i++ {
		b := p.rest[i]
		v |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			p.rest = p.rest[i+1:]
			return v
		}
	}
}

type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// was returns the next field as it is in the element before.
func (p *packer) was() *value {
	if p.field == len(p.before) {
		p.before = append(p.before, value{})
	}
	p.field++
	return &p.before[p.field-1]
}

// number packs a field. What is made for each type is small: the work is done for int64.
//
//go:noinline
func number[T integer](p *packer, v *T) { *v = T(p.number(int64(*v))) }

func (p *packer) number(v int64) int64 {
	was := p.was()
	switch there := p.next(v != was.number); {
	case !there:
		v = was.number
	case p.reading:
		u := p.uvarint()
		v = was.number + (int64(u>>1) ^ -int64(u&1))
	default:
		p.block = binary.AppendVarint(p.block, v-was.number)
	}
	was.number = v
	return v
}

//go:noinline
func (p *packer) bool(v *bool) { *v = p.next(*v) }

//go:noinline
func text[T ~string](p *packer, v *T) { *v = T(p.text(string(*v))) }

func (p *packer) text(v string) string {
	was := p.was()
	switch there := p.next(v != was.text); {
	case !there:
		v = was.text
	case p.reading:
		v = p.word()
	default:
		n, ok := p.known[v]
		if !ok {
			n = uint64(len(p.known) + 1)
			p.known[v] = n
		}
		p.block = binary.AppendUvarint(p.block, n)
		if !ok {
			p.block = append(binary.AppendUvarint(p.block, uint64(len(v))), v...)
		}
	}
	was.text = v
	return v
}

// word reads a string.
func (p *packer) word() string {
	n := p.uvarint()
	if n <= uint64(len(p.strings)) {
		return p.strings[n-1]
	}
	long := p.uvarint()
	s := p.rest[:long]
	p.rest = p.rest[long:]
	p.strings = append(p.strings, s)
	return s
}

func list[L ~[]T, T any](p *packer, l *L, each func(*packer, *T)) {
	p.before, p.field = p.before[:0], 0
	n := len(*l)
	number(p, &n)
	if p.reading {
		*l = slices.Grow((*l)[:0], n)[:n]
	}
	for i := range *l {
		p.field = 1
		each(p, &(*l)[i])
	}
}
