//go:build js && wasm

package main

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"syscall/js"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/compare"
	"github.com/zkviz/zkviz/engine/stage/costs"
	"github.com/zkviz/zkviz/static/strings/words"
	"github.com/zkviz/zkviz/wasm/worker"
)

// question is a page's question about runs that nobody follows. It is answered in the page's words. A page that
// wants no answer any more ends the worker.
type question struct {
	id    int
	words words.Words
	yield func()
}

// questions has what answers each kind of question.
var questions = map[string]func(q question, query string) error{"compare": question.compare, "fork": question.fork}

// answer answers a question.
func (e *engine) answer(id int, m js.Value, about func(question, string) error) {
	w, err := words.Read(m.Get("words").String())
	if err != nil {
		panic(err) // they are the page's own
	}
	q, query := question{id, w, e.yield}, m.Get("data").String()
	go func() {
		if err := about(q, query); err != nil {
			q.say("refused", sentence.Voice{Say: w.Say}.Alone(sentence.From(err)))
		}
		worker.Post("close", id, js.Undefined())
	}()
}

func (q question) say(kind, text string) { worker.Post(kind, q.id, js.ValueOf(text)) }

// compare measures runs one after the other, and shows the figures so far after each.
func (q question) compare(query string) error {
	values, err := url.ParseQuery(query)
	if err != nil {
		return err
	}
	asked, err := compare.ParseRequest(values)
	if err != nil {
		return err
	}
	q.say("servers", strconv.Itoa(asked.Servers))
	var rows []compare.Row
	runs := asked.Runs()
	for i, x := range runs {
		s, err := asked.Scenario(x)
		if err != nil {
			return err
		}
		s.Yield = q.yield
		so := progress(func(events int) {
			q.say("progress", q.words.Say("compare.measuring", strconv.Itoa(i+1), strconv.Itoa(len(runs)), x.Recipe,
				sentence.Grouped(x.Clients), sentence.Grouped(events)))
		})
		so(0)
		row, err := compare.Measure(context.Background(), event.Simulated, run.Sim, s, so)
		if err != nil {
			return x.Failed(err)
		}
		rows = append(rows, row)
		q.say("figures", costs.HTML(rows, false, q.words.Say))
	}
	return nil
}

// fork plays a fork, and says how that differs from what was seen.
func (q question) fork(query string) error {
	values, err := url.ParseQuery(query)
	if err != nil {
		return err
	}
	replay, err := compare.ParseReplay(values)
	if err != nil {
		return err
	}
	replay.Scenario.Yield = q.yield
	played, err := run.First(context.Background(), replay.Scenario, logs)
	if errors.Is(err, run.ErrTooLarge) {
		err = sentence.Error("refused.large.page", sentence.Number(logs>>20))
	}
	if err != nil {
		return err
	}
	voice := sentence.Voice{Say: q.words.Say, Client: event.Actor.Letter}
	for _, x := range replay.Differs(played) {
		q.say("said", voice.Says(x))
	}
	return nil
}

// progress is a Sink that says now and then how many events there are.
type progress func(events int)

// eventsPerSaying is a fraction of a second.
const eventsPerSaying = 1 << 17

// Append adds the next event.
func (p progress) Append(e event.Event) {
	if e.Seq%eventsPerSaying == 0 {
		p(int(e.Seq))
	}
}
