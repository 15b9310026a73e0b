package cluster

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/base/escape"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/ensemble"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/run/cluster/follow"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

const (
	liveLocksAt = "/live/locks"
	// locksOnPage is the number of rows on a page.
	locksOnPage = 50
)

// lockKinds are the kinds that readers can choose.
var lockKinds = []string{string(naming.Lock), string(naming.ReadWrite), string(naming.Election),
	string(naming.Semaphore), string(naming.Queue), string(naming.Members), string(naming.Barrier)}

// liveLocks answers with the locks below a path of a cluster.
func (s *Pages) liveLocks(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	p := page.LiveLocksProps{LiveProps: page.LiveProps{Frame: s.site.Frame(r, "live"), Path: q.Get("path")},
		Kind: protocol.Clip(q.Get("kind")), Kinds: lockKinds, Text: protocol.Clip(q.Get("text")), Herds: q.Has("herds")}
	if p.Path == "" {
		p.Path = "/"
	}
	if err := s.chooseCluster(&p.LiveProps, q.Get("cluster")); err != nil {
		p.Error = sentence.From(err)
	} else if p.Servers == "" && p.Cluster == "" {
		// There the page explains how to name one.
		http.Redirect(w, r, s.site.At(site.LanguageOf(r), "/live"), http.StatusFound)
		return
	} else if err := protocol.ValidatePath(p.Path); err != nil {
		p.Path, p.Error = protocol.Clip(p.Path), sentence.From(err)
	}
	if p.Error.Key != "" {
		s.site.Render(w, r, http.StatusBadRequest, page.LiveLocks(p))
		return
	}
	number, _ := strconv.Atoi(q.Get("page"))
	c, _ := s.known.of(p.Cluster)
	report, err := c.locks.ReportOn(r.Context(), follow.Ask{Path: p.Path, Herds: p.Herds,
		Named: func(rows []locks.Row) []locks.Row { pick := p; return pickLocks(&pick, rows, number) }})
	if err != nil {
		p.Error = sentence.From(err)
		s.site.Render(w, r, http.StatusBadRequest, page.LiveLocks(p))
		return
	}
	p.Ensemble = ensembleOf(r.Context(), c.locks)
	s.fillThrough(r.Context(), &p, fillLocks(&p, report, time.Now().UnixMilli(), number), c.on.Access.Outer)
	s.site.Render(w, r, http.StatusOK, page.LiveLocks(p))
}

// whyEmpty explains why the list is empty, if that is known.
func whyEmpty(path string, report follow.Report) sentence.Sentence {
	switch {
	case report.Away != "" || report.Reading || len(report.Rows) > 0:
		return sentence.Sentence{}
	case report.Missing:
		return view.LeftOut(event.Event{Reason: event.LeftMissing, Path: escape.Line(path)})
	case report.Partial || report.Unread.Count > 0 || report.Hidden.Of > 0:
		return sentence.Of("live.locks.none.read")
	}
	return sentence.Of("live.locks.none")
}

// fillLocks fills one page with the report's rows that pass the filter, and returns these.
func fillLocks(p *page.LiveLocksProps, report follow.Report, nowMS int64, number int) []locks.Row {
	p.Joined, p.Left, p.Partial, p.All = report.Joined, report.Left, report.Partial, len(report.Rows)
	p.Untold, p.Reading, p.Read, p.ToRead = report.Untold, report.Reading, report.Found, report.ToRead
	p.Unread, p.Secret = report.Unread.Count, report.Unread.First
	p.Searched, p.Search = report.Hidden.Done, report.Hidden.Of
	if report.Away != "" {
		p.Gone = goneSince(report.Away, report.AsOfMS, nowMS)
		p.Before = handover.Lapse(nowMS - report.AsOfMS)
	}
	p.Cut = report.ReadOnly
	p.None = whyEmpty(p.Path, report)
	if report.FromMS != 0 {
		p.Since = handover.Lapse(nowMS - report.FromMS)
	}
	rows := pickLocks(p, report.Rows, number)
	for i := range rows {
		row := lockRow(&rows[i], nowMS)
		if row.Queue = lockQueue(&rows[i], nowMS); row.Queue != nil {
			row.Queue.Open = row.Path == p.Path
		}
		p.Rows = append(p.Rows, row)
	}
	return rows
}

// goneSince says why nothing can be seen, and since when; sinceMS is in ms since 1970, 0 if that isn't known.
func goneSince(why string, sinceMS, nowMS int64) sentence.Sentence {
	because := sentence.Text(strings.TrimSuffix(escape.Line(why), "."))
	if sinceMS == 0 {
		return sentence.Of("live.locks.gone", because)
	}
	return sentence.Of("live.locks.gone.since", because, sentence.Text(ensemble.Clock(sinceMS, nowMS)))
}

// pickLocks returns the rows of one page that pass the filter, and counts them and the pages.
func pickLocks(p *page.LiveLocksProps, all []locks.Row, number int) []locks.Row {
	var rows []locks.Row
	for i := range all {
		r := &all[i]
		if p.Kind != "" && string(r.Use) != p.Kind || !strings.Contains(r.Path, p.Text) {
			continue
		}
		rows = append(rows, *r)
		if len(r.Alerts) > 0 {
			p.Trouble++
		}
	}
	p.Found = len(rows)
	p.Pages = max((len(rows)+locksOnPage-1)/locksOnPage, 1)
	p.Page = min(max(number, 1), p.Pages)
	return rows[(p.Page-1)*locksOnPage : min(p.Page*locksOnPage, len(rows))]
}

// lockQueue returns what is known about a lock's queue, nil if that is nothing.
func lockQueue(r *locks.Row, nowMS int64) *page.LockQueue {
	q := &page.LockQueue{More: r.Unnamed(), Figures: r.Figures(nowMS)}
	for i := range r.Waiters {
		w := &r.Waiters[i]
		one := page.LockWaiter{LockClient: lockClient(w.Session, w.Client), Data: escape.Line(w.Data),
			Waits: r.Waits(w, nowMS), Behind: w.Says()}
		if w.MadeMS != 0 {
			one.At = htmlTime(w.MadeMS)
		}
		q.Waiters = append(q.Waiters, one)
	}
	for i := range r.Quits {
		quit := &r.Quits[i]
		q.Quits = append(q.Quits, page.LockQuit{At: htmlTime(quit.TimeMS), Said: quit.Said(), Ago: quit.Ago(nowMS)})
	}
	if len(q.Waiters)+len(q.Figures)+len(q.Quits) == 0 {
		return nil
	}
	return q
}

func lockRow(r *locks.Row, nowMS int64) page.LockRow {
	row := page.LockRow{Path: r.Path, Old: r.AsOfMS != 0, Kind: r.Kind(), Others: r.Others(nowMS), Line: r.Line(nowMS),
		Pace: r.Pace(nowMS), Wakers: r.OtherWakers(), Hour: locks.Holdable(r.Use)}
	for i := range r.Holding {
		h := &r.Holding[i]
		row.Holders = append(row.Holders, page.LockHolder{LockClient: lockClient(h.Session, h.Client),
			Data: escape.Line(h.Data), At: htmlTime(h.GotMS), Held: r.Held(h, nowMS),
			Far: r.Unusual(h, nowMS)})
	}
	for _, w := range r.Wakes {
		wake := page.LockWake{Says: w.Says(r.Inside), More: w.More()}
		for _, c := range w.Whom {
			wake.Whom = append(wake.Whom, lockClient(c.Session, c.Client))
		}
		row.Wakes = append(row.Wakes, wake)
	}
	for i := range r.Alerts {
		row.Alerts = append(row.Alerts, r.Says(&r.Alerts[i], nowMS))
	}
	if turns := r.Handovers(); len(turns) > 0 {
		row.Turn = lockTurn(&turns[0], nowMS)
	}
	return row
}

func lockTurn(t *locks.Turn, nowMS int64) *page.LockTurn {
	return &page.LockTurn{MS: t.TimeMS, Znode: cmp.Or(t.To.Path, t.From.Path), At: htmlTime(t.TimeMS), Said: t.Said(),
		Ago: t.Ago(nowMS)}
}

func lockClient(session int64, c locks.Client) page.LockClient {
	who := page.LockClient{Address: escape.Line(c.Addr), Unconnected: c.Unconnected}
	if session != 0 {
		who.Session = handover.SessionText(session)
	}
	return who
}

// htmlTime returns a time in HTML's format.
func htmlTime(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339) }

// fillLastKnown fills in the list's latest knowledge of a path, from before the page was opened.
func (s *Pages) fillLastKnown(ctx context.Context, p *page.LiveProps, nowMS int64) {
	c, ok := s.known.of(p.Cluster)
	if !ok {
		return
	}
	of := c.locks
	if t, ok := of.LastTurn(p.Path); ok {
		p.Turn = lockTurn(&t, nowMS)
	}
	if r, ok := of.LastSeen(p.Path); ok {
		row := lockRow(&r, nowMS)
		p.Seen, p.SeenAt = &row, htmlTime(r.AsOfMS)
		return
	}
	p.Away = s.whyUnreachable(ctx, p.Cluster)
}
