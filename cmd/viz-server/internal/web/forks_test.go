package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"nhooyr.io/websocket"
)

// keptBytes are what the rooms hold, counted anew.
func keptBytes(rs *rooms) (bytes int) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	seen := map[*keptLog]bool{}
	for _, r := range rs.byID {
		for _, k := range r.held {
			if !seen[k] {
				seen[k] = true
				bytes += k.branch.Size()
			}
		}
	}
	return bytes
}

// TestForksCount has four addresses open runs and fork them as often as they may: neither one of them nor all together
// get more memory than they may have, and who is refused goes on.
func TestForksCount(t *testing.T) {
	s, err := New(t.Context(), Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const run = 1 << 20 // more than one of these takes
	s.rooms.maxKept, s.rooms.maxKeptEach = 5*run, 2*run
	srv := httptest.NewServer(s)
	defer srv.Close()
	for from := range byte(4) {
		for seed := range 2 {
			forkUntilRefused(t, srv.URL, 1+from, seed)
			if bytes := keptBytes(s.rooms); bytes > s.rooms.maxKept || bytes != s.rooms.logs.total {
				t.Fatalf("%d bytes are kept, %d counted, and there may be %d", bytes, s.rooms.logs.total, s.rooms.maxKept)
			}
			if _, most := s.rooms.most(); most > s.rooms.maxKeptEach {
				t.Fatalf("an address has %d bytes, and may have %d", most, s.rooms.maxKeptEach)
			}
		}
	}
}

// most is the asker whose logs take the most, and how much that is.
func (rs *rooms) most() (who asker, bytes int) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for a, n := range rs.logs.of {
		if n > bytes {
			who, bytes = a, n
		}
	}
	return who, bytes
}

// forkUntilRefused opens a run and forks it until the server has had enough, and stays connected.
func forkUntilRefused(t *testing.T, url string, from byte, seed int) {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, from)}}
	client := &http.Client{Transport: &http.Transport{DialContext: d.DialContext}}
	c, _, err := websocket.Dial(t.Context(), url+"/ws", &websocket.DialOptions{HTTPClient: client})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.CloseNow() })
	c.SetReadLimit(MaxFrame)
	ask := func(text string) (e sayError) {
		if err := c.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
			t.Fatal(err)
		}
		for {
			kind, text, err := c.Read(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if kind != websocket.MessageText {
				continue
			}
			if err := json.Unmarshal(text, &e); err != nil {
				t.Fatal(err)
			}
			return e
		}
	}
	if e := ask(fmt.Sprintf(`{"do":"open","recipe":"children-lock","clients":40,"seed":%d}`, 10*int(from)+seed)); e.Say != "run" {
		if e.AgainMS == 0 {
			t.Errorf("127.0.0.%d is refused a run: %+v", from, e)
		}
		return
	}
	for n := range 50 { // MessageBurst is more
		e := ask(fmt.Sprintf(`{"do":"fault","branch":0,"fault":"crash client-%d at 10ms"}`, 1+n%40))
		if e.Say != "branch" {
			if !strings.Contains(e.Text, "MB of runs") || e.AgainMS == 0 {
				t.Errorf("127.0.0.%d is refused a branch: %+v", from, e)
			}
			return
		}
	}
	t.Error("nobody has refused a fork")
}
