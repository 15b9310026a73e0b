package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/past"
	"github.com/zkviz/zkviz/engine/observe/past/index"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// Limits of a page of the past.
const (
	pastRows       = 50
	pastColumns    = 96
	pastPatience   = 700 * time.Millisecond  // for counting
	searchPatience = 1500 * time.Millisecond // for searching
	momentTimeout  = 20 * time.Second
)

// History serves the transaction logs to rooms.
type History struct{ *index.Index }

// Window implements room.Past.
func (h History) Window(ctx context.Context, path string, since, until int64, sink event.Sink) error {
	return pastError(h.Index.Window(ctx, path, since, until, sink))
}

// pastPages serves the transaction logs.
type pastPages struct {
	site  *site.Site
	index *index.Index // nil if there are no logs
	jobs  *jobs        // searches
}

// pastError words an error from reading the files.
func pastError(err error) error {
	var gone *index.Vanished
	switch {
	case errors.Is(err, index.ErrNothing):
		return sentence.Error("past.empty")
	case errors.As(err, &gone):
		return sentence.Wrap(gone.Err, "past.gone.why")
	case err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded):
		return sentence.Wrap(err, "past.failed")
	}
	return err
}

// pastAt is the page's address.
const pastAt = "/past"

// show answers /past?path=&session=&kind=&from=&until=&hands= with a time line and the transactions.
func (s *pastPages) show(w http.ResponseWriter, r *http.Request) {
	if s.index == nil {
		s.site.NotFound(w, r)
		return
	}
	p := page.PastProps{Frame: s.site.Frame(r, "past"), Zone: zone()}
	s.readNew(r.Context())
	status, code := s.index.Status(), http.StatusOK
	q, err := s.read(r, &p)
	if err == nil {
		p.From, p.Until = pastTime(q.Since), pastTime(q.Until)
		p.FromMS, p.UntilMS = strconv.FormatInt(q.Since, 10), strconv.FormatInt(q.Until, 10)
		err = s.fill(r.Context(), &p, q)
	} else {
		code = http.StatusBadRequest
		p.From, p.Until = protocol.Clip(q.values.Get("from")), protocol.Clip(q.values.Get("until"))
	}
	if err != nil {
		p.Error = sentence.From(err)
	}
	if len(p.Kinds) == 0 {
		p.Kinds = kindsOf(q, nil)
	}
	addStatus(&p, &status)
	if p.Reading != "" || p.Counting != "" || p.Looking != "" {
		w.Header().Set("Refresh", "1")
	}
	s.site.Render(w, r, code, page.Past(p))
}

// fill fills in the time line and the rows.
func (s *pastPages) fill(ctx context.Context, p *page.PastProps, q pastQuery) error {
	columns, err := s.columns(ctx, p, q)
	if err != nil {
		return err
	}
	s.drawColumns(p, q, columns)
	status := s.index.Status()
	drawSources(p, q, &status)
	s.drawMoves(p, q)
	if q.handovers {
		return s.fillHandovers(ctx, p, q)
	}
	return s.fillRows(ctx, p, q)
}

// columns returns the counts along the time line, from the index if it suffices, otherwise by counting.
func (s *pastPages) columns(ctx context.Context, p *page.PastProps, q pastQuery) ([]index.Counts, error) {
	if q.Below == "/" && len(q.Sessions)+len(q.Kinds) == 0 {
		if columns, fine := s.index.Columns(q.Since, q.Until, pastColumns); fine {
			return columns, nil
		}
	}
	f := q.Filter
	if len(f.Kinds) == 0 && f.Below == "/" {
		f.Kinds = past.Kinds // including sessions
	}
	key := fmt.Sprint("tally ", f, s.index.Known())
	v, share, err := s.runJob(ctx, key, func(ctx context.Context, tell index.Progress) (any, error) {
		return s.index.Tally(ctx, f, pastColumns, tell)
	})
	p.Counting = share
	columns, _ := v.([]index.Counts)
	return columns, err
}

// runJob returns a job's result, or its progress in per cent.
func (s *pastPages) runJob(ctx context.Context, key string, work func(context.Context, index.Progress) (any, error),
) (v any, share string, err error) {
	v, share, err = s.jobs.result(ctx, key, work)
	return v, share, pastError(err)
}

// fillHandovers fills the page with handovers.
func (s *pastPages) fillHandovers(ctx context.Context, p *page.PastProps, q pastQuery) error {
	h, share, err := s.handovers(ctx, q.Below)
	if p.Looking = share; err != nil || share != "" {
		return err
	}
	p.Said = append(p.Said, handoverRemarks(&h, q.Below)...)
	if h.Whose != "" {
		p.Found = sentence.Of("past.kind", sentence.Sentences(naming.Said(h.Use, h.Whose, false)))
	}
	if len(h.Changes) > 0 {
		p.Holders = q.with(pastHoldsAt, "hands", "", "session", "", "who", q.values.Get("session"))
	}
	n := 0
	for i := range h.Changes {
		c := &h.Changes[i]
		if !q.At(c.TimeMS) || len(q.Sessions) > 0 && c.Hand.Session != q.Sessions[0] {
			continue
		}
		if n++; n <= q.skip {
			continue
		}
		if len(p.Rows) == pastRows {
			p.Next = q.with(pastAt, "skip", strconv.Itoa(q.skip+pastRows))
			break
		}
		p.Rows = append(p.Rows, handoverRow(q, c))
	}
	p.None = len(p.Rows) == 0
	return nil
}

// fillRows fills the page with the rows that are found within lookPatience.
func (s *pastPages) fillRows(ctx context.Context, p *page.PastProps, q pastQuery) error {
	ctx, cancel := context.WithTimeout(ctx, searchPatience)
	defer cancel()
	last, err := s.index.Search(ctx, q.Filter, q.after, func(r *index.Row) bool {
		p.Rows = append(p.Rows, factRow(q, r))
		return len(p.Rows) < pastRows
	})
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return pastError(err)
	}
	switch {
	case last.Zxid != 0:
		p.Next = q.with(pastAt, "after", fmt.Sprintf("%x.%d", last.Zxid, last.N))
		if err != nil {
			p.Found = sentence.Of("past.partly", sentence.Text(fmt.Sprintf("%#x", last.Zxid)))
		}
	case err != nil:
		p.Found = sentence.Of("past.slow")
	default:
		p.None = len(p.Rows) == 0 && q.after.Zxid == 0
	}
	return nil
}

// spans are the possible lengths of an interval on the stage. The longest with at most spanTxns transactions is taken.
var spans = []time.Duration{24 * time.Hour, 6 * time.Hour, time.Hour, 10 * time.Minute, time.Minute, 10 * time.Second}

const spanTxns = 5000

// spanAt returns the interval on the stage that contains a moment.
func (s *pastPages) spanAt(at int64) (since, until int64) {
	for _, d := range spans {
		ms := d.Milliseconds()
		since, until = s.index.Unbroken(at, at-at%ms, at-at%ms+ms)
		columns, fine := s.index.Columns(since, until, 1)
		if fine && columns[0].Txns <= spanTxns {
			break
		}
	}
	return since, until
}

// showMoment answers /past/moment?path=&at= with the interval around a moment on the stage.
func (s *pastPages) showMoment(w http.ResponseWriter, r *http.Request) {
	if s.index == nil {
		s.site.NotFound(w, r)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), momentTimeout)
	defer cancel()
	get := r.URL.Query().Get
	p := page.MomentProps{Frame: s.site.Frame(r, "past"), Path: protocol.Clip(get("path")), When: protocol.Clip(get("at")),
		Back: pastAt}
	status := http.StatusOK
	s.readNew(ctx)
	if err := s.fillMoment(ctx, &p, get("path"), strings.TrimSpace(get("at"))); err != nil {
		status, p.Error = http.StatusBadRequest, sentence.From(pastError(err))
	}
	s.site.Render(w, r, status, page.Moment(p))
}

func (s *pastPages) fillMoment(ctx context.Context, p *page.MomentProps, path, text string) error {
	if path == "" {
		path, p.Path = "/", "/"
	}
	if err := protocol.ValidatePath(path); err != nil {
		return err
	}
	at, err := parsePast(text)
	if err != nil {
		return err
	}
	q := pastQuery{Filter: past.Filter{Below: path}, values: url.Values{"path": {path}}}
	since, until := s.spanAt(at)
	p.When, p.Since, p.Till = pastTime(at), pastTime(since), pastTime(until)
	p.Back = q.between(since-(until-since), until+(until-since))
	if before, ok, err := s.index.Last(ctx, since); err != nil {
		return err
	} else if ok {
		p.Moves = append(p.Moves, page.PastLink{Key: "past.before", Address: q.moment(before.TimeMS)})
	}
	if after, ok, err := s.index.First(ctx, until); err != nil {
		return err
	} else if ok {
		p.Moves = append(p.Moves, page.PastLink{Key: "past.after", Address: q.moment(after.TimeMS)})
	}
	first, ok, err := s.index.First(ctx, since)
	if err != nil {
		return err
	}
	if !ok || first.TimeMS >= until {
		return index.ErrNothing
	}
	v := url.Values{"path": {path}, "window": {protocol.Window{Since: max(since, 0), Until: until}.String()}}
	v.Set("at", (time.Duration(max(0, at-first.TimeMS)) * time.Millisecond).String())
	p.Stage = v.Encode()
	return nil
}
