package sqlconform

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/sql"
)

// Real is a Target on a real database. It must serve nothing else: the tables are emptied.
type Real struct {
	db    database
	conns [Conns]*link
	ended []*link // closed, but the database may not have noticed
	sleep bool    // after each step, so that leases expire
}

// database holds the differences between the two databases.
type database interface {
	dialect() sql.Dialect
	// dial opens a session.
	dial(ctx context.Context) (session, error)
	// waiting returns the sessions that wait for another, and all that exist.
	waiting() (waits map[uint64]string, there map[uint64]bool, err error)
	// reuses reports whether a free session is as good as a new one.
	reuses() bool
	// answered is called with each reply.
	answered(conn int, s sql.Statement, text string)
	// atRest reports whether no background work goes on that sessions could notice.
	atRest() (bool, error)
	// end terminates a session.
	end(id uint64) error
	// empty empties the tables for a script.
	empty(script []Step) error
	close()
}

// session is one connection to a real database.
type session interface {
	remote.Conn
	// id returns the database's ID of the session.
	id() uint64
	// settled reports whether the session, which waits for what, can no longer find a deadlock by itself.
	settled(what string) bool
	// free ends its transaction and releases its advisory locks.
	free() error
}

// link is a session with its current statement.
type link struct {
	session
	hangUp context.CancelFunc
	answer chan string
	call   sql.Statement
	busy   bool
}

// longest is how long anything may take on the busiest machine.
const longest = time.Minute

// Close closes all sessions.
func (r *Real) Close() {
	for i := range r.conns {
		r.leave(i)
	}
	r.db.close()
}

// Reset implements Target.
func (r *Real) Reset(script []Step) error {
	for i, l := range r.conns {
		switch {
		case l == nil:
		case l.busy || !r.db.reuses():
			if err := r.db.end(l.id()); err != nil {
				return err
			}
			r.leave(i)
		default:
			if err := l.free(); err != nil {
				return err
			}
		}
	}
	for _, l := range r.ended {
		if err := r.db.end(l.id()); err != nil {
			return err
		}
	}
	if err := r.gone(); err != nil {
		return err
	}
	r.sleep = hasShort(script)
	return r.db.empty(script)
}

// leave closes a session.
func (r *Real) leave(i int) {
	if l := r.conns[i]; l != nil {
		l.hangUp()
		if l.busy {
			<-l.answer // there is none
		} else {
			l.Close()
		}
		r.ended = append(r.ended, l)
		r.conns[i] = nil
	}
}

// gone waits until all closed sessions have ended.
func (r *Real) gone() error {
	for end := time.Now().Add(longest); time.Now().Before(end); time.Sleep(200 * time.Microsecond) {
		_, there, err := r.db.waiting()
		if err != nil {
			return err
		}
		left := false
		for _, l := range r.ended {
			left = left || there[l.id()]
		}
		if !left {
			r.ended = nil
			return nil
		}
	}
	return errors.New("sessions that were ended still exist")
}

// Do implements Target.
func (r *Real) Do(step Step) (Outcome, error) {
	switch {
	case step.HangUp:
		r.leave(step.Conn)
	default:
		if err := r.run(step); err != nil {
			return Outcome{}, err
		}
	}
	o, err := r.quiet()
	if r.sleep {
		time.Sleep(short + short/2)
	}
	return o, err
}

func (r *Real) run(step Step) error {
	l := r.conns[step.Conn]
	if l == nil {
		ctx, cancel := context.WithCancel(context.Background())
		s, err := r.db.dial(ctx)
		if err != nil {
			cancel()
			return err
		}
		l = &link{session: s, hangUp: cancel, answer: make(chan string, 1)}
		r.conns[step.Conn] = l
	}
	l.busy, l.call = true, step.Call.Statement
	request := sql.Request(r.db.dialect(), &step.Call)
	request.On = l.Opened()
	go func() {
		reply, err := l.session.Do(request)
		if err != nil {
			reply.Text = err.Error()
		}
		l.answer <- reply.Text
	}()
	return nil
}

// quiet waits until every session has a reply or waits for another one.
func (r *Real) quiet() (o Outcome, err error) {
	still := 0
	for end := time.Now().Add(longest); time.Now().Before(end); {
		busy := r.listen(&o)
		if busy == 0 && len(r.ended) == 0 {
			rests, err := r.db.atRest()
			if err != nil || rests {
				return o, err
			}
			continue
		}
		waits, there, err := r.db.waiting()
		if err != nil {
			return o, err
		}
		rests, err := r.db.atRest()
		if err != nil {
			return o, err
		}
		if r.listen(&o) == busy && r.allWait(waits, there) && rests {
			if still++; still == 2 { // once more, since something may have been in transit
				for i, l := range r.conns {
					o.Waits[i] = l != nil && l.busy
				}
				return o, nil
			}
			continue
		}
		still = 0
		time.Sleep(50 * time.Microsecond)
	}
	return o, fmt.Errorf("no end within %v: %s", longest, o)
}

// listen takes the replies that have arrived, and returns how many are missing.
func (r *Real) listen(o *Outcome) (busy int) {
	for i, l := range r.conns {
		if l == nil || !l.busy {
			continue
		}
		select {
		case o.Replies[i] = <-l.answer:
			l.busy = false
			r.db.answered(i, l.call, o.Replies[i])
		default:
			busy++
		}
	}
	return busy
}

// allWait reports whether all sessions without a reply wait, and all closed sessions have ended or wait.
func (r *Real) allWait(waits map[uint64]string, there map[uint64]bool) bool {
	for _, l := range r.conns {
		if l != nil && l.busy && (waits[l.id()] == "" || !l.settled(waits[l.id()])) {
			return false
		}
	}
	left := r.ended[:0]
	for _, l := range r.ended {
		if there[l.id()] {
			left = append(left, l)
		}
	}
	r.ended = left
	for _, l := range left {
		if waits[l.id()] == "" || !l.settled(waits[l.id()]) {
			return false
		}
	}
	return true
}
