package locks_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/locks"
)

// TestLogLacks makes an observer repeat what it leaves out, all of it each time.
func TestLogLacks(t *testing.T) {
	l := locks.NewLog(locks.New("/"))
	l.Append(event.Event{Kind: event.RunStarted, N: began})
	for _, c := range []struct {
		what    string
		says    []event.Event
		missing bool
		partial bool
		unread  locks.Unread
	}{
		{"missing", []event.Event{{Reason: event.LeftMissing, Path: "/a"}}, true, false, locks.Unread{}},
		{"nothing", []event.Event{{Reason: event.LeftNothing}}, false, false, locks.Unread{}},
		{"secrets", []event.Event{{Reason: event.LeftData, Path: "/a/b", N: 2}}, false, false,
			locks.Unread{Count: 3, First: "/a/b"}},
		{"fewer", []event.Event{{Reason: event.LeftData, Path: "/a/c"}}, false, false,
			locks.Unread{Count: 1, First: "/a/c"}},
		{"more", []event.Event{{Reason: event.LeftLater}, {Reason: event.LeftData, Path: "/a/c"}}, false, true,
			locks.Unread{Count: 1, First: "/a/c"}},
		{"no secrets", []event.Event{{Reason: event.LeftLater}}, false, true, locks.Unread{}},
		{"hidden", []event.Event{{Reason: event.LeftHidden, N: 20, Code: 200}}, false, false, locks.Unread{}},
		{"nothing", []event.Event{{Reason: event.LeftNothing}, {Reason: event.LeftMissed, Path: "/x", N: 1}}, false, false,
			locks.Unread{}},
		{"for good", []event.Event{{Reason: event.LeftOwners, N: 9}}, false, true, locks.Unread{}},
		{"still", []event.Event{{Reason: event.LeftData, Path: "/"}}, false, true, locks.Unread{Count: 1, First: "/"}},
	} {
		for _, e := range c.says {
			e.Kind = event.RecipeNote
			l.Append(e)
		}
		l.Append(event.Event{Kind: event.ZnodeChanged, Path: "/x"})
		hidden := locks.Hidden{}
		if c.what == "hidden" {
			hidden = locks.Hidden{Done: 20, Of: 200}
		}
		if l.Hidden != hidden {
			t.Errorf("%s: hidden is %+v", c.what, l.Hidden)
		}
		if l.Missing != c.missing || l.Partial != c.partial || l.Unread != c.unread {
			t.Errorf("%s: %t, %t, %+v", c.what, l.Missing, l.Partial, l.Unread)
		}
	}
	l.Append(event.Event{Kind: event.RunStarted, N: began})
	if l.Missing || l.Partial || l.Unread != (locks.Unread{}) {
		t.Errorf("of another log: %t, %t, %+v", l.Missing, l.Partial, l.Unread)
	}
}
