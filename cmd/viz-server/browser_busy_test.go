package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"nhooyr.io/websocket"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/run/room"
)

// fullZoo opens the Zoo while its address has the maximum of viewers. The page says so, and works once one leaves.
func fullZoo(t *testing.T, b *browser) {
	inside, err := listenInside(t.Context(), "127.0.0.1:0", 1, nil, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := inside.Close(); err != nil {
			t.Error(err)
		}
	})
	url := b.serve(t, web.Config{Zoo: inside})
	var others []*websocket.Conn
	var reading sync.WaitGroup
	defer reading.Wait()
	for i := range room.MaxZoosPerClient {
		c, _, err := websocket.Dial(t.Context(), url+"/ws", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer c.CloseNow()
		if err := c.Write(t.Context(), websocket.MessageText, fmt.Appendf(nil, `{"do":"zoo","path":"/other-%d"}`,
			i)); err != nil {
			t.Fatal(err)
		}
		if _, _, err := c.Read(t.Context()); err != nil { // it is shown
			t.Fatal(err)
		}
		reading.Go(func() {
			for err == nil {
				_, _, err = c.Read(t.Context())
			}
		})
		others = append(others, c)
	}
	v := visit(t, b.ctx, url, desktop)
	v.open("/zoo")
	v.until("words about it", func() bool { return strings.Contains(v.text("#link"), "that it may have; try again") })
	_ = others[0].CloseNow()
	v.wait("host", "zoo")
	v.until("an end of the words", func() bool { return v.text("#link") == "" })
}
