package across

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event/hub"
)

// here is who is here, at which server.
type here struct {
	bell hub.Bell // rings when that changes here, or when another server should hear it

	mu    sync.Mutex
	heard map[string]time.Time // when each of the others said it last
	again bool                 // say it, even if it's the same
}

// who is what a server says of its own pages.
type who struct {
	Server string `json:"server"`
	Pages  int    `json:"pages"`
	Where  string `json:"where,omitempty"` // a letter for each learner: see class.Presence.Mine
	Owns   bool   `json:"owns,omitempty"`  // it owns the class
}

// Here says that who is here has changed: see class.Line.
func (l *line) Here() { l.here.bell.Ring() }

// sayWho says who is here when that changes, and again every HereEvery, and forgets servers that don't.
func (l *line) sayWho() {
	var said who
	var at time.Time
	for {
		news := l.here.bell.Next()
		now := l.who()
		isDue := l.isAskedAgain() || time.Since(at) >= HereEvery
		if now != said || isDue && (now.Pages > 0 || now.Owns) {
			if l.say(now) == nil {
				said, at = now, time.Now()
			} else {
				said = who{} // to be said as soon as that goes
			}
		}
		l.forgetSilent()
		timer := time.NewTimer(HereEvery)
		select {
		case <-news:
			hub.Pause(l.ctx, gatherFor)
		case <-timer.C:
		case <-l.ctx.Done():
		}
		timer.Stop()
		if l.ctx.Err() != nil {
			_ = l.say(who{Server: l.lines.server}) // nobody, any more
			return
		}
	}
}

func (l *line) who() who {
	pages, where := l.class.Here()
	lease, _ := l.state()
	return who{l.lines.server, pages, where, lease != nil}
}

func (l *line) say(w who) error {
	return l.bus.Say(l.class.Name, encode(w))
}

func (l *line) isAskedAgain() bool {
	l.here.mu.Lock()
	defer l.here.mu.Unlock()
	again := l.here.again
	l.here.again = false
	return again
}

// hearWho takes what another server says of its pages. A new one is told who is here.
func (l *line) hearWho(data []byte) {
	var w who
	if json.Unmarshal(data, &w) != nil || w.Server == l.lines.server || w.Server == "" || w.Pages < 0 {
		return
	}
	l.here.mu.Lock()
	_, known := l.here.heard[w.Server]
	if l.here.heard[w.Server] = time.Now(); w.Pages == 0 {
		delete(l.here.heard, w.Server)
	}
	isNew := !known && w.Pages > 0
	l.here.again = l.here.again || isNew
	l.here.mu.Unlock()
	l.class.SetOther(w.Server, w.Pages, w.Where)
	if w.Owns {
		l.class.Yield()
	}
	if isNew {
		l.Changed(0)
		l.here.bell.Ring()
	}
}

// forgetSilent forgets servers that haven't said for hereFor who is there.
func (l *line) forgetSilent() {
	l.here.mu.Lock()
	defer l.here.mu.Unlock()
	for server, at := range l.here.heard {
		if time.Since(at) > hereFor {
			delete(l.here.heard, server)
			l.class.SetOther(server, 0, "")
		}
	}
}
