package locks

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/handover"
	"github.com/zkviz/zkviz/engine/naming"
)

// home returns the semaphore that a znode belongs to as a permit, or as one who waits at the door; nil if there's none.
func (l *Locks) home(p string) *thing {
	if at, ok := naming.Home(parent(p)); ok {
		return l.things[at]
	}
	return nil
}

// concerned are the things that a znode may be something to.
func (l *Locks) concerned(p string) (all []*thing) {
	for _, t := range [...]*thing{l.things[parent(p)], l.things[p], l.home(p)} {
		if t != nil {
			all = append(all, t)
		}
	}
	return all
}

// door notes that a semaphore has a folder for those who wait, by that folder or by what the semaphore's znode has.
func (l *Locks) door(n handover.Node) {
	home, ok := naming.Home(n.Path)
	if ok = ok && naming.Doors(home)[0] == n.Path; !ok && naming.Permits(n.Data) {
		home, ok = n.Path, true
	}
	if !ok || n.Session != 0 || len(l.doors) >= maxPlain {
		return
	}
	l.doors[home] = true
	if t := l.things[home]; t != nil {
		t.of.Open()
		l.touch(t)
	}
}

// closeDoor notes that a znode has gone, if it was such a folder.
func (l *Locks) closeDoor(p string, why event.Reason, timeMS, by int64) {
	if home, ok := naming.Home(p); ok && l.doors[home] && naming.Doors(home)[0] == p {
		delete(l.doors, home)
		if t := l.things[home]; t != nil {
			l.leave(t, p, why, timeMS, by)
		}
	}
}

// takeDoor tells a semaphore of those who wait at its door, as far as they came before it was one.
func (l *Locks) takeDoor(t *thing) {
	if l.doors[t.path] {
		t.of.Open()
	}
	for _, folder := range [...]string{naming.Doors(t.path)[0], naming.Doors(naming.Seats(t.path))[1]} {
		if d := l.things[folder]; d != nil && d != t {
			for n := range d.of.Nodes() {
				l.enter(t, n)
			}
		}
	}
}

// isDoor reports whether a thing is where those wait who want a permit: it's shown with the permits.
func (l *Locks) isDoor(t *thing) bool {
	at, ok := naming.Home(t.path)
	if !ok {
		return false
	}
	home := l.things[at]
	return home != nil && home != t && home.use == naming.Semaphore && home.of.Follows(t.path+"/any")
}
