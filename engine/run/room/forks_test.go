package room

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/run/protocol"
)

// keptBytes counts the bytes that the rooms hold.
func keptBytes(rs *rooms) (bytes int) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	seen := map[*keptLog]bool{}
	for _, r := range rs.byID {
		for _, k := range r.held {
			if !seen[k] {
				seen[k] = true
				bytes += k.branch.size()
			}
		}
	}
	return bytes
}

// TestForksCount lets four clients open and fork runs as often as allowed. No client and not all together exceed
// their memory, and a refused one can continue.
func TestForksCount(t *testing.T) {
	s := New(Config{Simulations: 1})
	defer s.Close()
	const run = 1 << 20 // more than any of these takes
	s.rooms.maxKept, s.rooms.maxKeptEach = 5*run, 2*run
	for from := range 4 {
		for seed := range 2 {
			forkUntilRefused(t, s, ClientKey(rune('a'+from)), 10*from+seed)
			if bytes := keptBytes(s.rooms); bytes > s.rooms.maxKept || bytes != s.rooms.accounting.total {
				t.Fatalf("%d bytes are kept, %d counted, and there may be %d", bytes, s.rooms.accounting.total, s.rooms.maxKept)
			}
			if _, most := s.rooms.most(); most > s.rooms.maxKeptEach {
				t.Fatalf("a client has %d bytes, and may have %d", most, s.rooms.maxKeptEach)
			}
		}
	}
}

// most returns the client whose logs take the most memory, and the amount.
func (rs *rooms) most() (who ClientKey, bytes int) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for a, n := range rs.accounting.perClient {
		if n > bytes {
			who, bytes = a, n
		}
	}
	return who, bytes
}

// forkUntilRefused opens a run and forks it until that is refused, and stays connected.
func forkUntilRefused(t *testing.T, s *Runs, who ClientKey, seed int) {
	t.Helper()
	conn, err := s.Connect(who, func() {})
	if err != nil {
		t.Fatal(err)
	}
	p := newTalk()
	go func() {
		defer close(p.served)
		defer conn.Leave()
		s.Serve(t.Context(), t.Context(), conn, p)
	}()
	t.Cleanup(p.over)
	ask := func(text string) *protocol.Refusal {
		p.send(text)
		m := p.next()
		if m == nil {
			t.Fatalf("%s is cut off: %s", who, p.why)
		}
		r, _ := m.(*protocol.Refusal)
		return r
	}
	if r := ask(fmt.Sprintf(`{"do":"open","query":"recipe=children-lock&clients=40&seed=%d"}`, seed)); r != nil {
		if r.AgainMS == 0 {
			t.Errorf("%s is refused a run: %+v", who, r)
		}
		return
	}
	for n := range 50 { // RequestBurst is more
		if r := ask(fmt.Sprintf(`{"do":"fault","branch":0,"fault":"crash client-%d at 10ms"}`, 1+n%40)); r != nil {
			if !strings.Contains(words(r.Why), "MB of runs") || r.AgainMS == 0 {
				t.Errorf("%s is refused a branch: %+v", who, r)
			}
			return
		}
	}
	t.Error("nobody has refused a fork")
}
