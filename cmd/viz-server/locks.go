package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/zkviz/zkviz/engine/connstring"
	"github.com/zkviz/zkviz/engine/escape"
	"github.com/zkviz/zkviz/engine/handover"
	"github.com/zkviz/zkviz/engine/locks"
	"github.com/zkviz/zkviz/engine/locks/follow"
	"github.com/zkviz/zkviz/engine/protocol"
	"github.com/zkviz/zkviz/engine/sentence"
	"github.com/zkviz/zkviz/engine/sessions"
)

// locksCmd lists the locks of a real ZooKeeper as they are now.
type locksCmd struct {
	Path  string   `arg:"" optional:"" default:"/" help:"List what is at this znode and below it (default: ${default})."`
	ZK    []string `name:"zk" sep:"none" placeholder:"HOST:PORT" help:"The real ZooKeeper: its connection string, such as a:2181,b:2181/app, or the server lines of its zoo.cfg."`
	Herds bool     `help:"Look for herds, for clients that wait without a watch, and whom a release would wake: the servers are asked who watches what, which holds each of them up for a moment."`
	JSON  bool     `name:"json" help:"Print a JSON object for each, a line each."`
	accessFlags
}

// readWithin is for how long the command waits while nothing is read.
const readWithin = 20 * time.Second

// Run reads, and prints what is there, the one with most trouble first.
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
	l := follow.New(follow.Config{Servers: a.Servers, Access: by,
		Sessions: sessions.New(sessions.Config{Servers: a.Servers, Access: by})})
	defer l.Close()
	r, err := c.report(term, l)
	if err != nil {
		return err
	}
	write := printLocks
	if c.JSON {
		write = encodeLocks
	}
	if err := write(term.out, r); err != nil {
		return err
	}
	sayLacking(term, r)
	return nil
}

func encodeLocks(out io.Writer, r follow.Report) error {
	enc := json.NewEncoder(out)
	for i := range r.Rows {
		if err := enc.Encode(lockJSON(&r.Rows[i])); err != nil {
			return err
		}
	}
	if l := lackingJSON(r); l != nil {
		return enc.Encode(l)
	}
	return nil
}

// sayLacking says what a report lacks.
func sayLacking(term *terminal, r follow.Report) {
	for _, untold := range r.Untold {
		term.complain("%s", escape.Line(voice().Says(untold)))
	}
	if r.Unread.Count > 0 {
		term.complain("znodes that may not be read, by their ACLs: %d, the first of them %s; --zk-auth-file names who may",
			r.Unread.Count, escape.Line(r.Unread.First))
	}
	if r.Partial {
		term.complain("there's more in the tree than is read: name a path further down")
	}
}

// lackingJSON is what a report lacks, as a JSON object; nil if it's nothing.
func lackingJSON(r follow.Report) any {
	type lacks struct {
		Unread int      `json:"unread,omitempty"` // znodes that may not be read
		First  string   `json:"first,omitempty"`  // of these
		More   bool     `json:"more,omitempty"`   // in the tree than is read
		Untold []string `json:"untold,omitempty"` // by servers
	}
	l := lacks{Unread: r.Unread.Count, First: r.Unread.First, More: r.Partial}
	for _, untold := range r.Untold {
		l.Untold = append(l.Untold, voice().Says(untold))
	}
	if l.Unread == 0 && !l.More && len(l.Untold) == 0 {
		return nil
	}
	return struct {
		Lacks lacks `json:"lacks"`
	}{l}
}

// report waits until all of the tree has been read, and says how far that is, or until it is known why it can't be.
func (c *locksCmd) report(term *terminal, l *follow.Locks) (r follow.Report, err error) {
	where, found, heard := strings.Join(c.ZK, ","), 0, time.Now()
	for {
		r, err = l.Report(term.ctx, c.Path, c.Herds)
		switch {
		case err != nil:
			return r, err
		case r.Away != "":
			return r, fmt.Errorf("%s can't be seen: %s", where, escape.Line(r.Away))
		case r.Missing && len(r.Rows) == 0: // what went an hour ago at most is still known
			return r, fmt.Errorf("%s: there's no such znode", escape.Line(c.Path))
		case !r.Reading:
			return r, nil
		case r.Found > found:
			found, heard = r.Found, time.Now()
			term.complain("still reading: %d znodes so far", found)
		case time.Since(heard) > readWithin:
			return r, fmt.Errorf("%s has told nothing for %v", where, readWithin)
		}
	}
}

func printLocks(out io.Writer, r follow.Report) error {
	if len(r.Rows) == 0 {
		where := "here"
		if r.Unread.Count > 0 || r.Partial {
			where = "in what could be read"
		}
		_, err := fmt.Fprintf(out, "There's nothing %s that is recognised as a lock, a queue or a group.\n", where)
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "path\twhat\theld by\tin line")
	for i := range r.Rows {
		row := &r.Rows[i]
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", escape.Line(row.Path), usedAs(row), heldBy(row), inLine(row))
		for _, a := range row.Alerts {
			fmt.Fprintf(w, "  ! %s\n", escape.Line(lockSays(a.Sentence)))
		}
		printWakes(w, row)
	}
	return w.Flush()
}

// usedAs is what it is taken for, and whose names its znodes have.
func usedAs(r *locks.Row) string {
	switch {
	case r.Use == "":
		return "perhaps a lock"
	case r.Whose == "":
		return string(r.Use)
	}
	return fmt.Sprintf("%s (%s)", r.Use, r.Whose)
}

func heldBy(r *locks.Row) string {
	if len(r.Holding) == 0 && r.Inside > 0 {
		return fmt.Sprintf("%d are there", r.Inside)
	}
	if len(r.Holding) == 0 {
		return "nobody"
	}
	h := &r.Holding[0]
	text := sessionAt(h.Session, h.Client)
	if h.Data != "" {
		text += " " + escape.Line(h.Data)
	}
	if r.Inside > 1 {
		text += fmt.Sprintf(" and %d more", r.Inside-1)
	}
	return text
}

// sessionAt is a session, and from where it is if that is known.
func sessionAt(session int64, c locks.Client) string {
	return strings.TrimSuffix(locks.SessionText(session)+" "+escape.Line(c.Addr), " ")
}

func inLine(r *locks.Row) string {
	if r.Items > 0 {
		return fmt.Sprintf("%d items", r.Items)
	}
	text := fmt.Sprint(r.Waiting)
	if r.LongestMS > 0 {
		text += ", the first for " + voice().Says(locks.Span(r.LongestMS))
	}
	return text
}

// lockSays is a sentence about znodes in words.
func lockSays(s sentence.Sentence) string {
	v := voice()
	v.Path = path.Base
	return v.Says(s)
}

// lockJSON is one of them as a JSON object.
func lockJSON(r *locks.Row) any {
	type holder struct {
		Session string `json:"session"`
		Address string `json:"address,omitempty"`
		Znode   string `json:"znode"`
		Data    string `json:"data,omitempty"`
		Made    string `json:"made,omitempty"`
	}
	o := struct {
		Path    string   `json:"path"`
		Use     string   `json:"use,omitempty"`
		Whose   string   `json:"whose,omitempty"`
		Holders []holder `json:"holders,omitempty"` // some of them
		Inside  int      `json:"inside"`
		Wakes   []wake   `json:"wakes,omitzero"` // of some of them; left out where it isn't known
		Waiting int      `json:"waiting"`
		Longest int64    `json:"longest_ms,omitempty"` // how long the first has waited
		Items   int      `json:"items,omitempty"`
		Trouble int      `json:"trouble"`
		Alerts  []string `json:"alerts,omitempty"`
	}{Path: r.Path, Use: string(r.Use), Whose: r.Whose, Inside: r.Inside, Waiting: r.Waiting, Longest: r.LongestMS,
		Items: r.Items, Trouble: r.Trouble, Wakes: wakesJSON(r.Wakes)}
	for _, h := range r.Holding {
		o.Holders = append(o.Holders, holder{locks.SessionText(h.Session), h.Client.Addr, h.Path, h.Data, made(h.Hand)})
	}
	for _, a := range r.Alerts {
		o.Alerts = append(o.Alerts, lockSays(a.Sentence))
	}
	return o
}

// made is when a holder's znode was made; empty if that is not known.
func made(h handover.Hand) string {
	if h.MadeMS == 0 {
		return ""
	}
	return wallTime(h.MadeMS)
}
