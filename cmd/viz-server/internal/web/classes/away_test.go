package classes_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"nhooyr.io/websocket"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/run/class"
)

// others are servers that may be out of reach. Nothing that pages want is ever done there.
type others struct{ away atomic.Bool }

func (o *others) Server() string { return "here" }

func (o *others) Among() bool { return true }

func (o *others) Linked() bool { return !o.away.Load() }

func (o *others) Stats() (owned, relayed int) { return 0, 1 }

func (o *others) Open(ctx context.Context, c *class.Class, begin *class.Entry) (class.Line, error) {
	switch {
	case o.away.Load():
		return nil, class.ErrAway
	case begin == nil:
		return nil, class.ErrNone
	}
	return dead{c}, dead{c}.Append(ctx, *begin)
}

// dead is a line to a server that doesn't answer.
type dead struct{ class *class.Class }

func (d dead) Append(_ context.Context, e class.Entry) error { d.class.Apply(e); return nil }

func (dead) Do(context.Context, class.Order) error { return class.ErrAway }

func (dead) Lead(context.Context, class.Order) error { return class.ErrAway }

func (dead) Move(context.Context, class.Order) error { return class.ErrAway }

func (dead) Changed(int) {}

func (dead) Here() {}

func (dead) Close(bool) {}

// TestOthersAway checks what pages get while the other servers are out of reach: that nobody knows whether there is
// such a class, and that what they want may be done
// if they say it again in a moment. A page that can't join is to come again.
func TestOthersAway(t *testing.T) {
	o := &others{}
	srv := webtest.Serve(t, web.Config{Classes: o})
	name, secret := webtest.BeginClass(t, srv, "/lab")
	if status, _, _ := webtest.Get(t, srv.URL+"/class/zzzzzz"); status != http.StatusNotFound {
		t.Errorf("a class that nobody has is %d", status)
	}
	o.away.Store(true)
	status, h, body := webtest.Get(t, srv.URL+"/class/zzzzzz")
	if status != http.StatusServiceUnavailable || h.Get("Retry-After") == "" ||
		!strings.Contains(body, "can&#39;t be looked up now") {
		t.Errorf("a class that others may have is %d", status)
	}
	if status, _, _ := webtest.Get(t, srv.URL+"/class/zzzzzz/qr.svg"); status != http.StatusServiceUnavailable {
		t.Errorf("its code is %d", status)
	}
	if status, _, _ := post(t, srv, "/class/begin", srv.URL, map[string][]string{"page": {"/lab"}}); status !=
		http.StatusServiceUnavailable {
		t.Errorf("another class begins: %d", status)
	}
	p, err := webtest.Visit(t, srv, http.DefaultClient, "zzzzzz")
	if err != nil {
		t.Fatal(err)
	}
	if code, told := closed(p); code != websocket.StatusGoingAway || len(told) != 0 {
		t.Errorf("a page of it ends with %d, and is told %+v", code, told)
	}
	if code, told := closed(webtest.Enter(t, srv, name, join(1))); code != websocket.StatusGoingAway || len(told) != 0 {
		t.Errorf("one that can't join ends with %d, and is told %+v", code, told)
	}
	teacher := webtest.Enter(t, srv, name, hello(secret))
	teacher.Until(say("place"))
	teacher.Send(`{"do":"call"}`)
	v := teacher.Until(say("error"))
	if v.Do != "call" || !v.Again || !strings.Contains(v.Why, "can't reach each other now") {
		t.Errorf("the teacher is told %+v", v)
	}
	teacher.Send(`{"do":"reveal"}`)
	if v := teacher.Until(say("error")); v.Do != "reveal" || v.Again {
		t.Errorf("of a question that nobody has asked, the teacher is told %+v", v)
	}
}
