package sessions

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/inquiry"
)

// answers holds one server's answers with their times.
type answers struct {
	server   Server
	told     bool // it reported its clients
	clients  []connection
	clientAt time.Time
	dumped   dumped
	dumpedAt time.Time
}

// ask asks all servers at once, each one word at a time.
func (p *Poller) ask(ctx context.Context, before Report) Report {
	all := make([]answers, len(p.servers))
	var asking sync.WaitGroup
	for i, s := range p.servers {
		asking.Go(func() { all[i] = s.ask(ctx) })
	}
	asking.Wait()
	return p.report(before, all, time.Now())
}

// ask sends one word after another, and stops when one gets no answer at all.
func (s *server) ask(ctx context.Context) (a answers) {
	a.server.Addr = s.addr
	word := func(name string, ask func(context.Context) error) (told bool) {
		if a.server.Away {
			return false
		}
		from := time.Now()
		var err error
		within(ctx, askLimit, func(ctx context.Context) { err = ask(ctx) })
		if err != nil {
			a.server.trouble(sentence.From(err))
			if a.server.Away = errors.Unwrap(err) != nil; !a.server.Away && sentence.From(err).Key == inquiry.Refused {
				a.server.Refused = append(a.server.Refused, name)
			}
		}
		if !a.server.Away {
			a.server.Took += time.Since(from)
		}
		return err == nil
	}
	var sum summary
	a.told = word("cons", func(ctx context.Context) (err error) { a.clients, err = s.asked.connections(ctx); return err })
	a.told, a.clientAt = a.told || len(a.clients) > 0, time.Now()
	word("dump", func(ctx context.Context) (err error) { a.dumped, err = s.asked.dump(ctx); return err })
	a.dumpedAt = time.Now()
	word("wchs", func(ctx context.Context) (err error) { sum, err = s.asked.summary(ctx); return err })
	a.server.Connections = len(a.clients)
	a.server.Watches, a.server.Paths, a.server.Watchers = sum.watches, sum.paths, sum.sessions
	return a
}

// trouble adds a missing report, once.
func (s *Server) trouble(t sentence.Sentence) {
	if n := len(s.Troubles); n == 0 || s.Troubles[n-1].String() != t.String() {
		s.Troubles = append(s.Troubles, t)
	}
}

func within(ctx context.Context, limit time.Duration, do func(context.Context)) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	do(ctx)
}

// report combines the answers with what was known before about sessions that no answer mentions.
func (p *Poller) report(before Report, all []answers, now time.Time) Report {
	r := Report{Number: before.Number + 1, At: now}
	sessions := map[int64]*Session{}
	established := map[int64]int64{}
	for i := range all {
		a, s := &all[i], p.servers[i]
		r.Servers = append(r.Servers, a.server)
		if !a.told {
			s.uptime, s.known = clock{}, nil // it may have restarted
			continue
		}
		for _, c := range s.hear(a, before.At) {
			if at := sessions[c.ID]; at == nil || established[c.ID] <= c.established {
				sessions[c.ID], established[c.ID] = &c.Session, c.established
			}
		}
	}
	there, told := p.dumps(all, sessions)
	for _, s := range before.Sessions {
		if at := sessions[s.ID]; at != nil && (at.Server != "" || at.Client != "") || told && !there[s.ID] {
			continue
		}
		s.keep(sessions[s.ID], all)
		if told || now.Before(s.Heard.Add(2*s.Timeout)) {
			sessions[s.ID] = &s
		}
	}
	everyone := !slices.ContainsFunc(all, func(a answers) bool { return !a.told })
	for _, id := range slices.Sorted(maps.Keys(sessions)) {
		if p.isMine(id) {
			continue
		}
		sessions[id].Unconnected = everyone && sessions[id].Server == ""
		if len(r.Sessions) == MaxSessions {
			r.Left = true
			break
		}
		r.Sessions = append(r.Sessions, *sessions[id])
	}
	return r
}

// heard is a session with the time of its connection, on its server's clock.
type heard struct {
	Session
	established int64
}

// hear computes, from a server's clock, when each of its clients was last active.
func (s *server) hear(a *answers, before time.Time) (all []heard) {
	for i := range a.clients {
		if a.clients[i].answered > 0 {
			s.uptime.see(a.clientAt, a.clients[i].answered)
		}
	}
	known := make(map[int64]connection, len(a.clients))
	for _, c := range a.clients {
		was, there := s.known[c.session]
		c.see(was)
		h := heard{Session{ID: c.session, Client: c.client, Server: s.addr, Timeout: c.timeout, Last: c.last,
			Listed: c.listed, Outstanding: c.outstanding, Received: c.received, Sent: c.sent}, c.established}
		if c.answered > 0 {
			h.Heard = s.uptime.ours(c.heard())
		}
		if there && was.client == c.client && c.received > was.received && h.Heard.Before(before) {
			h.Heard = before // what has arrived since has no answer yet
		}
		if !h.Heard.IsZero() && h.Timeout > 0 {
			h.Expires = h.Heard.Add(h.Timeout)
		}
		known[c.session] = c
		all = append(all, h)
	}
	s.known = known
	return all
}

// dumps adds sessions without a connection and their expiry. It returns the sessions that exist; told reports
// whether any server has listed them.
func (p *Poller) dumps(all []answers, sessions map[int64]*Session) (there map[int64]bool, told bool) {
	there = map[int64]bool{}
	at := func(id int64) *Session {
		there[id], told = true, true
		if sessions[id] == nil {
			sessions[id] = &Session{ID: id}
		}
		return sessions[id]
	}
	for i := range all {
		a, s := &all[i], p.servers[i]
		told = told || a.dumped.tells()
		for id, timeout := range a.dumped.timeouts {
			at(id).Timeout = timeout
		}
		if len(a.dumped.buckets) == 0 {
			s.expires = clock{toCome: true}
			continue
		}
		for _, b := range a.dumped.buckets {
			s.expires.see(a.dumpedAt, b.at)
		}
		for _, b := range a.dumped.buckets {
			for _, id := range b.sessions {
				if c := at(id); c.Server == "" {
					c.Expires = later(c.Expires, s.expires.ours(b.at))
				}
			}
		}
	}
	return there, told
}

// keep updates a session that has no connection, or whose server doesn't answer now. A server that doesn't answer may
// hear from it: then nobody knows for how long it has been silent, nor until when it has time. Without a leader no
// session expires, and a new one gives each its whole time again.
func (s *Session) keep(now *Session, all []answers) {
	if slices.ContainsFunc(all, func(a answers) bool { return !a.told }) {
		s.Heard, s.Expires = time.Time{}, time.Time{}
	}
	if slices.ContainsFunc(all, func(a answers) bool { return a.told && a.server.Addr == s.Server }) {
		s.Server = ""
	}
	s.Outstanding = 0
	if now != nil {
		s.Timeout = cmp.Or(now.Timeout, s.Timeout)
		s.Expires = later(s.Expires, now.Expires)
	}
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// askWatches asks all servers at once who watches what.
func (p *Poller) askWatches(ctx context.Context) Watches {
	w := Watches{At: time.Now(), Whole: true, Lists: map[string]int{}}
	var (
		mu     sync.Mutex
		asking sync.WaitGroup
	)
	for _, s := range p.servers {
		asking.Go(func() {
			within(ctx, watchLimit, func(ctx context.Context) {
				before, _ := s.asked.Figures(ctx) // a refusal leaves them untold
				all, more, err := s.asked.watches(ctx, MaxWatches)
				after := before
				if before.Told {
					after, _ = s.asked.Figures(ctx)
				}
				n, known := lists(after, all, p.isMine)
				mu.Lock()
				defer mu.Unlock()
				w.add(all, more, err)
				if known && before.Watches == after.Watches && !more && err == nil {
					w.Lists[s.addr] = n
				}
			})
		})
	}
	asking.Wait()
	slices.SortFunc(w.All, func(a, b Watch) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Session, b.Session))
	})
	w.All = slices.DeleteFunc(slices.Compact(w.All), func(watch Watch) bool { return p.isMine(watch.Session) })
	w.Took = time.Since(w.At)
	return w
}

// add adds one server's answer.
func (w *Watches) add(all []Watch, more bool, err error) {
	if err != nil {
		w.Troubles = append(w.Troubles, sentence.From(err))
	}
	room := MaxWatches - len(w.All)
	w.Left = w.Left || more || len(all) > room
	w.Whole = w.Whole && err == nil && !w.Left
	w.All = append(w.All, all[:min(len(all), room)]...)
}
