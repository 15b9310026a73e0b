package observe

// first holds the known znodes that existed when a connection began and still have to be read or listed. New znodes
// don't count, so that this ends however many come.
type first struct {
	left map[string]bool
	told bool                         // that none is left
	tell func(path string, left bool) // nil if nobody needs to know
}

// reset empties it for another connection.
func (f *first) reset() {
	for path := range f.left {
		f.done(path)
	}
	f.told = false
}

func (f *first) put(path string) {
	if f.told {
		return
	}
	if f.left == nil {
		f.left = map[string]bool{}
	}
	if f.tell != nil && !f.left[path] {
		f.tell(path, true)
	}
	f.left[path] = true
}

func (f *first) done(path string) {
	if f.tell != nil && f.left[path] {
		f.tell(path, false)
	}
	delete(f.left, path)
}

func (f *first) more() bool { return len(f.left) > 0 }

// has reports whether a znode is among those left.
func (f *first) has(path string) bool { return f.left[path] }

// over reports, once, that none is left.
func (f *first) over() bool {
	if f.told || len(f.left) > 0 {
		return false
	}
	f.told = true
	return true
}

// firstLook reads a znode that existed when the connection began, and lists its children.
func (o *observer) firstLook(path string) {
	o.first.put(path)
	o.unlisted[path] = true
	o.readAll(path)
}
