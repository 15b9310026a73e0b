package check

import "math"

// treap keeps ordered values with weights, and finds the first that is light enough. Each operation takes time
// logarithmic in their number. A function that holds exactly for the values before it gives a value's position. The
// zero value is empty and ready to use.
type treap[T any] struct {
	root  *branch[T]
	drawn uint64
}

type branch[T any] struct {
	value       T
	weight      int64
	least       int64  // the least weight in its subtree
	chance      uint64 // greater than that of those below
	left, right *branch[T]
}

// insert adds a value after all that before holds for.
func (t *treap[T]) insert(v T, weight int64, before func(T) bool) {
	t.drawn++
	b := &branch[T]{value: v, weight: weight, least: weight, chance: scatter(t.drawn)}
	left, right := part(t.root, before)
	t.root = merge(merge(left, b), right)
}

// remove removes the first value that before doesn't hold for.
func (t *treap[T]) remove(before func(T) bool) {
	left, right := part(t.root, before)
	t.root = merge(left, withoutFirst(right))
}

// reweigh changes the weight of the first value that before doesn't hold for.
func (t *treap[T]) reweigh(weight int64, before func(T) bool) {
	reweigh(t.root, weight, before)
}

// last returns the last value that before holds for, the zero value if there is none.
func (t *treap[T]) last(before func(T) bool) (v T) {
	for b := t.root; b != nil; {
		if before(b.value) {
			v, b = b.value, b.right
		} else {
			b = b.left
		}
	}
	return v
}

// first returns the first value that before doesn't hold for, the zero value if there is none.
func (t *treap[T]) first(before func(T) bool) (v T) {
	for b := t.root; b != nil; {
		if before(b.value) {
			b = b.right
		} else {
			v, b = b.value, b.left
		}
	}
	return v
}

// lightest returns the first value whose weight is at most most.
func (t *treap[T]) lightest(most int64) (v T, ok bool) {
	b := t.root
	if b.lowest() > most {
		return v, false
	}
	for {
		switch {
		case b.left.lowest() <= most:
			b = b.left
		case b.weight <= most:
			return b.value, true
		default:
			b = b.right
		}
	}
}

// each calls yield with the values in order.
func (t *treap[T]) each(yield func(T) bool) { walk(t.root, yield) }

func walk[T any](b *branch[T], yield func(T) bool) bool {
	return b == nil || walk(b.left, yield) && yield(b.value) && walk(b.right, yield)
}

func (b *branch[T]) lowest() int64 {
	if b == nil {
		return math.MaxInt64
	}
	return b.least
}

func (b *branch[T]) weigh() *branch[T] {
	b.least = min(b.weight, b.left.lowest(), b.right.lowest())
	return b
}

func part[T any](b *branch[T], before func(T) bool) (left, right *branch[T]) {
	switch {
	case b == nil:
		return nil, nil
	case before(b.value):
		b.right, right = part(b.right, before)
		return b.weigh(), right
	}
	left, b.left = part(b.left, before)
	return left, b.weigh()
}

func merge[T any](left, right *branch[T]) *branch[T] {
	switch {
	case left == nil:
		return right
	case right == nil:
		return left
	case left.chance > right.chance:
		left.right = merge(left.right, right)
		return left.weigh()
	}
	right.left = merge(left, right.left)
	return right.weigh()
}

func withoutFirst[T any](b *branch[T]) *branch[T] {
	switch {
	case b == nil:
		return nil
	case b.left == nil:
		return b.right
	}
	b.left = withoutFirst(b.left)
	return b.weigh()
}

func reweigh[T any](b *branch[T], weight int64, before func(T) bool) (found bool) {
	if b == nil {
		return false
	}
	if before(b.value) {
		found = reweigh(b.right, weight, before)
	} else if found = reweigh(b.left, weight, before); !found {
		b.weight, found = weight, true
	}
	b.weigh()
	return found
}

// scatter maps consecutive numbers to scattered ones, always the same (SplitMix64).
func scatter(n uint64) uint64 {
	n *= 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}
