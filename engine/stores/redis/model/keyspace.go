package model

import (
	"hash/fnv"
	"math"
	"slices"
	"strings"
)

// keyspace holds the keys, and which of them expire.
type keyspace struct {
	items    map[string]*item
	volatile []string // keys that expire, in no order
	bytes    int
	cursor   int // index in volatile where the expiry cycle continues
}

// put sets a key.
func (ks *keyspace) put(key string, i *item) {
	if old := ks.items[key]; old != nil {
		ks.drop(key, old)
	}
	ks.items[key] = i
	i.bytes = keyOverhead + len(key) + len(i.str)
	for _, e := range i.list {
		i.bytes += elementOverhead + len(e)
	}
	if i.hash != nil {
		for f, v := range i.hash.fields {
			i.bytes += elementOverhead + len(f) + len(v)
		}
	}
	ks.bytes += i.bytes
	if i.ends != 0 {
		ks.addVolatile(key, i)
	}
}

// grow records that an item needs n more bytes.
func (ks *keyspace) grow(i *item, n int) {
	i.bytes += n
	ks.bytes += n
}

// endAt makes a key expire at a time, or never for 0.
func (ks *keyspace) endAt(key string, i *item, ends int64) {
	if i.ends != 0 {
		ks.removeVolatile(i)
	}
	if i.ends = ends; ends != 0 {
		ks.addVolatile(key, i)
	}
}

// addVolatile records that a key expires.
func (ks *keyspace) addVolatile(key string, i *item) {
	i.place = len(ks.volatile)
	ks.volatile = append(ks.volatile, key)
}

// removeVolatile records that a key no longer expires, or is gone.
func (ks *keyspace) removeVolatile(i *item) {
	last := len(ks.volatile) - 1
	moved := ks.volatile[last]
	ks.volatile[i.place] = moved
	ks.items[moved].place = i.place
	ks.volatile = ks.volatile[:last]
}

// drop removes a key without an event.
func (ks *keyspace) drop(key string, i *item) {
	ks.bytes -= i.bytes
	if i.ends != 0 {
		ks.removeVolatile(i)
	}
	delete(ks.items, key)
}

// sorted returns all keys, sorted.
func (ks *keyspace) sorted() []string {
	list := make([]string, 0, len(ks.items))
	for key := range ks.items {
		list = append(list, key)
	}
	slices.Sort(list)
	return list
}

// first returns the first keys by name, at most most.
func (ks *keyspace) first(most int) (names []string) {
	if len(ks.items) <= most {
		return ks.sorted()
	}
	if most <= 0 {
		return nil
	}
	for key := range ks.items {
		if len(names) == most && strings.Compare(key, names[most-1]) > 0 {
			continue
		}
		at, _ := slices.BinarySearch(names, key)
		names = slices.Insert(names, at, key)
		names = names[:min(len(names), most)]
	}
	return names
}

// scan returns the next keys from a hash on, in order, and the next cursor, 0 at the end.
func (ks *keyspace) scan(from uint64, count int) (list []hashed, next uint64) {
	h := fnv.New64a()
	for key := range ks.items {
		h.Reset()
		_, _ = h.Write([]byte(key))
		x := hashed{h.Sum64(), key}
		if x.hash < from || len(list) >= count && x.hash > list[len(list)-1].hash {
			continue
		}
		at, _ := slices.BinarySearchFunc(list, x, byHash)
		list = slices.Insert(list, at, x)
		list = list[:enough(list, count)]
	}
	if len(list) < count || list[len(list)-1].hash == math.MaxUint64 {
		return list, 0
	}
	return list, list[len(list)-1].hash + 1
}
