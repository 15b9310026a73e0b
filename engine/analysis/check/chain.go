package check

// chain is a list from which any link can be removed in constant time. Its zero value is empty.
type chain[T any] struct {
	first, last *link[T]
	len         int
}

type link[T any] struct {
	value      T
	prev, next *link[T]
}

// add appends a value.
func (c *chain[T]) add(v T) *link[T] {
	l := &link[T]{value: v, prev: c.last}
	if c.last != nil {
		c.last.next = l
	} else {
		c.first = l
	}
	c.last = l
	c.len++
	return l
}

// remove removes a link, which must be in the list.
func (c *chain[T]) remove(l *link[T]) {
	if l.prev != nil {
		l.prev.next = l.next
	} else {
		c.first = l.next
	}
	if l.next != nil {
		l.next.prev = l.prev
	} else {
		c.last = l.prev
	}
	c.len--
}
