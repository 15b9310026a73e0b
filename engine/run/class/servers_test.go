package class

import (
	"testing"
	"time"
)

// TestRepeatedOrders checks that an order which has made an entry is recognized when it comes again, for a while, and
// that each page's orders count for themselves.
func TestRepeatedOrders(t *testing.T) {
	var o orders
	at := aMonday
	o.add("a-1", 1, at)
	o.add("a-1", 3, at)
	o.add("b-1", 2, at)
	for _, c := range []struct {
		by   string
		n    uint64
		want bool
	}{
		{"a-1", 1, true}, {"a-1", 2, true}, {"a-1", 3, true}, {"a-1", 4, false}, {"b-1", 2, true}, {"b-1", 3, false},
		{"b-2", 1, false}, {"", 0, false},
	} {
		if got := o.has(c.by, c.n); got != c.want {
			t.Errorf("order %d of %q: %v", c.n, c.by, got)
		}
	}
	o.add("a-2", 1, at.Add(repeatedFor+time.Second))
	if !o.has("a-1", 3) || !o.has("a-2", 1) {
		t.Error("an order is forgotten too early")
	}
	o.add("a-2", 2, at.Add(2*repeatedFor+3*time.Second))
	if o.has("a-1", 3) || !o.has("a-2", 1) {
		t.Error("an order is kept for ever, or a page that goes on is forgotten")
	}
}

// TestPresenceOverServers checks what the pages of several servers add up to.
func TestPresenceOverServers(t *testing.T) {
	var p Presence
	p.Set("1", 1, false)
	p.Set("2", 3, true)
	if got := p.Mine(5); got != "agh" {
		t.Errorf("here are %q", got)
	}
	if !p.SetOther("b", 3, "hga") || p.SetOther("b", 3, "hga") || !p.SetOther("c", 1, "gggga<x") {
		t.Error("it isn't said what is new")
	}
	if got := string(p.Of(5)); got != "hghga" || p.Elsewhere() != 4 {
		t.Errorf("all are %q, with %d pages elsewhere", got, p.Elsewhere())
	}
	p.SetOther("b", 0, "")
	if got := string(p.Of(4)); got != "aghg" || p.Elsewhere() != 1 {
		t.Errorf("without b, all are %q, with %d pages elsewhere", got, p.Elsewhere())
	}
}

// TestTurns checks that a place which comes late, from the log or from the owner, takes nobody back.
func TestTurns(t *testing.T) {
	s := newScript(t)
	at := func(page string) Place { return Place{Page: page} }
	led := func(page string, turn uint64) {
		p := at(page)
		s.apply(Entry{Kind: Led, Place: &p, Turn: turn})
	}
	is := func(want string) {
		t.Helper()
		if got, _ := s.room.Shown(); got.Page != want {
			t.Errorf("the class is at %s, not %s", got.Page, want)
		}
	}
	s.room.Show(7, "", at("/a"))
	is("/a")
	led("/before", 6)
	is("/a")
	led("/a", 7)
	s.room.Show(6, "", at("/before"))
	is("/a")
	led("/b", 8)
	is("/b")
	s.room.Show(9, "", at("/c"))
	e, err := s.room.settle(s.now)
	if err != nil || e.Kind != Led || e.Place.Page != "/c" || e.Turn != 9 {
		t.Errorf("what is shown makes %+v, %v", e, err)
	}
	s.apply(e)
	if e, err := s.room.settle(s.now); err != nil || e.Kind != "" {
		t.Errorf("what the log has makes %+v, %v", e, err)
	}
}

// TestOvertaken checks that a page's lead counts as late once another page has led, and never because of its own.
func TestOvertaken(t *testing.T) {
	s := newScript(t)
	s.room.Show(10, "b-1", Place{Page: "/d"})
	overtaken := func(by string, turn uint64) bool { return s.room.IsOvertaken(Order{By: by, Turn: turn}) }
	if !overtaken("a-1", 9) || overtaken("a-1", 10) || overtaken("b-1", 9) {
		t.Error("after another's lead: ", overtaken("a-1", 9), overtaken("a-1", 10), overtaken("b-1", 9))
	}
	s.apply(Entry{Kind: Led, Place: &Place{Page: "/e"}, Turn: 11})
	if overtaken("b-1", 9) {
		t.Error("a lead is late although nobody knows who has led since")
	}
}

// TestLateOrders checks that an order which was under way for long undoes nothing that its learner has had done since.
func TestLateOrders(t *testing.T) {
	h := newHall(t)
	c, secret := h.begin("a")
	ana, teacher := h.enter(c, "b"), h.enter(c, "a")
	h.must(ana, `{"do":"join","key":%q,"name":"Ana"}`, key("ana"))
	h.must(teacher, `{"do":"hello","secret":%q}`, secret)
	gives := func(who Party, by string, n uint64, seen int, do, text string) error {
		o := Order{Command: Command{Do: do, Name: text}, Who: who, By: by, N: n, Seen: seen}
		if do == Pose {
			o.Question = &Question{ID: text, Choices: 2}
		}
		return c.Decide(t.Context(), o, alone{c}.Append)
	}
	learner, lead := Party{Learner: 1}, Party{Teacher: true}
	before := c.Room().Seen()
	for _, o := range []struct {
		who  Party
		by   string
		n    uint64
		seen int
		do   string
		text string
		want error
	}{
		{learner, "b-1", 1, before, Rename, "new", nil},
		{learner, "a-1", 7, before, Rename, "old", ErrAway},
		{learner, "b-1", 2, before, Rename, "newer", nil}, // by the page that knows of it
		{learner, "a-1", 8, before + 2, Rename, "newest", nil},
		{lead, "b-1", 3, before, Pose, "q/1", nil}, // by another
		{lead, "a-1", 9, before + 3, Pose, "q/2", ErrAway},
		{lead, "a-1", 9, before + 4, Pose, "q/2", nil},
	} {
		if err := gives(o.who, o.by, o.n, o.seen, o.do, o.text); err != o.want {
			t.Errorf("%s of %q by %s: %v, want %v", o.do, o.text, o.by, err, o.want)
		}
	}
	c.Read(func(s *State) {
		if s.Learners[0].Name != "newest" || len(s.Asked) != 2 {
			t.Errorf("the learner is %q, and %d questions were asked", s.Learners[0].Name, len(s.Asked))
		}
	})
}
