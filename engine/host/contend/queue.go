package contend

import (
	"errors"
	"io"
	"net"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// connectEvery is the interval between looks for a connection.
const connectEvery = 50 * time.Millisecond

// errLost reports the end of the session, errQuit that the member is to give up.
var (
	errLost = errors.New("the session is over")
	errQuit = errors.New("it is to give up")
)

// round waits for the lock, holds it and releases it, like the recipe of the Config's Way with other names.
func (m *member) round() error {
	if err := m.connected(); err != nil {
		return err
	}
	me, err := m.join()
	if err != nil {
		return err
	}
	mine := program.Subject{Path: m.cfg.Path + "/" + me, Fence: kit.Number(me)}
	m.tell(program.Waiting, mine)
	if err := m.wait(me); err != nil {
		return m.giveUp(mine, err)
	}
	m.tell(program.Holding, mine)
	if err = m.hold(); errors.Is(err, errCrashed) {
		return err
	}
	if m.isOver() {
		return errLost
	}
	m.tell(program.Released, mine)
	return m.remove(mine.Path)
}

// hold waits until the member is to release the lock, or its session is known to be over.
func (m *member) hold() error {
	t := time.NewTimer(m.cfg.Hold)
	defer t.Stop()
	select {
	case <-t.C:
	case <-m.quit:
	case <-m.over:
	case <-m.ctx.Done():
	}
	return m.awake()
}

// quits reports whether the member is to end its round.
func (m *member) quits() bool {
	select {
	case <-m.quit:
		return true
	default:
		return false
	}
}

// giveUp leaves the queue without having held the lock.
func (m *member) giveUp(mine program.Subject, why error) error {
	if errors.Is(why, errLost) || errors.Is(why, errCrashed) {
		return why
	}
	m.tell(program.GaveUp, mine)
	return errors.Join(why, m.remove(mine.Path))
}

// lockInfix stands between a session and a number in the names of znodes.
const lockInfix = "-lock-"

// join creates the member's znode, and the queue's if it is missing.
func (m *member) join() (string, error) {
	prefix := strconv.FormatInt(m.current, 16) + lockInfix
	for {
		made := ""
		err := m.try(func() (err error) {
			made, err = m.zk.Create(m.cfg.Path+"/"+prefix, m.cfg.Data, zk.FlagEphemeral|zk.FlagSequence, zk.WorldACL(zk.PermAll))
			return err
		})
		switch {
		case errors.Is(err, zk.ErrNoNode):
			if err := m.makeQueue(m.cfg.Path); err != nil {
				return "", err
			}
		case !outcomeUnknown(err):
			return path.Base(made), err
		default: // was it created? The name tells
			name, err := m.find(prefix)
			if err != nil || name != "" {
				return name, err
			}
		}
	}
}

func (m *member) find(prefix string) (string, error) {
	names, err := m.names()
	for _, name := range names {
		if strings.HasPrefix(name, prefix) {
			return name, err
		}
	}
	return "", err
}

func (m *member) names() (names []string, err error) {
	err = m.retry(func() (err error) {
		names, _, err = m.zk.Children(m.cfg.Path)
		return err
	})
	return names, err
}

// makeQueue creates a persistent znode and those above it.
func (m *member) makeQueue(at string) error {
	if at == "/" {
		return nil
	}
	err := m.retry(func() error {
		_, err := m.zk.Create(at, nil, 0, zk.WorldACL(zk.PermAll))
		return err
	})
	switch {
	case errors.Is(err, zk.ErrNodeExists):
		return nil
	case errors.Is(err, zk.ErrNoNode):
		if err := m.makeQueue(path.Dir(at)); err != nil {
			return err
		}
		return m.makeQueue(at)
	}
	return err
}

// wait returns when nobody is ahead.
func (m *member) wait(me string) error {
	for {
		names, changed, err := m.look()
		if err != nil {
			return err
		}
		ahead, err := kit.JustAhead(names, me)
		if err != nil {
			return err
		}
		if m.sees(ahead, kit.Before(names, me)); ahead == "" {
			return nil
		}
		if changed == nil {
			changed, err = m.watch(ahead)
		}
		if errors.Is(err, zk.ErrNoNode) {
			continue
		}
		if err != nil {
			return err
		}
		select {
		case <-changed:
		case <-m.quit:
		case <-m.ctx.Done():
		}
		if err := m.awake(); err != nil {
			return err
		}
		if m.ctx.Err() != nil {
			return m.ctx.Err()
		}
		if m.quits() {
			return errQuit
		}
		// Look again: the one ahead may have given up while others are still before us.
	}
}

// look lists the queue. If all watch it, changed is the watch.
func (m *member) look() (names []string, changed <-chan zk.Event, err error) {
	if m.cfg.Way != Herd {
		names, err = m.names()
		return names, nil, err
	}
	err = m.retry(func() (err error) {
		names, _, changed, err = m.zk.ChildrenW(m.cfg.Path)
		return err
	})
	return names, changed, err
}

// watch watches a member of the queue. It is a read: if that one is gone already, there is nothing to wait for.
func (m *member) watch(name string) (gone <-chan zk.Event, err error) {
	err = m.retry(func() (err error) {
		_, _, gone, err = m.zk.GetW(m.cfg.Path + "/" + name)
		return err
	})
	return gone, err
}

// sessionOf returns the session that has created a member's znode by join; 0 for any other znode.
func sessionOf(name string) int64 {
	hex, _, ok := strings.Cut(name, lockInfix)
	session, err := strconv.ParseInt(hex, 16, 64)
	if !ok || err != nil {
		return 0
	}
	return session
}

func (m *member) remove(at string) error {
	err := m.retry(func() error { return m.zk.Delete(at, -1) })
	if errors.Is(err, zk.ErrNoNode) {
		return nil
	}
	return err
}

// retry repeats a call as long as the connection is lost before its answer.
func (m *member) retry(call func() error) error {
	for {
		err := m.try(call)
		if !outcomeUnknown(err) {
			return err
		}
		if err := m.sleep(connectEvery, nil); err != nil {
			return err
		}
	}
}

// try makes a call, and delays its answer while the process is paused.
func (m *member) try(call func() error) error {
	if m.isOver() {
		return errLost
	}
	err := call()
	if gone := m.awake(); gone != nil {
		return gone
	}
	if errors.Is(err, zk.ErrSessionExpired) {
		return errLost
	}
	if m.cfg.Pace > 0 {
		if gone := m.sleep(m.cfg.Pace, m.over); errors.Is(gone, errCrashed) {
			return gone
		}
	}
	return err
}

// outcomeUnknown reports whether it is unknown if a call was carried out. The library also returns the error of a
// connection that broke while it sent the call.
func outcomeUnknown(err error) bool {
	var broken net.Error
	return errors.Is(err, zk.ErrConnectionClosed) || errors.Is(err, zk.ErrNoServer) ||
		errors.Is(err, zk.ErrSessionMoved) ||
		errors.As(err, &broken) || errors.Is(err, net.ErrClosed) || errors.Is(err, io.ErrClosedPipe)
}
