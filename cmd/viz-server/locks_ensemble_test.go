package main

import (
	"bytes"
	"encoding/json"
	"html"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/ensemble"
	"github.com/zkviz/zkviz/engine/testing/apache"
)

// servers waits until the page's line about the servers has a text, and returns the line.
func (l *lockList) servers(what string) string {
	l.t.Helper()
	for {
		_, body, _ := strings.Cut(fetch(l.t, l.url), `id="ensemble-line"`)
		body, _, _ = strings.Cut(body, `</details>`)
		text := strings.Join(strings.Fields(html.UnescapeString(tag.ReplaceAllString(">"+body, " "))), " ")
		if strings.Contains(text, what) {
			return text
		}
		if l.t.Context().Err() != nil {
			l.t.Fatalf("%s, the page doesn't say %q of the servers, but %s", l.name, what, text)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// TestLocksTellOfServers kills the leader of three servers, then another one, and starts both again. The page and the
// command name each change, and a command that starts without a quorum goes on until there is one.
func TestLocksTellOfServers(t *testing.T) {
	t.Parallel()
	e, conn := startServers(t, 3, apache.Config{})
	if _, err := conn.Create("/l", nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	lists := []*lockList{listLocks(t, e, true), listLocks(t, e, false)}
	first := e.Leader()
	for _, l := range lists {
		l.follow()
		l.says(e.Servers[first-1].Addr + " leads since ")
		line := l.servers(e.Servers[first-1].Addr + " leads since ")
		if !strings.Contains(line, " follow · ") || strings.Contains(line, "can't be reached") {
			t.Errorf("%s, with three servers the page says %s", l.name, line)
		}
	}
	e.Servers[first-1].Kill()
	second := 0
	for second == 0 || second == first {
		second = e.Leader()
	}
	now, before := e.Servers[second-1].Addr+" leads now (epoch ", "before, "+e.Servers[first-1].Addr+" did (epoch "
	for _, l := range lists {
		l.says("  ensemble  " + now)
		l.servers(e.Servers[second-1].Addr + " leads since ")
		l.servers(now) // below it
		l.servers(before)
		l.servers(e.Servers[first-1].Addr + " can't be reached")
	}
	e.Servers[second-1].Kill()
	for _, l := range lists {
		l.says("  ensemble  no quorum in sight any more")
		l.servers("no quorum in sight since ")
	}
	late := &lockList{t: t, name: "late", args: []string{"--zk", e.ConnectString()}, lines: make(chan string, 1000)}
	late.follow()
	late.says("no quorum in sight: ")
	var out, errs bytes.Buffer
	if code := execute([]string{"locks", "--zk", e.ConnectString(), "--json"}, &terminal{ctx: t.Context(), out: &out,
		err: &errs}); code != exitTrouble || !strings.HasPrefix(out.String(), `{"ensemble":{`) ||
		!strings.Contains(out.String(), `"quorum":false`) || !strings.Contains(errs.String(), "can't read ") {
		t.Errorf("without a quorum the command says %d, %s%s", code, out.String(), errs.String())
	}
	errs.Reset()
	if code := execute([]string{"locks", "--zk", e.ConnectString(), "--fail-on", "quorum"}, &terminal{ctx: t.Context(),
		out: io.Discard, err: &errs}); code != exitLocks {
		t.Errorf("without a quorum, --fail-on quorum ends with %d: %s", code, errs.String())
	}
	for _, n := range []int{first, second} {
		if err := e.Servers[n-1].Launch(); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range lists {
		l.saysAll("  ensemble  there is a quorum again, after ", " leads ") // now, or again
	}
	late.saysAll("  ensemble  there is a quorum again, after ", " leads ", "Nothing here looks like a lock")
}

// saysAll waits until the command has printed all texts, in any order: locks may be read before servers are asked.
func (l *lockList) saysAll(texts ...string) {
	l.t.Helper()
	for said := ""; ; {
		if !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(said, text) }) {
			return
		}
		select {
		case line, more := <-l.lines:
			if said += line; !more {
				l.t.Fatalf("%s, it has ended, and said %s", l.name, said)
			}
		case <-l.t.Context().Done():
			l.t.Fatalf("%s, it says only %s", l.name, said)
		}
	}
}

// TestEncodeEnsemble checks the JSON object of the servers, with a change, hostile words, and a server that says
// nothing.
func TestEncodeEnsemble(t *testing.T) {
	s := ensemble.State{AtMS: 100_000, Quorum: ensemble.Serves, Leader: "zk1:2181", Epoch: 5, Sessions: 41,
		LeaderSince: ensemble.Since{MS: 60_000, AtLeast: true}, Connections: 3, LatencyMS: 0.25, MaxLatencyMS: 12,
		Servers: []ensemble.Server{{Addr: "zk1:2181", Mode: "leader", Version: "3.8.0", Zxid: 0x500000014, Connections: 3},
			{Addr: "zk2:2181", Mode: "follower", Version: "3.8.0", Zxid: 0x500000008, Behind: 12},
			{Addr: "zk3:2181", Away: true, Why: sentence.Of("error.text", sentence.Text("gone\x1b[2J"))}},
		Changes: []ensemble.Change{{Number: 1, Kind: ensemble.NewLeader, MS: 60_000, Leader: "zk1:2181", Was: "zk2:2181",
			Epoch: 5, WasEpoch: 4}}}
	var text, object bytes.Buffer
	for _, p := range []struct {
		ensembleLines
		out *bytes.Buffer
	}{{ensembleLines{}, &text}, {ensembleLines{json: true}, &object}} {
		if err := p.change(p.out, &s, &s.Changes[0]); err != nil {
			t.Fatal(err)
		}
	}
	line := wallTime(60_000) + "  ensemble  zk1 leads now (epoch 5); before, zk2 did (epoch 4)\n"
	if text.String() != line {
		t.Errorf("it prints %s, not %s", text.String(), line)
	}
	const want = `{"ensemble":{"time":"AT","quorum":true,"leader":"zk1:2181","leader_since":"FROM","longer":true,"epoch":5,` +
		`"sessions":41,"connections":3,"outstanding":0,"latency_ms":0.25,"max_latency_ms":12,"servers":[` +
		`{"server":"zk1:2181","mode":"leader","version":"3.8.0","zxid":"0x500000014","connections":3,"outstanding":0,` +
		`"latency_ms":0,"max_latency_ms":0},{"server":"zk2:2181","mode":"follower","version":"3.8.0","zxid":"0x500000008",` +
		`"behind":12,"connections":0,"outstanding":0,"latency_ms":0,"max_latency_ms":0},` +
		`{"server":"zk3:2181","why":"gone\u001b[2J"}],` +
		`"said":"zk1 leads for at least 40 s (epoch 5), zk2 follows, zk2 is 12 transactions behind, zk3 can't be reached · ` +
		`41 sessions · latency 0.2 ms, at most 12 ms · nothing outstanding",` +
		`"change":{"time":"FROM","event":"leader","was":"zk2:2181","was_epoch":4,` +
		`"said":"zk1 leads now (epoch 5); before, zk2 did (epoch 4)"}}}`
	times := strings.NewReplacer(wallTime(100_000), "AT", wallTime(60_000), "FROM")
	got := strings.TrimSpace(times.Replace(object.String()))
	if got != want || !json.Valid(object.Bytes()) {
		t.Errorf("it prints\n%s\nnot\n%s", got, want)
	}
}
