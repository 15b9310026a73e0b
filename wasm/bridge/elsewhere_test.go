package bridge_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/explore"
	"github.com/zkviz/zkviz/engine/run/link"
	"github.com/zkviz/zkviz/engine/run/room"
	"github.com/zkviz/zkviz/engine/stage/player"
	"github.com/zkviz/zkviz/wasm/bridge"
)

// linked opens a link to the Lab as its page does, and returns the player with the run, and what the stage is told.
func linked(t *testing.T, address string) (*player.Player, bridge.Address) {
	t.Helper()
	q, err := url.ParseQuery(strings.TrimPrefix(address, "/lab?"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := link.Take(q)
	if err != nil {
		t.Fatal(err)
	}
	sc, err := room.Asked(q.Encode())
	if err != nil {
		t.Fatal(err)
	}
	log := event.Log{Header: sc.Header(event.Simulated)}
	if err := run.Sim(t.Context(), sc, &log); err != nil {
		t.Fatal(err)
	}
	p := player.New()
	p.Open(player.Run{ID: "r", Header: log.Header})
	n := event.Seq(len(log.Events))
	if err := p.PutBranch(player.Branch{Parent: -1, From: 1, Events: n, Ended: true}, nil); err != nil {
		t.Fatal(err)
	}
	if err := p.Append(0, log.Events); err != nil {
		t.Fatal(err)
	}
	return p, bridge.AddressOf("query="+url.QueryEscape(sc.Query())+"&"+m.Query(), "")
}

// TestLinksMadeElsewhere checks that the page finds the hashes of links that were made without it, and finds out
// another run. The hash that is written here was made by an earlier version, natively: it also holds under js/wasm.
func TestLinksMadeElsewhere(t *testing.T) {
	r, _ := recipe.Find("no-second-look")
	found, err := explore.Run(t.Context(), explore.Config{Recipe: r})
	if err != nil || found.Found == nil {
		t.Fatalf("found %+v, %v", found, err)
	}
	const old = "/lab?recipe=predecessor-lock&clients=3&seed=7&fault=crash+client-1+at+2s" +
		"&at=2.5s&event=40&sum=c6b795b59a192cbd"
	for _, address := range []string{found.Found.Link(), old} {
		p, a := linked(t, address)
		if holds, known := bridge.Holds(p.Log.Shown(), a.Link.Place); !holds || !known {
			t.Errorf("%s: it holds %t, known %t", address, holds, known)
		}
		p, a = linked(t, strings.Replace(address, "seed=", "seed=1", 1))
		if holds, known := bridge.Holds(p.Log.Shown(), a.Link.Place); holds || !known {
			t.Errorf("with another seed: it holds %t, known %t", holds, known)
		}
	}
}
