package classes

import (
	"encoding/json"
	"net/http"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/class"
)

// utf8Mark begins a CSV file, so that spreadsheets read it as UTF-8.
const utf8Mark = "\ufeff"

// saveResults answers the form for a class's results with a file. Only its teacher gets it.
func (s *Pages) saveResults(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	c, err := s.hall.Find(r.Context(), name)
	if r.Method != http.MethodPost || err != nil {
		http.Redirect(w, r, s.at(r, name), http.StatusSeeOther)
		return
	}
	if r.ParseForm() != nil {
		s.cfg.Site.Refuse(w, r, http.StatusBadRequest, sentence.Error("bad.form"))
		return
	}
	var results class.Results
	teaches := false
	c.Read(func(st *class.State) {
		if teaches = st.IsTeacher(r.PostForm.Get("secret")); teaches {
			results = st.Results()
		}
	})
	if !teaches {
		status := http.StatusForbidden
		if s.guesses.wrong(site.ClientOf(r), s.cfg.Now()) {
			status = http.StatusTooManyRequests
		}
		s.cfg.Site.Refuse(w, r, status, class.ErrSecret)
		return
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	if r.PostForm.Get("form") == "json" {
		h.Set("Content-Type", "application/json")
		h.Set("Content-Disposition", `attachment; filename="class-`+name+`.json"`)
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		_ = e.Encode(results) // fails only if nobody reads it
		return
	}
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="class-`+name+`.csv"`)
	if _, err := w.Write([]byte(utf8Mark)); err == nil {
		_ = results.WriteCSV(w)
	}
}
