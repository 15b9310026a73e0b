package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/packed"
	"github.com/zkviz/zkviz/engine/event/trace"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/run/room"
	"github.com/zkviz/zkviz/engine/testing/innode"
	"github.com/zkviz/zkviz/recipes"
)

// message is what passes between page and engine, see doc.go.
type message struct {
	Kind string `json:"kind"`
	ID   int    `json:"id"`
	Name string `json:"name,omitempty"`
	Data string `json:"data,omitempty"`
	// Words are those to answer a question in.
	Words string `json:"words,omitempty"`
	File  []byte `json:"-"`
	// From the engine in Node: how many turns its computations have given up so far, and its memory in MB.
	Turn int `json:"turn,omitempty"`
	MB   int `json:"mb,omitempty"`
}

// end is one end of a connection to rooms of runs.
type end interface {
	send(message)
	next() message // text or a frame
}

// native is a connection to rooms in this process. It implements room.Viewer.
type native struct {
	runs     *room.Runs
	files    map[string][]byte
	requests chan []byte
	got      chan message
}

func newNative(t *testing.T) *native {
	n := &native{files: map[string][]byte{}, requests: make(chan []byte, 1), got: make(chan message, 1000)}
	runs := room.New(room.Config{File: func(name string) ([]byte, bool) { text, ok := n.files[name]; return text, ok }})
	n.runs = runs
	ctx, cancel := context.WithCancel(context.Background())
	place, err := runs.Connect("test", cancel)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	go func() { defer close(served); runs.Serve(ctx, ctx, place, n) }()
	t.Cleanup(func() { cancel(); <-served; runs.Close() })
	return n
}

func (n *native) send(m message) {
	if m.Kind == "file" {
		n.files[m.Name] = m.File
		return
	}
	n.requests <- []byte(m.Data)
}

func (n *native) next() message { return <-n.got }

func (n *native) Receive(ctx context.Context) ([]byte, error) {
	select {
	case text := <-n.requests:
		return text, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (n *native) Message(_ context.Context, text []byte) error {
	n.got <- message{Kind: "text", Data: string(text)}
	return nil
}

func (n *native) Frame(_ context.Context, frame []byte) error {
	n.got <- message{Kind: "frame", Data: string(frame)}
	return nil
}

func (n *native) Ping(context.Context) error { return nil }
func (n *native) Close(room.Reason, string)  {}
func (n *native) Cut()                       {}

// inNode is a connection to the engine in Node.
type inNode struct {
	t       *testing.T
	program *innode.Program
}

func newInNode(t *testing.T) *inNode {
	t.Helper()
	w := &inNode{t, innode.Start(t, "../../static/built", "engine")}
	w.send(message{Kind: "open", ID: 1})
	return w
}

func (w *inNode) send(m message) { w.sendAll(m) }

// sendAll sends messages that come in one turn. They are of connection 1 unless they say otherwise.
func (w *inNode) sendAll(all ...message) {
	var lines []any
	for _, m := range all {
		line := map[string]any{"kind": m.Kind, "id": max(1, m.ID), "name": m.Name, "data": m.Data, "words": m.Words}
		if m.Kind == "file" {
			line["data"] = m.File // in base64
		}
		lines = append(lines, line)
	}
	w.program.Send(lines...)
}

func (w *inNode) next() (m message) {
	line := w.program.Next(&m)
	if m.Kind == "frame" || m.Kind == "piece" {
		var frame struct{ Data []byte }
		if err := json.Unmarshal(line, &frame); err != nil {
			w.t.Fatal(err)
		}
		m.Data = string(frame.Data)
	}
	return m
}

// named is the part of a run's name that nobody can guess.
var named = regexp.MustCompile(`"run":"r\d+-\w+"`)

// talk sends requests one after the other and waits for all events that each brings. It returns what came.
func talk(t *testing.T, e end, requests []message) (all []message) {
	t.Helper()
	events := map[int]event.Seq{}
	for _, r := range requests {
		e.send(r)
		for missing := r.Kind == "text"; missing; {
			m := e.next()
			if strings.HasPrefix(m.Data, protocol.SaysProgress) {
				continue // it depends on the pace
			}
			missing = false
			if m.Kind == "frame" {
				id, log, err := protocol.ParseFrame([]byte(m.Data), new(packed.Decoder))
				if err != nil {
					t.Fatal(err)
				}
				events[id] -= event.Seq(len(log))
			} else {
				said, err := protocol.ParseMessage([]byte(m.Data))
				switch said := said.(type) {
				case *protocol.Run:
					events = map[int]event.Seq{}
					for _, b := range said.Branches {
						events[b.ID] = b.Events - b.From + 1
					}
				case *protocol.Branch:
					events[said.ID] = said.Events - said.From + 1
				case nil:
					t.Fatal(err)
				}
				m.Data = named.ReplaceAllString(m.Data, `"run":"it"`)
			}
			all = append(all, m)
			for _, n := range events {
				missing = missing || n > 0
			}
		}
	}
	return all
}

// asked returns a request as a message.
func asked(r protocol.Request) message {
	return message{Kind: "text", Data: string(protocol.AppendRequest(nil, r))}
}

// recorded returns a run's trace file.
func recorded(t *testing.T) []byte {
	t.Helper()
	var text bytes.Buffer
	s := run.Scenario{Recipe: "semaphore", Clients: 5}.WithDefaults()
	w := trace.NewWriter(&text, s.Header(event.Simulated))
	if err := errors.Join(run.Sim(t.Context(), s, w), w.Flush()); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// TestSame checks that the engine answers as rooms in a server do: one seed gives one log, byte for byte, also of runs
// with faults on the page, and a file's, and explorations find the same.
func TestSame(t *testing.T) {
	open := func(query string) message { return asked(protocol.Request{Do: protocol.Open, Query: query}) }
	fault := func(branch int, text string) message {
		return asked(protocol.Request{Do: protocol.Inject, Branch: branch, Fault: text})
	}
	explore := func(query string, own bool) message {
		return asked(protocol.Request{Do: protocol.Explore, Query: query, OwnFaults: own})
	}
	n, w := newNative(t), newInNode(t)
	talks := map[string][]message{
		"faults on branches": {open("recipe=unique-lock&clients=5&hold=3s"), fault(0, "crash client-1 at 2s"),
			fault(1, "pause client-3 at 5s for 30s"), fault(0, "expire client-2 at 1s")},
		"three servers": {open("recipe=predecessor-lock&clients=4&servers=3&fault=crash+server-1+at+3s"),
			fault(0, "partition server-2 | server-1 server-3 at 1s for 8s")},
		"another system": {open("recipe=redlock&clients=3&seed=7"), fault(0, "crash client-2 at 2s")},
		"explorations": {explore("recipe=no-second-look&clients=2&fault=expire+client-1+at+1s", true),
			explore("recipe=answer-not-read&clients=3", false), explore("recipe=unique-lock&clients=2", true),
			explore("recipe=unique-lock&clients=2&servers=3&flaw=acks-before-sync", false), explore("recipe=xyzzy", false)},
		"a crowd":   {open("recipe=unique-lock&clients=100&seed=3")},
		"a refusal": {open("recipe=unique-lock&clients=0"), open("recipe=herd"), fault(7, "crash client-1 at 2s")},
		"a file": {{Kind: "file", Name: "1", File: recorded(t)}, asked(protocol.Request{Do: protocol.File, Name: "1"}),
			fault(0, "crash client-1 at 2s")},
		"a bad file": {{Kind: "file", Name: "2", File: []byte("<p>\xff")},
			asked(protocol.Request{Do: protocol.File, Name: "2"}), asked(protocol.Request{Do: protocol.File, Name: "3"})},
	}
	if !testing.Short() {
		for _, r := range recipes.All() {
			talks[r.Name] = []message{open("recipe=" + r.Name), fault(0, "pause client-1 at 3s for 20s")}
		}
	}
	for name, requests := range talks {
		want, got := talk(t, n, requests), talk(t, w, requests)
		for i := range min(len(want), len(got)) {
			if want[i].Kind != got[i].Kind || want[i].Data != got[i].Data {
				t.Errorf("%s: message %d is %s %.300q, in a server %s %.300q", name, i, got[i].Kind, got[i].Data, want[i].Kind,
					want[i].Data)
				break
			}
		}
		if len(got) != len(want) || len(want) < len(requests)-1 {
			t.Errorf("%s: %d messages, in a server %d", name, len(got), len(want))
		}
	}
}
