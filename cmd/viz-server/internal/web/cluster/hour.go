package cluster

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/body"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/holds"
	"github.com/zkviz/zkviz/engine/base/escape"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/cluster/follow"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

const (
	hourAt      = liveLocksAt + "/hour"
	hourFileAt  = "/api/hour"
	holdsOnPage = 50
)

// hourQuery is what a reader asks about the last hour of a lock.
type hourQuery struct {
	live   page.LiveProps
	filter holds.Filter
	values url.Values // of the filter, as given
}

// readHour reads the parameters path, cluster, since, why and who.
func (s *Pages) readHour(r *http.Request) (q hourQuery, err error) {
	if q.live, err = s.requestedHistory(r); err != nil {
		return q, err
	}
	q.filter, q.values, err = readFilter(r, time.Now().UnixMilli())
	return q, err
}

// readFilter reads the parameters since, why and who, and returns them as given too.
func readFilter(r *http.Request, nowMS int64) (f holds.Filter, given url.Values, err error) {
	given = url.Values{}
	for _, name := range []string{"since", "why", "who"} {
		if text := strings.TrimSpace(r.URL.Query().Get(name)); text != "" {
			given.Set(name, protocol.Clip(text))
		}
	}
	f.Who = given.Get("who")
	if f.SinceMS, err = parseSince(given.Get("since"), nowMS); err != nil {
		return f, given, err
	}
	if why := given.Get("why"); why != "" {
		f.Why, err = holds.ParseEnding(why)
	}
	return f, given, err
}

// parseSince reads a time as parsePast does, a time of the last 24 hours, or how long ago it was. Nothing is 0.
func parseSince(text string, nowMS int64) (ms int64, err error) {
	if text == "" {
		return 0, nil
	}
	if ago, err := time.ParseDuration(text); err == nil {
		return nowMS - ago.Milliseconds(), nil
	}
	now := time.UnixMilli(nowMS)
	for _, form := range []string{"15:04", "15:04:05"} {
		t, err := time.Parse(form, text)
		if err != nil {
			continue
		}
		at := time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.Local)
		if at.After(now) {
			at = at.AddDate(0, 0, -1)
		}
		return at.UnixMilli(), nil
	}
	if ms, err = parsePast(text); err != nil {
		return 0, sentence.Error("live.hour.since.bad", sentence.Quote(text))
	}
	return ms, nil
}

// hour answers /live/locks/hour?path=&cluster=&since=&why=&who=&page= with how a lock was held in the last hour.
func (s *Pages) hour(w http.ResponseWriter, r *http.Request) {
	q, err := s.readHour(r)
	p := page.HourProps{LiveProps: q.live, Filter: filterProps(q.filter, q.values)}
	if err == nil && p.Servers == "" && p.Cluster == "" {
		http.Redirect(w, r, s.site.At(site.LanguageOf(r), "/live"), http.StatusFound)
		return
	}
	var h follow.Hour
	if err == nil {
		c, _ := s.known.of(p.Cluster)
		h, err = c.locks.Hour(r.Context(), p.Path)
	}
	if err != nil {
		p.Error = sentence.From(err)
		s.site.Render(w, r, http.StatusBadRequest, page.Hour(p))
		return
	}
	number, _ := strconv.Atoi(r.URL.Query().Get("page"))
	fillHour(&p, &h, &q, number)
	s.site.Render(w, r, http.StatusOK, page.Hour(p))
}

// fillHour fills in what is known of the last hour, with one page of its holds.
func fillHour(p *page.HourProps, h *follow.Hour, q *hourQuery, number int) {
	nowMS := h.UntilMS
	p.Joined, p.Zone, p.JSON = h.Joined, zone(), hourFileAt+"?"+q.address(1)
	p.Untold = h.Untold
	switch {
	case h.Away != "":
		p.Gone = sentence.Of("live.locks.gone", sentence.Text(strings.TrimSuffix(escape.Line(h.Away), ".")))
	case h.ReadOnly:
		p.Gone = sentence.Of("left.read-only")
	}
	switch {
	case h.Known:
	case h.Reading:
		p.None = sentence.Of("live.hour.reading")
		return
	default:
		p.None = sentence.Of("live.hour.none")
		return
	}
	if len(h.Rows) > 0 {
		p.Kind = h.Rows[0].Kind()
	}
	p.Since = handover.Lapse(nowMS - h.SinceMS)
	all := h.Select(&q.filter)
	p.Holds = holdsProps(&h.History, all)
	p.Holds.Hosts = true
	p.Pages = max((len(all)+holdsOnPage-1)/holdsOnPage, 1)
	p.Page = min(max(number, 1), p.Pages)
	for _, one := range all[(p.Page-1)*holdsOnPage : min(p.Page*holdsOnPage, len(all))] {
		row := holdRow(&one, &h.Usual, nowMS)
		row.Moment = liveMomentAt + "?" + url.Values{"path": {p.Path}, "cluster": {p.Cluster},
			"moment": {strconv.FormatInt(momentOf(&one), 10)}, "znode": {one.Znode}}.Encode()
		p.Holds.Rows = append(p.Holds.Rows, row)
	}
	if p.Page > 1 {
		p.Newer = hourAt + "?" + q.address(p.Page-1)
	}
	if p.Page < p.Pages {
		p.Older = hourAt + "?" + q.address(p.Page+1)
	}
}

// momentOf returns when a hold ended, or began if it hasn't.
func momentOf(h *holds.Hold) int64 {
	if h.LostMS != 0 {
		return h.LostMS
	}
	return h.GotMS
}

// address returns the parameters of a page of the holds.
func (q *hourQuery) address(number int) string {
	v := url.Values{"path": {q.live.Path}, "cluster": {q.live.Cluster}}
	for name, given := range q.values {
		v[name] = given
	}
	if number > 1 {
		v.Set("page", strconv.Itoa(number))
	}
	return v.Encode()
}

// serveHour answers /api/hour?path=&cluster=&since=&why=&who= with the same as JSON.
func (s *Pages) serveHour(w http.ResponseWriter, r *http.Request) {
	q, err := s.readHour(r)
	if err != nil {
		s.site.Refuse(w, r, http.StatusBadRequest, err)
		return
	}
	c, _ := s.known.of(q.live.Cluster)
	h, err := c.locks.Hour(r.Context(), q.live.Path)
	switch {
	case err != nil:
		s.site.Refuse(w, r, http.StatusBadRequest, err)
		return
	case !h.Known:
		s.site.Refuse(w, r, http.StatusNotFound, sentence.Error("live.hour.none"))
		return
	}
	text, err := json.Marshal(struct {
		Path string `json:"path"`
		holds.Object
	}{q.live.Path, h.Object(&q.filter, func(ms int64) string {
		return time.UnixMilli(ms).Format("2006-01-02T15:04:05.000Z07:00")
	})})
	if err != nil {
		s.site.Failed(w, r, err)
		return
	}
	body.New("application/json", text, body.Quick).Serve(w, r, "no-store")
}
