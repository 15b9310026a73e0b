package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/engine/base/escape"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/window"
	"github.com/zkviz/zkviz/engine/observe/record"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

const (
	recordsAt     = "/live/records"
	recordFileAt  = "/api/record/"
	recordsOnPage = 50
)

// records serves what a folder has recorded.
type records struct {
	site     *site.Site
	folder   *record.Folder // nil if nothing is recorded
	tapped   bool           // they are a tap's observations
	ensemble string         // where a recording without a cluster's name is from
	jobs     *jobs          // that read whole recordings
}

// list answers /live/records?cluster=&path=&page= with the recordings, the newest first: those of the znode and of
// those above it, which have it, too.
func (s *records) list(w http.ResponseWriter, r *http.Request) {
	if s.folder == nil {
		s.site.NotFound(w, r)
		return
	}
	q := r.URL.Query()
	p := page.RecordsProps{Frame: s.site.Frame(r, s.part()), Tapped: s.tapped, Path: protocol.Clip(q.Get("path")),
		Zone: zone()}
	if why := s.folder.Trouble(); why != nil {
		p.Trouble = escape.Line(why.Error())
	}
	p.Max = sizeText(s.folder.Max())
	number, _ := strconv.Atoi(q.Get("page"))
	number = max(number, 1)
	found, sum, of := 0, int64(0), q.Get("cluster")
	for _, c := range s.folder.List() {
		sum += c.Bytes
		if p.Path != "" && !window.Within(p.Path, c.Path) || of != "" && c.Cluster != of {
			continue
		}
		if found++; found > (number-1)*recordsOnPage && found <= number*recordsOnPage {
			p.Rows = append(p.Rows, s.row(c))
		}
	}
	p.All, p.Bytes = found, sizeText(sum)
	at := func(n int) string {
		return recordsAt + "?" + url.Values{"cluster": {of}, "path": {p.Path}, "page": {strconv.Itoa(n)}}.Encode()
	}
	if number > 1 {
		p.Newer = at(number - 1)
	}
	if found > number*recordsOnPage {
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

func (s *records) row(c record.Record) page.RecordRow {
	row := page.RecordRow{Name: c.Name, Cluster: c.Cluster, Path: c.Path, From: recordTime(c.From), To: recordTime(c.To),
		Events: sentence.Grouped(c.Events), Bytes: sizeText(c.Bytes), Live: c.Live, Cut: !c.Whole && !c.Live}
	if row.Cluster == "" {
		row.Cluster = strings.ReplaceAll(s.ensemble, ",", ", ")
	}
	return row
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
	row := s.row(record.Record)
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
func (s *records) open(w http.ResponseWriter, r *http.Request) (*record.Reader, bool) {
	if s.folder == nil {
		s.site.NotFound(w, r)
		return nil, false
	}
	record, err := s.folder.Read(r.PathValue("name"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.site.NotFound(w, r)
	case err != nil:
		s.site.Failed(w, r, err)
	}
	return record, err == nil
}

// covering returns the name of a recording that has a znode of a cluster at a time in ms since 1970: its own, or one of
// a znode above it. It returns "" if there is none.
func (s *records) covering(cluster, path string, ms int64) (name string) {
	if s.folder == nil {
		return ""
	}
	for _, c := range s.folder.List() {
		switch {
		case c.Cluster != cluster || c.From.UnixMilli() > ms || ms > c.To.UnixMilli():
		case c.Path == path:
			return c.Name
		case name == "" && window.Within(path, c.Path):
			name = c.Name
		}
	}
	return name
}
