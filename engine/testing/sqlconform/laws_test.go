package sqlconform_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/sql"
	"github.com/zkviz/zkviz/engine/stores/sql/model"
	"github.com/zkviz/zkviz/engine/testing/sqlconform"
)

// answers is a link that counts replies.
type answers struct{ n, asked int }

func (a *answers) Reply(remote.Reply, bool, event.Seq) { a.n++ }
func (*answers) Push(remote.Push, event.Seq)           {}
func (*answers) Close(event.Reason, event.Seq)         {}

// run plays a script on a new simulated database, ends all sessions, and returns its events.
func run(d sql.Dialect, script []sqlconform.Step, stop bool) (log []event.Event) {
	n := model.New(model.Config{ID: event.Node(1), Dialect: d, Seed: 7, Emit: func(e event.Event) event.Seq {
		e.Seq = event.Seq(len(log) + 1)
		log = append(log, e)
		return e.Seq
	}})
	var sessions [sqlconform.Conns]remote.Session
	var links [sqlconform.Conns]*answers
	now := time.Duration(0)
	tick := func() {
		for at, ok := n.NextTick(); ok && at <= now; at, ok = n.NextTick() {
			n.Tick(now)
		}
	}
	end := func(i int) {
		if sessions[i] != nil {
			sessions[i].Lost(now, 0)
			sessions[i] = nil
		}
	}
	for _, s := range script {
		now += 700 * time.Millisecond
		tick()
		if s.HangUp {
			end(s.Conn)
			continue
		}
		if sessions[s.Conn] == nil {
			links[s.Conn] = &answers{}
			sessions[s.Conn] = n.Connect(links[s.Conn], event.Actor(s.Conn+1), now)
		}
		if l := links[s.Conn]; l.n == l.asked {
			l.asked++
			sessions[s.Conn].Handle(sql.Request(d, &s.Call), now, 0)
		}
	}
	if stop {
		n.Stop(now, 0)
	}
	for i := range sessions {
		end(i)
	}
	for range sqlconform.Conns { // a session that gets one row's lock may have to wait for the next row's
		now += time.Hour
		tick()
	}
	return log
}

// TestLaws checks that the same script gives the same log, that no two sessions of PostgreSQL hold a row lock at once,
// and that every transaction, lock and wait has ended when all sessions have.
func TestLaws(t *testing.T) {
	for _, d := range []sql.Dialect{sql.Postgres, sql.MySQL} {
		for seed := range uint64(1500) {
			script := sqlconform.Generate(d, seed, 60)
			log := run(d, script, seed%3 == 0)
			if !reflect.DeepEqual(log, run(d, script, seed%3 == 0)) {
				t.Fatalf("dialect %d, seed %d: two logs", d, seed)
			}
			if wrong := unlawful(d, log); wrong != "" {
				t.Fatalf("dialect %d, seed %d: %s", d, seed, wrong)
			}
		}
	}
}

// unlawful returns what is wrong with a log, or "".
func unlawful(d sql.Dialect, log []event.Event) string {
	open, locks := map[string]int{}, map[string][]event.Actor{}
	begin := func(what string, e event.Event) string {
		key := fmt.Sprint(what, " ", e.Peer, " ", e.Path, " ", e.Session)
		if open[key]++; open[key] > 1 && what != "wait" {
			return "twice: " + key
		}
		return ""
	}
	end := func(what string, e event.Event) string {
		key := fmt.Sprint(what, " ", e.Peer, " ", e.Path, " ", e.Session)
		if open[key]--; open[key] < 0 {
			return "ended and not begun: " + key
		}
		return ""
	}
	for _, e := range log {
		wrong := ""
		switch e.Kind {
		case event.TxBegan:
			wrong = begin("tx", e)
		case event.TxEnded:
			wrong = end("tx", e)
		case event.RequestWaits:
			wrong = begin("wait", e)
		case event.RequestServed:
			wrong = end("wait", e)
		case event.LockTaken:
			wrong = begin("lock", e)
			locks[e.Path] = append(locks[e.Path], e.Peer)
			if exclusive := d == sql.Postgres || strings.HasPrefix(e.Path, "advisory/"); exclusive && len(locks[e.Path]) > 1 {
				wrong = e.Path + " is locked twice"
			}
		case event.LockFreed:
			wrong = end("lock", e)
			if i := slices.Index(locks[e.Path], e.Peer); i >= 0 {
				locks[e.Path] = slices.Delete(locks[e.Path], i, i+1)
			}
		}
		if wrong != "" {
			return fmt.Sprintf("event %d: %s", e.Seq, wrong)
		}
	}
	for key, n := range open {
		if n != 0 {
			return "never ended: " + key
		}
	}
	return ""
}
