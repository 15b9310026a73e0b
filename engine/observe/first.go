package observe

// first are the znodes that were there when a connection began, as far as they are known, and are still to be read or
// to have their children listed. What comes meanwhile is none of them, so that this ends however much comes.
type first struct {
	left map[string]bool
	told bool                         // that none is left
	tell func(path string, left bool) // nil if nobody needs to know
}

// reset begins with none, for another connection.
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

// has reports whether a znode is one of those that are left.
func (f *first) has(path string) bool { return f.left[path] }

// over reports, once, that none is left.
func (f *first) over() bool {
	if f.told || len(f.left) > 0 {
		return false
	}
	f.told = true
	return true
}

// firstLook has a znode read that was there when the connection began, and its children listed.
func (o *observer) firstLook(path string) {
	o.first.put(path)
	o.unlisted[path] = true
	o.readAll(path)
}
