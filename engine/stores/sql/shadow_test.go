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
