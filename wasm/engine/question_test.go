package main

import (
	"fmt"
	"net/url"
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/compare"
	"github.com/zkviz/zkviz/engine/stage/costs"
	"github.com/zkviz/zkviz/static/strings/words"
)

// few are the words of a page that has few.
const few = `{"bad.compare.clients":"no: {0}","fork.alike":"alike {0} {1}","fork.differs.often":"often {0} {1}"}`

// asks asks the engine a question, and returns all that it answers but progress.
func (w *inNode) asks(kind, query string) (all []message) {
	w.t.Helper()
	w.send(message{Kind: kind, ID: 7, Data: query, Words: few})
	for {
		m := w.next()
		if m.ID != 7 {
			continue
		}
		if m.Kind == "close" {
			return all
		}
		if m.Kind != "progress" {
			all = append(all, m)
		}
	}
}

// TestSameFigures checks that the engine shows the figures of a comparison as a server does, byte for byte, and says
// why it shows none.
func TestSameFigures(t *testing.T) {
	w := newInNode(t)
	said, err := words.Read(few)
	if err != nil {
		t.Fatal(err)
	}
	say := said.Say
	for _, query := range []string{
		"recipe=unique-lock&recipe=predecessor-lock&clients=10,2", "recipe=redlock&recipe=db-lease-row&clients=4",
		"recipe=predecessor-lock&clients=3&servers=3&observers=1",
		"recipe=barrier&recipe=quorum-read&clients=1", "recipe=herd&clients=2",
		"recipe=unique-lock&clients=many", "recipe=unique-lock&clients=2&servers=0",
	} {
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		asked, err := compare.ParseRequest(q)
		var want []string
		if err != nil {
			want = []string{"refused " + sentence.Voice{Say: say}.Alone(sentence.From(err))}
		} else {
			want = []string{"servers " + q.Get("servers")}
		}
		var rows []compare.Row
		for _, x := range asked.Runs() {
			s, bad := asked.Scenario(x)
			if err != nil || bad != nil {
				break
			}
			row, err := compare.Measure(t.Context(), event.Simulated, run.Sim, s, nil)
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, row)
			want = append(want, "figures "+costs.HTML(rows, false, say))
		}
		var got []string
		for _, m := range w.asks("compare", query) {
			got = append(got, fmt.Sprint(m.Kind, " ", m.Data))
		}
		if !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("%s: the engine answers\n%.2000q\nIn a server it is\n%.2000q", query, got, want)
		}
	}
}

// TestSameForks checks that the engine says how forks differ from what was seen as a server does.
func TestSameForks(t *testing.T) {
	w := newInNode(t)
	said, err := words.Read(few)
	if err != nil {
		t.Fatal(err)
	}
	const scenario = "&recipe=predecessor-lock&clients=2&hold=1s&arrival=client-1+at+0s+for+1s" +
		"&arrival=client-2+at+100ms+for+1s"
	for _, seen := range []string{"lock_1.1.0.0.1000_2.1.100.900.1000", "lock", "house"} {
		query := "seen=" + seen + scenario
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		voice := sentence.Voice{Say: said.Say, Client: event.Actor.Letter}
		var want []string
		if replay, err := compare.ParseReplay(q); err != nil {
			want = append(want, "refused "+voice.Alone(sentence.From(err)))
		} else {
			played, err := run.First(t.Context(), replay.Scenario, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range replay.Differs(played) {
				want = append(want, "said "+voice.Says(x))
			}
		}
		var got []string
		for _, m := range w.asks("fork", query) {
			got = append(got, fmt.Sprint(m.Kind, " ", m.Data))
		}
		if !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("%s: the engine says %.900q, a server %.900q", query, got, want)
		}
	}
}
