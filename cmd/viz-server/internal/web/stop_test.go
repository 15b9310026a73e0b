package web_test

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"nhooyr.io/websocket"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
)

// stopping serves a run on a cluster, whose clean-up waits for clean, and tells the server to stop.
func stopping(t *testing.T, within time.Duration) (
	viewer *websocket.Conn, host string, clean func(), ended chan error,
) {
	t.Helper()
	begun, cleaning, may := make(chan struct{}), make(chan struct{}), make(chan struct{})
	zk := &webtest.Cluster{Runs: func(ctx context.Context, sink event.Sink, _ <-chan fault.Fault) error {
		sink.Append(event.Event{Seq: 1, Kind: event.RunStarted})
		close(begun)
		<-ctx.Done()
		close(cleaning)
		<-may
		return ctx.Err()
	}}
	b, err := webtest.Book()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	at, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- web.Serve(ctx, web.Config{
			Book: b, ZK: []string{"127.0.0.1:1"}, Cluster: zk, StopWithin: within, OperatorAddr: "127.0.0.1:0",
			Listening: func(url string) { at <- url },
		})
	}()
	address := <-at
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	viewer, _, err = websocket.Dial(ctx, address+"/ws", &websocket.DialOptions{
		HTTPHeader: http.Header{"Origin": {address}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := viewer.Write(ctx, websocket.MessageText, []byte(openLive)); err != nil {
		t.Fatal(err)
	}
	<-begun
	stop()
	<-cleaning
	return viewer, u.Host, func() { close(may) }, ended
}

// TestStop checks that a stopping server refuses connections, tells viewers of runs, and waits until runs have cleaned
// up.
func TestStop(t *testing.T) {
	viewer, host, clean, ended := stopping(t, time.Hour)
	for {
		_, _, err := viewer.Read(t.Context())
		if err == nil {
			continue
		}
		if websocket.CloseStatus(err) != websocket.StatusGoingAway ||
			!strings.Contains(err.Error(), "the server is stopping") {
			t.Errorf("the page is told %v", err)
		}
		break
	}
	if conn, err := net.Dial("tcp", host); err == nil {
		t.Error("it takes another connection")
		conn.Close()
	}
	select {
	case err := <-ended:
		t.Errorf("it has ended before its run: %v", err)
	default:
	}
	clean()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestStopWithin checks that a run which doesn't clean up delays the end no longer than the limit.
func TestStopWithin(t *testing.T) {
	_, _, clean, ended := stopping(t, 10*time.Millisecond)
	defer clean()
	err := <-ended
	if err == nil || !strings.Contains(err.Error(), "stopped after 10ms with runs that haven't cleaned up") {
		t.Errorf("it ended with %v", err)
	}
}
