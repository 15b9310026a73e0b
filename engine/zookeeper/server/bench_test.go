package server_test

import (
	"strconv"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/server"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// nobody ignores all messages.
type nobody struct{}

func (nobody) Welcome(*wire.ConnectResponse, event.Seq)         {}
func (nobody) Reply(*wire.Request, *wire.Response, event.Seq)   {}
func (nobody) Notify(wire.Notification, event.Watch, event.Seq) {}
func (nobody) Close(event.Reason, event.Seq)                    {}

// BenchmarkHandle measures the server itself, without bytes, sockets and a log.
func BenchmarkHandle(b *testing.B) {
	data, open := make([]byte, 100), zoo.OpenACL()
	for name, next := range map[string]func(q *wire.Request, i int){
		"ping": func(q *wire.Request, _ int) { q.Op = wire.OpPing },
		"get":  func(q *wire.Request, _ int) { q.Op = wire.OpGetData },
		"set":  func(q *wire.Request, _ int) { q.Op, q.Data, q.Version = wire.OpSetData, data, -1 },
		"create": func(q *wire.Request, i int) {
			q.Op, q.Path, q.Data, q.ACL = wire.OpCreate, "/a/"+strconv.Itoa(i), data, open
		},
		"watch": func(q *wire.Request, i int) {
			if q.Op, q.Watch = wire.OpGetData, true; i%2 > 0 {
				q.Op, q.Data, q.Version = wire.OpSetData, data, -1
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			s := server.New(server.Config{})
			s.Make("/a", 0, 0)
			c := s.Connect(nobody{}, server.From{})
			c.Greet(&wire.ConnectRequest{TimeoutMS: 30_000}, 0, 0)
			b.ReportAllocs()
			q := new(wire.Request)
			for i := 0; b.Loop(); i++ {
				*q = wire.Request{Path: "/a"}
				next(q, i)
				c.Handle(q, 0, 0)
			}
		})
	}
}

// BenchmarkSnapshot measures how long clients wait for a snapshot of that many znodes of 100 bytes.
func BenchmarkSnapshot(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			s := server.New(server.Config{})
			s.Make("/a", 0, 0)
			c := s.Connect(nobody{}, server.From{})
			c.Greet(&wire.ConnectRequest{TimeoutMS: 30_000}, 0, 0)
			for i := range n {
				c.Handle(&wire.Request{Op: wire.OpCreate, Path: "/a/" + strconv.Itoa(i), Data: make([]byte, 100),
					ACL: zoo.OpenACL()}, 0, 0)
			}
			for b.Loop() {
				s.Snapshot(nil)
			}
		})
	}
}

// BenchmarkSessionEnd measures how long clients wait while a session ends that owns that many ephemeral znodes.
func BenchmarkSessionEnd(b *testing.B) {
	for _, n := range []int{1_000, 200_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			s := server.New(server.Config{})
			s.Make("/a", 0, 0)
			for b.Loop() {
				b.StopTimer()
				c := s.Connect(nobody{}, server.From{})
				c.Greet(&wire.ConnectRequest{TimeoutMS: 30_000}, 0, 0)
				q := wire.Request{Op: wire.OpCreate, Data: nil, ACL: zoo.OpenACL(), Flags: int32(zoo.Ephemeral)}
				for i := range n {
					q.Path = "/a/e" + strconv.Itoa(i)
					c.Handle(&q, 0, 0)
				}
				b.StartTimer()
				c.Handle(&wire.Request{Op: wire.OpCloseSession}, 0, 0)
			}
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(n), "ns/znode")
		})
	}
}
