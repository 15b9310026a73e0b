package cluster

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/trace"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

const (
	liveMomentAt  = "/live/moment"
	historyFileAt = "/api/story"
)

// readMoment returns the requested moment in ms since 1970, or 0, and the znode to select then.
func readMoment(r *http.Request) (ms int64, znode string) {
	q := r.URL.Query()
	n, err := strconv.ParseUint(q.Get("moment"), 10, 53)
	if err != nil {
		return 0, ""
	}
	if znode = q.Get("znode"); protocol.ValidatePath(znode) != nil {
		znode = ""
	}
	return int64(n), znode
}

// requestedHistory reads the requested lock and cluster.
func (s *Pages) requestedHistory(r *http.Request) (p page.LiveProps, err error) {
	q := r.URL.Query()
	p = page.LiveProps{Frame: s.site.Frame(r, "live"), Path: q.Get("path")}
	p.Moment, p.Znode = readMoment(r)
	if err := s.chooseCluster(&p, q.Get("cluster")); err != nil {
		return p, err
	}
	if err := protocol.ValidatePath(p.Path); err != nil {
		p.Path = protocol.Clip(p.Path)
		return p, err
	}
	return p, nil
}

// liveMoment answers /live/moment?path=&cluster=&moment= with the stage at a moment of a lock. It takes the lock's kept
// history, otherwise a recording, otherwise the servers' transaction logs, otherwise the live view, which says if it
// doesn't reach back far enough.
func (s *Pages) liveMoment(w http.ResponseWriter, r *http.Request) {
	live, err := s.requestedHistory(r)
	if err != nil {
		live.Error = sentence.From(err)
		s.site.Render(w, r, http.StatusBadRequest, page.LiveLocks(page.LiveLocksProps{LiveProps: live, Kinds: lockKinds}))
		return
	}
	asked := url.Values{"path": {live.Path}, "cluster": {live.Cluster}}
	goesOn := "/live?" + asked.Encode()
	asked.Set("moment", strconv.FormatInt(live.Moment, 10))
	file := historyFileAt + "?" + asked.Encode()
	asked.Set("znode", live.Znode)
	c, _ := s.known.of(live.Cluster)
	if !c.locks.Hold(live.Path, live.Moment) {
		to := "/live?" + asked.Encode()
		if name := s.records.covering(r.Context(), live.Cluster, live.Path, live.Moment); name != "" {
			to = recordsAt + "/" + url.PathEscape(name) + "?" + asked.Encode()
		} else if at := s.past.around(live.Path, live.Moment); at != "" && live.Cluster == "" {
			to = at
		}
		http.Redirect(w, r, s.site.At(site.LanguageOf(r), to), http.StatusFound)
		return
	}
	p := page.LogProps{Frame: live.Frame, Path: live.Path, Moment: live.Moment, Znode: live.Znode, File: file,
		Live: goesOn, Back: liveLocksAt + "?" + url.Values{"cluster": {live.Cluster}}.Encode()}
	p.Title, p.Before, p.Said = p.Say("live.moment.head"), p.Say("live.moment.back"), p.Say("live.moment.kept")
	s.site.Render(w, r, http.StatusOK, page.Log(p))
}

// serveHistory answers /api/story?path=&cluster=&moment= with a lock's kept history as a trace file.
func (s *Pages) serveHistory(w http.ResponseWriter, r *http.Request) {
	p, err := s.requestedHistory(r)
	if err != nil {
		s.site.Refuse(w, r, http.StatusBadRequest, err)
		return
	}
	c, _ := s.known.of(p.Cluster)
	log, ok := c.locks.Story(p.Path, p.Moment)
	if !ok {
		s.site.Refuse(w, r, http.StatusNotFound, sentence.Error("refused.story"))
		return
	}
	traceHead(w.Header(), "lock.jsonl")
	to := trace.NewWriter(w, log.Header)
	for _, e := range log.Events {
		to.Append(e)
	}
	if err := to.Flush(); err != nil {
		s.log.Debug("not all of a lock's story was sent", "error", err)
	}
}
