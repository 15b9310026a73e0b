package locks

import (
	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
)

// home returns the semaphore to which a znode belongs, as a permit or as a client at the door; nil if none.
func (l *Locks) home(p string) *thing {
	if at, ok := naming.Home(parent(p)); ok {
		return l.things[at]
	}
	return nil
}

// concerned returns the things to which a znode may belong.
func (l *Locks) concerned(p string) (all []*thing) {
	for _, t := range [...]*thing{l.things[parent(p)], l.things[p], l.home(p)} {
		if t != nil {
			all = append(all, t)
		}
	}
	return all
}

// door records that a semaphore has a folder for waiting clients, from that folder or from the semaphore's data.
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

// closeDoor records that a znode has gone, if it was such a folder.
func (l *Locks) closeDoor(p string, why event.Reason, timeMS, by int64) {
	if home, ok := naming.Home(p); ok && l.doors[home] && naming.Doors(home)[0] == p {
		delete(l.doors, home)
		if t := l.things[home]; t != nil {
			l.leave(t, p, why, timeMS, by)
		}
	}
}

// takeDoor gives a semaphore the clients at its door that came before it was known as one.
func (l *Locks) takeDoor(t *thing) {
	if l.doors[t.path] {
		t.of.Open()
	}
	for _, folder := range [...]string{naming.Doors(t.path)[0], naming.Doors(naming.Seats(t.path))[1]} {
		if d := l.things[folder]; d != nil && d != t {
			t.goneMS = max(t.goneMS, d.goneMS)
			for n := range d.of.Nodes() {
				l.enter(t, n)
			}
		}
	}
}

// isDoor reports whether a thing is the door where clients wait for a permit: it is shown with the permits.
func (l *Locks) isDoor(t *thing) bool {
	at, ok := naming.Home(t.path)
	if !ok {
		return false
	}
	home := l.things[at]
	return home != nil && home != t && home.use == naming.Semaphore && home.of.Follows(t.path+"/any")
}
