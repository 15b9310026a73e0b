package observe

// initialReads holds the known znodes that existed when a connection began and still have to be read or listed. New
// znodes don't count, so that this ends however many come.
type initialReads struct {
	left     map[string]bool
	reported bool                         // that none is left
	report   func(path string, left bool) // nil if no caller needs to know
	whole    func()                       // likewise
}

// reset empties it for another connection.
func (f *initialReads) reset() {
	for path := range f.left {
		f.done(path)
	}
	f.reported = false
}

// add adds a znode, unless everything was read.
func (f *initialReads) add(path string) {
	if f.reported {
		return
	}
	if f.left == nil {
		f.left = map[string]bool{}
	}
	if f.report != nil && !f.left[path] {
		f.report(path, true)
	}
	f.left[path] = true
}

// done removes a znode.
func (f *initialReads) done(path string) {
	if f.report != nil && f.left[path] {
		f.report(path, false)
	}
	delete(f.left, path)
}

func (f *initialReads) more() bool { return len(f.left) > 0 }

// has reports whether a znode is among those left.
func (f *initialReads) has(path string) bool { return f.left[path] }

// reportWhole reports, once, that none is left.
func (f *initialReads) reportWhole() {
	if f.reported || len(f.left) > 0 {
		return
	}
	f.reported = true
	if f.whole != nil {
		f.whole()
	}
}

// readInitially reads a znode that existed when the connection began, and lists its children.
func (o *observer) readInitially(path string) {
	o.initial.add(path)
	o.lists.unlisted[path] = true
	o.readAll(path)
}
