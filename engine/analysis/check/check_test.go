package check_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// log builds a log by hand; at moves its clock.
type log struct {
	events []event.Event
	at     time.Duration
}

func (l *log) add(e event.Event) event.Seq {
	e.Seq, e.At = event.Seq(len(l.events)+1), l.at
	l.events = append(l.events, e)
	return e.Seq
}

// script writes a log from lines like "1 holding /q/n-0000000002": what client 1 reports, or what happens to it. A
// line "@14.2s" sets the clock.
func script(t *testing.T, text string) []event.Event {
	t.Helper()
	var l log
	for line := range strings.Lines(text) {
		w := strings.Fields(line)
		if len(w) == 0 {
			continue
		}
		if at, ok := strings.CutPrefix(w[0], "@"); ok {
			var err error
			if l.at, err = time.ParseDuration(at); err != nil {
				t.Fatal(err)
			}
			continue
		}
		var a event.Actor
		if _, err := fmt.Sscan(w[0], &a); err != nil || len(w) < 2 {
			t.Fatalf("%q: %v", line, err)
		}
		path, rest := "", ""
		if len(w) > 2 {
			path, rest = w[2], strings.Join(w[2:], " ")
		}
		var n int64
		if len(w) > 3 {
			fmt.Sscan(w[3], &n)
		}
		zxid := int64(len(l.events) + 1)
		switch w[1] {
		case "expired":
			l.add(event.Event{Kind: event.SessionExpired, Peer: a})
		case "closed":
			l.add(event.Event{Kind: event.SessionClosed, Peer: a})
		case "crashed":
			l.add(event.Event{Kind: event.ClientCrashed, Actor: a})
		case "exited":
			l.add(event.Event{Kind: event.ClientExited, Actor: a, Text: rest, Code: int32(codeIn(rest))})
		case "paused":
			l.add(event.Event{Kind: event.ClientPaused, Actor: a})
		case "blocked":
			l.add(event.Event{Kind: event.ClientBlocked, Actor: a})
		case "woken": // by the event before
			l.add(event.Event{Kind: event.WatchFired, Peer: a, Path: path, Type: uint8(zoo.NodeDeleted), Cause: event.Seq(n)})
			l.add(event.Event{Kind: event.WatchDelivered, Actor: a, Path: path, Type: uint8(zoo.NodeDeleted),
				Cause: event.Seq(zxid)})
		case "stores":
			l.add(event.Event{Kind: event.StoreWritten, Actor: a, Path: path})
		case "polls":
			for range n {
				l.add(event.Event{Kind: event.OpSent, Actor: a, Op: event.Get, Path: path})
			}
		case "changed": // the client changes another's znode
			l.add(event.Event{Kind: event.ZnodeChanged, Peer: a, Path: path, Zxid: zxid})
		case "watches":
			l.add(event.Event{Kind: event.WatchSet, Peer: a, Path: path, Watch: event.DataWatch})
		case "told":
			l.add(event.Event{Kind: event.WatchDelivered, Actor: a, Path: path, Type: uint8(zoo.NodeDataChanged)})
		case "gets":
			l.add(event.Event{Kind: event.OpSent, Actor: a, Op: event.Get, Path: path})
		case "has-read":
			l.add(event.Event{Kind: event.OpDone, Actor: a, Op: event.Get, Path: path, Zxid: zxid})
		case "waits": // for a watch on the path, for that many seconds
			l.add(event.Event{Kind: event.ClientBlocked, Actor: a, Path: path, N: n * int64(time.Second)})
		case "started":
			l.add(event.Event{Kind: event.ClientStarted, Actor: a})
		case "owns": // it creates an ephemeral znode
			l.add(event.Event{Kind: event.ZnodeCreated, Peer: a, Path: path, Zxid: zxid, Session: int64(a)})
		case "created":
			l.add(event.Event{Kind: event.ZnodeCreated, Peer: a, Path: path, Zxid: zxid})
		case "swept": // deleted as its session ends
			l.add(event.Event{Kind: event.ZnodeDeleted, Peer: a, Path: path, Zxid: zxid, Reason: event.BySessionClosed})
		case "deleted":
			l.add(event.Event{Kind: event.ZnodeDeleted, Peer: a, Path: path, Zxid: zxid, Reason: event.ByOp})
		case "lists":
			l.add(event.Event{Kind: event.OpDone, Actor: a, Op: event.Children, Path: path, Zxid: zxid - 1})
		case "loses": // an answer
			l.add(event.Event{Kind: event.OpDone, Actor: a, Op: event.Get, Path: path, Code: int32(zoo.ErrConnectionLoss)})
		case "applies": // the transaction behind the next line
			l.add(event.Event{Kind: event.TxnApplied, Peer: a})
		case "creates":
			l.add(event.Event{Kind: event.ZnodeCreated, Peer: a, Path: path, Zxid: zxid, Cause: event.Seq(zxid - 1)})
		case "deletes": // perhaps long ago, at a zxid
			l.add(event.Event{Kind: event.ZnodeDeleted, Peer: a, Path: path, Reason: event.ByOp, Zxid: cmp.Or(n, zxid),
				Cause: event.Seq(zxid - 1)})
		case "asks":
			l.add(event.Event{Kind: event.OpSent, Actor: a, Op: event.Delete, Path: path})
		case "answered":
			l.add(event.Event{Kind: event.OpDone, Actor: a, Op: event.Delete, Path: path})
		case "ends":
			reason, ok := event.ParseReason(rest)
			if !ok && rest != "" {
				t.Fatalf("%q: there is no such reason", line)
			}
			l.add(event.Event{Kind: event.RunEnded, Reason: reason})
		default:
			l.add(event.Event{Kind: event.RecipePhase, Actor: a, Text: w[1], Path: path, N: n})
		}
	}
	return l.events
}

func judge(h event.Header, events []event.Event) check.Report {
	c := check.New(promise.Rules(), h)
	for _, e := range events {
		c.Append(e)
	}
	return c.Report()
}

func TestVerdicts(t *testing.T) {
	const two = "@1s\n1 holding /l/n-0000000001\n"
	for name, c := range map[string]struct{ script, want string }{
		"one after the other": {two + "1 released /l/n-0000000001\n2 holding /l/n-0000000002", ""},
		"both inside": {two + "@14.2s\n2 holding /l/n-0000000002", `
			belief-exclusion 14.2s [2 1]: client-2 entered at 14.2 s while client-1 still believed that it was inside; client-1 had entered at 1.0 s and hadn't left
			truth-exclusion 14.2s [2 1]: client-2 entered at 14.2 s while client-1 had been inside since 1.0 s, its session alive`},
		"expired unawares": {two + "@12s\n1 expired\n@14.2s\n2 holding /l/n-0000000002", `
			belief-exclusion 14.2s [2 1]: client-2 entered at 14.2 s while client-1 still believed that it was inside; client-1's session had expired at 12.0 s`},
		"expired and knows":      {two + "1 expired\n1 lost\n2 holding /l/n-0000000002", ""},
		"crashed":                {two + "1 crashed\n2 holding /l/n-0000000002", ""},
		"exited":                 {two + "1 exited\n2 holding /l/n-0000000002", ""},
		"asks to leave":          {two + "1 asks /l/n-0000000001\n2 holding /l/n-0000000002", ""},
		"deletes something else": {two + "1 asks /l/x\n1 expired\n2 holding /l/n-0000000002", "belief-exclusion"},
		"znode deleted by another": {two + "9 deleted /l/n-0000000001\n2 holding /l/n-0000000002", `
			belief-exclusion 1s [2 1]: client-2 entered at 1.0 s while client-1 still believed that it was inside; client-1's znode had been deleted because of client-9
			truth-exclusion 1s [2 1]: client-2 entered at 1.0 s while client-1 had been inside since 1.0 s, its session alive; client-1's znode had been deleted because of client-9`},
		"znode deleted by itself": {two + "1 deleted /l/n-0000000001\n2 holding /l/n-0000000002", `
			belief-exclusion 1s [2 1]: client-2 entered at 1.0 s while client-1 still believed that it was inside; client-1's znode had been deleted`},
		"enters with a dead session": {two + "2 expired\n2 holding /l/n-0000000002", "belief-exclusion"},
		"says it twice":              {two + two, ""},
		"four at once": {"1 holding\n2 expired\n2 holding\n1 released\n3 holding\n4 expired\n4 holding\n5 holding", `
			belief-exclusion 0s [2 1]: client-2 entered at 0.0 s while client-1 still believed that it was inside; client-1 had entered at 0.0 s and hadn't left
			belief-exclusion 0s [3 2]: client-3 entered at 0.0 s while client-2 still believed that it was inside; client-2's session had expired at 0.0 s
			belief-exclusion 0s [4 2 3]: client-4 entered at 0.0 s while client-2 and client-3 still believed that they were inside; client-2's session had expired at 0.0 s; client-3 had entered at 0.0 s and hadn't left
			belief-exclusion 0s [5 2 3 4]: client-5 entered at 0.0 s while client-2, client-3 and client-4 still believed that they were inside; client-2's session had expired at 0.0 s; client-3 had entered at 0.0 s and hadn't left; client-4's session had expired at 0.0 s
			truth-exclusion 0s [5 3]: client-5 entered at 0.0 s while client-3 had been inside since 0.0 s, its session alive`},
		"out of order": {"1 holding /l/n-0000000007\n1 released\n@3s\n2 holding /l/n-0000000003", `
			order 3s [2 1]: client-2 with number 3 entered at 3.0 s, after client-1 with number 7, which had queued behind it`},
		"another queue": {"1 holding /l/n-0000000007\n1 released\n2 holding /m/n-0000000003", ""},
		"no number":     {"1 holding /l/b\n1 released\n2 holding /l/a", ""},
		"taken once": {"1 produced /q/i-0000000001\n2 deleted /q/i-0000000001\n2 consumed /q/i-0000000001\n0 ends",
			""},
		"taken before reported": {"2 deleted /q/i-0000000001\n2 consumed /q/i-0000000001\n1 produced /q/i-0000000001\n0 ends",
			""},
		"left in the queue": {"1 produced /q/i-0000000001\n0 ends", ""},
		"taken twice": {"1 produced /q/i-0000000001\n@2s\n2 consumed /q/i-0000000001\n@3s\n3 consumed /q/i-0000000001\n0 " +
			"ends", `
			once/twice 3s [3 2]: client-3 took i-0000000001 at 3.0 s, which client-2 had taken at 2.0 s
			at-most-once/twice 3s [3 2]: client-3 took i-0000000001 at 3.0 s, which client-2 had taken at 2.0 s`},
		"taken again when gone": {"1 produced /q/i-0000000001\n2 deleted /q/i-0000000001\n2 consumed /q/i-0000000001\n3 " +
			"consumed /q/i-0000000001", `
			once/twice 0s [3]: client-3 took i-0000000001 at 0.0 s, which had been taken before
			at-most-once/twice 0s [3]: client-3 took i-0000000001 at 0.0 s, which had been taken before`},
		"lost with its taker": {"1 produced /q/i-0000000001\n@2s\n2 deleted /q/i-0000000001\n2 crashed\n@5s\n3 waiting", `
			once/lost 2s [2]: i-0000000001 is lost: client-2 removed it from the queue at 2.0 s, and never found out that it had it`},
		"not yet taken":       {"1 produced /q/i-0000000001\n@2s\n2 deleted /q/i-0000000001", ""},
		"removed by nobody":   {"1 produced /q/i-0000000001\n1 expired\n11 deleted /q/i-0000000001\n11 exited", "once/lost"},
		"all arrive, then go": {"1 waiting\n2 waiting\n3 waiting\n1 passed\n2 passed\n3 passed", ""},
		"seen by the server": {"1 waiting\n2 created /b/m\n3 created /b/n\n1 passed\n2 waiting\n3 waiting\n2 passed\n3 " +
			"passed", ""},
		"too early": {"1 waiting\n@2s\n1 passed\n2 waiting\n3 waiting\n2 passed", `
			barrier 2s [1 2 3]: client-1 passed at 2.0 s, when 1 of 3 had arrived; client-2 and client-3 hadn't`},
		"second round too early": {"1 waiting\n2 waiting\n3 waiting\n1 passed\n2 passed\n3 passed\n1 waiting\n3 waiting\n1 " +
			"passed", `
			barrier 0s [1 2]: client-1 passed at 0.0 s, when 2 of 3 had arrived; client-2 hadn't`},
	} {
		compare(t, name, judge(event.Header{Host: "sim", Clients: 3}, script(t, c.script)), c.want)
	}
}

// compare checks the violations line by line, each in full or only its rule.
func compare(t *testing.T, name string, r check.Report, text string) {
	t.Helper()
	var got []string
	for _, v := range r.Violations {
		if err := checkSaid(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got = append(got, fmt.Sprintf("%s %v %d: %s", strings.TrimSuffix(v.Rule+"/"+v.How, "/"), v.At, v.Clients,
			said(v.Sentence)))
	}
	want := strings.Split(strings.ReplaceAll(strings.TrimSpace(text), "\t", ""), "\n")
	if text == "" {
		want = nil
	}
	ok := len(got) == len(want)
	for i := 0; ok && i < len(got); i++ {
		ok = got[i] == want[i] || !strings.Contains(want[i], " ") && strings.HasPrefix(got[i], want[i]+" ")
	}
	if !ok {
		t.Errorf("%s:\ngot  %s\nwant %s", name, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

// A live host learns of an expiry when the client comes back, long after the next one got in.
func TestLateNews(t *testing.T) {
	const overlap = "@1s\n1 holding /l/n-0000000001\n@12s\n2 holding /l/n-0000000002\n"
	for name, c := range map[string]struct {
		script string
		want   int // violations of the truth
	}{
		"nothing known":        {overlap, 0},
		"had expired":          {overlap + "@15s\n2 asks /l/n-0000000002\n2 answered\n@17s\n1 expired", 0},
		"the newcomer expired": {overlap + "@15s\n1 asks /l/n-0000000001\n1 answered\n@17s\n2 expired", 0},
		"both alive": {overlap + "@15s\n1 asks /l/n-0000000001\n1 answered\n2 asks /l/n-0000000002\n2 answered",
			1},
		"both alive, then not": {overlap +
			"@15s\n1 asks /l/n-0000000001\n1 answered\n1 expired\n2 asks /l/n-0000000002\n2 answered", 1},
		"asked before": {"@1s\n1 holding /l/a\n1 asks /l/x\n@12s\n2 holding /l/b\n@13s\n1 answered\n2 asks " +
			"/l/b\n2 answered\n1 expired", 0},
		"closed in good order":    {overlap + "@15s\n1 closed\n2 closed", 1},
		"its znode was not there": {"@1s\n1 holding /l/a\n1 deleted /l/a\n2 holding /l/b\n@15s\n1 closed\n2 closed", 0},
		"another had deleted it":  {"@1s\n1 holding /l/a\n9 deleted /l/a\n2 holding /l/b\n@15s\n1 closed\n2 closed", 1},
	} {
		got := 0
		for _, v := range judge(event.Header{Host: "live"}, script(t, c.script)).Violations {
			if v.Rule == promise.TruthExclusion {
				got++
			}
		}
		if got != c.want {
			t.Errorf("%s: %d violations of the truth, want %d", name, got, c.want)
		}
	}
}

func TestViolationsAreBounded(t *testing.T) {
	c := check.New(promise.Rules(), event.Header{})
	var l log
	for i := range 3 * promise.MaxViolations {
		l.add(event.Event{Kind: event.RecipePhase, Actor: event.Actor(i%500 + 1), Text: string(program.Holding)})
	}
	for _, e := range l.events {
		c.Append(e)
	}
	if n := len(c.Report().Violations); n != promise.MaxViolations {
		t.Errorf("%d violations", n)
	}
}

// codeIn returns the code with which a client gave up.
func codeIn(text string) zoo.Code {
	if text == "" {
		return zoo.OK
	}
	for code := zoo.Code(-2000); code < 0; code++ {
		if code.Error() != zoo.Code(1).Error() && strings.Contains(text, code.Error()) {
			return code
		}
	}
	return zoo.ErrSystem
}
