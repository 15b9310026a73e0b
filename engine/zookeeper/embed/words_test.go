package embed_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// busy gives every word something to show, and keeps the connections open.
func busy(t *testing.T, addr string) []*peer.Peer {
	var peers []*peer.Peer
	for range 2 {
		p, err := peer.Dial(addr, wire.ConnectRequest{TimeoutMS: int32(zktest.MaxSession / time.Millisecond)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Abort)
		peers = append(peers, p)
	}
	a, b := peers[0], peers[1]
	do(t, a, create("/app", zoo.Persistent))
	do(t, a, create("/app/e", zoo.Ephemeral))
	do(t, b, create("/b", zoo.Ephemeral))
	do(t, b, create("/b", zoo.Ephemeral)) // it exists already
	for _, p := range peers {
		do(t, p, wire.Request{Xid: 5, Op: wire.OpGetData, Path: "/app", Watch: true})
	}
	do(t, a, wire.Request{Xid: 6, Op: wire.OpGetChildren, Path: "/app", Watch: true})
	do(t, b, wire.Request{Xid: 7, Op: wire.OpExists, Path: "/nope", Watch: true})
	return peers
}

// shape masks what differs between any two runs of one server.
func shape(text string) string {
	for _, r := range []struct{ from, to string }{
		{`0x1[0-9a-f]{14}`, "SESSION"},
		{`127\.0\.0\.1:[0-9]+`, "ADDRESS"},
		{`version: .*`, "version: VERSION"},
		{`version=.*`, "version=VERSION"},
		{`min/avg/max: [0-9]+/[0-9]+\.[0-9]+/[0-9]+`, "min/avg/max: LATENCY"},
		{`(Received|Sent|Connections): [0-9]+`, "$1: N"},
		{`,(est|lresp|llat|minlat|avglat|maxlat|to)=[0-9]+`, ",$1=N"},
		{`expire at .*:`, "expire at DATE:"},
	} {
		text = regexp.MustCompile(r.from).ReplaceAllString(text, r.to)
	}
	return text
}

// sorted sorts the lines of an answer, because ZooKeeper prints some in hash order.
func sorted(text string) string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestWordsAsZooKeeper compares a real server with the embedded one, after the same work on both.
func TestWordsAsZooKeeper(t *testing.T) {
	real := zktest.Start(t)
	mine := listen(t, embed.Config{})
	busy(t, real.Addr)
	busy(t, mine.Addr().String())
	for _, word := range []string{"ruok", "isro", "srvr", "stat", "cons", "wchs", "wchc", "wchp"} {
		var theirs, ours string
		same := func() bool {
			theirs, ours = sorted(shape(real.Word(word))), sorted(shape(ask(t, mine, word)))
			return theirs == ours
		}
		// The real server counts its packets and closes the connections of earlier words a little later.
		for end := time.Now().Add(eventually); !same() && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		}
		if theirs != ours {
			t.Errorf("%s: ZooKeeper says\n%s\nand the embedded server\n%s", word, theirs, ours)
		}
	}
	for word, split := range map[string]string{"mntr": "\t", "conf": "=", "envi": "="} {
		theirs := keys(real.Ask(word), split)
		for _, key := range keys(ask(t, mine, word), split) {
			at := slices.Index(theirs, key)
			if at < 0 {
				t.Errorf("%s: %q is no key of ZooKeeper's, or not in its order", word, key)
				continue
			}
			theirs = theirs[at:]
		}
	}
}

func keys(text, split string) []string {
	var keys []string
	for _, line := range strings.Split(text, "\n") {
		if key, _, ok := strings.Cut(line, split); ok {
			keys = append(keys, key)
		}
	}
	return keys
}

// TestDump compares with what ZooKeeper 3.8.0 shows of sessions and connections, without times. The grouping into
// sets depends on when they began.
func TestDump(t *testing.T) {
	s := listen(t, embed.Config{})
	peers := busy(t, s.Addr().String())
	a, b := peers[0].Welcome.Session, peers[1].Welcome.Session
	got := regexp.MustCompile(`(?m)^[0-9]+ expire at .*:$|\([0-9]\)/`).ReplaceAllString(ask(t, s, "dump"), "*")
	lines := slices.DeleteFunc(strings.Split(shape(got), "\n"), func(l string) bool { return l == "*" })
	want := strings.Split(shape(fmt.Sprintf("SessionTracker dump:\nSession Sets *(2):\n\t0x%x\n\t0x%x\n"+
		"ephemeral nodes dump:\nSessions with Ephemerals (2):\n0x%x:\n\t/app/e\n0x%x:\n\t/b\n"+
		"Connections dump:\nConnections Sets *(3):\n\tip: /127.0.0.1:1 sessionId: 0x0\n"+
		"\tip: /127.0.0.1:1 sessionId: 0x%x\n\tip: /127.0.0.1:1 sessionId: 0x%x\n", a, b, a, b, a, b)), "\n")
	if !slices.Equal(lines, want) {
		t.Errorf("got\n%q\nwant\n%q", lines, want)
	}
}

// TestWordAndMore sends words with trailing bytes, and frames that are nearly words.
func TestWordAndMore(t *testing.T) {
	s := listen(t, embed.Config{})
	for raw, want := range map[string]string{
		"ruok": "imok", "ruok\n": "imok", "ruokruok": "imok", "ruok" + strings.Repeat("x", 100_000): "imok",
		"RUOK": "", "abcd": "", "\x00uok": "",
	} {
		if raw == "\x00uok" { // a frame of seven million bytes: too long
			raw = "\x00uok----"
		}
		if got := ask(t, s, raw); got != want {
			t.Errorf("%.10q is answered with %q, want %q", raw, got, want)
		}
	}
}

// TestAddressesAsZooKeeper asks a server that listens on this machine's IPv6 address. The form is that of ZooKeeper
// 3.8.0.
func TestAddressesAsZooKeeper(t *testing.T) {
	s, err := embed.Listen(embed.Config{Addr: "[::1]:0"})
	if err != nil {
		t.Skip("this machine has no IPv6:", err)
	}
	defer s.Close()
	p := dial(t, s)
	if got := do(t, p, wire.Request{Op: wire.OpWhoAmI}).Clients; len(got) != 1 || got[0].User != "0:0:0:0:0:0:0:1" {
		t.Errorf("it takes the client for %v", got)
	}
	for _, word := range []string{"stat", "cons", "dump"} {
		if got := ask(t, s, word); !strings.Contains(got, "/[0:0:0:0:0:0:0:1]:") {
			t.Errorf("%s: %s", word, got)
		}
	}
}
