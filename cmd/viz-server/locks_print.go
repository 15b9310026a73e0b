package main

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"strings"
	"text/tabwriter"

	"github.com/zkviz/zkviz/engine/base/escape"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/run/cluster/follow"
)

// printLocks prints a row for each lock, and below it its troubles and its last handover.
func printLocks(out io.Writer, r follow.Report, tap through, nowMS int64) error {
	if len(r.Rows) == 0 {
		where := "here"
		if r.Unread.Count > 0 || r.Partial || r.Hidden.Of > 0 {
			where = "in what could be read"
		}
		_, err := fmt.Fprintf(out, "Nothing %s looks like a lock, a queue or a group.\n", where)
		return err
	}
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "path\twhat\theld by\tin line")
	for i := range r.Rows {
		row := &r.Rows[i]
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", escape.Line(row.Path), lockText(row.Kind()), heldBy(row, nowMS),
			inLine(row, nowMS))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	lines := strings.SplitAfter(table.String(), "\n")
	all := bytes.NewBufferString(lines[0])
	for i := range r.Rows {
		all.WriteString(lines[i+1])
		for _, a := range r.Rows[i].Alerts {
			fmt.Fprintf(all, "  ! %s\n", lockText(r.Rows[i].Says(&a, nowMS)))
		}
		printWakes(all, &r.Rows[i])
		printQueue(all, &r.Rows[i], nowMS)
		tap.print(all, &r.Rows[i])
		turns := r.Rows[i].Handovers()
		for i := range turns {
			fmt.Fprintf(all, "  - %s: %s\n", lockText(turns[i].Ago(nowMS)), lockText(turns[i].Said()))
		}
	}
	_, err := out.Write(all.Bytes())
	return err
}

// lockText returns a sentence in words, escaped for one line, with znodes by their last names.
func lockText(s sentence.Sentence) string {
	v := voice()
	v.Path = path.Base
	return escape.Line(v.Says(s))
}

// heldBy names the holders, and how long each has held it.
func heldBy(r *locks.Row, nowMS int64) string {
	var all []string
	for i := range r.Holding {
		h := &r.Holding[i]
		text := sessionAt(h.Session, h.Client)
		if h.Data != "" {
			text += " " + escape.Line(h.Data)
		}
		text += " " + lockText(r.Held(h, nowMS))
		if far := r.Unusual(h, nowMS); far.Key != "" {
			text += " (" + lockText(far) + ")"
		}
		all = append(all, text)
	}
	if others := lockText(r.Others(nowMS)); others != "" {
		all = append(all, others)
	}
	return strings.Join(all, ", ")
}

// sessionAt returns a session, with its client's address if known, and says if no server has a connection of it.
func sessionAt(session int64, c locks.Client) string {
	text := strings.TrimSuffix(ownerText(session)+" "+escape.Line(c.Addr), " ")
	if c.Unconnected {
		text += " (not connected to these addresses)"
	}
	return text
}

func inLine(r *locks.Row, nowMS int64) string {
	var all []string
	for _, s := range r.Line(nowMS) {
		all = append(all, lockText(s))
	}
	return strings.Join(all, ", ")
}

// printOmissions prints what a report lacks.
func printOmissions(term *terminal, r follow.Report) {
	for _, untold := range r.Untold {
		term.complain("%s", escape.Line(voice().Says(untold)))
	}
	if r.Unread.Count > 0 {
		term.complain("znodes that their ACLs hide: %d, the first is %s; to read them, authenticate with --zk-auth-file",
			r.Unread.Count, escape.Line(r.Unread.First))
	}
	if r.Left > 0 {
		term.complain("%s %s left out, since there are too many", count(r.Left, "znode"), isOrAre(r.Left))
	}
	if r.Hidden.Of > 0 {
		term.complain("ACLs may hide more: zkviz has checked %d of %d znodes so far",
			r.Hidden.Done, r.Hidden.Of)
	}
	if r.Partial {
		term.complain("parts of the tree are left out because they are too large or too deep: name a path further down")
	}
	if r.ReadOnly {
		warnNoQuorum(term)
	}
}

// warnNoQuorum prints that the servers have no quorum.
func warnNoQuorum(term *terminal) {
	term.complain("the servers have no quorum: this is the state of one of them, and it may be out of date")
}
