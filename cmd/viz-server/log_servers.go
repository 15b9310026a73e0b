package main

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/zkviz/zkviz/engine/base/escape"
	"github.com/zkviz/zkviz/engine/observe/past"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// servers prints what each server has, and where the servers differ.
func (c *logCmd) servers(term *terminal, out io.Writer, files past.Files) error {
	all, err := files.Compare(term.ctx)
	if err != nil {
		return err
	}
	damaged, err := files.Damaged(term.ctx)
	if err != nil {
		return err
	}
	lacking := append(slices.Clip(files.Lacking), damaged...)
	if c.JSON {
		return serversJSON(json.NewEncoder(out), &all, lacking)
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "server\ttransactions\tfrom\tto\tlast zxid\tepochs\tbehind")
	for i := range all.Sources {
		l := &all.Sources[i]
		fmt.Fprintln(table, escape.Line(l.Name)+"\t"+serverCells(l, &all))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, line := range serverRemarks(&all) {
		fmt.Fprintln(out, escape.Line(line))
	}
	for _, t := range lacking {
		fmt.Fprintln(out, escape.Line(t.Path+": "+voice().Error(t.Err)))
	}
	return nil
}

func serverCells(l *past.Source, all *past.Compared) string {
	if l.Txns == 0 {
		return "none\t\t\t\t\t"
	}
	behind := ""
	if l.Behind > 0 {
		behind = count(int(l.Behind), "transaction")
		if d := timeBetween(l.Last.TimeMS, all.Last.TimeMS); d >= 0 { // clocks go back
			behind += ", " + d.String()
		}
	}
	return fmt.Sprintf("%d\t%s\t%s\t%#x\t%s\t%s", l.Txns, wallTime(l.First.TimeMS), wallTime(l.Last.TimeMS), l.Last.Zxid,
		epochsOf(l), behind)
}

func epochsOf(l *past.Source) string {
	first, last := l.Epochs[0].Number, l.Last.Zxid>>32
	if first == last {
		return fmt.Sprint(first)
	}
	return fmt.Sprintf("%d to %d", first, last)
}

// serverRemarks returns the remarks below the table, worst first.
func serverRemarks(all *past.Compared) (lines []string) {
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	more := func(n int, of string) {
		if n > 0 {
			say("and %d more %s", n, of)
		}
	}
	for i := range all.Differ {
		say("SERVERS DIFFER at %#x:", all.Differ[i].Zxid)
		for _, line := range versionLines(all, &all.Differ[i]) {
			say("    %s", line)
		}
	}
	more(all.MoreDiffer, "at which they differ")
	for _, a := range all.OnlyIn {
		text := fmt.Sprintf("only %s has %s", all.Sources[a.Server].Name, zxidRange(a.First.Zxid, a.Last.Zxid, a.Txns))
		if a.Passed != 0 {
			text += fmt.Sprintf(": %s continued without them; they were probably never committed",
				all.Names(a.Passed))
		}
		lines = append(lines, text)
	}
	more(all.MoreOnlyIn, "that only one has")
	for _, g := range all.Gaps {
		say("no server has the transactions between %#x and %#x (%s)", g.After, g.Next.Zxid, wallTime(g.Next.TimeMS))
	}
	more(all.MoreGaps, "gaps")
	for i := range all.Clocks {
		lines = append(lines, voice().Error(&all.Clocks[i]))
	}
	more(all.MoreClocks, "at which the time goes back")
	for i := range all.Sources {
		l := &all.Sources[i]
		for _, g := range l.Gaps {
			say("%s has nothing between %#x and %#x (%s)", l.Name, g.After, g.Next.Zxid, wallTime(g.Next.TimeMS))
		}
		for _, t := range l.Torn {
			text := fmt.Sprintf("is torn at byte %d", t.Offset)
			if t.Until > 0 {
				text = fmt.Sprintf("is damaged from byte %d to byte %d", t.Offset, t.Until)
			}
			say("%s: %s %s, after %#x: %s", l.Name, t.File, text, t.After.Zxid, t.Why)
		}
		for _, t := range l.Odd {
			say("%s: %s: %s", l.Name, filepath.Base(t.Path), voice().Error(t.Err))
		}
		more(l.More, "of "+l.Name)
		if l.Lacks > 0 {
			say("%s lacks %s that others have there", l.Name, count(int(l.Lacks), "transaction"))
		}
	}
	return lines
}

func zxidRange(first, last, n int64) string {
	if n == 1 {
		return fmt.Sprintf("%#x", first)
	}
	return fmt.Sprintf("%#x to %#x, %s", first, last, count(int(n), "transaction"))
}

// versionLines describes what each server has under a zxid.
func versionLines(all *past.Compared, d *past.Difference) (lines []string) {
	for i := range d.Versions {
		h := &d.Versions[i]
		if h.Facts == nil {
			continue
		}
		var facts []string
		for j := range h.Facts {
			t := wire.Txn{TimeMS: h.TimeMS, Session: h.Facts[j].By}
			facts = append(facts, factText(&t, &h.Facts[j]))
		}
		lines = append(lines, fmt.Sprintf("%s has: %s %s, %s (checksum %08x)", all.Sources[i].Name, requester(h.Facts[0].By),
			strings.Join(facts, " and "), wallTime(h.TimeMS), h.Sum))
	}
	return lines
}

// serversJSON prints an object for each server and for each remark.
func serversJSON(enc *json.Encoder, all *past.Compared, lacking []past.Trouble) error {
	type object = map[string]any
	point := func(p past.Point) object {
		return object{"zxid": fmt.Sprintf("%#x", p.Zxid), "time": wallTime(p.TimeMS)}
	}
	var list []object
	for i := range all.Sources {
		l := &all.Sources[i]
		o := object{"kind": "server", "server": l.Name, "transactions": l.Txns, "lacks": l.Lacks, "behind": l.Behind}
		if l.Txns > 0 {
			o["first"], o["last"] = point(l.First), point(l.Last)
			if ms := all.Last.TimeMS - l.Last.TimeMS; ms >= 0 {
				o["behind_ms"] = ms
			}
		}
		list = append(list, o)
		for _, e := range l.Epochs {
			list = append(list, object{"kind": "epoch", "server": l.Name, "epoch": e.Number, "first": point(e.First),
				"last": point(e.Last), "transactions": e.Txns})
		}
		for _, g := range l.Gaps {
			list = append(list, object{"kind": "gap", "server": l.Name, "after": fmt.Sprintf("%#x", g.After),
				"next": point(g.Next)})
		}
		for _, t := range l.Torn {
			o := object{"kind": "torn", "server": l.Name, "file": t.File, "byte": t.Offset, "why": t.Why,
				"after": point(t.After)}
			if t.Until > 0 {
				o["until"] = t.Until
			}
			list = append(list, o)
		}
		for _, t := range l.Odd {
			list = append(list, object{"kind": "odd", "server": l.Name, "file": filepath.Base(t.Path),
				"why": voice().Error(t.Err)})
		}
		if l.More > 0 {
			list = append(list, object{"kind": "more", "server": l.Name, "count": l.More})
		}
	}
	for _, g := range all.Gaps {
		list = append(list, object{"kind": "gap", "after": fmt.Sprintf("%#x", g.After), "next": point(g.Next)})
	}
	for _, a := range all.OnlyIn {
		list = append(list, object{"kind": "alone", "server": all.Sources[a.Server].Name, "first": point(a.First),
			"last": point(a.Last), "transactions": a.Txns, "passed_by": all.Names(a.Passed)})
	}
	for i := range all.Differ {
		list = append(list, object{"kind": "differ", "at": point(all.Differ[i].Point),
			"has": versionLines(all, &all.Differ[i])})
	}
	for i := range all.Clocks {
		e := &all.Clocks[i]
		list = append(list, object{"kind": "clock", "at": point(past.Point{Zxid: e.Zxid, TimeMS: e.TimeMS}),
			"before": wallTime(e.BeforeMS), "why": voice().Error(e)})
	}
	if n := all.MoreOnlyIn + all.MoreDiffer + all.MoreGaps + all.MoreClocks; n > 0 {
		list = append(list, object{"kind": "more", "count": n})
	}
	for _, t := range lacking {
		list = append(list, object{"kind": "log.lacks", "file": t.Path, "why": voice().Error(t.Err)})
	}
	for _, o := range list {
		if err := enc.Encode(o); err != nil {
			return err
		}
	}
	return nil
}

// timeBetween returns the duration between two times in ms.
func timeBetween(from, to int64) time.Duration { return time.Duration(to-from) * time.Millisecond }
