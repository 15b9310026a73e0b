package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/holds"
	"github.com/zkviz/zkviz/engine/base/escape"
	"github.com/zkviz/zkviz/engine/observe/ensemble"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/run/cluster/follow"
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/zookeeper/connstring"
)

// locksCmd lists the present locks of a real ZooKeeper.
type locksCmd struct {
	Path   string   `arg:"" optional:"" default:"/" help:"List the locks at this znode and below it (default: ${default})."`
	ZK     []string `name:"zk" sep:"none" placeholder:"HOST:PORT" help:"The real ZooKeeper: its connection string, such as a:2181,b:2181/app, or the server lines of its zoo.cfg."`
	Herds  bool     `help:"Look for herds and for clients that wait without a watch, and show whom a release would wake. For this, zkviz asks each server who watches what, which blocks the server for a moment."`
	Names  bool     `name:"waiting" help:"Name those who wait, a line each: for how long, and behind whom. If PATH is a lock, that's the default."`
	Follow bool     `help:"Then print a line for each handover, each client that leaves a queue without getting in, each new problem, and each change of leader or loss of the quorum, until Ctrl-C. With --observe-ensemble, the line also says why a client lost a lock or left."`
	JSON   bool     `name:"json" help:"Print a JSON object for each, one a line: a lock's has path, and that of the servers, which comes first, has ensemble. With --follow, the last ones say how long is usual."`
	holdFlags
	failFlag
	webhookFlag
	throughFlag
	accessFlags
	adminServerFlag
	joinFlags
	chosen holds.Filter
}

// stallTimeout limits how long the command waits without any progress.
const stallTimeout = 20 * time.Second

// Run joins or reads, then prints how the servers are, and the locks, those with most trouble first.
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
	if err := c.validateAlerts(); err != nil {
		return err
	}
	if c.chosen, err = c.filter(); err != nil {
		return err
	}
	if c.chosen.Any() && !c.Follow {
		return errors.New("--why and --who choose handovers, and one look sees none: add --follow, or name a server's " +
			"transaction logs to viz-server log --hands")
	}
	by, err := c.dialer(a.Chroot)
	if err != nil {
		return err
	}
	m, err := c.join(term.ctx, a.Servers, by, func(level slog.Level, text, why string) {
		if level >= slog.LevelWarn {
			term.complain("%s: %s", text, why)
		}
	}, nil)
	if err != nil {
		return err
	}
	defer m.leave()
	ask, err := c.pollers(a.Servers, by)
	if err != nil {
		return err
	}
	l := follow.New(cluster.Cluster{Servers: a.Servers, Access: by, Feed: m.feed, Sessions: ask.sessions,
		Ensemble: ask.ensemble})
	defer l.Close()
	if s, known := l.Ensemble(term.ctx); !known || s.Quorum != ensemble.Lost { // without a quorum nobody lets it join
		if err := c.awaitJoin(term, m); err != nil {
			return err
		}
	}
	tap, err := c.remote()
	if err != nil {
		return err
	}
	send, end, err := c.notify(term, strings.Join(a.Servers, ",")+a.Chroot)
	if err != nil {
		return err
	}
	defer end()
	return c.list(term, l, send, func() through { return throughOf(term.ctx, term, tap, by) })
}

// list prints the present locks, and with --follow their changes, which it also hands to send.
func (c *locksCmd) list(term *terminal, l *follow.Locks, send sender, tap func() through) error {
	p := &ensembleLines{from: l, json: c.JSON}
	r, err := c.report(term, l)
	if err == nil || r.Away != "" {
		if err := p.first(term.ctx, term.out); err != nil {
			return err
		}
	}
	send.servers(&p.now)
	if err != nil && r.Away != "" && c.failsOn(&p.now) {
		term.complain("%v", err)
		return errInTrouble
	}
	if err != nil && r.Away != "" && c.Follow {
		term.complain("%v", err)
		r, err = c.outlast(term, l, p, send)
	}
	if err != nil {
		return err
	}
	if err := c.print(term, l, r, &p.now, tap()); err != nil {
		return err
	}
	if err := c.fails(&r, &p.now); err != nil {
		return err
	}
	if !c.Follow {
		return c.doubts(&r, &p.now)
	}
	return c.follow(term, l, r, p, send)
}

// print prints the present locks, and what a report lacks.
func (c *locksCmd) print(
	term *terminal, l *follow.Locks, r follow.Report, s *ensemble.State, tap through,
) (err error) {
	shown, nowMS, unjudged := r, time.Now().UnixMilli(), c.unjudged(c.Herds, c.Follow, &r, s)
	shown.Rows = c.fold(r.Rows)
	if c.JSON {
		err = encodeLocks(term.out, listed{shown, c.hour(term.ctx, l, shown.Rows), tap, unjudged}, nowMS)
	} else {
		err = printLocks(term.out, shown, tap, nowMS)
	}
	if err != nil {
		return err
	}
	printOmissions(term, r)
	if len(unjudged) > 0 {
		term.complain("--fail-on %s doesn't cover what zkviz can't see here: %s; name one, to end with 2 then", anyKind,
			strings.Join(unjudged, ", "))
	}
	return nil
}

// treeProgress prints how much of the tree has been read, and notes when that last grew.
type treeProgress struct {
	term   *terminal
	znodes int
	grew   time.Time
}

func (p *treeProgress) update(found, left int) {
	switch {
	case found <= p.znodes:
		return
	case left > 0:
		p.term.complain("still reading: %s so far, and at least %d to go", count(found, "znode"), left)
	default:
		p.term.complain("still reading: %s so far", count(found, "znode"))
	}
	p.znodes, p.grew = found, time.Now()
}

// stalled reports whether there was no progress within stallTimeout.
func (p *treeProgress) stalled() bool { return time.Since(p.grew) > stallTimeout }

// progressInterval is the interval between progress reports.
const progressInterval = 2 * time.Second

// awaitJoin waits until the ensemble is joined. If joining fails or gets stuck, the caller reads the znodes instead.
func (c *locksCmd) awaitJoin(term *terminal, m membership) error {
	for p := (treeProgress{term: term, grew: time.Now()}); m.feed != nil; p.update(m.feed.Loaded(), 0) {
		ctx, cancel := context.WithTimeout(term.ctx, progressInterval)
		known, err := m.wait(ctx)
		cancel()
		switch {
		case term.ctx.Err() != nil:
			return context.Cause(term.ctx)
		case err != nil || known:
			return err
		case p.stalled():
			term.complain("couldn't join the ensemble within %v: zkviz reads its znodes instead", stallTimeout)
			return nil
		}
	}
	return nil
}

// report waits until the whole tree is read, with progress reports, or fails with the reason.
func (c *locksCmd) report(term *terminal, l *follow.Locks) (r follow.Report, err error) {
	where := strings.Join(c.ZK, ",")
	for p := (treeProgress{term: term, grew: time.Now()}); ; p.update(r.Found, r.ToRead) {
		r, err = l.ReportOn(term.ctx, follow.Ask{Path: c.Path, Herds: c.Herds, Named: c.unfolded})
		switch {
		case err != nil:
			return r, err
		case r.Away != "":
			return r, fmt.Errorf("can't read %s: %s", where, escape.Line(r.Away))
		case r.Missing && len(r.Rows) == 0: // what went up to an hour ago is still known
			return r, fmt.Errorf("%s: there's no such znode", escape.Line(c.Path))
		case !r.Reading && (r.Naming == 0 || p.stalled()):
			return r, nil
		case p.stalled():
			return r, fmt.Errorf("%s has sent nothing for %v", where, stallTimeout)
		}
	}
}
