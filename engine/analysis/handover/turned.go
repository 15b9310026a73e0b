package handover

import (
	"path"
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/naming"
)

// turned returns those that no longer hold it, and those that newly do, with the time. One whose znode went and
// came again within a transaction is in both.
func (t *Tracker) turned(timeMS, zxid int64) (lost []string, got []turn) {
	touched, before := t.touched(), t.unsure
	for _, u := range before {
		if !slices.Contains(touched, u.path) {
			touched = append(touched, u.path)
		}
	}
	t.unsure = nil
	for _, p := range touched {
		_, gone := t.went[p]
		h, held := t.hold[p]
		holds, doubt := t.holds(p)
		if held && !gone && doubt == naming.WriterBehind && timeMS-h.GotMS >= LookMS {
			continue // it was in before that one came
		}
		if held && (gone || !holds) {
			lost = append(lost, p)
		}
		if !holds || held && !gone {
			continue
		}
		since := turn{p, timeMS, zxid}
		if i := slices.IndexFunc(before, func(u turn) bool { return u.path == p }); i >= 0 {
			since = before[i]
		}
		if t.nodes[p].Overdue {
			t.unsure = append(t.unsure, since)
		} else {
			got = append(got, since)
		}
	}
	return lost, got
}

// touched returns the paths of all that may newly hold it or no longer hold it.
func (t *Tracker) touched() (all []string) {
	was := t.seat
	if n := t.rooms[permits].family.Len(); n > 0 || t.seat == permits && t.rooms[itself].family.Len() == 0 {
		t.seat = permits
	} else {
		t.seat = itself
	}
	for i := beside; i < rooms; i++ {
		t.rooms[i].family.Touched()
	}
	who := naming.Door{Open: t.open}
	for p := range t.atDoor().family.Places() {
		who.Open, who.Session, who.Zxid = true, p.Child.Owner, p.Child.Zxid
		break
	}
	for _, seat := range [...]int{itself, permits} {
		in := &t.rooms[seat]
		in.family.SetDoor(who)
		for _, name := range in.family.Touched() {
			all = append(all, path.Join(in.path, name))
		}
	}
	if t.seat != was {
		for p := range t.hold {
			all = append(all, p)
		}
		slices.Sort(all)
		all = slices.Compact(all)
	}
	if t.family().Len() > 0 {
		use, _ := t.Taken()
		t.sem = use == naming.Semaphore
	}
	return append(all, t.path)
}

func (t *Tracker) holds(p string) (holds bool, why naming.Doubt) {
	if p == t.path || t.own {
		return t.own && p == t.path, ""
	}
	if in := &t.rooms[t.seat]; path.Dir(p) == in.path {
		return in.family.Inside(path.Base(p))
	}
	return false, ""
}
