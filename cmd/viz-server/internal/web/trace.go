package web

import (
	"net/http"
	"strconv"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/room"
)

// serveTrace answers /api/trace?run=ID&branch=N with a branch's log as a trace file.
func (s *Server) serveTrace(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	id, err := strconv.Atoi(q.Get("branch"))
	if err != nil {
		id = -1
	}
	log, kept, found := s.runs.Log(q.Get("run"), id)
	if !kept {
		s.site.Refuse(w, r, http.StatusNotFound, room.NotKept(q.Get("run")))
		return
	}
	if !found {
		s.site.Refuse(w, r, http.StatusNotFound, sentence.Error("bad.branch.of", sentence.Text(log.Run),
			sentence.Quote(q.Get("branch"))))
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
