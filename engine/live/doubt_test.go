package live_test

import (
	"bytes"
	"errors"
	"net"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/live/zktest"
	"github.com/zkviz/zkviz/engine/zoo"
)

// TestLostSet looks up a change whose answer never came. The run does not end before that, though its client does.
func TestLostSet(t *testing.T) {
	t.Parallel()
	srv := zktest.Start(t)
	cfg, list := program(unhurried, func(c zoo.Client, root string) error {
		if _, err := c.Create(root+"/n", []byte("first"), zoo.Persistent); err != nil {
			return err
		}
		if _, err := c.Set(root+"/n", []byte("last words"), zoo.AnyVersion); !errors.Is(err, zoo.ErrConnectionLoss) {
			t.Errorf("the answer was not lost: %v", err)
		}
		return nil
	})
	behind := *srv
	behind.Addr = mouthpiece(t, srv.Addr, []byte("last words"))
	r := &recorder{}
	if err := runLive(t, &behind, cfg, list, r, nil); err != nil {
		t.Fatal(err)
	}
	r.find(t, "the change of which nobody was told", func(e event.Event) bool {
		return e.Kind == event.ZnodeChanged && e.Peer == 1 && e.Text == "last words" && e.Zxid > 0
	})
	if n := r.count(is(event.ZnodeChanged)); n != 1 {
		t.Errorf("it changed %d times", n)
	}
}

// mouthpiece passes on what goes to and from addr. Whoever says the last words is heard, but gets no answer: the
// connection ends when one comes.
func mouthpiece(t *testing.T, addr string, last []byte) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", addr)
			if err != nil {
				in.Close()
				continue
			}
			said, heard := make(chan struct{}), make(chan struct{})
			go pass(out, in, func(b []byte) (func(), bool) {
				if !bytes.Contains(b, last) {
					return nil, true
				}
				close(said)
				return func() { close(heard) }, true
			})
			go pass(in, out, func(b []byte) (func(), bool) {
				select {
				case <-said:
				default:
					return nil, true
				}
				<-heard // what is under way meanwhile, as the answer to a ping, must not end the connection before
				return nil, false
			})
		}
	}()
	return l.Addr().String()
}

// pass copies until the connection ends or the listener has heard enough. What the listener returns is called once
// the other end has been told.
func pass(to, from net.Conn, hear func([]byte) (passed func(), more bool)) {
	defer to.Close()
	defer from.Close()
	b := make([]byte, 64<<10)
	for {
		n, err := from.Read(b)
		if err != nil {
			return
		}
		passed, more := hear(b[:n])
		if !more {
			return
		}
		_, err = to.Write(b[:n])
		if passed != nil {
			passed()
		}
		if err != nil {
			return
		}
	}
}
