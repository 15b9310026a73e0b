package benchzk

import (
	"errors"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// watch is a watcher and a writer, each with its own connection. A round sets a watch on every slot, changes all
// slots, and waits for the notifications. One operation is a getData with a watch, a setData, and the notification.
// Its time counts from the sending of the setData.
type watch struct {
	watcher, writer *peer.Peer
	slots           []string
	msg             peer.Message
}

func openWatch(s *server, path string, depth int) (*watch, error) {
	w := &watch{}
	for i := range depth {
		w.slots = append(w.slots, slot(path, i))
	}
	var err error
	if w.watcher, err = s.dial(); err != nil {
		return nil, err
	}
	if w.writer, err = s.dial(); err != nil {
		w.watcher.Abort()
		return nil, err
	}
	return w, nil
}

func (w *watch) run(until time.Time, took []time.Duration) ([]time.Duration, error) {
	get := wire.Request{Op: wire.OpGetData, Watch: true}
	set := wire.Request{Op: wire.OpSetData, Data: make([]byte, dataBytes), Version: -1}
	for more := true; more; more = time.Now().Before(until) {
		if err := errors.Join(w.send(w.watcher, &get), w.hear(w.watcher, false, nil)); err != nil {
			return took, err
		}
		since := time.Now()
		if err := w.send(w.writer, &set); err != nil {
			return took, err
		}
		if err := w.hear(w.watcher, true, func() { took = append(took, time.Since(since)) }); err != nil {
			return took, err
		}
		if err := w.hear(w.writer, false, nil); err != nil {
			return took, err
		}
	}
	return took, nil
}

// send sends a request for every slot.
func (w *watch) send(p *peer.Peer, r *wire.Request) error {
	for _, r.Path = range w.slots {
		p.Queue(r)
	}
	return p.Flush()
}

// hear receives one answer or one notification for every slot.
func (w *watch) hear(p *peer.Peer, notifications bool, each func()) error {
	for range w.slots {
		if err := p.RecvInto(&w.msg); err != nil {
			return err
		}
		if w.msg.IsNotification != notifications || !notifications && w.msg.Response.Code != zoo.OK {
			return errors.New("something else came than was waited for")
		}
		if each != nil {
			each()
		}
	}
	return nil
}

func (w *watch) end() error { return errors.Join(w.watcher.Close(), w.writer.Close()) }
