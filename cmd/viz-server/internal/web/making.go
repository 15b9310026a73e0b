package web

import (
	"bytes"
	"net/http"
	"runtime"

	"github.com/a-h/templ"

	"github.com/zkviz/zkviz/engine/run/room"
)

const html = "text/html; charset=utf-8"

// making makes pages and other answers, a few at a time. Clients take turns, so that one who asks for thousands doesn't
// delay the others. Pages that many requests share are made once.
type making struct {
	turns *room.Turns
	still *kept[stillKey, *content]
}

// stillKey holds everything that a cached page depends on: its path, its query if that matters, and the address of the
// ZooKeeper inside as the reader knows it.
type stillKey struct{ path, query, zoo string }

// maxStill limits the cached pages, in bytes with their compressed forms.
const maxStill = 32 << 20

func newMaking() *making {
	return &making{turns: room.NewTurns(runtime.NumCPU()), still: newKept[stillKey, *content](maxStill)}
}

// inTurn makes and compresses a body in the client's turn.
func (m *making) inTurn(r *http.Request, make func() (*content, error)) (*content, error) {
	leave, err := m.turns.Enter(r.Context(), askerOf(r))
	if err != nil {
		return nil, err
	}
	defer leave()
	c, err := make()
	if err == nil && !c.ready(r) {
		c.form(c.encoding(r))
	}
	return c, err
}

// page returns a page that depends only on the key, from the cache or newly made.
func (m *making) page(r *http.Request, key stillKey, make func() (templ.Component, error)) (*content, error) {
	if c, ok := m.still.get(key); ok && c.ready(r) {
		return c, nil
	}
	return m.inTurn(r, func() (*content, error) {
		if c, ok := m.still.get(key); ok {
			return c, nil
		}
		page, err := make()
		if err != nil {
			return nil, err
		}
		effort := thorough
		if key.query != "" {
			effort = quick // there are many
		}
		c, err := rendered(r, page, effort)
		if err == nil {
			m.still.put(key, c, 2*len(c.plain)+len(key.query)) // both compressed forms are shorter
		}
		return c, err
	})
}

// rendered renders a page completely before the first byte is sent, so that none breaks off.
func rendered(r *http.Request, c templ.Component, effort int) (*content, error) {
	var b bytes.Buffer
	err := c.Render(r.Context(), &b)
	return newContent(html, b.Bytes(), effort), err
}
