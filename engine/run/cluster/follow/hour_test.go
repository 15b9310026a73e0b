package follow

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/observe/sessions"
)

// TestJoinedHour checks the last hour of a lock in a joined ensemble, by the clients' paths.
func TestJoinedHour(t *testing.T) {
	for chroot, at := range map[string]string{"": "/in/l", "/in": "/l"} {
		all := handedOver(t, chroot)
		all.addresses.note(&sessions.Report{Number: 1, Sessions: []sessions.Session{{ID: 7, Client: "10.0.0.7:1"}}})
		h, err := all.Hour(t.Context(), at)
		if err != nil || !h.Known || !h.Joined || len(h.Rows) != 1 || len(h.Ended) != 1 || len(h.Now) != 1 {
			t.Fatalf("below %q: %v, %+v", chroot, err, h)
		}
		if was := &h.Ended[0]; was.Why() != handover.Expired || was.Session != 7 || was.Addr != "10.0.0.7:1" ||
			was.Znode != at+"/lock-0000000001" || was.Zxid != 12 || was.Data != "host-7" {
			t.Errorf("below %q the hold was %+v", chroot, was)
		}
		if now := &h.Now[0]; now.Session != 8 || now.Znode != at+"/lock-0000000002" || now.LostMS != 0 {
			t.Errorf("below %q the hold is %+v", chroot, now)
		}
		if h, err := all.Hour(t.Context(), at+"x"); err != nil || h.Known || !h.Missing {
			t.Errorf("below %q there's an hour of nothing: %v, %+v", chroot, err, h)
		}
	}
}

// TestReadingHour checks that what ended stays known while the tree is read again, and that nobody is said to hold the
// lock before it has been read.
func TestReadingHour(t *testing.T) {
	r := newReading("/", func() {})
	found := func(path string, session int64) {
		r.Append(event.Event{Kind: event.ZnodeFound, Path: path, Session: session, N: 1, Zxid: 1})
	}
	hour := func() (h Hour) {
		r.hour(&h, "/l", locks.Known{})
		return h
	}
	start := func() {
		r.Append(event.Event{Kind: event.RunStarted, N: time.Now().UnixMilli()})
		found("/l", 0)
		r.isLeft("/l", true)
	}
	if start(); hour().Known {
		t.Error("it is known before it's read")
	}
	found("/l/lock-0000000001", 1)
	found("/l/lock-0000000002", 2)
	r.isLeft("/l", false)
	r.isWhole()
	r.Append(event.Event{Kind: event.ZnodeDeleted, Path: "/l/lock-0000000001", Reason: event.ByUnknown, At: time.Second})
	if h := hour(); !h.Known || len(h.Ended) != 1 || h.Ended[0].Why() != handover.Unknown || len(h.Now) != 1 || h.Missed {
		t.Errorf("after a handover: %+v", h)
	}
	start()
	found("/l/lock-0000000003", 3)
	if h := hour(); !h.Known || len(h.Ended) != 1 || len(h.Now) != 0 {
		t.Errorf("while it's read again: %+v", h)
	}
	r.isLeft("/l", false)
	r.isWhole()
	if h := hour(); len(h.Ended) != 2 || !h.Ended[0].Unsure || h.Ended[0].Session != 2 || len(h.Now) != 1 || !h.Missed {
		t.Errorf("when its holder has gone unseen: %+v", h)
	}
}
