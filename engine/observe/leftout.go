package observe

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event"
)

// omission is what is left out at a znode.
type omission uint8

const (
	lacksData     omission = 1 << iota // it may not be read
	lacksChildren                      // it has too many
	lacksLong                          // children whose paths are too long
	lacksDeep                          // children that are too deep
	lacksSome                          // children for which there is no room
)

// setOmission records whether a znode has an omission.
func (o *observer) setOmission(path string, which omission, there bool) {
	l := o.omissions[path] &^ which
	if there {
		l |= which
	}
	if l == 0 {
		delete(o.omissions, path)
		return
	}
	o.omissions[path] = l
}

// note remembers a limit that was reached, for tellLeftOut.
func (o *observer) note(limit event.Event) {
	if !slices.Contains(o.limits, limit) {
		o.limits = append(o.limits, limit)
	}
}

// tellLeftOut reports everything that is left out, when that has changed: viewers must know whether the picture is
// complete.
func (o *observer) tellLeftOut() {
	left := o.leftOut()
	if slices.Equal(left, o.reported) {
		return
	}
	o.reported = left
	if len(left) == 0 {
		left = []event.Event{{Reason: event.LeftNothing}}
	}
	for _, e := range left {
		e.Kind = event.RecipeNote
		o.emit(e)
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

func (o *observer) leftOut() []event.Event {
	all := o.limits
	if o.readOnly {
		all = append(slices.Clip(all), event.Event{Reason: event.LeftReadOnly})
	}
	if o.missing {
		return append([]event.Event{{Reason: event.LeftMissing, Path: event.Preview([]byte(o.path))}}, all...)
	}
	all = append(o.omitted(), all...)
	if done, of := o.audits.progress(); of > 0 && len(all) == 0 {
		all = append(all, event.Event{Reason: event.LeftHidden, N: int64(done), Code: int32(of)})
	}
	return all
}

// omitted returns what is left out of what exists.
func (o *observer) omitted() (all []event.Event) {
	var first [lacksSome + 1]string // the first znode, by name, of each omission
	var count [lacksSome + 1]int
	for path, lacks := range o.omissions {
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
		case r.lack == lacksSome && !o.oneShot:
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
