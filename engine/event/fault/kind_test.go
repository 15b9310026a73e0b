package fault_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/fault"
)

// kinds lists each kind's word, whether it lasts and whether it strikes the server.
var kinds = []struct {
	kind   fault.Kind
	word   string
	lasts  bool
	server bool
}{
	{fault.Crash, "crash", false, false},
	{fault.Pause, "pause", true, false},
	{fault.Cut, "cut", true, false},
	{fault.Expire, "expire", false, false},
	{fault.Drop, "drop", false, false},
	{fault.Delay, "delay", true, false},
	{fault.Restart, "restart", true, true},
	{fault.SetClock, "jump", true, true},
}

func TestKinds(t *testing.T) {
	var all []fault.Kind
	for _, k := range kinds {
		all = append(all, k.kind)
		if k.kind.String() != k.word || k.kind.Lasts() != k.lasts {
			t.Errorf("%s is written %q and lasts: %t", k.word, k.kind, k.kind.Lasts())
		}
		if (k.kind.Target() == fault.ToServer) != k.server {
			t.Errorf("%s is done to %d", k.word, k.kind.Target())
		}
		if got, ok := fault.ParseKind(k.word); !ok || got != k.kind {
			t.Errorf("%q is read as %v, %t", k.word, got, ok)
		}
	}
	if got := fault.Kinds(); !slices.Equal(got, all) {
		t.Errorf("the kinds are %v, want %v, in this order", got, all)
	}
	for _, k := range []fault.Kind{0, fault.Jump + 1, 255} {
		if k.String() != "none" || k.Lasts() || k.Target() != fault.ToClient || fault.Everything.Can(k) {
			t.Errorf("%d, which is no kind, is written %q and lasts: %t", uint8(k), k, k.Lasts())
		}
	}
	for _, word := range []string{"", "none", "Crash", "crash ", "hug"} {
		if got, ok := fault.ParseKind(word); ok || got != 0 {
			t.Errorf("%q is read as %v", word, got)
		}
	}
}

// TestHolds checks which kinds each resource allows.
func TestHolds(t *testing.T) {
	for want, h := range map[string]fault.Hold{
		"":                                       0,
		"crash, pause":                           fault.Process,
		"crash, pause, cut":                      fault.Process | fault.Link,
		"drop, delay":                            fault.Messages,
		"expire, restart":                        fault.Session | fault.Machine,
		"crash, pause, cut, expire, drop, delay": fault.Everything &^ fault.Machine,
		"crash, pause, cut, expire, drop, delay, restart": fault.Everything,
		"jump": fault.Clocks,
	} {
		if got := fault.Words(h.Kinds(), ", "); got != want {
			t.Errorf("with %b one can %s, want %s", h, got, want)
		}
	}
}

// TestForm checks the description, which takes its words from the table.
func TestForm(t *testing.T) {
	const want = "'pause client-1 at 2s for 15s' (crash, pause, cut, expire, drop or delay; pause, cut and delay take " +
		"'for'), " +
		"'restart server at 2s for 1s' or 'jump server at 2s by -5s'; " +
		"on other systems than ZooKeeper a client can also stall or vanish, and a node " +
		"restart, lag, failover or jump, as in 'jump node-1 at 2s by 10s'; " +
		"a message of a client can be lost, delayed or delivered next, as in " +
		"'drop create 1 from client-1 to server at 2s'; " +
		"'in hold 3' before 'at' is so long after the client got in for the third time"
	if got := fault.Form(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestValidate checks faults that are impossible in a run with three clients, or can't be written.
func TestValidate(t *testing.T) {
	day := fault.MaxAt
	for want, list := range map[string][]fault.Fault{
		"": {
			{Kind: fault.Crash, Client: 1}, {Kind: fault.Crash, Client: 3, At: day}, {Kind: fault.Pause, Client: 1, For: 1},
			{Kind: fault.Restart, For: day},
		},
		"there is no fault of this kind":            {{}, {Kind: 0, Client: 1}, {Kind: fault.Jump + 1, Client: 1}},
		"there is no client-0 among 3 clients":      {{Kind: fault.Crash}},
		"there is no client--1 among 3 clients":     {{Kind: fault.Crash, Client: -1}},
		"there is no client-4 among 3 clients":      {{Kind: fault.Delay, Client: 4, For: 1}},
		"it is done to the server, not to a client": {{Kind: fault.Restart, Client: 1, For: 1}},
		"its times are 0s to 24h0m0s": {
			{Kind: fault.Crash, Client: 1, At: -1}, {Kind: fault.Crash, Client: 1, At: day + 1},
			{Kind: fault.Cut, Client: 1, For: -1}, {Kind: fault.Cut, Client: 1, For: day + 1},
		},
		"it lasts 0s": {{Kind: fault.Pause, Client: 1}, {Kind: fault.Restart}},
		"it lasts 1s": {{Kind: fault.Crash, Client: 1, For: time.Second}},
	} {
		for _, f := range list {
			err := f.Validate(fault.Scope{Clients: 3, Servers: 1})
			if want == "" && err != nil || want != "" && (err == nil || !strings.HasSuffix(said(err), want)) {
				t.Errorf("%+v: got %v, want %q", f, err, want)
			}
		}
	}
}

// TestRoundTrip checks that written faults of any kind and time parse again.
func TestRoundTrip(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	duration := func() time.Duration {
		return []time.Duration{1, fault.MaxAt, time.Duration(1 + chance.Int64N(int64(fault.MaxAt)))}[chance.IntN(3)]
	}
	for _, k := range kinds {
		for range 500 {
			f := fault.Fault{Kind: k.kind, At: duration() - 1}
			if !k.server {
				f.Client = 1 + chance.IntN(1000)
			}
			if k.lasts {
				f.For = duration()
			}
			if k.kind.Sets() && chance.IntN(2) == 0 {
				f.For = -f.For
			}
			if got, err := fault.Parse(f.String()); err != nil || got != f {
				t.Fatalf("%+v, written as %q, is read as %+v, %v", f, f, got, err)
			}
		}
	}
	for _, k := range fault.SystemKinds() {
		for range 500 {
			f := fault.Fault{Kind: k, At: duration() - 1}
			if k.Target() == fault.ToNode {
				f.Node = 1 + chance.IntN(fault.MaxNode)
			} else {
				f.Client = 1 + chance.IntN(1000)
			}
			if k.Lasts() {
				f.For = duration()
			}
			if k.Span() == "by" && chance.IntN(2) == 0 {
				f.For = -f.For
			}
			if got, err := fault.Parse(f.String()); err != nil || got != f {
				t.Fatalf("%+v, written as %q, is read as %+v, %v", f, f, got, err)
			}
			in := fault.Scope{Clients: 1000, Nodes: fault.MaxNode}
			if err := f.Validate(in); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestEachWordCounts replaces each word of each kind's fault, and checks that there is no second way to write it.
func TestEachWordCounts(t *testing.T) {
	for _, k := range kinds {
		words := []string{k.word, "client-2", "at", "3s"}
		if k.server {
			words[1] = "server"
		}
		if k.lasts {
			words = append(words, k.kind.Span(), "4s")
		}
		if _, err := fault.Parse(strings.Join(words, " ")); err != nil {
			t.Error(err)
		}
		for i, w := range words {
			for _, other := range []string{"x", "", w + "x", strings.ToUpper(w), "client", "2", "client-1.5", "-1ns",
				"24h0m0.000000001s", `"at"`} {
				if k.kind.Sets() && i == 5 && other == "-1ns" {
					continue // back by so much
				}
				refused(t, slices.Replace(slices.Clone(words), i, i+1, other))
			}
		}
		refused(t, append(slices.Clone(words), "x"))
		refused(t, words[:len(words)-1])
	}
}

// refused checks that words don't parse, and that the error quotes them and shows how to write a fault.
func refused(t *testing.T, words []string) {
	t.Helper()
	s := strings.Join(words, " ")
	f, err := fault.Parse(s)
	if err == nil {
		t.Errorf("%q is read as %+v", s, f)
		return
	}
	if f != (fault.Fault{}) || !strings.Contains(said(err), s) && !strings.Contains(s, `"`) ||
		!strings.Contains(said(err), "write it like") {
		t.Errorf("%q: %+v, %v", s, f, err)
	}
}

// TestRefusalsQuote checks that the error quotes the wrong word.
func TestRefusalsQuote(t *testing.T) {
	for s, want := range map[string]string{
		"hug client-1 at 1s":            `there is no fault "hug"`,
		"restart zookeeper at 1s":       `only the server is restarted, not "zookeeper"`,
		"crash 1 at 1s":                 `"1" is not a client`,
		"crash client-x at 1s":          `"client-x" is not a client`,
		"crash client-1 at 24h0m0.1s":   `"24h0m0.1s" is not a time from 0s to 24h`,
		"pause client-1 at 1s":          "pause needs 'for' and how long",
		"crash client-1 at 1s for 2s":   "crash takes no 'for'",
		"pause client-1 at 1s by 2s":    `"by 2s" is not 'for' and a time up to 24h`,
		"pause client-1 at 1s for -1ns": `"for -1ns" is not 'for' and a time up to 24h`,
	} {
		if _, err := fault.Parse(s); err == nil || !strings.Contains(said(err), want) {
			t.Errorf("%q: got %v, want %q", s, err, want)
		}
	}
}

// TestEnsembleFaults checks that faults of an ensemble's servers parse, and are refused where they are impossible.
func TestEnsembleFaults(t *testing.T) {
	for s, want := range map[string]fault.Fault{
		"crash server-3 at 4s":          {Kind: fault.CrashServer, Server: 3, At: 4 * time.Second},
		"restart server-9 at 1s for 2s": {Kind: fault.RestartServer, Server: 9, At: time.Second, For: 2 * time.Second},
		"pause server-1 at 0s for 5s":   {Kind: fault.PauseServer, Server: 1, For: 5 * time.Second},
		"power server-1 at 0s for 1s":   {Kind: fault.PowerLoss, Server: 1, For: time.Second},
		"slow server-1 at 0s for 1s":    {Kind: fault.SlowDisk, Server: 1, For: time.Second},
		"partition server-1 server-2 | server-3 at 2s for 10s": {Kind: fault.Partition, A: 0b110, B: 0b1000,
			At: 2 * time.Second, For: 10 * time.Second},
		"cut client-12 from server-2 at 1s for 3s": {Kind: fault.CutServer, Client: 12, Server: 2, At: time.Second,
			For: 3 * time.Second},
		"restart server at 1s for 2s": {Kind: fault.Restart, At: time.Second, For: 2 * time.Second},
		"jump server at 1s by -2s":    {Kind: fault.SetClock, At: time.Second, For: -2 * time.Second},
		"jump server-2 at 1s by 2s":   {Kind: fault.SetOneClock, Server: 2, At: time.Second, For: 2 * time.Second},
	} {
		got, err := fault.Parse(s)
		if err != nil || got != want || got.String() != s {
			t.Errorf("%q is read as %+v, %v, and written as %q", s, got, err, got)
		}
		if err := got.Validate(fault.Scope{Clients: 12, Servers: 9}); err != nil {
			t.Error(err)
		}
		if err := got.Validate(fault.Scope{Clients: 12, Servers: 1}); (err == nil) != (got.Kind.Target() == fault.ToServer) {
			t.Errorf("%q with one server: %v", s, err)
		}
	}
	for s, want := range map[string]string{
		"crash server-0 at 4s":                                  `"server-0" is not a server from server-1 to server-9`,
		"crash server-10 at 4s":                                 `"server-10" is not a server from server-1 to server-9`,
		"expire server-1 at 4s":                                 `"server-1" is not a client`,
		"jump server at 4s for 1s":                              `"for 1s" is not 'by' and a time`,
		"jump server-2 at 4s":                                   "jump needs 'by' and how much",
		"jump client-2 at 4s by 1s":                             `jump is not done to "client-2"`,
		"power server at 4s for 1s":                             `"server" is not a server from server-1`,
		"power client-1 at 4s for 1s":                           `"client-1" is not a server`,
		"power server-1 at 4s":                                  "power needs 'for' and how long",
		"partition server-1 server-2 at 2s for 1s":              "on both sides of one '|'",
		"partition server-1 | at 2s for 1s":                     "on both sides of one '|'",
		"partition | server-1 at 2s for 1s":                     "on both sides of one '|'",
		"partition server-1 | server-2 | server-3 at 2s for 1s": "on both sides of one '|'",
		"partition server-1 | server-1 at 2s for 1s":            `"server-1" is named twice`,
		"partition server-1 server-1 | server-2 at 2s for 1s":   `"server-1" is named twice`,
		"partition client-1 | server-2 at 2s for 1s":            `"client-1" is not a server`,
		"cut server-1 from client-2 at 1s for 3s":               `"client-2" is not a server`,
		"cut client-0 from server-2 at 1s for 3s":               `"client-0" is not a client`,
		"pause client-1 from server-2 at 1s for 3s":             `pause is not done to "client-1 from server-2"`,
	} {
		if got, err := fault.Parse(s); err == nil || !strings.Contains(said(err), want) || got != (fault.Fault{}) {
			t.Errorf("%q: %+v, %v, want %q", s, got, err, want)
		}
	}
	for want, f := range map[string]fault.Fault{
		"there is no server-4 among 3 servers":             {Kind: fault.CrashServer, Server: 4},
		"there is no server-0 among 3 servers":             {Kind: fault.CrashServer},
		"there is no server-5 among 3 servers":             {Kind: fault.Partition, A: 0b10, B: 0b100000, For: 1},
		"servers on both sides of one '|', and none twice": {Kind: fault.Partition, A: 0b110, B: 0b100, For: 1},
		"there is no client-4 among 3 clients":             {Kind: fault.CutServer, Client: 4, Server: 1, For: 1},
		"it is done to the server, not to a client":        {Kind: fault.CrashServer, Client: 1, Server: 1},
		"it lasts 0s": {Kind: fault.PauseServer, Server: 1},
	} {
		if err := f.Validate(fault.Scope{Clients: 3, Servers: 3}); err == nil || !strings.HasSuffix(said(err), want) {
			t.Errorf("%+v: %v, want %q", f, err, want)
		}
	}
}
