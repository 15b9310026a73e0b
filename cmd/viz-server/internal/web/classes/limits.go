package classes

import (
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/socket"
	"github.com/zkviz/zkviz/engine/run/room"
)

// Limits of classes, in addition to those in engine/run/class.
const (
	// MaxPages is how many pages may be connected to classes, beside those that are connected to runs.
	// MaxPagesPerClient is how many of them may come from one address.
	MaxPages          = 4000
	MaxPagesPerClient = 2500
	// PerSecond is how many messages a page may send in the long run, and Burst how many at once.
	PerSecond = 20
	Burst     = 60
	// maxRefusals is how many refused messages close a connection.
	maxRefusals = 100
	// WrongSecrets is how many wrong secrets an address may try within a minute.
	WrongSecrets = 10
	maxGuessers  = 10_000 // addresses that are remembered for that

	patience = socket.Patience
	// pace is the pause after each time that a page gets something, so that it gets news at most ten times a second.
	pace       = 100 * time.Millisecond
	sweepEvery = 10 * time.Second
	// beatEvery is how often a page is told that the server is there: see class.js.
	beatEvery = 4 * time.Second
)

// guesses counts wrong secrets by address.
//
// A secret has 160 bits, so nobody guesses one. The limit has floods of guesses end without an answer. The right secret
// is always taken: else a learner could lock the teacher out who has the same address.
type guesses struct {
	mu sync.Mutex
	by map[room.ClientKey]*rate.Limiter
}

func newGuesses() *guesses { return &guesses{by: map[room.ClientKey]*rate.Limiter{}} }

// wrong counts a wrong secret, and reports whether that was one too many.
func (g *guesses) wrong(who room.ClientKey, now time.Time) (tooMany bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	l := g.by[who]
	if l == nil {
		if len(g.by) >= maxGuessers {
			return true
		}
		l = rate.NewLimiter(rate.Limit(WrongSecrets)/60, WrongSecrets)
		g.by[who] = l
	}
	return !l.AllowN(now, 1)
}

// sweep forgets addresses that may try as many as ever.
func (g *guesses) sweep(now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for who, l := range g.by {
		if l.TokensAt(now) >= WrongSecrets {
			delete(g.by, who)
		}
	}
}
