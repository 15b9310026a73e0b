package site

import (
	"container/list"
	"sync"
)

// Cache is an LRU cache with a limited weight. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	maxWeight int // limit of the total weight

	mu     sync.Mutex
	weight int
	byKey  map[K]*list.Element // of keptEntry
	order  list.List           // the least recently used at the back
}

type cacheEntry[K comparable, V any] struct {
	key    K
	value  V
	weight int
}

// NewCache returns a cache that holds at most a weight.
func NewCache[K comparable, V any](most int) *Cache[K, V] {
	return &Cache[K, V]{maxWeight: most, byKey: map[K]*list.Element{}}
}

// Get returns a value and marks it as used.
func (k *Cache[K, V]) Get(key K) (value V, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	e, ok := k.byKey[key]
	if !ok {
		return value, false
	}
	k.order.MoveToFront(e)
	return e.Value.(cacheEntry[K, V]).value, true
}

// Put stores a value with its weight, and replaces one with the same key. It doesn't store a value above the limit.
func (k *Cache[K, V]) Put(key K, value V, weight int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e, ok := k.byKey[key]; ok {
		k.remove(e)
	}
	if weight > k.maxWeight {
		return
	}
	k.byKey[key] = k.order.PushFront(cacheEntry[K, V]{key, value, weight})
	for k.weight += weight; k.weight > k.maxWeight; {
		k.remove(k.order.Back())
	}
}

func (k *Cache[K, V]) remove(e *list.Element) {
	entry := k.order.Remove(e).(cacheEntry[K, V])
	k.weight -= entry.weight
	delete(k.byKey, entry.key)
}
