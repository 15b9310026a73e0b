package fault_test

import (
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/fault"
)

func TestParse(t *testing.T) {
	for s, want := range map[string]fault.Fault{
		"pause client-1 at 2s for 15s":   {Kind: fault.Pause, Client: 1, At: 2 * time.Second, For: 15 * time.Second},
		"cut client-12 at 0s for 1.5s":   {Kind: fault.Cut, Client: 12, For: 1500 * time.Millisecond},
		"crash client-3 at 250ms":        {Kind: fault.Crash, Client: 3, At: 250 * time.Millisecond},
		"  expire   client-3  at\t1h ":   {Kind: fault.Expire, Client: 3, At: time.Hour},
		"drop client-1000 at 24h":        {Kind: fault.Drop, Client: 1000, At: 24 * time.Hour},
		"delay client-2 at 1s for 3s":    {Kind: fault.Delay, Client: 2, At: time.Second, For: 3 * time.Second},
		"restart server at 1s for 500ms": {Kind: fault.Restart, At: time.Second, For: 500 * time.Millisecond},
		"pause client-1 at 1ns for 24h":  {Kind: fault.Pause, Client: 1, At: 1, For: 24 * time.Hour},
		"pause client-01 at 1s for 1m2s": {Kind: fault.Pause, Client: 1, At: time.Second, For: 62 * time.Second},
	} {
		got, err := fault.Parse(s)
		if err != nil || got != want {
			t.Errorf("%q: got %+v, %v, want %+v", s, got, err, want)
		}
	}
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	for s, want := range map[string]string{
		"":                              "number of words",
		"pause client-1":                "number of words",
		"restart client-1 at 1s for 1s": "only the server",
		"crash server at 1s":            "not a client",
		"restart server at 1s":          "needs 'for'",
		"pause client-1 at 2s":          "needs 'for'",
		"crash client-1 at 2s for 3s":   "takes no 'for'",
		"stop client-1 at 2s":           `no fault "stop"`,
		"none client-1 at 2s":           `no fault "none"`,
		"crash client-0 at 2s":          "not a client",
		"crash client--1 at 2s":         "not a client",
		"crash A at 2s":                 "not a client",
		"crash client-1 after 2s":       "not 'at'",
		"crash client-1 at noon":        "not a time",
		"crash client-1 at -2s":         "not a time",
		"crash client-1 at 25h":         "not a time",
		"pause client-1 at 1s for 0s":   "up to 24h",
		"pause client-1 at 1s until 2s": "up to 24h",
		"pause client-1 at 1s for 25h":  "up to 24h",
	} {
		_, err := fault.Parse(s)
		if err == nil || !strings.Contains(said(err), want) || !strings.Contains(said(err), "write it like") {
			t.Errorf("%q: got %v, want something about %q and how to write it", s, err, want)
		}
	}
}

// TestParseSaysHowItIsWrittenThere checks which form an error shows. A fault for a server of an ensemble gets that
// form, and in a run with several servers every error shows both.
func TestParseSaysHowItIsWrittenThere(t *testing.T) {
	const client, member = "pause client-1 at 2s", "restart server-1 at 2s"
	for _, c := range []struct {
		text           string
		servers        int
		client, member bool
	}{
		{"hug client-1 at 2s", 1, true, false},
		{"hug client-1 at 2s", 3, true, true},
		{"restart server-1 at 2s", 1, false, true},
		{"restart server-1 at 2s", 3, false, true},
		{"hug server-1 at 2s", 3, false, true},
		{"partition at 2s for 1s", 3, false, true},
		{"power client-1 at 2s for 1s", 3, false, true},
		{"cut client-1 from client-2 at 2s for 1s", 3, true, true},
		{"| at 2s", 3, false, true},
		{"", 1, true, false},
		{"", 3, true, true},
		{"restart server at 2s", 3, true, true},
	} {
		_, err := fault.ParseAll([]string{c.text}, fault.Scope{Servers: c.servers})
		if err == nil || strings.Contains(said(err), client) != c.client || strings.Contains(said(err), member) != c.member {
			t.Errorf("%q with %d servers: %v", c.text, c.servers, err)
		}
		if _, alone := fault.Parse(c.text); c.servers == 1 && said(alone) != said(err) {
			t.Errorf("%q: %v, in a list %v", c.text, alone, err)
		}
	}
}

// FuzzParse checks that a parsed fault is written so that it parses the same again.
func FuzzParse(f *testing.F) {
	f.Add("pause client-1 at 2s for 15s")
	f.Add("crash client-3 at 250ms")
	f.Add("restart server at 2s for 1s")
	f.Add("partition server-1 server-2 | server-3 at 2s for 10s")
	f.Add("cut client-1 from server-2 at 2s for 3s")
	f.Add("vanish client-1 at 2s")
	f.Add("failover node-20 at 2s")
	f.Add("jump node-1 at 2s by -3s")
	f.Fuzz(func(t *testing.T, s string) {
		got, err := fault.Parse(s)
		if err != nil {
			return
		}
		again, err := fault.Parse(got.String())
		if err != nil || again != got {
			t.Fatalf("%q read as %+v, written as %q, read as %+v, %v", s, got, got, again, err)
		}
	})
}

// TestHold checks that a fault with a hold can be written and read, and is refused where it is invalid.
func TestHold(t *testing.T) {
	const text = "pause client-2 in hold 3 at 1.5s for 14s"
	f, err := fault.Parse(text)
	want := fault.Fault{Kind: fault.Pause, Client: 2, Hold: 3, At: 1500 * time.Millisecond, For: 14 * time.Second}
	if err != nil || f != want || f.String() != text {
		t.Fatalf("it is read as %+v, %v, and written as %q", f, err, f)
	}
	if err := f.Validate(fault.Scope{Clients: 2, Servers: 1}); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"restart server in hold 1 at 1s for 1s", "crash server-1 in hold 1 at 1s",
		"pause client-2 in hold 0 at 1s for 1s", "pause client-2 in hold 1001 at 1s for 1s", "pause client-2 in hold at 1s",
		"pause client-2 in hold x at 1s for 1s",
		"cut client-1 from server-2 in hold 1 at 1s for 1s"} {
		if f, err := fault.Parse(bad); err == nil {
			t.Errorf("%q is read as %q", bad, f)
		}
	}
	for _, f := range []fault.Fault{{Kind: fault.Crash, Client: 1, Hold: -1}, {Kind: fault.Restart, Hold: 1, For: 1},
		{Kind: fault.Crash, Client: 1, Hold: fault.MaxHold + 1}} {
		if f.Validate(fault.Scope{Clients: 2, Servers: 1}) == nil {
			t.Errorf("%q can happen", f)
		}
	}
}
