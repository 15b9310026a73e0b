package web

import (
	"container/list"
	"sync"
)

// kept remembers values up to a bound, and forgets the least recently used first. Its methods may be called at any
// time from anywhere.
type kept[K comparable, V any] struct {
	most int // of the weights of all values

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

func newKept[K comparable, V any](most int) *kept[K, V] {
	return &kept[K, V]{most: most, byKey: map[K]*list.Element{}}
}

// get finds a value, which counts as a use of it.
func (k *kept[K, V]) get(key K) (value V, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	e, ok := k.byKey[key]
	if !ok {
		return value, false
	}
	k.order.MoveToFront(e)
	return e.Value.(keptEntry[K, V]).value, true
}

// put remembers a value of some weight, in place of an older one with the same key. One that is too heavy by itself
// is not kept.
func (k *kept[K, V]) put(key K, value V, weight int) {
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

func (k *kept[K, V]) forget(e *list.Element) {
	entry := k.order.Remove(e).(keptEntry[K, V])
	k.weight -= entry.weight
	delete(k.byKey, entry.key)
}
