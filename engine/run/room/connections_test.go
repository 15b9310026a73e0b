package room

import (
	"errors"
	"testing"
	"time"
)

func TestSeats(t *testing.T) {
	now := time.Now()
	later := now.Add(askWithin)
	var cut []string
	take := func(s *Connections, who ClientKey, name string, at time.Time) (*Connection, error) {
		return s.Admit(who, func() { cut = append(cut, name) }, at)
	}
	must := func(s *Connections, who ClientKey, name string, at time.Time) *Connection {
		t.Helper()
		x, err := take(s, who, name, at)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return x
	}
	refused := func(s *Connections, who ClientKey, at time.Time) {
		t.Helper()
		var b Busy
		if _, err := take(s, who, "", at); !errors.As(err, &b) {
			t.Errorf("%s gets %v, want busy", who, err)
		}
	}
	wasCut := func(want ...string) {
		t.Helper()
		if len(cut) != len(want) || len(want) > 0 && cut[0] != want[0] {
			t.Errorf("cut off was %v, want %v", cut, want)
		}
		cut = nil
	}

	s := NewConnections(5, 4)
	for _, name := range []string{"a1", "a2", "a3", "a4"} {
		must(s, "a", name, now).Follow(true)
	}
	refused(s, "a", now)
	b1 := must(s, "b", "b1", now)
	wasCut()
	must(s, "c", "c1", now).Follow(true) // a has the most
	wasCut("a1")
	refused(s, "a", now) // a would have the most
	must(s, "d", "d1", later)
	wasCut("b1") // it has requested nothing all the time
	b1.Leave()   // a second Leave does no harm
	if n := len(s.open); n != 5 {
		t.Errorf("%d connections are open, want 5", n)
	}

	one := NewConnections(4, 1)
	x := must(one, "a", "x", now)
	refused(one, "a", now)
	must(one, "a", "y", later)
	wasCut("x")
	x.Leave()
	if len(one.open) != 1 {
		t.Errorf("%d connections are open, want 1", len(one.open))
	}
}
