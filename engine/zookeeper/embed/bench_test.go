package embed_test

import (
	"context"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

func benchPeer(b *testing.B, s *embed.Server) *peer.Peer {
	p, err := peer.Dial(s.Addr().String(), wire.ConnectRequest{TimeoutMS: 30_000})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(p.Abort)
	return p
}

// BenchmarkRoundTrips measures one client that waits for each answer, over TCP.
func BenchmarkRoundTrips(b *testing.B) {
	s, err := embed.Listen(embed.Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	p := benchPeer(b, s)
	if _, _, err := p.Do(create("/bench", zoo.Persistent)); err != nil {
		b.Fatal(err)
	}
	requests := map[string]wire.Request{
		"get": {Op: wire.OpGetData, Path: "/bench"},
		"set": {Op: wire.OpSetData, Path: "/bench", Data: make([]byte, 100), Version: -1},
		"create": {Op: wire.OpCreate, Path: "/bench/n", Data: make([]byte, 100), ACL: zoo.OpenACL(),
			Flags: int32(zoo.PersistentSequential)},
	}
	for _, name := range []string{"get", "set", "create"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				if r, _, err := p.Do(requests[name]); err != nil || r.Code != zoo.OK {
					b.Fatal(r.Code, err)
				}
			}
		})
	}
}

// nowhere is a sink that drops all events.
type nowhere struct{}

func (nowhere) Append(event.Event) {}

// BenchmarkObserved measures a client whose every request is observed, in one full log after another.
func BenchmarkObserved(b *testing.B) {
	s, err := embed.Listen(embed.Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	p := benchPeer(b, s)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			_ = s.Observe(ctx, "/", nowhere{}, 0, nil) // until the log is full
		}
	}()
	b.ReportAllocs()
	for range b.N {
		if _, _, err := p.Do(wire.Request{Op: wire.OpSetData, Path: "/", Data: make([]byte, 100), Version: -1}); err != nil {
			b.Fatal(err)
		}
	}
	stop()
	<-ended
}

// BenchmarkPipelined measures one client with a hundred outstanding requests.
func BenchmarkPipelined(b *testing.B) {
	s, err := embed.Listen(embed.Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	p := benchPeer(b, s)
	get := wire.Request{Op: wire.OpGetData, Path: "/"}
	const depth = 100
	b.ReportAllocs()
	for at := 0; at < b.N; at += depth {
		for range depth {
			p.Queue(&get)
		}
		if err := p.Flush(); err != nil {
			b.Fatal(err)
		}
		var m peer.Message
		for range depth {
			if err := p.RecvInto(&m); err != nil {
				b.Fatal(err)
			}
		}
	}
}
