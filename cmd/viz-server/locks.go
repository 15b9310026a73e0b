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
	"github.com/zkviz/zkviz/engine/sessions"
)

// locksCmd lists the locks of a real ZooKeeper as they are now.
type locksCmd struct {
	Path  string   `arg:"" optional:"" default:"/" help:"List what is at this znode and below it (default: ${default})."`
	ZK    []string `name:"zk" sep:"none" placeholder:"HOST:PORT" help:"The real ZooKeeper: its connection string, such as a:2181,b:2181/app, or the server lines of its zoo.cfg."`
	Herds bool     `help:"Look for herds, too: the servers are asked who watches what, which holds each of them up for a moment."`
	JSON  bool     `name:"json" help:"Print a JSON object for each, a line each."`
	accessFlags
}

// readWithin is for how long the command waits for the first that is read.
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
	if c.JSON {
		enc := json.NewEncoder(term.out)
		for i := range r.Rows {
			if err := enc.Encode(lockJSON(&r.Rows[i])); err != nil {
				return err
			}
		}
	} else if err := printLocks(term.out, r); err != nil {
		return err
	}
	sayLacking(term, r)
	return nil
}

// sayLacking says what a report lacks.
func sayLacking(term *terminal, r follow.Report) {
	for _, untold := range r.Untold {
		term.complain("%s", escape.Line(voice().Says(untold)))
	}
	if r.Partial {
		term.complain("there's more in the tree than is read: name a path further down")
	}
}

// report waits until the tree has been read, or it is known why it can't be.
func (c *locksCmd) report(term *terminal, l *follow.Locks) (r follow.Report, err error) {
	for end := time.Now().Add(readWithin); ; {
		r, err = l.Report(term.ctx, c.Path, c.Herds)
		switch {
		case err != nil:
			return r, err
		case r.Away != "":
			return r, fmt.Errorf("%s can't be seen: %s", strings.Join(c.ZK, ","), escape.Line(r.Away))
		case r.FromMS != 0:
			return r, nil
		case time.Now().After(end):
			return r, fmt.Errorf("%s has told nothing for %v", strings.Join(c.ZK, ","), readWithin)
		}
	}
}

func printLocks(out io.Writer, r follow.Report) error {
	if len(r.Rows) == 0 {
		fmt.Fprintln(out, "There's nothing here that is recognised as a lock, a queue or a group.")
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "path\twhat\theld by\tin line")
	for i := range r.Rows {
		row := &r.Rows[i]
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", escape.Line(row.Path), usedAs(row), heldBy(row), inLine(row))
		for _, a := range row.Alerts {
			fmt.Fprintf(w, "  ! %s\n", escape.Line(alertSaid(a)))
		}
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
	text := locks.SessionText(h.Session)
	if h.Client.Addr != "" {
		text += " " + escape.Line(h.Client.Addr)
	}
	if h.Data != "" {
		text += " " + escape.Line(h.Data)
	}
	if r.Inside > 1 {
		text += fmt.Sprintf(" and %d more", r.Inside-1)
	}
	return text
}

func inLine(r *locks.Row) string {
	if r.Items > 0 {
		return fmt.Sprintf("%d items", r.Items)
	}
	text := fmt.Sprint(r.Waiting)
	if r.LongestMS > 0 {
		text += fmt.Sprintf(", the first for %s", between(0, r.LongestMS).Round(time.Second))
	}
	return text
}

func alertSaid(a locks.Alert) string {
	v := voice()
	v.Path = path.Base
	return v.Says(a.Sentence)
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
		Waiting int      `json:"waiting"`
		Longest int64    `json:"longest_ms,omitempty"` // how long the first has waited
		Items   int      `json:"items,omitempty"`
		Trouble int      `json:"trouble"`
		Alerts  []string `json:"alerts,omitempty"`
	}{Path: r.Path, Use: string(r.Use), Whose: r.Whose, Inside: r.Inside, Waiting: r.Waiting, Longest: r.LongestMS,
		Items: r.Items, Trouble: r.Trouble}
	for _, h := range r.Holding {
		o.Holders = append(o.Holders, holder{locks.SessionText(h.Session), h.Client.Addr, h.Path, h.Data, made(h.Hand)})
	}
	for _, a := range r.Alerts {
		o.Alerts = append(o.Alerts, alertSaid(a))
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
