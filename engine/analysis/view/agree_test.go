package view_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// agree compares everything readable of a State with the model, and returns the first difference. The model forgets
// what the State has cleared, if that was allowed.
func (m *model) agree(s *view.State) error {
	s.Tree.Order()
	return firstError(
		differ("seq", s.Seq, m.seq), differ("time", s.At, m.at), differ("zxid", s.Zxid, m.zxid),
		differ("root", s.Root, m.root), differ("end", s.Ended, m.ended),
		differ("fault", s.FaultAt, m.faultAt),
		differ("lost", s.Lost, m.lost), differ("left out", s.LeftOut, m.leftOut), differ("counts", s.Counts, m.counts),
		differ("by release", s.Wakeups.ByRelease, m.byRelease), differ("by arrival", s.Wakeups.ByArrival, m.byArrival),
		differ("wasted", s.Wakeups.Wasted, m.wasted),
		m.agreeOnClients(s), m.agreeOnNodes(s), m.agreeOnWatches(s), m.agreeOnFlights(s), m.agreeOnReleases(s),
		differ("stores", len(s.Stores), len(m.stores)),
		each2(s.Stores, m.stores, func(t *view.Store, want **modelStore) error {
			return differ("store", *t, (*want).kept())
		}),
		m.bounds(s),
	)
}

func (m *model) agreeOnClients(s *view.State) error {
	woken := 0
	for i, c := range m.clients {
		woken += c.Woken
		if i < len(s.Clients) && s.Clients.Get(event.Actor(i+1)) != &s.Clients[i] {
			return fmt.Errorf("client %d is another", i+1)
		}
	}
	return firstError(
		differ("clients", len(s.Clients), len(m.clients)), differ("wakeups", s.Clients.Woken(), woken),
		each2(s.Clients, m.clients, func(c *view.Client, want **modelClient) error {
			return differ("client", *c, (*want).Client)
		}),
		differ("client 0", s.Clients.Get(0), nil),
		differ("one more client", s.Clients.Get(event.Actor(len(s.Clients)+1)), nil),
	)
}

func (m *model) agreeOnNodes(s *view.State) error {
	slices.SortFunc(m.nodes, func(a, b *view.Node) int { return strings.Compare(a.Path, b.Path) })
	most := view.MaxOver + len(m.clients)
	is := func(i int, n *view.Node) bool { return s.Tree.Nodes[i].Path == n.Path }
	err := cleared(&m.nodes, len(s.Tree.Nodes), is, func(n *view.Node) error {
		later := 0
		for _, o := range m.nodes {
			later += one(o.Gone && o.GoneAt > n.GoneAt)
		}
		if !n.Gone || m.at-n.GoneAt <= view.Keep && later < most {
			return fmt.Errorf("the znode %+v has been cleared", *n)
		}
		return nil
	})
	return firstError(err, each2(s.Tree.Nodes, m.nodes, func(n *view.Node, want **view.Node) error {
		return firstError(differ("znode", *n, **want), differ("znode by path", s.Tree.Node(n.Path), n))
	}), differ("no znode", s.Tree.Node("/none"), nil))
}

func (m *model) agreeOnWatches(s *view.State) error {
	spare := -view.MaxOver - len(m.clients) // how many recently ended ones may go
	for _, w := range m.watches {
		spare += one(w.Over && !w.open && m.at-w.OverAt <= view.Keep)
	}
	is := func(i int, w *modelWatch) bool { return same1(s.Watches.List[i], w.Watch) }
	err := cleared(&m.watches, len(s.Watches.List), is, func(w *modelWatch) error {
		if w.Over && !w.open && m.at-w.OverAt > view.Keep {
			return nil
		}
		if spare--; !w.Over || w.open || spare < 0 {
			return fmt.Errorf("the watch %+v has been cleared", w)
		}
		return nil
	})
	return firstError(err, each2(s.Watches.List, m.watches, func(w *view.Watch, want **modelWatch) error {
		return differ("watch", *w, (*want).Watch)
	}))
}

// arrived reports whether a message's flight is over, or must be: it may be for a paused process.
func (m *model) arrived(f *view.Flight) bool {
	return f.Over || f.Takes > 0 && m.at > f.Sent+f.Takes+f.HeldFor
}

func (m *model) agreeOnFlights(s *view.State) error {
	since := func(f *view.Flight) time.Duration {
		if f.Over {
			return m.at - f.OverAt
		}
		return m.at - f.Sent - f.Takes - f.HeldFor
	}
	spare := -view.MaxOver - len(m.clients)
	for _, f := range m.flights {
		spare += one(m.arrived(f) && since(f) <= view.Keep)
	}
	is := func(i int, f *view.Flight) bool { return s.Flights.List[i].Seq == f.Seq }
	err := cleared(&m.flights, len(s.Flights.List), is, func(f *view.Flight) error {
		if m.arrived(f) && since(f) > view.Keep {
			return nil
		}
		if spare--; !m.arrived(f) || spare < 0 {
			return fmt.Errorf("the message %+v has been cleared", *f)
		}
		return nil
	})
	return firstError(err, each2(s.Flights.List, m.flights, func(f *view.Flight, want **view.Flight) error {
		return differ("message", *f, **want)
	}))
}

func (m *model) agreeOnReleases(s *view.State) error {
	for i := max(0, len(m.releases)-20); i < len(m.releases); i++ { // earlier ones no longer change
		n, r := 0, m.releases[i]
		for _, w := range m.watches {
			c := m.known(w.Client)
			n += one(w.open && w.release == r && !c.Crashed && !c.Exited && !c.Belief.Phase.Inside())
		}
		if err := differ("clients still to be woken", s.Watches.OnTheWay(s.Clients, i), n); err != nil {
			return err
		}
	}
	return firstError(differ("releases", len(s.Wakeups.Releases), len(m.releases)),
		each2(s.Wakeups.Releases, m.releases, func(r *view.Release, want **modelRelease) error {
			return differ("release", *r, (*want).Release)
		}))
}

// bounds checks that the lists hold no more than what lives, what may be kept, and what may gather between clearings.
func (m *model) bounds(s *view.State) error {
	for _, l := range []struct {
		what      string
		len, most int
	}{
		{"znodes", len(s.Tree.Nodes), m.mostNodes},
		{"watches", len(s.Watches.List), m.mostWatches},
		{"messages", len(s.Flights.List), m.mostMessages},
	} {
		if limit := (l.most+view.MaxOver+len(s.Clients))*5/4 + 10; l.len > limit {
			return fmt.Errorf("%d %s, more than %d", l.len, l.what, limit)
		}
	}
	return nil
}

// cleared removes from a list of the model what the State's list of length n doesn't have, if clearing it was allowed.
func cleared[T any](list *[]T, n int, is func(i int, x T) bool, may func(x T) error) error {
	var kept []T
	for _, x := range *list {
		if i := len(kept); i < n && is(i, x) {
			kept = append(kept, x)
		} else if err := may(x); err != nil {
			return err
		}
	}
	*list = kept
	return differ("how many are left", n, len(kept))
}

// each2 compares two lists in step, up to the end of the shorter one.
func each2[A, B any](a []A, b []B, compare func(*A, *B) error) error {
	for i := range min(len(a), len(b)) {
		if err := compare(&a[i], &b[i]); err != nil {
			return err
		}
	}
	return nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// differ returns an error if two values differ in their exported fields.
func differ(what string, got, want any) error {
	g, w := reflect.ValueOf(got), reflect.ValueOf(want)
	if want == nil && g.IsNil() || want != nil && sameValue(g, w) {
		return nil
	}
	return fmt.Errorf("%s: got\n%+v, want\n%+v", what, got, want)
}

func same1[T any](a, b T) bool { return sameValue(reflect.ValueOf(a), reflect.ValueOf(b)) }

// sameValue compares the exported fields of structs, the elements of arrays, and other values directly.
func sameValue(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Struct:
	case reflect.Array:
		for i := range a.Len() {
			if !sameValue(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	default:
		return a.Equal(b)
	}
	for i := range a.NumField() {
		if f := a.Field(i); f.CanInterface() && !sameValue(f, b.Field(i)) { // unexported fields are skipped
			return false
		}
	}
	return true
}
