package naming

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// key orders places.
type key struct {
	number int64
	name   string
}

func (k key) compare(other key) int {
	if k.number != other.number { // names take longer to compare
		return cmp.Compare(k.number, other.number)
	}
	return strings.Compare(k.name, other.name)
}

// order holds sorted keys in nonempty chunks: a change moves at most one chunk.
type order struct {
	chunks [][]key
	n      int
}

const maxChunk = 256

// find returns where a key is, or where it would go.
func (o *order) find(k key) (chunk, at int, found bool) {
	chunk, _ = slices.BinarySearchFunc(o.chunks, k, func(c []key, k key) int { return c[len(c)-1].compare(k) })
	if chunk == len(o.chunks) {
		chunk--
	}
	if chunk < 0 {
		return 0, 0, false
	}
	at, found = slices.BinarySearchFunc(o.chunks[chunk], k, key.compare)
	return chunk, at, found
}

func (o *order) put(k key) {
	if o.n == 0 {
		o.chunks, o.n = [][]key{{k}}, 1
		return
	}
	chunk, at, found := o.find(k)
	if found {
		return
	}
	o.n++
	c := slices.Insert(o.chunks[chunk], at, k)
	o.chunks[chunk] = c
	if len(c) > maxChunk {
		half := len(c) / 2
		o.chunks[chunk] = c[:half:half]
		o.chunks = slices.Insert(o.chunks, chunk+1, slices.Clone(c[half:]))
	}
}

func (o *order) drop(k key) {
	chunk, at, found := o.find(k)
	if !found {
		return
	}
	o.n--
	o.chunks[chunk] = slices.Delete(o.chunks[chunk], at, at+1)
	if len(o.chunks[chunk]) == 0 {
		o.chunks = slices.Delete(o.chunks, chunk, chunk+1)
	}
}

// first returns the first key.
func (o *order) first() (key, bool) {
	if o.n == 0 {
		return key{}, false
	}
	return o.chunks[0][0], true
}

// from yields the keys that aren't before k.
func (o *order) from(k key) iter.Seq[key] {
	return func(yield func(key) bool) {
		if o.n == 0 {
			return
		}
		chunk, at, _ := o.find(k)
		for ; chunk < len(o.chunks); chunk, at = chunk+1, 0 {
			for _, k := range o.chunks[chunk][at:] {
				if !yield(k) {
					return
				}
			}
		}
	}
}
