package live_test

import (
	"bytes"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/zktest"
)

// TestLostLast looks up a write whose answer never came and whose client has ended by then. The run must not end
// before that.
func TestLostLast(t *testing.T) {
	t.Parallel()
	srv := zktest.Start(t)
	const last = "last words"
	for kind, write := range map[event.Kind]func(zoo.Client, string) error{
		event.ZnodeChanged: func(c zoo.Client, path string) error {
			if _, err := c.Create(path, []byte("first"), zoo.Persistent); err != nil {
				return err
			}
			_, err := c.Set(path, []byte(last), zoo.AnyVersion)
			return err
		},
		event.ZnodeCreated: func(c zoo.Client, path string) error {
			_, err := c.Create(path, []byte(last), zoo.Persistent)
			return err
		},
	} {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			cfg, list := byHand(unhurried, func(c zoo.Client, root string) error {
				if err := write(c, root+"/n"); !errors.Is(err, zoo.ErrConnectionLoss) {
					t.Errorf("the answer was not lost: %v", err)
				}
				return nil
			})
			behind, far := *srv, *srv.Server
			far.Addr, behind.Server = mouthpiece(t, srv.Addr, []byte(last)), &far
			r := &recorder{}
			if err := runLive(t, &behind, cfg, list, r, nil); err != nil {
				t.Fatal(err)
			}
			isIt := func(e event.Event) bool { return e.Kind == kind && e.Peer == 1 && e.Text == last && e.Zxid > 0 }
			found := r.find(t, "the write of which nobody was told", isIt)
			if n := r.count(isIt); n != 1 {
				t.Errorf("it was found %d times", n)
			}
			// The client closes its session, unless it gets no connection for that in time.
			ended := func(e event.Event) bool { return e.Kind == event.SessionClosed || e.Kind == event.SessionExpired }
			if gone := r.find(t, "the client's end", ended); found.Seq < gone.Seq {
				t.Log("it was found before the client had gone")
			}
		})
	}
}

// mouthpiece forwards the traffic to and from addr. The connection that carries the last words gets no answer: it
// ends when one comes. The first connection, the run's own, receives nothing more until one that came after the last
// words has ended.
func mouthpiece(t *testing.T, addr string, last []byte) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	said, gone := make(chan struct{}), make(chan struct{})
	var once sync.Once
	go func() {
		for first := true; ; first = false {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", addr)
			if err != nil {
				in.Close()
				continue
			}
			late := isClosed(said)
			spoke, heard := make(chan struct{}), make(chan struct{})
			go pass(out, in, func(b []byte) (func(), bool) {
				if !bytes.Contains(b, last) {
					return nil, true
				}
				close(spoke)
				return func() { close(heard); close(said) }, true
			})
			go func() {
				pass(in, out, func([]byte) (func(), bool) {
					switch {
					case isClosed(spoke):
						<-heard // other frames under way, such as the answer to a ping, must not end the connection before
						return nil, false
					case first && isClosed(said):
						select {
						case <-gone:
						case <-time.After(30 * time.Second):
						}
					}
					return nil, true
				})
				if late {
					once.Do(func() { close(gone) })
				}
			}()
		}
	}()
	return l.Addr().String()
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// pass copies until the connection ends or hear returns false. It calls the function that hear returns once it has
// forwarded the bytes.
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
