package model_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/sql"
	"github.com/zkviz/zkviz/engine/stores/sql/model"
)

// silent is a link that only counts replies.
type silent struct{ replies int }

func (d *silent) Reply(remote.Reply, bool, event.Seq) { d.replies++ }
func (*silent) Push(remote.Push, event.Seq)           {}
func (*silent) Close(event.Reason, event.Seq)         {}

// BenchmarkModel lets four clients contend for one row, each with BEGIN, SELECT FOR UPDATE, UPDATE and COMMIT: three of
// them wait. It reports events a second, including those of requests and replies that a host adds.
func BenchmarkModel(b *testing.B) {
	for _, d := range []sql.Dialect{sql.Postgres, sql.MySQL} {
		b.Run([]string{"postgres", "innodb"}[d], func(b *testing.B) {
			events := 0
			n := model.New(model.Config{ID: event.Node(1), Dialect: d, Seed: 1, Emit: func(event.Event) event.Seq {
				events++
				return event.Seq(events)
			}})
			const clients = 4
			var sessions [clients]remote.Session
			var links [clients]silent
			for i := range sessions {
				sessions[i] = n.Connect(&links[i], event.Actor(i+1), 0)
			}
			now := time.Duration(0)
			do := func(i int, c sql.Call) {
				now += time.Microsecond
				events += 2 // the request and the reply
				sessions[i].Handle(sql.Request(d, &c), now, event.Seq(events))
			}
			do(0, sql.Call{Statement: sql.Insert, Row: "lock"})
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				for i := range clients {
					do(i, sql.Call{Statement: sql.Begin})
					do(i, sql.Call{Statement: sql.ReadForUpdate, Row: "lock"})
				}
				for i := range clients {
					do(i, sql.Call{Statement: sql.Add, Row: "lock", N: 1})
					do(i, sql.Call{Statement: sql.Commit})
				}
			}
			b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
