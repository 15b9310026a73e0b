package attacks

import (
	"context"
	"fmt"

	"github.com/zkviz/zkviz/cmd/attack/internal/client"
	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/zoo"
)

// The sizes of words.
const (
	wordSessions  = 400
	wordsASecond  = 150
	wordsInAll    = 1500
	sessionZnodes = 50 // ephemerals of each session, which dump lists
)

func words(ctx context.Context, w *World) error {
	from := sources()
	var t tally
	early, cancel := part(ctx, setUpShare)
	defer cancel()
	for i := range w.n(wordSessions) {
		if early.Err() != nil {
			break
		}
		p, done, err := w.sessionFor(ctx, from[i%len(from)], longSession)
		if err != nil {
			t.add("not connected")
			continue
		}
		defer done()
		if _, err := many(early, p, sessionZnodes, func(k int) wire.Request {
			return create(fmt.Sprintf("%s-%d-%d", Root, i, k), nil, zoo.Ephemeral)
		}); err != nil {
			t.add("cut off")
			continue
		}
		t.add("there")
		defer func() { // all at once, without waiting for each
			_ = p.Send(wire.Request{Op: wire.OpCloseSession})
		}()
	}
	w.note("sessions: %s", &t)
	var asked tally
	all := []string{"dump", "cons", "mntr", "stat", "srvr", "wchs"}
	paced(ctx, w.n(wordsInAll), wordsASecond, 32, func(ctx context.Context, i int) {
		asked.add(w.word(ctx, client.Address(attackers, 50+i%handful), all[i%len(all)]))
	})
	w.note("words: %s", &asked)
	return nil
}
