package lab

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/compare"
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/recipes"
)

// Limits of a contest on a page.
const (
	maxContenders = 200
	// maxTurns limits the acquisitions by all clients in all rounds.
	maxTurns = 500
	// maxHeld limits the sum of all holds. Polling lasts as long.
	maxHeld = 20 * time.Second
	// maxHeldLive limits it on real systems, where all locks together must fit into figuresTimeout.
	maxHeldLive = 3 * time.Second
)

// contest holds the parameters of /locks: the runs on the simulator and on the available real systems.
type contest struct {
	clients         int
	simulated, real []figuresKey
}

// readContest reads the parameters and fills the form with them.
func (s *Pages) readContest(p *page.Contest, q url.Values) (contest, error) {
	given := func(name, usual string) string {
		if text := strings.TrimSpace(q.Get(name)); text != "" {
			return text
		}
		return usual
	}
	usual := compare.Contest().WithDefaults()
	usual.Seed = new(run.Given).Scenario().Seed
	clients, rounds := given("clients", strconv.Itoa(usual.Clients)), given("rounds", strconv.Itoa(usual.Rounds))
	hold, seed := given("hold", usual.Hold.String()), given("seed", strconv.FormatUint(usual.Seed, 10))
	p.Clients, p.Rounds = protocol.Clip(clients), protocol.Clip(rounds)
	p.Hold, p.Seed = protocol.Clip(hold), protocol.Clip(seed)
	p.Live, p.Real = q.Get("live") != "", strings.Join(s.on.All(), ", ")
	p.Latency = sentence.Spell(usual.Latency)
	var g run.Given
	if err := errors.Join(g.Set("clients", clients), g.Set("rounds", rounds), g.Set("hold", hold),
		g.Set("seed", seed)); err != nil {
		return contest{}, err
	}
	sc := g.Scenario()
	if err := checkSize(sc, p.Live); err != nil {
		return contest{}, err
	}
	return s.contestOf(sc)
}

// checkSize returns an error if the contest is too large for a page.
func checkSize(s run.Scenario, live bool) error {
	most := maxHeld
	if live {
		most = maxHeldLive
	}
	turns := s.Clients * s.Rounds
	switch {
	case s.Clients > maxContenders:
		return sentence.Error("bad.contest.clients", sentence.Number(maxContenders), sentence.Number(s.Clients))
	case s.Rounds > maxTurns || turns > maxTurns:
		return sentence.Error("bad.contest.turns", sentence.Number(maxTurns), sentence.Number(s.Clients),
			sentence.Number(s.Rounds))
	case s.Hold > most || time.Duration(max(turns, 0))*max(s.Hold, 0) > most:
		return sentence.Error("bad.contest.hold", sentence.Duration(most))
	}
	return nil
}

// contestOf returns the contest's runs. A lock takes part once for each way of polling and each database.
func (s *Pages) contestOf(sc run.Scenario) (contest, error) {
	c := contest{clients: sc.Clients}
	for _, r := range recipes.Contest() {
		for _, poll := range compare.Entries(r) {
			for _, database := range s.on.Elsewhere.DatabasesOf(r) {
				key := figuresKey{recipe: r.Name, clients: sc.Clients, servers: 1, host: event.Simulated,
					contest: contestParams{sc.Rounds, sc.Hold, sc.Seed, poll, database}}
				if _, err := scenarioOf(key); err != nil {
					return contest{}, err
				}
				c.simulated = append(c.simulated, key)
				if real, ok := s.realKey(key); ok {
					c.real = append(c.real, real)
				}
			}
		}
	}
	return c, nil
}

// realKey returns the real counterpart of a simulated run. It returns false if a required system is missing.
func (s *Pages) realKey(key figuresKey) (figuresKey, bool) {
	key.servers, key.host = 0, event.Cluster
	sc, err := scenarioOf(key)
	return key, err == nil && s.on.Has(sc)
}

// showContest fills the page with the available figures, each lock's real ones below its simulated ones.
func (s *Pages) showContest(p *page.Contest, c contest) {
	for _, f := range compare.ContestFigures() {
		p.Figures = append(p.Figures, figureName(f))
	}
	var rows []compare.Row
	show := func(key figuresKey, missing *int) {
		row, ok := s.figures.find(key)
		if !ok {
			*missing++
			return
		}
		rows = append(rows, row)
		p.Rows = append(p.Rows, contestRow(row, key))
	}
	for _, key := range c.simulated {
		show(key, &p.Missing)
		if !p.Live {
			continue
		}
		if real, ok := s.realKey(key); ok {
			show(real, &p.LiveMissing)
		}
	}
	p.Charts = contestCharts(rows)
}

// figureName returns the name of a figure in the language files.
func figureName(f compare.Figure) string { return strings.ReplaceAll(f.Name, " ", "-") }

func contestRow(row compare.Row, key figuresKey) page.ContestRow {
	r := page.ContestRow{Contender: contender(row)}
	for _, f := range compare.ContestFigures() {
		r.Figures = append(r.Figures, f.Text(row))
	}
	if sc, err := scenarioOf(key); err == nil {
		r.Link = "/lab?" + sc.Query()
	}
	return r
}

// contender describes the lock of a row, and where and how it ran.
func contender(row compare.Row) page.Contender {
	return page.Contender{Recipe: row.Recipe, Poll: row.Poll, Database: string(row.Database), Host: string(row.Host),
		Real: row.Host.Traits().RealTime}
}
