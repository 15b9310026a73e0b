package panes_test

import (
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
	"github.com/zkviz/zkviz/wasm/panes"
)

// described is the picture in words, an entry a line: what selects it, and what it says.
func described(t *testing.T, s *view.State) string {
	t.Helper()
	var lines []string
	for _, e := range panes.Describe(s, s.At, say(t)) {
		lines = append(lines, e.ID+" | "+e.Text)
	}
	return strings.Join(lines, "\n")
}

func wantDescribed(t *testing.T, s *view.State, want string) {
	t.Helper()
	if got := strings.TrimSpace(described(t, s)); got != strings.TrimSpace(want) {
		t.Errorf("the picture is told as\n%s\nand not as\n%s", got, strings.TrimSpace(want))
	}
}

// A queue is told from its first to its last, and then its znodes with who watches them.
func TestDescribeQueue(t *testing.T) {
	f := history(t, "predecessor-lock", 0)
	s := f.StateAtSeq(settled(t, f))
	got := described(t, s)
	for _, want := range []string{
		"client-1 | A: is inside; session: ",
		"client-2 | B: waits, 1 ahead; session: ",
		"; watches lock-000.",
		"| lock-000: ephemeral, sequential; of A; watched by B.",
		"/zkviz/predecessor-lock | predecessor-lock: persistent.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("it lacks %q:\n%s", want, got)
		}
	}
}

// A holder that is paused for longer than its session still believes, and that is told.
func TestDescribeBelief(t *testing.T) {
	f := history(t, "predecessor-lock", 30*time.Second)
	at := seqOf(t, f, 1, func(e event.Event) bool { return e.Kind == event.SessionExpired })
	const want = "client-1 | A: not inside: its session expired; still believes that it is inside."
	if got := described(t, f.StateAtSeq(at)); !strings.Contains(got, want) {
		t.Errorf("it lacks %q:\n%s", want, got)
	}
}

// What is hostile, out of reach, gone, or too much to be told one by one.
func TestDescribeOdd(t *testing.T) {
	wantDescribed(t, small("x", join(began(1), log(
		event.Event{Kind: event.ZnodeCreated, Peer: 1, Path: "/a", Text: "<b>\u202e", N: 4, Zxid: 2, At: 2 * time.Second},
		event.Event{Kind: event.ZnodeCreated, Peer: 1, Path: "/b", Zxid: 3, At: 2 * time.Second},
		event.Event{Kind: event.ZnodeDeleted, Peer: 1, Path: "/b", Zxid: 4, At: 2 * time.Second},
		event.Event{Kind: event.ZnodeChanged, Peer: 1, Path: "/a", Text: "2", N: 1, Zxid: 5, At: 3 * time.Second},
		event.Event{Kind: event.OpSent, Actor: 1, Op: event.Delete, Path: "/a", At: 3 * time.Second},
		event.Event{Kind: event.RecipeNote, Actor: 1, Text: "hm", At: 3 * time.Second},
	))...).StateAtSeq(99), `
client-1 | A: session: 8 s left; waits for a reply to delete a; said “hm”.
/a | a: persistent; holds “2”; version 1.`)

	lost := small("", event.Event{Kind: event.Disconnected}).StateAtSeq(1)
	wantDescribed(t, lost, "| ZooKeeper is out of reach.")

	var crowd []event.Event
	for i := range 100 {
		crowd = append(crowd, began(event.Actor(i+1))...)
		crowd = append(crowd, make1(event.Actor(i+1), "/l/lock-00000000"+string(rune('0'+i/10))+string(rune('0'+i%10))))
	}
	got := strings.Split(described(t, small("x", crowd...).StateAtSeq(9999)), "\n")
	if len(got) != 30+1+40+1 || got[30] != " | And 70 more clients." || got[71] != " | And 60 more znodes." {
		t.Errorf("a crowd is told in %d lines:\n%s", len(got), strings.Join(got, "\n"))
	}
}
