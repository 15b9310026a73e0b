package contend

import (
	"errors"
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

// errLost reports the end of the session.
var errLost = errors.New("the session is over")

// round waits for the lock, holds it and releases it, like recipes/predecessor_lock.go with other names.
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
	err = m.sleep(m.cfg.Hold, m.over)
	if errors.Is(err, errCrashed) {
		return err
	}
	if m.isOver() {
		return errLost
	}
	m.tell(program.Released, mine)
	return m.remove(mine.Path)
}

// giveUp leaves the queue without having held the lock.
func (m *member) giveUp(mine program.Subject, why error) error {
	if errors.Is(why, errLost) || errors.Is(why, errCrashed) {
		return why
	}
	m.tell(program.GaveUp, mine)
	return errors.Join(why, m.remove(mine.Path))
}

// join creates the member's znode, and the queue's if it is missing.
func (m *member) join() (string, error) {
	prefix := strconv.FormatInt(m.current, 16) + "-lock-"
	for {
		made := ""
		err := m.try(func() (err error) {
			made, err = m.zk.Create(m.cfg.Path+"/"+prefix, nil, zk.FlagEphemeral|zk.FlagSequence, zk.WorldACL(zk.PermAll))
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
		names, err := m.names()
		if err != nil {
			return err
		}
		ahead, err := kit.JustAhead(names, me)
		if err != nil || ahead == "" {
			return err
		}
		// A read with a watch: if the one ahead is gone already, there is nothing to wait for.
		var gone <-chan zk.Event
		err = m.retry(func() (err error) {
			_, _, gone, err = m.zk.GetW(m.cfg.Path + "/" + ahead)
			return err
		})
		if errors.Is(err, zk.ErrNoNode) {
			continue
		}
		if err != nil {
			return err
		}
		select {
		case <-gone:
		case <-m.ctx.Done():
		}
		if err := m.awake(); err != nil {
			return err
		}
		if m.ctx.Err() != nil {
			return m.ctx.Err()
		}
		// Look again: the one ahead may have given up while others are still before us.
	}
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

// outcomeUnknown reports whether it is unknown if a call was carried out.
func outcomeUnknown(err error) bool {
	return errors.Is(err, zk.ErrConnectionClosed) || errors.Is(err, zk.ErrNoServer) || errors.Is(err, zk.ErrSessionMoved)
}
