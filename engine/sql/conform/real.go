package conform

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/zkviz/zkviz/engine/remote"
	"github.com/zkviz/zkviz/engine/sql"
)

// Real is a real database as a Target. It must serve nobody else: all that is in the tables is removed.
type Real struct {
	db    database
	conns [Conns]*link
	ended []*link // that were hung up, and that the database may not have looked at
	sleep bool    // after each step, for leases to be over
}

// database is what sets the two apart.
type database interface {
	dialect() sql.Dialect
	// dial opens a session.
	dial(ctx context.Context) (session, error)
	// waiting is which sessions wait for another, and which there are.
	waiting() (waits map[uint64]string, there map[uint64]bool, err error)
	// reuses reports whether a session is as good as new once it is free.
	reuses() bool
	// answered is told of each answer.
	answered(conn int, s sql.Statement, text string)
	// atRest reports whether nothing is done beside the sessions that they could see.
	atRest() (bool, error)
	// end ends a session.
	end(id uint64) error
	// empty empties the tables that a script is about.
	empty(script []Step) error
	close()
}

// session is one connection to a real database.
type session interface {
	remote.Conn
	// id is what the database calls it.
	id() uint64
	// settled reports whether the session, which waits for what, will not find out by itself that it waits in vain.
	settled(what string) bool
	// free ends its transaction and gives back its advisory locks.
	free() error
}

// link is a session, and the statement that it has under way.
type link struct {
	session
	hangUp context.CancelFunc
	answer chan string
	call   sql.Statement
	busy   bool
}

// longest is how long anything may take on a machine however busy.
const longest = time.Minute

// Close ends all sessions.
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

// leave hangs up.
func (r *Real) leave(i int) {
	if l := r.conns[i]; l != nil {
		l.hangUp()
		if l.busy {
			<-l.answer // that it has none
		} else {
			l.Close()
		}
		r.ended = append(r.ended, l)
		r.conns[i] = nil
	}
}

// gone waits until all sessions that were ended are gone.
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
	return errors.New("sessions that were ended are still there")
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

// quiet waits until every session was answered or waits for another.
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
			if still++; still == 2 { // once more, since something may have been on its way
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

// listen takes the answers that have come, and returns how many are missing.
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

// allWait reports whether all sessions wait that are not answered, and those that were hung up are gone or wait.
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
