package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/analysis/holds"
	"github.com/zkviz/zkviz/engine/base/escape"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/trace"
	"github.com/zkviz/zkviz/engine/event/window"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/observe/past/index"
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/run/recordings"
)

// recordHourAt returns the address of the last hour in a recording.
func recordHourAt(name string) string { return recordsAt + "/" + name + "/hour" }

// recordedHour is the last hour of a lock in a recording.
type recordedHour struct {
	holds.History
	known  bool
	joined bool
	kind   sentence.Sentence
}

// hour answers /live/records/NAME/hour?path=&since=&why=&who=&page= with how a lock was held in the recording's last
// hour. Without a path it's that of the recording.
func (s *records) hour(w http.ResponseWriter, r *http.Request) {
	rec, ok := s.open(w, r)
	if !ok {
		return
	}
	of := rec.Recording
	rec.Close()
	name, path := url.PathEscape(of.ID), r.URL.Query().Get("path")
	if path == "" {
		path = of.Path
	}
	f, given, err := readFilter(r, of.To.UnixMilli())
	p := page.HoldersProps{Frame: s.site.Frame(r, s.part()), Title: "records.hour", Path: protocol.Clip(path),
		Action: recordHourAt(name), Choose: true, Filter: filterProps(f, given),
		Back: page.PastLink{Key: "records.title", Address: recordsAt}}
	switch {
	case err != nil:
	case protocol.ValidatePath(path) != nil:
		err = protocol.ValidatePath(path)
	case !window.Within(path, of.Path):
		err = sentence.Error("records.hour.beyond", sentence.Text(escape.Line(path)), sentence.Text(escape.Line(of.Path)))
	}
	var h recordedHour
	if err == nil {
		h, p.Looking, err = s.readHour(r.Context(), of, path)
	}
	switch {
	case err != nil:
		p.Error = sentence.From(err)
		s.site.Render(w, r, http.StatusBadRequest, page.Holders(p))
		return
	case p.Looking != "":
		w.Header().Set("Refresh", "1")
	case !h.known:
		p.None = sentence.Of("records.hour.none", sentence.Text(escape.Line(path)))
	default:
		if p.Kind = h.kind; !h.joined {
			p.Seen = append(p.Seen, sentence.Of("live.hour.read"))
		}
		number, _ := strconv.Atoi(r.URL.Query().Get("page"))
		fillHolds(&p, &h.History, &f, number, holdPages{
			moment: func(one *holds.Hold) string {
				return recordsAt + "/" + name + "?" + url.Values{"moment": {strconv.FormatInt(momentOf(one), 10)},
					"znode": {one.Znode}}.Encode()
			},
			page: func(n string) string {
				return recordHourAt(name) + "?" + withFilter(url.Values{"path": {path}, "page": {n}}, given).Encode()
			}})
	}
	s.site.Render(w, r, http.StatusOK, page.Holders(p))
}

// readHour reads a recording for the last hour of a lock, or returns the progress of that in per cent.
func (s *records) readHour(ctx context.Context, of recordings.Recording, path string) (h recordedHour, share string,
	err error) {
	v, share, err := s.jobs.result(ctx, fmt.Sprint("record ", of.ID, of.Bytes, path),
		func(ctx context.Context, tell index.Progress) (any, error) {
			rec, err := s.shelf.Open(ctx, of.ID)
			if err != nil {
				return nil, err
			}
			defer rec.Close()
			file := io.TeeReader(io.LimitReader(rec, of.Bytes), &progress{tell: tell, of: of.Bytes})
			return hourOf(ctx, file, of.Path, path)
		})
	h, _ = v.(recordedHour)
	return h, share, err
}

// progress tells how much of a file has been read.
type progress struct {
	tell     index.Progress
	read, of int64
}

// Write implements io.Writer.
func (p *progress) Write(b []byte) (int, error) {
	p.read += int64(len(b))
	p.tell(float64(p.read) / float64(max(p.of, 1)))
	return len(b), nil
}

// checkEvery is how many events are read until the next look whether anybody still waits.
const checkEvery = 4096

// hourOf reads the events of a trace below root for the last hour of the lock at a path.
func hourOf(ctx context.Context, file io.Reader, root, path string) (h recordedHour, err error) {
	r, err := trace.NewReader(file)
	if err != nil {
		return h, err
	}
	h.joined = r.Header.Host == event.Joined
	log := locks.NewLog(locks.New(root))
	began, last := int64(0), int64(0)
	for n := 0; ; n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return h, ctx.Err()
		}
		e, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			log.Done()
			h.History, h.known = log.Hour(path, last, locks.Known{})
			for _, row := range log.Summary(last, path, locks.Known{}).Rows {
				if row.Path == path {
					h.kind = row.Kind()
				}
			}
			return h, nil
		case err != nil:
			return h, err
		case e.Kind == event.RunStarted:
			began = e.N
		}
		last = max(last, began+e.At.Milliseconds())
		log.Append(e)
	}
}
