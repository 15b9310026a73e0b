package learner_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/stage/panes"
)

func (l *lines) is(v *look, what, got, want string) {
	l.t.Helper()
	if got != want {
		l.t.Errorf("%s, it says %s\n%s\nnot\n%s", v.how, what, got, want)
	}
}

func (l *lines) patientOf(session int64) *patient {
	for _, p := range l.clients {
		if p.SessionID() == session {
			return p
		}
	}
	return nil
}

// report returns what is known of the locks, by path, or nil if they can't be read now.
func (l *lines) report(ctx context.Context, v *look) map[string]locks.Row {
	r, err := v.all.Report(ctx, "/ward", true)
	if err != nil || r.Away != "" {
		return nil
	}
	if r.Partial || r.Joined != (v.how == "joined") {
		l.t.Errorf("%s: %+v", v.how, r)
	}
	return byPath(r.Summary)
}

// later returns what a log says of the locks six minutes later, if their clients still live.
func (l *lines) later(v *look) map[string]locks.Row {
	log := locks.NewLog(locks.New("/ward"))
	v.mu.Lock()
	defer v.mu.Unlock()
	for i := range v.log.Len() {
		log.Append(v.log.Event(i))
	}
	log.Done()
	r := v.on.Sessions.Latest()
	now := time.Now().Add(6 * time.Minute).UnixMilli()
	return byPath(log.Summary(now, "/ward", locks.Known{Client: func(id int64) locks.Client {
		s, _ := r.Of(id)
		return locks.Client{Addr: s.Client, Silent: s.Silent(r.At), Quiet: s.Quiet(r.At), Timeout: s.Timeout}
	}}))
}

func byPath(s locks.Summary) map[string]locks.Row {
	all := map[string]locks.Row{}
	for _, r := range s.Rows {
		all[r.Path] = r
	}
	return all
}

func alerts(rows map[string]locks.Row, path string) string {
	var list []string
	for _, a := range rows[path].Alerts {
		list = append(list, fmt.Sprint(a.Weight, " ", a.Sentence))
	}
	return strings.Join(list, "\n")
}

// woken lists the clients that the release of a lock would wake.
func (l *lines) woken(r locks.Row) (text string) {
	for _, w := range r.Wakes {
		text += fmt.Sprint(w.Least)
		for _, c := range w.Whom {
			text += " " + string(rune('a'+slices.Index(l.clients, l.patientOf(c.Session))))
		}
	}
	return text
}

// answers returns what the panel says of a lock a minute later: its holder, who is next, the queue, its history, and
// which clients its release wakes or has woken.
func (l *lines) answers(v *look, lock string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	seq := event.Seq(v.log.Len())
	f := panes.Facts{History: v.log, Seq: seq, State: v.log.StateAtSeq(seq), Host: v.on.Observed("/").Host,
		Selected: lock}
	f.At = f.State.At + time.Minute
	var pairs []string // the log's letters, then the clients' own
	for i := range f.State.Clients {
		if n := slices.Index(l.clients, l.patientOf(f.State.Clients[i].Session)); n >= 0 {
			pairs = append(pairs, event.Actor(i+1).Letter(), string(rune('a'+n)))
		}
	}
	who := strings.NewReplacer(pairs...)
	p, unfinished := v.asks.At(&f, "", func(key string, args ...string) string {
		switch head, _, _ := strings.Cut(key, "."); {
		case head == "seconds", head == "span", head == "wall":
			return "T"
		case len(args) == 0:
			return strings.TrimPrefix(key, "holding.")
		}
		for i, a := range args {
			if len(a) == 1 && a >= "A" && a <= "Z" {
				args[i] = who.Replace(a)
			}
		}
		return strings.TrimPrefix(key, "holding.") + "(" + strings.Join(args, ", ") + ")"
	})
	if unfinished {
		l.t.Error("there is more to look at")
	}
	lines := append(p.Now[:1:1], p.Now[2:]...)
	for _, list := range p.Lists {
		lines = append(lines, list.Lines...)
	}
	text := []string{p.Where}
	for _, a := range lines {
		if a.Name != "near" && a.Name != "other" {
			text = append(text, l.line(a, who))
		}
	}
	return strings.Join(text, "\n")
}

// address matches a client's address, which the servers may not have reported yet.
var address = regexp.MustCompile(` · 127\.0\.0\.1:\d+`)

func (l *lines) line(a panes.Answer, who *strings.Replacer) string {
	var parts []string
	if a.Name != "" {
		parts = append(parts, a.Name+":")
	}
	for _, p := range a.Pieces {
		if p.Who.Label != "" {
			parts = append(parts, "["+who.Replace(p.Who.Label)+"]")
		}
		for _, c := range l.clients {
			if rest, is := strings.CutPrefix(p.Text, handover.SessionText(c.SessionID())); is {
				p.Text = "SESSION" + address.ReplaceAllString(rest, "")
			}
		}
		if p.Text != "" {
			parts = append(parts, p.Text)
		}
	}
	if a.Wrong {
		parts = append(parts, "!")
	}
	return strings.Join(parts, " ")
}
