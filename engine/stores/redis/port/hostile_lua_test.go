package port_test

import (
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/zkviz/zkviz/engine/stores/redis/port"
)

// TestHostileLua checks that endless scripts are killed one after the other, and that a polite client is served between
// them.
func TestHostileLua(t *testing.T) {
	addr := serve(t, port.Config{})
	polite := dial(t, addr)
	clients, texts := 8, []string{"while true do redis.call('SET', 'k', ARGV[1]) end", "while true do end",
		"local t = {} while true do t[#t + 1] = {} end"}
	if testing.Short() { // with the race detector a million steps take long
		clients, texts = 2, texts[:1]
	}
	var all sync.WaitGroup
	for range clients {
		c := dial(t, addr)
		all.Go(func() {
			for _, text := range texts {
				if got := c.ask(t, "EVAL", text, "0", "x"); !strings.HasPrefix(got, "ERR Script killed: it took more than") {
					t.Error(got)
				}
			}
		})
	}
	for range 20 {
		if got := polite.ask(t, "PING"); got != "PONG" {
			t.Error(got)
		}
	}
	all.Wait()
	if got := polite.ask(t, "EVAL", "return redis.call('GET', KEYS[1])", "1", "k"); got != "x" {
		t.Errorf("what a script did before it was ended is %s", got)
	}
	first := polite.ask(t, "SCRIPT", "LOAD", "return 0")
	for i := range 600 { // more than are kept
		last := polite.ask(t, "SCRIPT", "LOAD", "return "+strconv.Itoa(i+1))
		if got := polite.ask(t, "EVALSHA", last, "0"); got != strconv.Itoa(i+1) {
			t.Fatal(got)
		}
	}
	if got := polite.ask(t, "EVALSHA", first, "0"); !strings.HasPrefix(got, "NOSCRIPT") {
		t.Errorf("the first of many scripts is still kept: %s", got)
	}
}
