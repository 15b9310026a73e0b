package sessions

import (
	"context"
	"strings"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/inquiry"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
)

// monitor answers questions about one server's sessions. A missing answer is an error, whose sentence says why. It
// wraps another error only if the server didn't answer at all.
type monitor interface {
	connections(context.Context) ([]connection, error)
	dump(context.Context) (dumped, error)
	summary(context.Context) (summary, error)
	watches(ctx context.Context, most int) (all []Watch, more bool, err error)
	Figures(context.Context) (admin.Figures, error)
}

// fourLetterWords sends four-letter words to a server.
type fourLetterWords struct {
	dial access.Dialer
	addr string
}

func (w fourLetterWords) connections(ctx context.Context) ([]connection, error) {
	text, err := w.ask(ctx, "cons")
	return parseCons(text), err
}

func (w fourLetterWords) dump(ctx context.Context) (dumped, error) {
	text, err := w.ask(ctx, "dump")
	return parseDump(text), err
}

func (w fourLetterWords) summary(ctx context.Context) (summary, error) {
	text, err := w.ask(ctx, "wchs")
	return parseSummary(text), err
}

func (w fourLetterWords) watches(ctx context.Context, most int) ([]Watch, bool, error) {
	text, err := w.ask(ctx, "wchp")
	all, more := parseWatches(text, most)
	return all, more, err
}

func (w fourLetterWords) Figures(ctx context.Context) (admin.Figures, error) {
	return admin.AskFigures(ctx, w.dial, w.addr)
}

// ask returns a word's answer. A truncated answer comes with an error.
func (w fourLetterWords) ask(ctx context.Context, word string) (string, error) {
	answer, err := w.dial.Ask(ctx, w.addr, word, inquiry.MaxAnswer)
	switch {
	case err != nil:
		return "", sentence.Wrap(err, "sessions.away", sentence.Text(w.addr), sentence.Text(word))
	case access.Refused(answer):
		said := inquiry.Refusal(w.addr, word)
		return "", sentence.Error(said.Key, said.Args...)
	case !access.Serves(answer):
		return "", sentence.Error(inquiry.NotServing, sentence.Text(w.addr))
	case len(answer) == inquiry.MaxAnswer:
		return answer[:strings.LastIndexByte(answer, '\n')+1],
			sentence.Error("sessions.cut", sentence.Text(w.addr), sentence.Text(word), sentence.Number(inquiry.MaxAnswer>>20))
	}
	return answer, nil
}
