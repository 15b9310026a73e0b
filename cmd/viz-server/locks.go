package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/base/escape"
	"github.com/zkviz/zkviz/engine/observe/locks/follow"
	"github.com/zkviz/zkviz/engine/observe/sessions"
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/zookeeper/connstring"
)

// locksCmd lists the present locks of a real ZooKeeper.
type locksCmd struct {
	Path   string   `arg:"" optional:"" default:"/" help:"List the locks at this znode and below it (default: ${default})."`
	ZK     []string `name:"zk" sep:"none" placeholder:"HOST:PORT" help:"The real ZooKeeper: its connection string, such as a:2181,b:2181/app, or the server lines of its zoo.cfg."`
	Herds  bool     `help:"Look for herds and for clients that wait without a watch, and show whom a release would wake. For this, zkviz asks each server who watches what, which blocks the server for a moment."`
	Follow bool     `help:"Then print a line for each handover and each new problem, until Ctrl-C. With --observe-ensemble, the line also says why a client lost a lock."`
	JSON   bool     `name:"json" help:"Print a JSON object for each, one a line."`
	accessFlags
	joinFlags
}

// toldWithin is how long the command waits without any progress.
const toldWithin = 20 * time.Second

// Run joins or reads, then prints the locks, those with most trouble first.
func (c *locksCmd) Run(term *terminal) error {
	if len(c.ZK) == 0 {
		return errors.New("--zk: name the ZooKeeper, like --zk 127.0.0.1:2181")
	}
	if err := protocol.ValidatePath(c.Path); err != nil {
		return fmt.Errorf("PATH: %s", voice().Error(err))
	}
	a, err := connstring.Parse(strings.Join(c.ZK, "\n"))
	if err != nil {
		return fmt.Errorf("--zk: %w", err)
	}
	by, err := c.dialer(a.Chroot)
	if err != nil {
		return err
	}
	joined, err := c.join(term.ctx, a.Servers, by, func(level slog.Level, text, why string) {
		if level >= slog.LevelWarn {
			term.complain("%s: %s", text, why)
		}
	})
	if err != nil {
		return err
	}
	defer joined.part()
	l := follow.New(follow.Config{Servers: a.Servers, Access: by, Feed: joined.feed,
		Sessions: sessions.New(sessions.Config{Servers: a.Servers, Access: by})})
	defer l.Close()
	if err := c.awaitJoin(term, joined); err != nil {
		return err
	}
	return c.list(term, l)
}

// list prints the present locks, and with --follow their changes.
func (c *locksCmd) list(term *terminal, l *follow.Locks) error {
	r, err := c.report(term, l)
	if err != nil {
		return err
	}
	write := printLocks
	if c.JSON {
		write = encodeLocks
	}
	if err := write(term.out, r, time.Now().UnixMilli()); err != nil {
		return err
	}
	sayLacking(term, r)
	if !c.Follow {
		return nil
	}
	return c.follow(term, l, r)
}

// coming prints how much of the tree has been read, and notes when it last grew.
type coming struct {
	term  *terminal
	found int
	heard time.Time
}

func (p *coming) at(found, left int) {
	switch {
	case found <= p.found:
		return
	case left > 0:
		p.term.complain("still reading: %s so far, and at least %d to go", count(found, "znode"), left)
	default:
		p.term.complain("still reading: %s so far", count(found, "znode"))
	}
	p.found, p.heard = found, time.Now()
}

// stuck reports whether there was no progress within toldWithin.
func (p *coming) stuck() bool { return time.Since(p.heard) > toldWithin }

// lookAgain is the interval between progress reports.
const lookAgain = 2 * time.Second

// awaitJoin waits until the ensemble is joined. If joining fails or gets stuck, the caller reads the znodes instead.
func (c *locksCmd) awaitJoin(term *terminal, j joining) error {
	for p := (coming{term: term, heard: time.Now()}); j.feed != nil; p.at(j.feed.Loaded(), 0) {
		ctx, cancel := context.WithTimeout(term.ctx, lookAgain)
		known, err := j.wait(ctx)
		cancel()
		switch {
		case term.ctx.Err() != nil:
			return context.Cause(term.ctx)
		case err != nil || known:
			return err
		case p.stuck():
			term.complain("couldn't join the ensemble within %v: zkviz reads its znodes instead", toldWithin)
			return nil
		}
	}
	return nil
}

// report waits until the whole tree is read, with progress reports, or fails with the reason.
func (c *locksCmd) report(term *terminal, l *follow.Locks) (r follow.Report, err error) {
	where := strings.Join(c.ZK, ",")
	for p := (coming{term: term, heard: time.Now()}); ; p.at(r.Found, r.ToRead) {
		r, err = l.Report(term.ctx, c.Path, c.Herds)
		switch {
		case err != nil:
			return r, err
		case r.Away != "":
			return r, fmt.Errorf("can't read %s: %s", where, escape.Line(r.Away))
		case r.Missing && len(r.Rows) == 0: // what went up to an hour ago is still known
			return r, fmt.Errorf("%s: there's no such znode", escape.Line(c.Path))
		case !r.Reading && (r.Naming == 0 || p.stuck()):
			return r, nil
		case p.stuck():
			return r, fmt.Errorf("%s has sent nothing for %v", where, toldWithin)
		}
	}
}
