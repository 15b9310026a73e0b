package sim_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// A client has one session, however many attempts to connect get late answers.
func TestOneSession(t *testing.T) {
	for seed := range uint64(200) {
		tr := calm("children-lock", 3).with(t, "delay client-3 at 0s for 20s")
		tr.cfg.Seed, tr.cfg.SessionTimeout = seed, 4*time.Second
		tr.cfg.Latency, tr.cfg.Jitter = 100*time.Millisecond, 100*time.Millisecond
		sessions := make(map[event.Actor]int64)
		for _, e := range kinds(tr.log(t), event.ConnOpened) {
			if had := sessions[e.Actor]; had != 0 && had != e.Session {
				t.Fatalf("seed %d: %s went from session %#x to %#x", seed, e.Actor, had, e.Session)
			}
			sessions[e.Actor] = e.Session
		}
	}
}
