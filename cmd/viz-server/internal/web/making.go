package web

import (
	"bytes"
	"net/http"
	"runtime"

	"github.com/a-h/templ"

	"github.com/zkviz/zkviz/engine/run/room"
)

const html = "text/html; charset=utf-8"

// making makes answers of what pages consist of, a few at a time: askers take turns, so that a page is there soon for
// anyone who asks for one while others ask for thousands. What is the same for many requests is made once.
type making struct {
	turns *room.Turns
	still *kept[stillKey, *content]
}

// stillKey is what a page that stays the same depends on: its path, its query if that counts, and the address of the
// ZooKeeper inside as its reader knows it.
type stillKey struct{ path, query, zoo string }

// maxStill bounds the pages that are kept, in bytes with their compressed forms.
const maxStill = 32 << 20

func newMaking() *making {
	return &making{turns: room.NewTurns(runtime.NumCPU()), still: newKept[stillKey, *content](maxStill)}
}

// inTurn has a body made and compressed when it is the asker's turn.
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

// page is a page that depends on nothing but the key: the one that is kept, or a new one.
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
			effort = quick // there are many of these
		}
		c, err := rendered(r, page, effort)
		if err == nil {
			m.still.put(key, c, 2*len(c.plain)+len(key.query)) // both compressed forms together are shorter
		}
		return c, err
	})
}

// rendered is a page in full: it is complete before the first byte is sent, so that none breaks off.
func rendered(r *http.Request, c templ.Component, effort int) (*content, error) {
	var b bytes.Buffer
	err := c.Render(r.Context(), &b)
	return newContent(html, b.Bytes(), effort), err
}
