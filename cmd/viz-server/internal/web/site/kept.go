package site

import (
	"container/list"
	"sync"
)

// Kept is an LRU cache with a limited weight. It is safe for concurrent use.
type Kept[K comparable, V any] struct {
	most int // limit of the total weight

	mu     sync.Mutex
	weight int
	byKey  map[K]*list.Element // of keptEntry
	order  list.List           // the least recently used at the back
}

type keptEntry[K comparable, V any] struct {
	key    K
	value  V
	weight int
}

// NewKept returns a cache that holds at most a weight.
func NewKept[K comparable, V any](most int) *Kept[K, V] {
	return &Kept[K, V]{most: most, byKey: map[K]*list.Element{}}
}

// Get returns a value and marks it as used.
func (k *Kept[K, V]) Get(key K) (value V, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	e, ok := k.byKey[key]
	if !ok {
		return value, false
	}
	k.order.MoveToFront(e)
	return e.Value.(keptEntry[K, V]).value, true
}

// Put stores a value with its weight, and replaces one with the same key. It doesn't store a value above the limit.
func (k *Kept[K, V]) Put(key K, value V, weight int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e, ok := k.byKey[key]; ok {
		k.forget(e)
	}
	if weight > k.most {
		return
	}
	k.byKey[key] = k.order.PushFront(keptEntry[K, V]{key, value, weight})
	for k.weight += weight; k.weight > k.most; {
		k.forget(k.order.Back())
	}
}

func (k *Kept[K, V]) forget(e *list.Element) {
	entry := k.order.Remove(e).(keptEntry[K, V])
	k.weight -= entry.weight
	delete(k.byKey, entry.key)
}
