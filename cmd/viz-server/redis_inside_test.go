package main

import (
	"net"
	"strings"
	"testing"
)

// TestRedisInside starts the Redis for the Zoo at a given address, at the next free port, or not at all.
func TestRedisInside(t *testing.T) {
	if r, err := listenRedis(t.Context(), "", nil, t.Output()); r != nil || err != nil {
		t.Errorf("without an address: %v, %v", r, err)
	}
	r, err := listenRedis(t.Context(), "127.0.0.1:0", nil, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	if got := tell(t, r.Place()).ask("ping"); got != "PONG" {
		t.Error(got)
	}
	if _, err := listenRedis(t.Context(), r.Place(), nil, t.Output()); err == nil ||
		!strings.Contains(err.Error(), "let --redis-listen auto find") {
		t.Errorf("where somebody listens: %v", err)
	}
	if _, err := listenRedis(t.Context(), "nowhere", nil, t.Output()); err == nil ||
		!strings.Contains(err.Error(), "127.0.0.1:6379") {
		t.Errorf("at no address: %v", err)
	}
	free, err := listenRedis(t.Context(), auto, []string{"localhost:6379"}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	if free == nil {
		t.Skip("no port is free")
	}
	if _, port, _ := net.SplitHostPort(free.Place()); port == "6379" {
		t.Error("it takes the port of a Redis that may come up yet")
	}
	if err := free.Close(); err != nil {
		t.Error(err)
	}
}
