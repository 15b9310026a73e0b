package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/engine/base/escape"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/record"
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/run/recordings"
)

const (
	recordsAt     = "/live/records"
	recordFileAt  = "/api/record/"
	recordsOnPage = 50
)

// records serves what this server and others have recorded.
type records struct {
	site   *site.Site
	shelf  *recordings.Shelf // nil if nothing is recorded, nor by other servers
	tapped bool              // they are a tap's observations
	jobs   *jobs             // that read whole recordings
}

// list answers /live/records?cluster=&path=&page= with the recordings, the newest first: those of the znode and of
// those above it, which have it, too.
func (s *records) list(w http.ResponseWriter, r *http.Request) {
	if s.shelf == nil {
		s.site.NotFound(w, r)
		return
	}
	q := r.URL.Query()
	p := page.RecordsProps{Frame: s.site.Frame(r, s.part()), Tapped: s.tapped, Path: protocol.Clip(q.Get("path")),
		Zone: zone()}
	if folder := s.shelf.Folder(); folder != nil {
		if why := folder.Trouble(); why != nil {
			p.Trouble = escape.Line(why.Error())
		}
		p.Own, p.Bytes, p.Max = true, sizeText(folder.Stats().Bytes), sizeText(folder.Max())
	}
	number, _ := strconv.Atoi(q.Get("page"))
	number = min(max(number, 1), record.MaxSegments)
	of := q.Get("cluster")
	found := s.shelf.Find(r.Context(), recordings.Query{Path: p.Path, All: of == "", Group: s.shelf.Group(of),
		Skip: (number - 1) * recordsOnPage, Count: recordsOnPage})
	for i := range found.Rows {
		p.Rows = append(p.Rows, recordRow(&found.Rows[i]))
	}
	p.All, p.Shares = found.All, s.shelf.Shares()
	if found.Silent > 0 {
		p.Silent = strconv.Itoa(found.Silent)
	}
	at := func(n int) string {
		return recordsAt + "?" + url.Values{"cluster": {of}, "path": {p.Path}, "page": {strconv.Itoa(n)}}.Encode()
	}
	if number > 1 {
		p.Newer = at(number - 1)
	}
	if found.All > number*recordsOnPage {
		p.Older = at(number + 1)
	}
	s.site.Render(w, r, http.StatusOK, page.Records(p))
}

// part returns the part of the site whose observations are recorded.
func (s *records) part() string {
	if s.tapped {
		return "zoo"
	}
	return "live"
}

func recordRow(c *recordings.Recording) page.RecordRow {
	return page.RecordRow{Name: c.ID, Cluster: escape.Line(c.Label), Path: c.Path, From: recordTime(c.From),
		To: recordTime(c.To), Events: sentence.Grouped(c.Events), Bytes: sizeText(c.Bytes), Live: c.Live,
		Cut: !c.Whole && !c.Live, Elsewhere: c.Elsewhere}
}

// zone returns the time zone of the times on pages.
func zone() string { return time.Now().Format("MST (-07:00)") }

func recordTime(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }

// sizeText formats a size.
func sizeText(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f kB", float64(n)/1e3)
}

// show answers /live/records/NAME with a recording on the stage.
func (s *records) show(w http.ResponseWriter, r *http.Request) {
	record, ok := s.open(w, r)
	if !ok {
		return
	}
	defer record.Close()
	row := recordRow(&record.Recording)
	p := page.LogProps{Frame: s.site.Frame(r, s.part()), Path: row.Path, State: row, Back: recordsAt,
		File: recordFileAt + url.PathEscape(row.Name)}
	p.Moment, p.Znode = readMoment(r)
	p.Holders = recordHourAt(row.Name)
	p.Title, p.Before = p.Say("records.head"), p.Say("records.title")
	p.Said = p.Say("records.span", row.From, row.To, row.Cluster)
	s.site.Render(w, r, http.StatusOK, page.Log(p))
}

// serve answers /api/record/NAME with the file.
func (s *records) serve(w http.ResponseWriter, r *http.Request) {
	record, ok := s.open(w, r)
	if !ok {
		return
	}
	defer record.Close()
	traceHead(w.Header(), record.Name)
	http.ServeContent(w, r, "", time.Time{}, record)
}

// traceHead sets the headers of a trace file with this name.
func traceHead(h http.Header, name string) {
	h.Set("Content-Type", "application/jsonl")
	h.Set("Content-Disposition", `attachment; filename="zkviz-`+url.PathEscape(name)+`"`)
	h.Set("Cache-Control", "no-store")
}

// open opens the requested recording by its name in the list, or answers that there is none.
func (s *records) open(w http.ResponseWriter, r *http.Request) (*recordings.Reader, bool) {
	if s.shelf == nil {
		s.site.NotFound(w, r)
		return nil, false
	}
	record, err := s.shelf.Open(r.Context(), r.PathValue("name"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.site.NotFound(w, r)
	case errors.Is(err, recordings.ErrAway):
		s.site.Refuse(w, r, http.StatusServiceUnavailable, recordings.ErrAway)
	case err != nil:
		s.site.Failed(w, r, err)
	}
	return record, err == nil
}

// covering returns the ID of a recording that has a znode of a cluster at a time in ms since 1970: its own, or one of
// a znode above it. It returns "" if there is none.
func (s *records) covering(ctx context.Context, cluster, path string, ms int64) (id string) {
	if s.shelf == nil {
		return ""
	}
	found := s.shelf.Find(ctx, recordings.Query{Group: s.shelf.Group(cluster), Path: path, AtMS: ms, Count: recordsOnPage})
	for _, c := range found.Rows {
		switch {
		case c.Path == path:
			return c.ID
		case id == "":
			id = c.ID
		}
	}
	return id
}
