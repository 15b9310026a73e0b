package scene_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
)

// tell returns the picture in words, one entry a line: its ID and its text.
func tell(s *view.State, at time.Duration, o scene.Options) string {
	var layout scene.Layout
	var lines []string
	o.Words, o.Width, o.Height = english, 1400, 788
	for _, e := range layout.Plan(s, at, o).Tell() {
		lines = append(lines, strings.TrimSpace(e.ID+" | "+e.Text))
	}
	return strings.Join(lines, "\n")
}

// TestTell checks that a picture is described from the whole to its parts: clients, znodes, and the store.
func TestTell(t *testing.T) {
	lost := queued("predecessor-lock", 1)
	lost.Lost = true
	for name, c := range map[string]struct {
		s    *view.State
		o    scene.Options
		want string
	}{
		"a torn sheet": {torn(3), scene.Options{Without: mark.FiguresBut(nil)}, `
| 3 told.
client-1 | A: expired; believes that it's inside, but isn't.
client-2 | B: inside; session 7 s; is being told of lock-007.
client-3 | C: waits; session 10 s; watches lock-008.
/zkviz/printer | printer.
/zkviz/printer/lock-100001f0000-0000000007 | lock-007: gone.
/zkviz/printer/lock-100001f0001-0000000008 | lock-008: ephemeral; of B.
/zkviz/printer/lock-100001f0002-0000000009 | lock-009: ephemeral; of C.
| store: 1 torn; 2 jobs on one sheet; A printed a page; A printed a page; B printed a page; A printed a page.`},
		"a torn copy": {fixtures()["torncopy"], scene.Options{Without: mark.FiguresBut(nil)}, `
| 1 told.
client-1 | A: writes; believes that it's inside, but isn't; session 10 s; watches config.
client-2 | B: writes; believes that it's inside, but isn't; session 7 s; watches a; watches feature; is being told of config.
client-3 | C: reads; believes that it's inside, but isn't; session 10 s.
client-4 | D: reads; believes that it's inside, but isn't; session 6 s.
/app | app.
/app/config | config: holds “colour=green”; version 3.
/app/config/db | db: holds “10.0.0.7:5432”.
/app/feature | feature: not there.
/app/locks | locks.
/app/locks/printer | printer.
/app/locks/printer/lock-100001f0000-0000000007 | lock-007: of A.
/app/locks/printer/lock-100001f0001-0000000008 | lock-008: of B.
/app/locks/printer/lock-100001f0002-0000000009 | lock-009: of C.
/app/locks/printer/lock-100001f0003-0000000010 | lock-010: of D.
/app/locks/printer/lock-100001f0004-0000000011 | lock-011.
/app/members | members.
/app/members/a | a.
/app/members-old | members-old.
| store: 1 torn; halves of two versions; ` +
			"being written: its first half is version 2, its second half version 1; C copied version 1; " +
			"D has a torn copy: its first half is version 2, its second half version 1."},
		"a tree": {tree(2), scene.Options{}, `
| zxid 0x2f.
| 1 told.
| requests 0.
client-1 | A: waits; session 10 s; watches config.
client-2 | B: waits; session 7 s; watches a; watches feature; is being told of config.
/app | app: persistent.
/app/config | config: persistent; holds “colour=green”; version 3.
/app/config/db | db: persistent; holds “10.0.0.7:5432”.
/app/feature | feature: not there.
/app/locks | locks: persistent.
/app/locks/printer | printer: persistent.
/app/locks/printer/lock-100001f0000-0000000007 | lock-007: of A.
/app/locks/printer/lock-100001f0001-0000000008 | lock-008: of B.
/app/locks/printer/lock-100001f0002-0000000009 | lock-009.
/app/locks/printer/lock-100001f0003-0000000010 | lock-010.
/app/locks/printer/lock-100001f0004-0000000011 | lock-011.
/app/members | members: persistent.
/app/members/a | a: ephemeral; of A.
/app/members-old | members-old: persistent.`},
		"out of reach": {lost, scene.Options{}, `
| ZooKeeper is out of reach.
| requests 0.
client-1 | A: inside; its link is cut.
/zkviz/printer | printer.
/zkviz/printer/lock-100001f0000-0000000007 | lock-007: ephemeral; of A.
| store: nothing written yet.`},
	} {
		if got := tell(c.s, now, c.o); got != strings.TrimSpace(c.want) {
			t.Errorf("%s is told as\n%s\nand not as\n%s", name, got, strings.TrimSpace(c.want))
		}
	}
}

// TestTellEverything checks that there are words for every mark in every picture, and not too many lines to listen to.
func TestTellEverything(t *testing.T) {
	key := regexp.MustCompile(`\b(told|scene)\.[a-z]`)
	check := func(name string, s *view.State, at time.Duration) {
		told := tell(s, at, scene.Options{})
		if key.MatchString(told) || strings.Contains(told, "{") {
			t.Errorf("%s: there are no words for a mark:\n%s", name, told)
		}
		if n := strings.Count(told, "\n"); n > 80 {
			t.Errorf("%s: it is told in %d lines", name, n)
		}
	}
	for name, s := range fixtures() {
		if name != "hostile" {
			check(name, s, now)
		}
	}
	moments(t, 12, func(m *moment) { check(m.String(), m.state, m.at) })
	crowds, err := dots()
	if err != nil {
		t.Fatal(err)
	}
	momentsOf(crowds, 2, func(m *moment) { check(m.String(), m.state, m.at) })
	if told := tell(fixtures()["thousand"], now, scene.Options{}); !strings.Contains(told, "And 970 more clients.") {
		t.Errorf("a thousand are told as\n%s", told)
	}
}

// TestTellWhatIsThere checks that the words omit what the picture omits, and select whatever can be selected in it.
func TestTellWhatIsThere(t *testing.T) {
	s := queued("predecessor-lock", 3)
	told := tell(s, now, scene.Options{Without: mark.FiguresBut(nil)})
	if strings.Contains(told, "zxid") || strings.Contains(told, "requests") {
		t.Errorf("figures are told that the picture leaves out:\n%s", told)
	}
	var f scene.Frame
	f.Draw(s, now, scene.Options{Words: english, Width: 1400, Height: 788, Theme: display.Light()})
	for _, h := range f.Hits {
		if !strings.Contains("\n"+told, "\n"+h.ID+" | ") {
			t.Errorf("%s is in the picture, and not in the words:\n%s", h.ID, told)
		}
	}
	svg := string(svgOf(t, s, scene.Options{Words: english, Width: 1400, Height: 788, Theme: display.Light(),
		Without: mark.FiguresBut(nil)}))
	for line := range strings.Lines(told) {
		_, text, _ := strings.Cut(strings.TrimSpace(line), "| ")
		if !strings.Contains(svg, fmt.Sprint(text, "\n")) && !strings.Contains(svg, text+"</desc>") {
			t.Errorf("the SVG does not say %q", text)
		}
	}
}

// TestTellServers checks the words for servers and their logs: what the entries do, and which are in doubt or lost.
func TestTellServers(t *testing.T) {
	got := tell(ensemble(queued("predecessor-lock", 1), 3), now, scene.Options{Without: mark.FiguresBut(nil)})
	for _, want := range []string{
		"server-1 | server-1: S1 follows, epoch 2, cut off from S2, log: 2, 3, A's session, A's place, price 10, " +
			"A's session ends, refused, create, 2 only in memory, 1 not applied yet, 3 in doubt, clients A",
		"server-2 | server-2: S2 down, epoch 1, cut off from S1 S3, log: 38, 39, 40, 1 in doubt, 2 lost",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("it is not told that %s\nbut\n%s", want, got)
		}
	}
}

// TestTellCopiedLogs checks that the words for a log say that it begins with a copy, and name its last transaction if
// nothing else of it is kept.
func TestTellCopiedLogs(t *testing.T) {
	for _, c := range []struct {
		logged int64
		tail   view.Tail
		want   string
	}{
		{2<<32 | 3, view.TailOf(2<<32 | 3), "log: a copy of all before"},
		{2<<32 | 5, view.TailOf(2<<32|3, 2<<32|4, 2<<32|5), "log: a copy of all before, A's session, A's place"},
		{1<<32 | 7, view.TailOf(0), "log: 7"},
	} {
		s := ensemble(queued("predecessor-lock", 1), 3)
		n := &s.Ensemble.Servers[0]
		n.Logged, n.Synced, n.Delivered, n.Tail = c.logged, c.logged, c.logged, c.tail
		got := tell(s, now, scene.Options{Without: mark.FiguresBut(nil)})
		if want := "epoch 2, cut off from S2, " + c.want + ", clients A"; !strings.Contains(got, want) {
			t.Errorf("it is not told that %s\nbut\n%s", want, got)
		}
	}
}

// TestTellServersFromOutside checks the words for servers known from outside: their addresses and little else.
func TestTellServersFromOutside(t *testing.T) {
	got := tell(outside(queued("predecessor-lock", 4)), now, scene.Options{Without: mark.FiguresBut(nil)})
	for _, want := range []string{
		"server-1 | server-1: S1 follows, 10.0.0.1:2181, applied to 0x200000007, clients A D.",
		"server-2 | server-2: S2 leads, zookeeper-2.zookeeper-headless.production.svc.cluster.example:2181, " +
			"applied to 0x200000009, clients B.",
		"server-3 | server-3: S3 answers, [2001:db8::3]:2181, clients C.",
		"server-4 | server-4: S4 out of reach, ",
		"server-5 | server-5: S5 serves nobody, 10.0.0.5:2181.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("it is not told that %s\nbut\n%s", want, got)
		}
	}
	if strings.Contains(got, "epoch") || strings.Contains(got, "\u202e") {
		t.Errorf("it is told more than is known, or what hides text:\n%s", got)
	}
}

// TestTellNodes checks the words for nodes and what they lack, for entries with their expiry and owners, and for what
// clients wait for there.
func TestTellNodes(t *testing.T) {
	for name, want := range map[string]string{
		"held": `
| 1 waiting.
node-1 | node-1: Redis.
client-1 | A: inside; its key ends in 6 s.
client-2 | B: asks; asks: SET /zkviz/printer/lock client-2#4 NX PX 10000.
client-3 | C: asks; gets the reply to its command: (nil).
client-4 | D: waits; tries again in 0.8 s.
node-1 /zkviz/printer/lock | lock: ends in 6 s; of A; holds “client-1#1”.`,
		"losttail": `
node-1 | node-1: Redis 1, replica; 1 change behind.
node-2 | node-2: Redis 2, primary; SET to node-1.
client-1 | A: believes that it's inside, but isn't.
client-2 | B: inside; its key ends in 10 s.
client-3 | C: asks.
node-1 /zkviz/printer/lock | lock at node-1: lost in the failover.
node-2 /zkviz/printer/lock | lock at node-2: ends in 10 s; of B; holds “client-2#3”.`,
		"database": `
| 3 waiting.
node-1 | node-1: PostgreSQL 1, primary; its clock is 30 s behind.
node-2 | node-2: PostgreSQL 2, replica; 1 change behind.
client-1 | A: inside; has zkviz_rows/1 locked; transaction 10 s.
client-2 | B: waits; waits for zkviz_rows/1; SELECT … FOR UPDATE.
client-3 | C: waits; waits for zkviz_rows/1; SELECT … FOR UPDATE.
client-4 | D: waits; waits for zkviz_rows/1; SELECT … FOR UPDATE.
node-1 zkviz_rows/1 | zkviz_rows/1 at node-1: not committed; of A; holds “8”; version 4.
node-2 zkviz_rows/1 | zkviz_rows/1 at node-2: not here yet.
| what clients say to the database: D: WHERE id = 1 FOR UPDATE; C: WHERE id = 1 FOR UPDATE; B: WHERE id = 1 FOR UPDATE.`,
		"troubled": `
node-1 | node-1: PostgreSQL; B's transaction, 9 s.
client-1 | A: stalled; inside; has advisory/17 locked.
client-2 | B: asks.
client-3 | C: asks.
client-4 | D: vanished.
client-5 | E: asks; is being told of items.
client-6 | F: asks.
client-7 | G: asks; one of its messages is lost.
node-1 items/4 | items/4: rolled back.
node-1 advisory/17 | advisory/17: of A.
| what clients say to the database: G: SELECT.`,
	} {
		got := tell(farFixtures()[name], now, scene.Options{Without: mark.FiguresBut(nil)})
		if got != strings.TrimSpace(want) {
			t.Errorf("%s is told as\n%s\nand not as\n%s", name, got, strings.TrimSpace(want))
		}
	}
}
