package web

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/trace"
)

// serveTrace answers /api/trace?run=ID&branch=N with a branch's log as a trace file.
func (s *Server) serveTrace(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	room, ok := s.rooms.find(q.Get("run"))
	if !ok {
		http.Error(w, fmt.Sprintf("The run %q is no longer kept; open it anew.", clip(q.Get("run"))), http.StatusNotFound)
		return
	}
	id, err := strconv.Atoi(q.Get("branch"))
	header, ok := room.header(id)
	if err != nil || !ok {
		http.Error(w, fmt.Sprintf("The run %s has no branch %q.", room.id, clip(q.Get("branch"))), http.StatusNotFound)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/jsonl")
	h.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="zkviz-%s-%d.jsonl"`, room.id, id))
	h.Set("Cache-Control", "no-store")
	t := trace.NewWriter(w, header)
	whole := room.events(id, func(e event.Event) bool {
		t.Append(e)
		return r.Context().Err() == nil // else the other end has left
	})
	if !whole {
		panic(http.ErrAbortHandler) // rather than a file that looks complete
	}
	_ = t.Flush()
}

func (r *room) header(id int) (event.Header, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if id < 0 || id >= len(r.branches) {
		return event.Header{}, false
	}
	return r.branches[id].header, true
}
