package cluster

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/trace"
)

// TestRecordedHour checks the last hour of a recording, also of one that goes on, and that nothing is known of another
// path.
func TestRecordedHour(t *testing.T) {
	var file bytes.Buffer
	to := trace.NewWriter(&file, event.Header{Host: event.Joined, Root: "/"})
	const began = 1_700_000_000_000
	for i, e := range []event.Event{
		{Kind: event.RunStarted, Path: "/", N: began},
		{Kind: event.ZnodeCreated, Path: "/l/lock-0000000001", Session: 1, Zxid: 1, Peer: 1},
		{Kind: event.ZnodeDeleted, Path: "/l/lock-0000000001", Zxid: 2, Reason: event.BySessionExpired, At: 3 * time.Second,
			Peer: 1},
		{Kind: event.ZnodeCreated, Path: "/l/lock-0000000002", Session: 2, Zxid: 3, At: 2 * time.Hour, Peer: 2},
		{Kind: event.ZnodeDeleted, Path: "/l/lock-0000000002", Zxid: 4, Reason: event.BySessionExpired,
			At: 2*time.Hour + time.Second, Peer: 2},
		{Kind: event.ZnodeCreated, Path: "/l/lock-0000000003", Session: 3, Zxid: 5, At: 3 * time.Hour, Peer: 3},
	} {
		e.Seq = event.Seq(i + 1)
		to.Append(e)
	}
	if err := to.Flush(); err != nil {
		t.Fatal(err)
	}
	h, err := hourOf(t.Context(), strings.NewReader(file.String()), "/", "/l")
	if err != nil || !h.known || !h.joined || len(h.Ended) != 1 || len(h.Now) != 1 || h.kind.Key == "" {
		t.Fatalf("%v, it has %+v", err, h)
	}
	if one := h.Ended[0]; one.Session != 2 || one.Why() != handover.Expired || one.LostMS-one.GotMS != 1000 ||
		h.UntilMS != began+3*time.Hour.Milliseconds() {
		t.Errorf("it has %+v", h)
	}
	if h, err := hourOf(t.Context(), strings.NewReader(file.String()), "/", "/m"); err != nil || h.known {
		t.Errorf("of another path: %v, %+v", err, h)
	}
	early := strings.Join(strings.SplitAfter(file.String(), "\n")[:4], "")
	if h, err := hourOf(t.Context(), strings.NewReader(early), "/", "/l"); err != nil || len(h.Ended) != 1 ||
		h.Ended[0].Session != 1 {
		t.Errorf("of a recording that goes on: %v, %+v", err, h)
	}
}
