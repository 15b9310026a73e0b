package cluster

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/past"
	"github.com/zkviz/zkviz/engine/observe/past/index"
)

// The size of the time line in its own units.
const (
	lineWidth, lineHeight, sourceHeight = 960.0, 140.0, 12.0
)

// stackOrder is the order of a column's parts from bottom to top. Their classes determine the colours.
var stackOrder = []event.Kind{event.ZnodeCreated, event.ZnodeChanged, event.ZnodeDeleted, event.SessionCreated,
	event.SessionClosed, event.SessionExpired, event.TxnApplied}

func classOf(k event.Kind) string { return strings.ReplaceAll(k.String(), ".", "-") }

// kindsOf returns the kinds to choose from, with their counts in the columns.
func kindsOf(q pastQuery, columns []index.Counts) (kinds []page.PastKind) {
	var all index.Counts
	for i := range columns {
		all.Add(&columns[i])
	}
	for _, k := range stackOrder {
		kind := page.PastKind{Name: k.String(), Class: classOf(k)}
		if columns != nil {
			kind.Count = strconv.FormatInt(all.Of(k), 10)
		}
		for _, chosen := range q.Kinds {
			kind.Chosen = kind.Chosen || chosen == k
		}
		kinds = append(kinds, kind)
	}
	return kinds
}

// minInterval is the minimum length, in ms, of a column that leads to an interval. A shorter one leads to its moment.
const minInterval = 10_000

// drawColumns draws the time line.
func (s *pastPages) drawColumns(p *page.PastProps, q pastQuery, columns []index.Counts) {
	p.Kinds = kindsOf(q, columns)
	most := int64(0)
	for i := range columns {
		most = max(most, sum(&columns[i]))
	}
	p.Most = strconv.FormatInt(most, 10)
	width := float64(q.Until-q.Since) / pastColumns
	for i := range columns {
		c, of := &columns[i], sum(&columns[i])
		from, until := q.Since+int64(float64(i)*width), q.Since+int64(float64(i+1)*width)
		column := page.PastColumn{X: unit(float64(i) * lineWidth / pastColumns), Width: unit(lineWidth / pastColumns),
			Title: fmt.Sprintf("%s: %d", pastTime(from), of)}
		if column.Address = q.between(from, max(until, from+1)); width < minInterval {
			column.Address = q.moment(from)
		}
		top := lineHeight
		for _, k := range stackOrder {
			if n := c.Of(k); n > 0 {
				high := float64(n) / float64(most) * (lineHeight - 8)
				top -= high
				column.Bars = append(column.Bars, page.PastBar{Class: "is-" + classOf(k), X: column.X, Y: unit(top),
					Width: unit(lineWidth/pastColumns - 1), Height: unit(high)})
			}
		}
		p.Columns = append(p.Columns, column)
	}
	for i := range int64(labels + 1) {
		p.Labels = append(p.Labels, label(q.Since+(q.Until-q.Since)*i/labels, q.Until-q.Since))
	}
}

// labels is how many parts of a time line have a label at their beginning.
const labels = 4

// label formats a time along the line, as precisely as the span requires.
func label(ms, span int64) string {
	form := "15:04:05.000"
	switch d := time.Duration(span) * time.Millisecond; {
	case d > 72*time.Hour:
		form = "01-02 15h"
	case d > 2*time.Hour:
		form = "01-02 15:04"
	case d > 2*time.Minute:
		form = "15:04:05"
	}
	return time.UnixMilli(ms).Format(form)
}

func sum(c *index.Counts) (n int64) {
	for _, k := range stackOrder {
		n += c.Of(k)
	}
	return n
}

func unit(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) }

// drawMoves adds the links to other parts of the time line.
func (s *pastPages) drawMoves(p *page.PastProps, q pastQuery) {
	from, until := s.index.Span()
	span := q.Until - q.Since
	move := func(key string, from, until int64) {
		p.Moves = append(p.Moves, page.PastLink{Key: key, Address: q.between(from, until)})
	}
	if q.Since > from {
		move("past.earlier", q.Since-span/2, q.Until-span/2)
	}
	if q.Until < until {
		move("past.later", q.Since+span/2, q.Until+span/2)
	}
	if span > 8 {
		move("past.in", q.Since+span*3/8, q.Until-span*3/8)
	}
	if q.Since > from || q.Until < until {
		move("past.out", max(from, q.Since-span*3/2), min(until, q.Until+span*3/2))
		p.Moves = append(p.Moves, page.PastLink{Key: "past.all", Address: q.with(pastAt, "from", "", "until", "")})
	}
	p.Moves = append(p.Moves, page.PastLink{Key: "past.moment", Address: q.moment(q.Since)})
}

// drawSources draws what each server's files cover. With one server it draws only what is missing.
func drawSources(p *page.PastProps, q pastQuery, status *index.Status) {
	x := func(ms int64) float64 {
		return min(max(float64(ms-q.Since)/float64(q.Until-q.Since), 0), 1) * lineWidth
	}
	all := &status.Compared
	for i := range all.Sources {
		l := &all.Sources[i]
		lane := page.PastLane{Name: l.Name}
		bar := func(class string, from, until int64, title string) {
			if until >= q.Since && from < q.Until {
				lane.Bars = append(lane.Bars, page.PastBar{Class: class, X: unit(x(from)), Y: "0",
					Width: unit(max(x(until)-x(from), 3)), Height: unit(sourceHeight), Title: title})
			}
		}
		for n, e := range l.Epochs {
			bar([]string{"epoch", "epoch odd"}[n%2], e.First.TimeMS, e.Last.TimeMS, fmt.Sprint(e.Number))
		}
		for _, g := range l.Gaps {
			bar("gap", g.Next.TimeMS, g.Next.TimeMS, fmt.Sprintf("%#x - %#x", g.After, g.Next.Zxid))
		}
		for _, t := range l.Torn {
			bar("torn", t.After.TimeMS, t.After.TimeMS, t.File)
		}
		lane.Facts = sourceFacts(l, all)
		p.Lanes = append(p.Lanes, lane)
	}
}

func sourceFacts(l *past.Source, all *past.Compared) (facts []sentence.Sentence) {
	say := func(key string, args ...sentence.Arg) { facts = append(facts, sentence.Of(key, args...)) }
	if l.Txns == 0 {
		say("past.lane.none")
		return facts
	}
	say("past.lane", sentence.Number(l.Txns), sentence.Text(zxid(l.First.Zxid)), sentence.Text(zxid(l.Last.Zxid)),
		sentence.Number(len(l.Epochs)))
	if l.Behind > 0 {
		say("past.lane.behind", sentence.Number(l.Behind), handover.Precisely(max(all.Last.TimeMS-l.Last.TimeMS, 0)))
	}
	if n := len(l.Gaps); n > 0 {
		g := l.Gaps[n-1]
		say("past.lane.gaps", sentence.Number(n), sentence.Text(zxid(g.After)), sentence.Text(zxid(g.Next.Zxid)))
	}
	for _, t := range l.Torn[:min(len(l.Torn), 3)] {
		key := "past.lane.torn"
		if t.Until > 0 {
			key = "past.lane.damaged"
		}
		say(key, sentence.Text(t.File), sentence.Text(zxid(t.After.Zxid)))
	}
	return facts
}

func zxid(n int64) string { return fmt.Sprintf("%#x", n) }

// maxRemarks is the number of differences of one kind that a page lists.
const maxRemarks = 5

// addStatus reports the progress of reading the files and their problems, the worst first.
func addStatus(p *page.PastProps, status *index.Status) {
	say := func(key string, args ...sentence.Arg) { p.Said = append(p.Said, sentence.Of(key, args...)) }
	if !status.Done {
		p.Reading = strconv.FormatInt(status.Read*100/max(status.Total, 1), 10)
	}
	if status.Err != nil {
		p.Said = append(p.Said, sentence.From(pastError(status.Err)))
	}
	all := &status.Compared
	for i := range all.Differ[:min(len(all.Differ), maxRemarks)] {
		d := &all.Differ[i]
		say("past.differ", sentence.Text(zxid(d.Zxid)), sentence.Text(versionText(all, d)))
	}
	if n := len(all.Differ) + all.MoreDiffer - maxRemarks; n > 0 {
		say("past.differ.more", sentence.Number(n))
	}
	for _, a := range all.OnlyIn[:min(len(all.OnlyIn), maxRemarks)] {
		key := "past.alone"
		if a.Passed != 0 {
			key = "past.alone.passed"
		}
		say(key, sentence.Text(all.Sources[a.Server].Name), sentence.Number(a.Txns), sentence.Text(zxid(a.First.Zxid)),
			sentence.Text(zxid(a.Last.Zxid)), sentence.Text(all.Names(a.Passed)))
	}
	if status.Behind {
		say("past.grown")
	}
	if len(status.Gone) > 0 {
		say("past.gone", sentence.Text(strings.Join(status.Gone, ", ")))
	}
	if status.LeftOut {
		say("past.left-out", sentence.Number(index.MaxNodes))
	}
	p.Trouble = status.Trouble
}

// versionText lists what each server has, without words: kinds, paths and checksums.
func versionText(all *past.Compared, d *past.Difference) string {
	var texts []string
	for i := range d.Versions {
		h := &d.Versions[i]
		if h.Facts == nil {
			continue
		}
		text := all.Sources[i].Name + ":"
		for j := range h.Facts {
			text += " " + h.Facts[j].Kind.String() + " " + h.Facts[j].Path
		}
		texts = append(texts, fmt.Sprintf("%s (%s, %08x)", text, handover.SessionText(h.Facts[0].By), h.Sum))
	}
	return strings.Join(texts, "; ")
}

// rowOf returns a row with its time, zxid and session.
func rowOf(q pastQuery, ms, at, by int64) page.PastRow {
	r := page.PastRow{Time: pastTime(ms), Zxid: zxid(at), Address: q.moment(ms)}
	if by != 0 {
		r.Session = handover.SessionText(by)
		r.SessionAddress = q.with(pastAt, "session", r.Session, "hands", "", "path", "")
	}
	return r
}

// factRow returns the row of a transaction.
func factRow(q pastQuery, f *index.Row) page.PastRow {
	r := rowOf(q, f.TimeMS, f.Zxid, f.By)
	r.Data = f.Text
	name := sentence.Text(f.Path)
	switch f.Kind {
	case event.SessionCreated:
		r.What = sentence.Of("past.said.opened", sentence.Span(time.Duration(f.Fact.N)))
	case event.SessionClosed:
		r.What = sentence.Of("past.said.closed")
	case event.SessionExpired:
		r.What = sentence.Of("past.said.expired")
	case event.ZnodeCreated:
		r.What = sentence.Of("past.said.created", name, sentence.Number(f.Fact.N))
	case event.ZnodeChanged:
		r.What = sentence.Of("past.said.set", name, sentence.Number(f.Fact.N))
	case event.ZnodeDeleted:
		r.What = handover.Gone(name, f.Why(), f.Went.Owner, f.LivedMS)
	default:
		r.What = sentence.Of("past.said.write", sentence.Text(f.Op.String()), name)
		if f.Type != 0 {
			r.What = sentence.Of("past.said.unknown", sentence.Number(int64(f.Type)))
		}
		if f.Code != 0 {
			r.What = sentence.Of("past.said.failed", sentence.Text(zoo.Code(f.Code).Error()))
		}
		if f.Part > 0 {
			r.What = sentence.Of("past.said.failed.part", sentence.Text(zoo.Code(f.Code).Error()), sentence.Number(f.Part),
				sentence.Number(f.Parts))
		}
	}
	return r
}

// handoverRow returns the row of a client that got or lost the lock, and why.
func handoverRow(q pastQuery, c *handover.Change) page.PastRow {
	r := rowOf(q, c.TimeMS, c.Zxid, c.Hand.Session)
	if c.Got && (!c.Unsure || c.Reason != event.NoReason) {
		r.Data = c.Hand.Data
	}
	r.What = handover.Says(c, sentence.Text(path.Base(c.Hand.Path)))
	return r
}
