package lab

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/compare"
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/run/room"
	"github.com/zkviz/zkviz/recipes"
)

// Limits of one comparison on a page.
const (
	maxCompared = 6
	maxSizes    = 8
	// maxEnsembleClients limits the clients with several servers, where each write takes dozens of messages.
	maxEnsembleClients = 200
)

// comparePatience limits how long a page waits for figures before it is sent without them.
const comparePatience = 10 * time.Second

// compareAt is the address of the page and of its form.
const compareAt = "/lab/compare"

// compareRequest holds the parameters of /lab/compare.
type compareRequest struct {
	recipes            []string
	sizes              []int
	servers, observers int  // on the simulator
	live               bool // also on the cluster
}

// keys returns the runs on a host, the cheap ones first.
func (c compareRequest) keys(host event.Host) (all []figuresKey) {
	for _, n := range c.sizes {
		for _, name := range c.recipes {
			all = append(all, c.key(name, n, host))
		}
	}
	return all
}

// key returns the key of a run on a host.
func (c compareRequest) key(recipe string, clients int, host event.Host) figuresKey {
	key := figuresKey{recipe: recipe, clients: clients, host: host}
	if !host.Traits().RealTime {
		key.servers, key.observers = c.servers, c.observers
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
		status, err = s.writable(c.sizes[len(c.sizes)-1])
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
	chosen := q["recipe"]
	if len(chosen) == 0 {
		chosen = recipes.Compared()
	}
	if strings.TrimSpace(q.Get("servers")) == "" {
		q.Set("servers", strconv.Itoa(recipe.Servers(chosen...)))
	}
	p := page.CompareProps{Frame: s.site.Frame(r, "lab"), Clients: protocol.Clip(q.Get("clients")),
		Voters: protocol.Clip(strings.TrimSpace(q.Get("servers"))),
		Watch:  protocol.Clip(strings.TrimSpace(q.Get("observers"))), Live: q.Get("live") != ""}
	if p.Clients == "" {
		p.Clients = "2,10,100"
	}
	all, _ := recipeNames()
	for _, name := range all {
		p.Choices = append(p.Choices, page.CompareChoice{Name: name, Chosen: slices.Contains(chosen, name)})
	}
	c := compareRequest{recipes: chosen, live: p.Live}
	ensemble, err := readEnsemble(q)
	c.servers, c.observers = ensemble.Servers, ensemble.Observers
	switch {
	case err != nil:
	case len(chosen) > maxCompared:
		err = sentence.Error("bad.compare.recipes", sentence.Number(maxCompared), sentence.Number(len(chosen)))
	case p.Live && s.figures.live == nil:
		err = room.ErrNoCluster
	default:
		c.sizes, err = readSizes(p.Clients)
	}
	for _, key := range c.keys(event.Simulated) {
		if err == nil {
			_, err = scenarioOf(key)
		}
	}
	if n := c.sizes; err == nil && c.servers > 1 && n[len(n)-1] > maxEnsembleClients {
		err = sentence.Error("bad.compare.among", sentence.Number(maxEnsembleClients), sentence.Number(n[len(n)-1]))
	}
	if err != nil {
		return p, compareRequest{}, err
	}
	p.Even = s.even(c.servers, p.Lang)
	return p, c, nil
}

// readEnsemble reads the numbers of servers and observers. Their limits are checked later with the other parameters.
func readEnsemble(q url.Values) (run.Scenario, error) {
	var g run.Given
	for _, name := range []string{"servers", "observers"} {
		if text := strings.TrimSpace(q.Get(name)); text != "" {
			if err := g.Set(name, text); err != nil {
				return run.Scenario{}, err
			}
		}
	}
	return g.Scenario(), nil
}

// readSizes reads numbers of clients, separated by commas, and sorts them.
func readSizes(text string) (sizes []int, err error) {
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil {
			return nil, sentence.Error("bad.compare.clients", sentence.Quote(text))
		}
		sizes = append(sizes, n)
	}
	slices.Sort(sizes)
	if sizes = slices.Compact(sizes); len(sizes) > maxSizes {
		return nil, sentence.Error("bad.compare.sizes", sentence.Number(maxSizes), sentence.Number(len(sizes)))
	}
	return sizes, nil
}

// measure measures runs one after the other until patience ends, which is derived from ctx.
func (s *Pages) measure(ctx, patience context.Context, who room.ClientKey, keys []figuresKey) error {
	for _, key := range keys {
		if _, err := s.figures.row(ctx, patience, who, key); err != nil {
			return sentence.Wrap(err, "failed.compare", sentence.Text(key.recipe), sentence.Number(key.clients))
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
	for _, name := range c.recipes {
		for _, n := range c.sizes {
			for _, host := range hosts {
				if row, ok := s.figures.find(c.key(name, n, host)); ok {
					rows = append(rows, row)
				} else {
					missing[host]++
				}
			}
		}
	}
	p.Charts, p.Key, p.Runs = charts(rows), key(rows), len(rows)
	p.Between = slices.ContainsFunc(rows, hasEnsemble)
	p.Missing, p.LiveMissing = missing[event.Simulated], missing[event.Cluster]
	for _, name := range recipesOf(rows) {
		g := page.CostGroup{Recipe: name}
		for _, row := range rows {
			if row.Recipe == name {
				g.Rows = append(g.Rows, costRow(row))
			}
		}
		p.Costs = append(p.Costs, g)
	}
}

// hasEnsemble reports whether a run had several servers, which send messages to each other.
func hasEnsemble(r compare.Row) bool { return r.Servers > 1 }

func costRow(r compare.Row) page.CostRow {
	c := r.PerRelease
	row := page.CostRow{
		Waiters: strconv.Itoa(r.Waiters), Host: string(r.Host), Wakeups: sentence.Tenths(c.Wakeups),
		Most:     strconv.Itoa(r.Wakeups.MaxPerRelease),
		Requests: sentence.Tenths(c.Requests), Bytes: "–", Between: "–", Time: "–",
	}
	if r.Bytes > 0 { // otherwise the encoding is unknown
		row.Bytes = strconv.FormatFloat(c.Bytes, 'f', 0, 64)
	}
	if hasEnsemble(r) {
		row.Between = sentence.Tenths(c.Between)
	}
	if c.TimeMS > 0 {
		row.Time = strconv.FormatFloat(c.TimeMS, 'f', 2, 64)
	}
	return row
}
