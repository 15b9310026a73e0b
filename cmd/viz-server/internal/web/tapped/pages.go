// Package tapped serves the page of a tap: what passes through it, by path and by client, and the same as JSON. It only
// reads the tap's figures; engine/observe/tap counts them.
package tapped

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/taps"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/body"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/tap"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// Tap is what the pages read of a tap.
type Tap interface {
	Place() string // where clients connect
	Figures() tap.Figures
	Breakdown() tap.Breakdown
}

// Config configures the pages.
type Config struct {
	Site    *site.Site
	Tap     Tap    // nil if there is none
	Servers string // those behind it
	Home    bool   // the page is also the first one
}

const (
	tapAt      = "/tap"
	rowsOnPage = 50
	reload     = "5" // seconds
)

// Pages answers with the pages of a tap.
type Pages struct{ cfg Config }

// New returns the pages.
func New(cfg Config) *Pages { return &Pages{cfg} }

// Routes returns the handlers by their addresses; none without a tap.
func (s *Pages) Routes() map[string]http.HandlerFunc {
	if s.cfg.Tap == nil {
		return nil
	}
	routes := map[string]http.HandlerFunc{tapAt: s.show, taps.FiguresAt: s.serveJSON}
	if s.cfg.Home {
		routes["/{$}"] = s.show
	}
	return routes
}

// parameters of the page, in the order in which addresses have them.
var parameters = [...]string{"by", "span", "sort", "text", "page", "every"}

// show answers with the page.
func (s *Pages) show(w http.ResponseWriter, r *http.Request) {
	b, f := s.cfg.Tap.Breakdown(), s.cfg.Tap.Figures()
	q := r.URL.Query()
	p := page.TapProps{Frame: s.cfg.Site.Frame(r, "tap"), Path: tapAt, Listens: s.cfg.Tap.Place(),
		Servers: s.cfg.Servers, Since: htmlTime(b.Began), Open: f.Open, Seen: f.Sessions, Span: int(b.Span / time.Second),
		Client: q.Get("by") == "client", InAll: q.Get("span") == "all", Text: protocol.Clip(q.Get("text")),
		Sort: q.Get("sort"), Every: q.Get("every") == reload}
	if !page.TapSorts[p.Sort] {
		p.Sort = "requests"
	}
	p.Address = func(change ...string) string { return address(q, change) }
	p.Trouble = troubles(&f)
	p.Recent = cells(&b.Total.Recent, b.Span)
	p.All = cells(&b.Total.All, b.At.Sub(b.Began))
	p.Codes = failures(&b.Total)
	p.Herds = herds(b.Herds)
	number, _ := strconv.Atoi(q.Get("page"))
	fill(&p, rowsOf(&p, &b), number)
	if p.Every {
		w.Header().Set("Refresh", reload)
	}
	s.cfg.Site.Render(w, r, http.StatusOK, page.Tap(p))
}

// address returns the page's address with changed parameters; an empty value leaves one out.
func address(q url.Values, change []string) string {
	all := url.Values{}
	for _, name := range parameters {
		if v := protocol.Clip(q.Get(name)); v != "" {
			all.Set(name, v)
		}
	}
	for i := 0; i+1 < len(change); i += 2 {
		if all.Set(change[i], change[i+1]); change[i+1] == "" {
			all.Del(change[i])
		}
	}
	if len(all) == 0 {
		return tapAt
	}
	return tapAt + "?" + all.Encode()
}

// troubles says what the figures lack.
func troubles(f *tap.Figures) (all []sentence.Sentence) {
	if f.Gaps > 0 {
		all = append(all, sentence.Of("tap.gaps", sentence.Number(f.Gaps), sentence.Number(f.MissedBytes)))
	}
	if f.Unseen > 0 {
		all = append(all, sentence.Of("tap.unread", sentence.Number(f.Unseen)))
	}
	if f.TurnedAway > 0 {
		all = append(all, sentence.Of("tap.turned-away", sentence.Number(f.TurnedAway)))
	}
	return all
}

// fill fills in one page of the rows.
func fill(p *page.TapProps, rows []row, number int) {
	p.Of = len(rows)
	rows = chosen(rows, p.Text, p.Sort)
	p.Found, p.Pages = len(rows), max((len(rows)+rowsOnPage-1)/rowsOnPage, 1)
	p.Page = min(max(number, 1), p.Pages)
	rows = rows[(p.Page-1)*rowsOnPage : min(p.Page*rowsOnPage, len(rows))]
	most, woken := time.Duration(0), 0
	for i := range rows {
		most, woken = max(most, rows[i].tally.Latency.P99), max(woken, rows[i].tally.Wakeups)
	}
	for i := range rows {
		p.Rows = append(p.Rows, rows[i].props(most, woken))
	}
}

// serveJSON answers with everything as JSON.
func (s *Pages) serveJSON(w http.ResponseWriter, r *http.Request) {
	b := s.cfg.Tap.Breakdown()
	text, err := json.Marshal(taps.FiguresOf(&b, s.cfg.Tap.Place(), s.cfg.Servers))
	if err != nil {
		s.cfg.Site.Failed(w, r, err)
		return
	}
	body.New("application/json", append(text, '\n'), body.Quick).Serve(w, r, body.AskAgain)
}

// htmlTime returns a time in HTML's format.
func htmlTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }
