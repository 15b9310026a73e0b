package classes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/socket"
	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/class"
	"github.com/zkviz/zkviz/engine/run/room"
)

// note is what a page is told besides views: an error, or that there is no such class.
type note struct {
	Say string `json:"say"`
	Do  string `json:"do,omitempty"` // what was refused
	Why string `json:"why"`
	// Again says that nobody knows whether it was done: the page may say it again.
	Again bool `json:"again,omitempty"`
}

// serveSocket answers /class/NAME/ws.
func (s *Pages) serveSocket(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	place, err := s.places.Admit(site.ClientOf(r), cancel, s.cfg.Now())
	if err != nil {
		s.cfg.Site.Refuse(w, r, site.StatusOf(w, err), err)
		return
	}
	defer place.Leave()
	v := &visit{pages: s, who: site.ClientOf(r), place: place, frame: s.cfg.Site.CachedFrame(r, "")}
	c, refused := s.hall.Find(r.Context(), r.PathValue("name"))
	if refused == nil {
		v.page, refused = c.Enter(string(v.who))
	}
	if refused == nil {
		v.class = c
		defer v.page.Leave()
	}
	if v.sock, err = socket.Accept(w, r, socket.Config{Longest: class.MaxCommand, Patience: s.cfg.Patience}); err != nil {
		return // Accept has answered
	}
	if errors.Is(refused, class.ErrAway) {
		v.sock.Close(room.Leaving, "the other servers can't be reached")
		return
	}
	if refused != nil { // as a message: scripts don't see the status of an answer
		_ = v.sock.Message(ctx, v.gone(refused))
		v.sock.Close(room.Policy, "no such class, or no place in it")
		return
	}
	v.serve(ctx)
}

// visit serves a page with two goroutines: one carries out what it says, one sends it news. What the page hasn't read
// stays in the class: it gets how things stand then.
type visit struct {
	pages *Pages
	who   room.ClientKey
	place *room.Connection
	frame page.Frame // for its words
	class *class.Class
	page  *class.Page
	sock  socket.Socket

	mu      sync.Mutex
	answers [][]byte // not yet sent, at most maxRefusals
	refused int
	end     string // why the connection ends once they are; empty if it doesn't
	leaves  bool   // it ends because of the servers, so the page should come again
}

func (v *visit) serve(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() {
		v.write(ctx)
		cancel()
		v.sock.Cut() // ends read
	})
	if v.read(ctx); !v.ending() {
		cancel()
	}
	wg.Wait()
}

// read carries out what the page says until the connection ends.
func (v *visit) read(ctx context.Context) {
	limit := rate.NewLimiter(PerSecond, Burst)
	for {
		text, err := v.sock.Receive(ctx)
		if err != nil && !errors.Is(err, room.ErrNotText) {
			return
		}
		if !limit.Allow() {
			v.sock.Close(room.Policy, fmt.Sprintf("more than %d messages a second", PerSecond))
			return
		}
		var q class.Request
		if err == nil {
			q, err = class.ParseRequest(text)
		}
		if err == nil {
			err = v.page.Handle(ctx, q)
		}
		if err == nil {
			v.place.Follow(v.page.Known())
		} else {
			v.refuse(q.Do, err)
		}
		if v.page.Ring(); v.ending() {
			return // the writer closes it
		}
	}
}

// refuse tells the page why something is refused. A wrong secret ends the connection, and too many refusals do.
func (v *visit) refuse(do string, err error) {
	wrong := errors.Is(err, class.ErrSecret)
	away := errors.Is(err, class.ErrAway) && do == class.Join
	tooMany := wrong && v.pages.guesses.wrong(v.who, v.pages.cfg.Now())
	v.mu.Lock()
	defer v.mu.Unlock()
	if away { // a page that is refused doesn't come again, and this one may
		v.end, v.leaves = "the other servers can't be reached", true
		return
	}
	if wrong {
		v.end = "wrong secret"
	}
	if tooMany {
		return // without an answer
	}
	if v.refused++; v.refused > maxRefusals {
		v.end = "too many messages that had to be refused"
		return
	}
	v.answers = append(v.answers, encode(note{
		Say: "error", Do: known(do), Why: v.frame.Sentence(sentence.From(err)), Again: errors.Is(err, class.ErrAway),
	}))
}

// known returns a command's name as the page may have it back: nothing if it is none.
func known(do string) string {
	if class.IsCommand(do) {
		return do
	}
	return ""
}

func (v *visit) gone(why error) []byte {
	return encode(note{Say: "gone", Why: v.frame.Sentence(sentence.From(why))})
}

func encode(n note) []byte {
	text, err := json.Marshal(n)
	if err != nil {
		panic(err) // it has only strings
	}
	return text
}

// ending reports whether the writer is about to end the connection.
func (v *visit) ending() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.end != ""
}

// take returns what waits to be sent.
func (v *visit) take() (answers [][]byte, end string, leaves bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	answers, v.answers = v.answers, nil
	return answers, v.end, v.leaves
}

// beats tells a page that the server is there. Scripts don't see pings.
var beats = []byte(`{"say":"beat"}`)

// write sends the page answers and news until the connection ends.
func (v *visit) write(ctx context.Context) {
	ping := time.NewTicker(room.PingEvery)
	defer ping.Stop()
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	stopping := v.pages.cfg.Stop.Done()
	for {
		mine, news := v.page.Rung(), v.page.Next()
		answers, end, leaves := v.take()
		views := append(answers, v.page.News()...)
		for _, view := range views {
			if v.sock.Message(ctx, view) != nil {
				return
			}
		}
		switch {
		case leaves:
			v.sock.Close(room.Leaving, end)
			return
		case end != "":
			v.sock.Close(room.Policy, end)
			return
		}
		select {
		case <-stopping:
			v.sock.Close(room.Leaving, "the server is stopping")
			return
		case <-v.class.Gone():
			_ = v.sock.Message(ctx, v.gone(class.ErrNone))
			v.sock.Close(room.Leaving, "the class is gone")
			return
		default:
		}
		if len(views) > 0 {
			hub.Pause(ctx, pace)
			continue
		}
		select {
		case <-mine:
		case <-news:
		case <-ping.C:
			if v.sock.Ping(ctx) != nil {
				return
			}
		case <-beat.C:
			if v.sock.Message(ctx, beats) != nil {
				return
			}
		case <-v.class.Gone():
		case <-stopping:
		case <-ctx.Done():
			return
		}
	}
}
