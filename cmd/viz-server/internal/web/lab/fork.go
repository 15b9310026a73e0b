package lab

import (
	"context"
	"errors"
	"net/http"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/compare"
	"github.com/zkviz/zkviz/engine/run/room"
)

// forkAt is the address for comparing the fork of a log with the original.
const forkAt = "/api/fork"

// maxForked limits the log of a fork in bytes. A thousand clients that queue up once take a third of it.
const maxForked = 64 << 20

// serveFork answers /api/fork?seen=SEEN&recipe=NAME&… with sentences, as JSON: how the scenario's run differs from
// the original, or that it doesn't. The log itself stays in the browser.
func (s *Pages) serveFork(w http.ResponseWriter, r *http.Request) {
	replay, err := compare.ParseReplay(r.URL.Query())
	if err != nil {
		s.site.Refuse(w, r, http.StatusBadRequest, err)
		return
	}
	played, err := s.figures.play(r.Context(), site.ClientOf(r), replay.Scenario)
	var said []string
	if err == nil {
		voice := sentence.Voice{Say: s.site.Words(site.LanguageOf(r)).Say, Client: event.Actor.Letter}
		for _, x := range replay.Differs(played) {
			said = append(said, voice.Says(x))
		}
	}
	s.answer(w, r, said, err)
}

// play runs a scenario on the simulator in the client's turn, and returns its log.
func (f *figures) play(ctx context.Context, who room.ClientKey, s run.Scenario) (run.Branch, error) {
	ctx, cancel := context.WithTimeout(ctx, figuresTimeout)
	defer cancel()
	defer context.AfterFunc(f.stop, cancel)()
	leave, err := f.slow.Enter(ctx, who)
	if err != nil {
		return run.Branch{}, err
	}
	defer leave()
	b, err := run.First(ctx, s, maxForked)
	switch {
	case errors.Is(err, run.ErrTooLarge):
		err = sentence.Error("refused.large", sentence.Number(maxForked>>20))
	case errors.Is(err, context.DeadlineExceeded):
		err = room.Busy{Why: sentence.Error("busy.computing"), Again: room.AgainSoon}
	case ctx.Err() != nil:
		err = room.ErrClosing
	}
	return b, err
}
