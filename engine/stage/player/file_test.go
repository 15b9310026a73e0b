package player_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/player"
)

// TestFileIsNotLive checks that a saved log is played from its start, whatever host made it.
func TestFileIsNotLive(t *testing.T) {
	for _, host := range []event.Host{event.Simulated, event.Cluster, event.Observed, event.Embedded, "elsewhere"} {
		p := player.New()
		p.Open(player.Run{ID: "file", Header: event.Header{Host: host}, File: true})
		if err := p.PutBranch(player.Branch{Parent: -1, From: 1, Events: 2, Ended: true}, nil); err != nil {
			t.Fatal(err)
		}
		log := []event.Event{{Seq: 1, Kind: event.RunStarted}, {Seq: 2, At: 9e9, Kind: event.RecipeNote, Actor: 1}}
		if err := p.Append(0, log); err != nil {
			t.Fatal(err)
		}
		if p.Tick(1e8); p.Log.Run().Live() || p.Head.At() != 1e8 || !p.Head.Playing() {
			t.Errorf("%s: live %v, at %v, playing %v", host, p.Log.Run().Live(), p.Head.At(), p.Head.Playing())
		}
		if p.Do("end", ""); !p.Ended() || p.Behind() || p.Log.Over() {
			t.Errorf("%s: at its end, ended %v, behind %v, over %v", host, p.Ended(), p.Behind(), p.Log.Over())
		}
	}
}
