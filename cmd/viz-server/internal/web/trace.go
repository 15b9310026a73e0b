package web

import (
	"net/http"
	"strconv"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/room"
)

// serveTrace answers /api/trace?run=ID&branch=N with a branch's log as a trace file.
func (s *Server) serveTrace(w http.ResponseWriter, r *http.Request) {
	log, id, ok := s.logOf(w, r)
	if !ok {
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/jsonl")
	h.Set("Content-Disposition", `attachment; filename="`+room.TraceFile(log.Run, id)+`"`)
	h.Set("Cache-Control", "no-store")
	if !log.WriteTrace(r.Context(), w) {
		panic(http.ErrAbortHandler) // so that nobody takes the file for complete
	}
}

// logOf returns the log that a request names by its run and branch, or refuses.
func (s *Server) logOf(w http.ResponseWriter, r *http.Request) (log room.Log, branch int, ok bool) {
	q := r.URL.Query()
	branch, err := strconv.Atoi(q.Get("branch"))
	if err != nil {
		branch = -1
	}
	log, kept, found := s.runs.Log(q.Get("run"), branch)
	if !kept {
		s.site.Refuse(w, r, http.StatusNotFound, room.NotKept(q.Get("run")))
		return log, branch, false
	}
	if !found {
		s.site.Refuse(w, r, http.StatusNotFound, sentence.Error("bad.branch.of", sentence.Text(log.Run),
			sentence.Quote(q.Get("branch"))))
		return log, branch, false
	}
	return log, branch, true
}
