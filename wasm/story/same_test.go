package main

import (
	"bytes"
	"errors"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/trace"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/stage/story"
	"github.com/zkviz/zkviz/engine/testing/innode"
	_ "github.com/zkviz/zkviz/recipes"
	"github.com/zkviz/zkviz/static/strings/words"
)

// message is what passes between page and program, see doc.go. Data is in base64 if it's a piece of a file.
type message struct {
	Kind  string `json:"kind"`
	ID    int    `json:"id"`
	Data  any    `json:"data"`
	Words string `json:"words"`
}

// asks sends messages in one turn, of which the last is a question, and returns the answer to that.
func asks(p *innode.Program, all ...any) (m message) {
	p.Send(all...)
	for m.ID != all[0].(message).ID {
		p.Next(&m)
	}
	return m
}

// pieces returns the messages that have a log read, the file in pieces of this size.
func pieces(id int, said string, file []byte, size int) []any {
	all := []any{message{Kind: "log", ID: id, Words: said}}
	for len(file) > size {
		all = append(all, message{Kind: "piece", Data: file[:size]})
		file = file[size:]
	}
	return append(all, message{Kind: "piece", Data: file}, message{Kind: "end"})
}

// TestSame checks that the program draws each sheet of a log as a server does, byte for byte, one log after another,
// also after a file that is none, and one that another takes the place of while it's read.
func TestSame(t *testing.T) {
	text, err := os.ReadFile("../../static/strings/en.json")
	if err != nil {
		t.Fatal(err)
	}
	said, err := words.Read(string(text))
	if err != nil {
		t.Fatal(err)
	}
	p := innode.Start(t, "../../static/built", "story")
	if m := asks(p, pieces(1, string(text), []byte("<p>\xff"), 3)...); m.Kind != "refused" ||
		!strings.Contains(m.Data.(string), "zkviz trace file") {
		t.Errorf("of a file that is none, the program says %v", m)
	}
	for i, query := range []string{"recipe=predecessor-lock&clients=5&rounds=6", "recipe=redlock&clients=3",
		"recipe=unique-lock&servers=3&fault=crash+server-1+at+3s"} {
		s, err := run.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		s = s.WithDefaults()
		var file bytes.Buffer
		all := story.NewSheets(s.Header(event.Simulated))
		w := trace.NewWriter(&file, s.Header(event.Simulated))
		if err := errors.Join(run.Sim(t.Context(), s, event.Tee{w, sheets{all}}), w.Flush()); err != nil {
			t.Fatal(err)
		}
		begun := pieces(99, string(text), file.Bytes()[:file.Len()/2], 1000)
		p.Send(begun[:len(begun)-1]...)
		if m := asks(p, pieces(2+i, string(text), file.Bytes(), 10_000)...); m.Kind != "read" {
			t.Fatalf("%s: the program says %v", query, m)
		}
		asked := []string{"", "sheet=1&width=900&height=400&lit=170&theme=dark", "sheet=99&down=1&height=720", "%"}
		for n, ask := range asked {
			q, _ := url.ParseQuery(ask)
			want := string(all.AppendSheet(nil, story.ParseAsk(q), said))
			if m := asks(p, message{Kind: "sheet", ID: 10*i + n + 100, Data: ask}); m.Kind != "sheet" || m.Data != want {
				t.Errorf("%s, %q: the program answers %s\n%.900v\nA server\n%.900s", query, ask, m.Kind, m.Data, want)
			}
		}
	}
}

// sheets is a Sink.
type sheets struct{ all *story.Sheets }

// Append adds the log's next event.
func (s sheets) Append(e event.Event) { s.all.Append(e) }
