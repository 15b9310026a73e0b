package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"nhooyr.io/websocket"
)

// slowLobby never finds a room. It tells why it stopped looking.
type slowLobby struct {
	begun chan struct{}
	ended chan error
}

func (l *slowLobby) openRoom(ctx context.Context, _ asker, _ Message) (*room, error) {
	l.begun <- struct{}{}
	<-ctx.Done()
	l.ended <- ctx.Err()
	return nil, ctx.Err()
}
func (l *slowLobby) observe(asker, string) (*room, error) { return nil, errors.New("not here") }
func (l *slowLobby) zoo(asker, string) (*room, error)     { return nil, errors.New("not here") }
func (l *slowLobby) resume(asker, string) (*room, error)  { return nil, errors.New("not here") }

// dialSlow connects to a server that has nothing but a slow lobby.
func dialSlow(t *testing.T, l *slowLobby) *websocket.Conn {
	t.Helper()
	seats := newSeats(10, 10)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sock, err := accept(w, r, patience)
		if err != nil {
			return
		}
		seat, err := seats.take("a", func() {}, time.Now())
		if err != nil {
			t.Error(err)
			return
		}
		c := conn{s: sock, who: "a", seat: seat, lobby: l, rooms: newRooms(), frames: newFrames()}
		c.serve(context.Background(), context.Background())
	}))
	t.Cleanup(srv.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	c, _, err := websocket.Dial(ctx, srv.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.CloseNow() })
	return c
}

const openAny = `{"do":"open","recipe":"unique-lock"}`

// TestLeavingEndsWhatIsComputed closes the connection while what it asked for is computed, with more of it waiting.
func TestLeavingEndsWhatIsComputed(t *testing.T) {
	l := &slowLobby{make(chan struct{}, 10), make(chan error, 10)}
	c := dialSlow(t, l)
	for range 5 {
		if err := c.Write(t.Context(), websocket.MessageText, []byte(openAny)); err != nil {
			t.Fatal(err)
		}
	}
	<-l.begun
	_ = c.CloseNow()
	if err := <-l.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("it was computed until %v, though nobody waited for it", err)
	}
	if n := len(l.begun); n > 0 {
		t.Errorf("%d more were begun", n)
	}
}

// TestMessagesWaitTheirTurn sends more than may wait while one message is carried out: what is too much is refused, and
// the page stays.
func TestMessagesWaitTheirTurn(t *testing.T) {
	l := &slowLobby{make(chan struct{}, 10), make(chan error, 10)}
	c := dialSlow(t, l)
	send := func(text string) {
		t.Helper()
		if err := c.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	send(openAny)
	<-l.begun
	long := fmt.Sprintf(`{"do":"resume","run":"%s"}`, strings.Repeat("x", MaxMessage/2))
	for range 2 * MaxAskBytes / len(long) {
		send(long)
	}
	_, text, err := c.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var e sayError
	if err := json.Unmarshal(text, &e); err != nil || e.Say != "error" || e.Do != "resume" || e.AgainMS <= 0 {
		t.Errorf("too many messages are answered with %s", text)
	}
	var reading sync.WaitGroup
	reading.Go(func() {
		for err == nil {
			_, _, err = c.Read(t.Context()) // the other refusals, and the answer to the ping
		}
	})
	if err := c.Ping(t.Context()); err != nil {
		t.Errorf("the connection is gone: %v", err)
	}
	_ = c.CloseNow()
	reading.Wait()
}
