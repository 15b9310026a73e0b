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
	hourAt     = liveLocksAt + "/hour"
	hourFileAt = "/api/hour"
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
	p := hourProps(&q)
	if err == nil && q.live.Servers == "" && q.live.Cluster == "" {
		http.Redirect(w, r, s.site.At(site.LanguageOf(r), "/live"), http.StatusFound)
		return
	}
	var h follow.Hour
	if err == nil {
		c, _ := s.known.of(q.live.Cluster)
		h, err = c.locks.Hour(r.Context(), q.live.Path)
	}
	if err != nil {
		p.Error = sentence.From(err)
		s.site.Render(w, r, http.StatusBadRequest, page.Holders(p))
		return
	}
	number, _ := strconv.Atoi(r.URL.Query().Get("page"))
	fillHour(&p, &h, &q, number)
	s.site.Render(w, r, http.StatusOK, page.Holders(p))
}

// of returns the parameters that name the lock.
func (q *hourQuery) of() url.Values {
	return url.Values{"path": {q.live.Path}, "cluster": {q.live.Cluster}}
}

// hourProps returns the page without what is known.
func hourProps(q *hourQuery) page.HoldersProps {
	of := q.of()
	return page.HoldersProps{Frame: q.live.Frame, Path: q.live.Path, Filter: filterProps(q.filter, q.values),
		Title: "live.hour.title", Back: page.PastLink{Key: "live.hour.back", Address: liveLocksAt + "?" + of.Encode()},
		Action: hourAt,
		Hidden: []page.HoldParam{{Name: "path", Value: q.live.Path}, {Name: "cluster", Value: q.live.Cluster}},
		More: []page.PastLink{{Key: "live.hour.picture", Address: "/live?" + of.Encode()},
			{Key: "holds.json", Address: hourFileAt + "?" + withFilter(of, q.values).Encode()}}}
}

// fillHour fills in what is known of the last hour, with one page of its holds.
func fillHour(p *page.HoldersProps, h *follow.Hour, q *hourQuery, number int) {
	switch {
	case h.Away != "":
		text := strings.TrimSuffix(escape.Line(h.Away), ".")
		p.Gone = append(p.Gone, sentence.Of("live.locks.gone", sentence.Text(text)))
	case h.ReadOnly:
		p.Gone = append(p.Gone, sentence.Of("left.read-only"))
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
	since := sentence.Sentences(handover.Lapse(h.UntilMS - h.SinceMS))
	if h.Joined {
		p.Seen = append(p.Seen, sentence.Of("live.locks.joined", since))
	} else {
		p.Seen = append(p.Seen, sentence.Of("live.locks.read", since), sentence.Of("live.hour.read"))
	}
	for _, untold := range h.Untold {
		p.Seen = append(p.Seen, sentence.Of("live.locks.untold", sentence.Sentences(untold)))
	}
	fillHolds(p, &h.History, &q.filter, number, holdPages{
		moment: func(one *holds.Hold) string {
			of := q.of()
			of.Set("moment", strconv.FormatInt(momentOf(one), 10))
			of.Set("znode", one.Znode)
			return liveMomentAt + "?" + of.Encode()
		},
		page: func(n string) string {
			v := withFilter(q.of(), q.values)
			v.Set("page", n)
			return hourAt + "?" + v.Encode()
		}})
	p.Holds.Hosts = true
}

// momentOf returns when a hold ended, or began if it hasn't.
func momentOf(h *holds.Hold) int64 {
	if h.LostMS != 0 {
		return h.LostMS
	}
	return h.GotMS
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
