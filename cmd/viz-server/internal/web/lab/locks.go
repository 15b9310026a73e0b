package lab

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/room"
)

// locksAt is the address of the page and of its form.
const locksAt = "/locks"

// locks answers /locks?clients=50&rounds=1&hold=20ms&seed=1&live=1. A GET runs nothing on real systems: live shows
// figures that an earlier post of the form has measured there.
func (s *Pages) locks(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		s.locksLive(w, r)
		return
	}
	p, c, err := s.readLocks(r)
	status := http.StatusOK
	if err != nil {
		status, p.Contest.Error = http.StatusBadRequest, sentence.From(err)
	} else if err = s.simulateContest(r, c); err != nil {
		status, p.Contest.Error = site.StatusOf(w, err), sentence.From(err)
	}
	if s.showContest(&p.Contest, c); p.Contest.Missing > 0 && status == http.StatusOK {
		w.Header().Set("Refresh", strconv.Itoa(int(room.AgainSoon.Seconds())))
	}
	s.renderLocks(w, r, status, p)
}

// simulateContest measures the contest on the simulator within comparePatience. A busy error doesn't count if some
// figures are there: the page reloads for the others.
func (s *Pages) simulateContest(r *http.Request, c contest) error {
	ctx, cancel := context.WithTimeout(r.Context(), comparePatience)
	defer cancel()
	err := s.measure(r.Context(), ctx, site.ClientOf(r), c.simulated)
	some := slices.ContainsFunc(c.simulated, func(key figuresKey) bool { _, ok := s.figures.find(key); return ok })
	if some && errors.As(err, new(room.Busy)) {
		return nil
	}
	return err
}

// locksLive answers a post of the form. It measures the contest on the real systems and redirects to the page, which
// can then show the figures again and again.
func (s *Pages) locksLive(w http.ResponseWriter, r *http.Request) {
	if !s.takeForm(w, r) {
		return
	}
	p, c, err := s.readLocks(r)
	status := http.StatusBadRequest
	if err == nil {
		status, err = s.writable(c.clients)
	}
	if err == nil {
		if err = s.runContest(r, c); err != nil {
			status = site.StatusOf(w, err)
		}
	}
	if err == nil {
		http.Redirect(w, r, s.site.At(site.LanguageOf(r), locksAt)+"?"+r.URL.RawQuery, http.StatusSeeOther)
		return
	}
	p.Contest.Error = sentence.From(err)
	_ = s.simulateContest(r, c) // err has the first failure
	s.showContest(&p.Contest, c)
	s.renderLocks(w, r, status, p)
}

// runContest measures the contest on each real system. After a failure it goes on with the others, and returns the
// first error.
func (s *Pages) runContest(r *http.Request, c contest) (first error) {
	ctx, cancel := context.WithTimeout(r.Context(), figuresTimeout)
	defer cancel()
	for _, key := range c.real {
		err := s.measure(ctx, ctx, site.ClientOf(r), []figuresKey{key})
		if first == nil {
			first = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	return first
}

// readLocks reads the parameters and fills the page with them.
func (s *Pages) readLocks(r *http.Request) (page.LocksProps, contest, error) {
	p := page.LocksProps{Frame: s.site.Frame(r, "lab")}
	c, err := s.readContest(&p.Contest, r.URL.Query())
	if err == nil && p.Contest.Live && s.figures.live == nil {
		c, err = contest{}, room.ErrNoCluster
	}
	return p, c, err
}

// renderLocks answers with the page.
func (s *Pages) renderLocks(w http.ResponseWriter, r *http.Request, status int, p page.LocksProps) {
	var err error
	if p.Broken, err = s.broken(); err != nil {
		s.site.Failed(w, r, err)
		return
	}
	s.site.Render(w, r, status, page.Locks(p))
}
