package run_test

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/trace"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/testing/golden"
	"github.com/zkviz/zkviz/recipes"
)

// TestGoldenVersion1 compares hashes of the simulated logs of the whole catalogue, written as trace version 1 had them,
// with those of that version. Only a change of the simulated world may need to rewrite them.
func TestGoldenVersion1(t *testing.T) {
	var got bytes.Buffer
	for _, r := range recipes.All() {
		if !event.HasZooKeeper(r.Systems) { // that version didn't know it
			continue
		}
		for _, written := range []string{"", "pause client-2 at 20ms for 15s", "crash client-1 at 10ms",
			"cut client-2 at 15ms for 12s", "drop client-1 at 3ms", "expire client-2 at 12ms", "delay client-1 at 8ms for 30ms",
			"restart server at 10ms for 1s"} {
			s := run.Scenario{Recipe: r.Name, Clients: max(r.MinClients, 4), Rounds: 2, Seed: 7, Servers: 1,
				MaxEvents: 20_000}
			if written != "" {
				s.Faults = faults(t, written)
			}
			hash := &oldSink{sum: fnv.New64a()}
			if err := run.Sim(context.Background(), s, hash); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&got, "%s, %q: %d events, %016x\n", r.Name, written, hash.count, hash.sum.Sum64())
		}
	}
	golden.Compare(t, "testdata/version1.txt", got.String())
}

// oldSink hashes events in the form of version 1.
type oldSink struct {
	sum interface {
		io.Writer
		Sum64() uint64
	}
	count int
}

func (o *oldSink) Append(e event.Event) {
	o.count++
	fmt.Fprintln(o.sum, asVersion1(e))
}

// version1 is an event of version 1.
type version1 struct {
	Seq, Cause                  uint32
	At                          time.Duration
	Kind                        string
	Actor, Peer                 int32
	Op, Watch, Type, Mode, Line uint16
	Path, Text                  string
	Zxid, Session, N            int64
	Code                        int32
}

// oldFields removes from an event what version 1 didn't say about requests, and how often a lock is held.
func oldFields(e event.Event) event.Event {
	switch e.Kind {
	case event.OpSent:
		e.Watch, e.Text, e.Code = event.NoWatch, "", 0
	case event.RecipePhase:
		e.Code = 0
	}
	return e
}

func asVersion1(e event.Event) version1 {
	e = oldFields(e)
	old := version1{
		Seq: uint32(e.Seq), Cause: uint32(e.Cause), At: e.At, Kind: e.Kind.String(), Actor: int32(e.Actor),
		Peer: int32(e.Peer),
		Op:   uint16(e.Op), Watch: uint16(e.Watch), Type: uint16(e.Type), Mode: uint16(e.Mode), Line: e.Line,
		Path: e.Path, Text: e.Text, Zxid: e.Zxid, Session: e.Session, N: e.N, Code: e.Code,
	}
	switch e.Kind {
	case event.ZnodeDeleted, event.RunEnded, event.ConnClosed:
		old.Text = sentences[e.Reason]
		if e.Kind == event.ConnClosed && e.Reason == event.BySessionExpired {
			old.Text = "the server says that the session has expired"
		}
	case event.ServerStopped:
		old.Text = "the server is stopped"
	case event.ClientExited:
		old.Code = 0
	}
	return old
}

var sentences = map[event.Reason]string{
	event.ByOp:             "op",
	event.BySessionClosed:  "session closed",
	event.BySessionExpired: "session expired",
	event.EndAllDone:       "every client is done",
	event.EndStuck:         "every client waits, and nothing is left to wake one",
	event.EndTime:          "the time limit is reached",
	event.EndEvents:        "the limit on events is reached",
	event.EndSpin:          "a client goes round and round in no time",
	event.ConnHungUp:       "the server closed the connection",
	event.ConnSilent:       "nothing heard for two thirds of the session timeout",
}

// TestReadsVersion1 reads a file that a program of version 1 wrote: it is the log that the scenario had then, event
// by event, with the header that the scenario has today.
func TestReadsVersion1(t *testing.T) {
	file, err := os.Open("testdata/version1.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	old, err := trace.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	s := run.Scenario{
		Recipe: "fenced-lock", Clients: 3, Seed: 1,
		Faults: faults(t, "pause client-1 at 5ms for 15s", "restart server at 10ms for 1s", "cut client-3 at 10s for 8s"),
	}.WithDefaults()
	read := &oldSink{sum: fnv.New64a()}
	for _, e := range old.Events {
		e.Line = 0 // a line of the recipe's source at that time
		read.Append(e)
	}
	const then = "173 events, 0290ad0d66ceb3de"
	if got := fmt.Sprintf("%d events, %016x", read.count, read.sum.Sum64()); got != then {
		t.Errorf("it reads as %s, want %s", got, then)
	}
	want := s.Header(event.Simulated)
	want.Systems = nil
	if got := run.Complete(old.Header); !reflect.DeepEqual(got, want) {
		t.Errorf("the header is %+v\nwant %+v", got, want)
	}
}
