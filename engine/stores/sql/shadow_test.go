package sql_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/sql"
)

// TestWhoWaits checks that a session waits for a lock that another one has, even if it asked before that was known, and
// only until it has the lock.
func TestWhoWaits(t *testing.T) {
	var said []string
	w := sql.NewShadow(event.Node(1), sql.Postgres, func(e event.Event) event.Seq {
		said = append(said, fmt.Sprintf("%v %v", e.Kind, e.Peer))
		return event.Seq(len(said))
	})
	exchange := func(client int, s sql.Statement) remote.RoundTrip {
		return remote.RoundTrip{Conn: client, From: event.Actor(client),
			Request: sql.Request(sql.Postgres, &sql.Call{Statement: s, Row: "seats"})}
	}
	answer := func(client int, s sql.Statement) {
		x := exchange(client, s)
		x.Reply = sql.Reply(sql.Postgres, s, &sql.Result{Rows: 1})
		w.Answered(x)
	}
	for client := 1; client <= 3; client++ {
		w.Asked(exchange(client, sql.Begin))
		answer(client, sql.Begin)
	}
	w.Asked(exchange(1, sql.ReadForUpdate))
	w.Asked(exchange(2, sql.ReadForUpdate))
	w.Asked(exchange(3, sql.Read)) // a Read waits for no lock
	said = nil
	answer(1, sql.ReadForUpdate)
	answer(3, sql.Read)
	w.Asked(exchange(3, sql.ReadForUpdate))
	w.Asked(exchange(1, sql.Commit))
	answer(1, sql.Commit)
	answer(2, sql.ReadForUpdate)
	want := `lock.taken client-1
request.waits client-2
request.waits client-3
tx.ended client-1
lock.freed client-1
lock.taken client-2
request.served client-2
`
	if got := strings.Join(said, "\n") + "\n"; got != want {
		t.Errorf("it says\n%swant\n%s", got, want)
	}
}

// TestWhoWaitsWithoutIndex checks that in InnoDB a search by task locks all jobs that are known, and waits for any
// of them.
func TestWhoWaitsWithoutIndex(t *testing.T) {
	var said []string
	w := sql.NewShadow(event.Node(1), sql.MySQL, func(e event.Event) event.Seq {
		said = append(said, fmt.Sprintf("%v %v %s", e.Kind, e.Peer, e.Path))
		return event.Seq(len(said))
	})
	ask := func(client int, c sql.Call) remote.RoundTrip {
		x := remote.RoundTrip{Conn: client, From: event.Actor(client), Request: sql.Request(sql.MySQL, &c)}
		w.Asked(x)
		return x
	}
	answer := func(x remote.RoundTrip, r sql.Result) {
		x.Reply = sql.Reply(sql.MySQL, x.Request.Body.(*sql.Call).Statement, &r)
		w.Answered(x)
	}
	for n := int64(1); n <= 2; n++ {
		answer(ask(3, sql.Call{Statement: sql.PutJob, Text: "print"}), sql.Result{Rows: 1, N: n})
		answer(ask(int(n), sql.Call{Statement: sql.Begin}), sql.Result{})
	}
	said = nil
	answer(ask(1, sql.Call{Statement: sql.LockTask, Text: "print A"}), sql.Result{Rows: 1, N: 1})
	b := ask(2, sql.Call{Statement: sql.LockTask, Text: "print B"})
	answer(ask(1, sql.Call{Statement: sql.Commit}), sql.Result{Rows: 1})
	answer(b, sql.Result{Rows: 1, N: 2})
	answer(ask(2, sql.Call{Statement: sql.Commit}), sql.Result{Rows: 1})
	answer(ask(2, sql.Call{Statement: sql.Begin}), sql.Result{})
	answer(ask(2, sql.Call{Statement: sql.LockJob, N: 2}), sql.Result{Rows: 1, N: 2})
	ask(1, sql.Call{Statement: sql.LockJob, N: 2})
	want := `lock.taken client-1 jobs/1
lock.taken client-1 jobs/2
request.waits client-2 jobs/1
tx.ended client-1 @
lock.freed client-1 jobs/1
lock.freed client-1 jobs/2
lock.taken client-2 jobs/2
lock.taken client-2 jobs/1
request.served client-2 jobs/1
tx.ended client-2 @
lock.freed client-2 jobs/2
lock.freed client-2 jobs/1
tx.began client-2 @
lock.taken client-2 jobs/2
request.waits client-1 jobs/2
`
	if got := strings.Join(said, "\n") + "\n"; got != strings.ReplaceAll(want, "@", "") {
		t.Errorf("it says\n%swant\n%s", got, want)
	}
}
