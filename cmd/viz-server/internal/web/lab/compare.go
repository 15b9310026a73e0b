package lab

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/compare"
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/run/room"
	"github.com/zkviz/zkviz/engine/stage/costs"
	"github.com/zkviz/zkviz/recipes"
)

// comparePatience limits how long a page waits for figures before it is sent without them.
const comparePatience = 10 * time.Second

// compareAt is the address of the page and of its form.
const compareAt = "/lab/compare"

// compareRequest holds the parameters of /lab/compare.
type compareRequest struct {
	compare.Request
	live bool // also on the cluster
}

// keys returns the runs on a host, the cheap ones first.
func (c compareRequest) keys(host event.Host) (all []figuresKey) {
	for _, x := range c.Runs() {
		all = append(all, c.key(x, host))
	}
	return all
}

// key returns the key of a run on a host.
func (c compareRequest) key(x compare.Run, host event.Host) figuresKey {
	key := figuresKey{recipe: x.Recipe, clients: x.Clients, host: host}
	if !host.Traits().RealTime {
		key.servers, key.observers = c.Servers, c.Observers
	}
	return key
}

// compare answers /lab/compare?recipe=NAME&recipe=NAME&clients=2,10,100&servers=3&observers=1&live=1. A GET runs
// nothing on the cluster: live shows figures that an earlier post of the form has measured there.
func (s *Pages) compare(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		s.compareLive(w, r)
		return
	}
	p, c, err := s.readCompareRequest(r)
	if err != nil {
		p.Error = sentence.From(err)
		s.showCosts(&p, c)
		s.site.Render(w, r, http.StatusBadRequest, page.Compare(p))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), comparePatience)
	defer cancel()
	err = s.measure(r.Context(), ctx, site.ClientOf(r), c.keys(event.Simulated))
	if err != nil && !errors.As(err, new(room.Busy)) {
		s.site.Failed(w, r, err)
		return
	}
	status := http.StatusOK
	if s.showCosts(&p, c); p.Missing > 0 {
		w.Header().Set("Refresh", strconv.Itoa(int(room.AgainSoon.Seconds())))
	}
	if p.Runs == 0 && err != nil {
		status, p.Error = site.StatusOf(w, err), sentence.From(err)
	}
	s.site.Render(w, r, status, page.Compare(p))
}

// compareLive answers a post of the form. It measures the runs on the cluster and redirects to the page, which can then
// show their figures again and again.
func (s *Pages) compareLive(w http.ResponseWriter, r *http.Request) {
	if !s.takeForm(w, r) {
		return
	}
	p, c, err := s.readCompareRequest(r)
	status := http.StatusBadRequest
	if err == nil {
		status, err = s.writable(c.Clients[len(c.Clients)-1])
	}
	if err == nil {
		ctx, cancel := context.WithTimeout(r.Context(), figuresTimeout)
		defer cancel()
		if err = s.measure(ctx, ctx, site.ClientOf(r), c.keys(event.Cluster)); err != nil {
			status = site.StatusOf(w, err)
		}
	}
	if err == nil {
		http.Redirect(w, r, s.site.At(site.LanguageOf(r), compareAt)+"?"+r.URL.RawQuery, http.StatusSeeOther)
		return
	}
	p.Error = sentence.From(err)
	s.showCosts(&p, c)
	s.site.Render(w, r, status, page.Compare(p))
}

// takeForm moves the posted form into the address's query, with live=1, as the next page is loaded with it. It reports
// whether the form is readable; if not, it has answered.
func (s *Pages) takeForm(w http.ResponseWriter, r *http.Request) bool {
	if err := r.ParseForm(); err != nil {
		s.site.Refuse(w, r, http.StatusBadRequest, sentence.Error("bad.form"))
		return false
	}
	r.PostForm.Set("live", "1")
	r.URL.RawQuery = r.PostForm.Encode()
	return true
}

// writable returns an error with its status if the real systems can't run that many clients.
func (s *Pages) writable(clients int) (status int, err error) {
	if err = s.figures.live.Writable(clients); errors.Is(err, room.ErrReadOnly) {
		return http.StatusForbidden, err
	}
	return http.StatusBadRequest, err
}

// readCompareRequest reads the request's parameters and fills the page with them.
func (s *Pages) readCompareRequest(r *http.Request) (page.CompareProps, compareRequest, error) {
	q := r.URL.Query()
	if len(q["recipe"]) == 0 {
		q["recipe"] = recipes.Compared()
	}
	q.Set("clients", cmp.Or(protocol.Clip(q.Get("clients")), "2,10,100"))
	asked, err := compare.ParseRequest(q)
	c := compareRequest{asked, q.Get("live") != ""}
	p := page.CompareProps{Frame: s.site.Frame(r, "lab"), Clients: q.Get("clients"),
		Voters: protocol.Clip(strings.TrimSpace(q.Get("servers"))),
		Watch:  protocol.Clip(strings.TrimSpace(q.Get("observers"))), Live: c.live}
	all, _ := recipeNames()
	for _, name := range all {
		p.Choices = append(p.Choices, page.CompareChoice{Name: name, Chosen: slices.Contains(c.Recipes, name)})
	}
	if err == nil && c.live && s.figures.live == nil {
		err = room.ErrNoCluster
	}
	if err != nil {
		return p, compareRequest{}, err
	}
	p.Even = s.even(c.Servers, p.Lang)
	return p, c, nil
}

// measure measures runs one after the other until patience ends, which is derived from ctx.
func (s *Pages) measure(ctx, patience context.Context, who room.ClientKey, keys []figuresKey) error {
	for _, key := range keys {
		if _, err := s.figures.row(ctx, patience, who, key); err != nil {
			return compare.Run{Recipe: key.recipe, Clients: key.clients}.Failed(err)
		}
	}
	return nil
}

// showCosts fills the page with the available figures, by recipe, then size, then host.
func (s *Pages) showCosts(p *page.CompareProps, c compareRequest) {
	hosts := []event.Host{event.Simulated}
	if c.live {
		hosts = append(hosts, event.Cluster)
	}
	var rows []compare.Row
	missing := map[event.Host]int{}
	for _, name := range c.Recipes {
		for _, n := range c.Clients {
			for _, host := range hosts {
				if row, ok := s.figures.find(c.key(compare.Run{Recipe: name, Clients: n}, host)); ok {
					rows = append(rows, row)
				} else {
					missing[host]++
				}
			}
		}
	}
	p.Figures, p.Runs = costs.HTML(rows, c.live, p.Say), len(rows)
	p.Missing, p.LiveMissing = missing[event.Simulated], missing[event.Cluster]
}
