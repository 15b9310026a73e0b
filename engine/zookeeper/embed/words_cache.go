package embed

import (
	"bytes"
	"time"
)

// answer is the kept answer to a four-letter word.
type answer struct {
	text []byte
	till time.Time // until when it is used again
}

// restFactor says how long an answer is reused, as a multiple of the time to build it. So building takes at most a
// fifth of the time, however often clients ask.
const restFactor = 4

// oneByOne returns a word that answers one client at a time.
func oneByOne(build word) word {
	return func(ws *words, client *conn, w *bytes.Buffer) {
		ws.mu.Lock()
		defer ws.mu.Unlock()
		build(ws, client, w)
	}
}

// cached returns a word that reuses its last answer for a moment. The shared answer is never modified.
func cached(name string, build word) word {
	return func(ws *words, client *conn, w *bytes.Buffer) {
		ws.mu.Lock()
		defer ws.mu.Unlock()
		last := ws.answers[name]
		if begun := time.Now(); !begun.Before(last.till) {
			var b bytes.Buffer
			build(ws, client, &b)
			made := time.Now()
			last = answer{b.Bytes(), made.Add(restFactor * made.Sub(begun))}
			if ws.answers == nil {
				ws.answers = make(map[string]answer)
			}
			ws.answers[name] = last
		}
		*w = *bytes.NewBuffer(last.text)
	}
}
