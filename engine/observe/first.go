package observe

// first are the znodes that were there when a connection began, as far as they are known, and are still to be read or
// to have their children listed. What comes meanwhile is none of them, so that this ends however much comes.
type first struct {
	left map[string]bool
	told bool // that none is left
}

func (f *first) put(path string) {
	if f.told {
		return
	}
	if f.left == nil {
		f.left = map[string]bool{}
	}
	f.left[path] = true
}

func (f *first) done(path string) { delete(f.left, path) }

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
	o.look(path, needData)
}
