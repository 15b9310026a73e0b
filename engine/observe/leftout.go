package observe

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event"
)

// omission names what is left out at a znode.
type omission uint8

const (
	lacksData     omission = 1 << iota // it may not be read
	lacksChildren                      // it has too many
	lacksLong                          // children whose paths are too long
	lacksDeep                          // children that are too deep
	lacksSome                          // children for which there is no room
)

// omissions knows and reports what the log leaves out.
type omissions struct {
	observer *observer
	byPath   map[string]omission
	reached  []event.Event // limits that were once reached
	reported []event.Event // as last reported
	wait     bool          // everything has to be read before more is reported: the log goes on, and has such reports
}

// set records whether a znode has an omission.
func (m *omissions) set(path string, which omission, there bool) {
	lacks := m.byPath[path] &^ which
	if there {
		lacks |= which
	}
	if lacks == 0 {
		delete(m.byPath, path)
		return
	}
	m.byPath[path] = lacks
}

// note remembers a limit that was reached, for report.
func (m *omissions) note(limit event.Event) {
	if !slices.Contains(m.reached, limit) {
		m.reached = append(m.reached, limit)
	}
}

// report reports everything that is left out, when that has changed: viewers must know whether the picture is
// complete.
func (m *omissions) report() {
	if m.wait && m.observer.initial.more() {
		return
	}
	m.wait = false
	left := m.all()
	if slices.Equal(left, m.reported) {
		return
	}
	m.reported = left
	if len(left) == 0 {
		left = []event.Event{{Reason: event.LeftNothing}}
	}
	for _, e := range left {
		e.Kind = event.RecipeNote
		m.observer.log.emit(e)
	}
}

// reasons lists the reasons to report for each omission, in this order.
var reasons = [...]struct {
	lack   omission
	reason event.Reason
	most   int64 // the limit that was exceeded; the omission's place, if 0
}{
	{lacksSome, event.LeftNodes, MaxObservedNodes},
	{lacksChildren, event.LeftChildren, 0},
	{lacksDeep, event.LeftDeep, 0},
	{lacksData, event.LeftData, 0},
	{lacksLong, event.LeftPaths, MaxObservedPath},
}

// all returns everything that is left out, and why.
func (m *omissions) all() []event.Event {
	o := m.observer
	all := m.reached
	if o.readOnly {
		all = append(slices.Clip(all), event.Event{Reason: event.LeftReadOnly})
	}
	if o.tree.missing {
		return append([]event.Event{{Reason: event.LeftMissing, Path: event.Preview([]byte(o.tree.root))}}, all...)
	}
	all = append(m.inTree(), all...)
	if done, of := o.audits.progress(); of > 0 && len(all) == 0 {
		all = append(all, event.Event{Reason: event.LeftHidden, N: int64(done), Code: int32(of)})
	}
	return all
}

// inTree returns what is left out of what exists.
func (m *omissions) inTree() (all []event.Event) {
	var first [lacksSome + 1]string // the first znode, by name, of each omission
	var count [lacksSome + 1]int
	for path, lacks := range m.byPath {
		for l := omission(1); l <= lacksSome; l <<= 1 {
			if lacks&l == 0 {
				continue
			}
			if count[l]++; first[l] == "" || path < first[l] {
				first[l] = path
			}
		}
	}
	for _, r := range reasons {
		switch {
		case count[r.lack] == 0:
		case r.lack == lacksSome && !m.observer.oneShot:
			all = append(all, event.Event{Reason: event.LeftLater})
		case r.most > 0:
			all = append(all, event.Event{Reason: r.reason, N: r.most})
		default:
			path := event.Preview([]byte(first[r.lack]))
			all = append(all, event.Event{Reason: r.reason, Path: path, N: int64(count[r.lack] - 1)})
		}
	}
	return all
}
