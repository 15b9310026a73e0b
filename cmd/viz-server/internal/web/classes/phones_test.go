package classes_test

import (
	"fmt"
	"strings"
	"testing"

	"nhooyr.io/websocket"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/phones"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
)

const herd = `{"do":"clients","lock":{"path":"/zkviz/queue","way":"herd"}}`

// TestPhones checks what a class's pages are told of clients, on a ZooKeeper that lets nobody in.
func TestPhones(t *testing.T) {
	srv := webtest.Serve(t, web.Config{Zoo: webtest.NewZoo()})
	name, secret := webtest.BeginClass(t, srv, "/zoo")
	teacher := webtest.Enter(t, srv, name, hello(secret))
	p := webtest.Enter(t, srv, name, join(1))
	p.Until(say("place"))
	refused := func(p *webtest.Pupil, text, do, why string) {
		t.Helper()
		p.Send(text)
		if v := p.Until(say("error")); v.Do != do || !strings.Contains(v.Why, why) {
			t.Errorf("%.80s: %+v", text, v)
		}
	}
	refused(p, herd, "clients", "Only the class's teacher")
	refused(p, `{"do":"take"}`, "take", "Learners have no clients now")
	refused(teacher, strings.Replace(herd, "herd", "crowd", 1), "clients", "queue, herd")
	refused(teacher, strings.Replace(herd, "/zkviz/queue", "/", 1), "clients", "not under the root")
	teacher.Send(herd)
	if v := p.Until(func(v webtest.View) bool { return v.Lock != nil }); v.Lock.Way != "herd" {
		t.Errorf("learners are told %+v", v.Lock)
	}
	p.Until(func(v webtest.View) bool { return v.Is == "none" })
	refused(p, `{"do":"sleep"}`, "sleep", "take the lock first")
	late := webtest.Enter(t, srv, name, join(2))
	late.Until(func(v webtest.View) bool { return v.Is == "none" })
	late.Send(`{"do":"take"}`)
	late.Until(func(v webtest.View) bool { return v.Is == "connects" })
	again := webtest.Enter(t, srv, name, join(2)) // another page of the same learner
	again.Until(func(v webtest.View) bool { return v.Is == "connects" })
	teacher.Send(`{"do":"clients"}`)
	late.Until(func(v webtest.View) bool { return v.Say == "class" && v.Lock == nil })
	refused(late, `{"do":"take"}`, "take", "Learners have no clients now")
}

// TestNoZooKeeperInside checks what a teacher is told to do.
func TestNoZooKeeperInside(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	name, secret := webtest.BeginClass(t, srv, "/zoo")
	teacher := webtest.Enter(t, srv, name, hello(secret))
	teacher.Send(herd)
	if v := teacher.Until(say("error")); v.Do != "clients" || !strings.Contains(v.Why, "--zk-listen 127.0.0.1:2181") {
		t.Errorf("the teacher is told %+v", v)
	}
}

// TestAThousandTap has a thousand learners take the lock at once, each again and again. The server stays within its
// limits, and the others are told why they get no client.
func TestAThousandTap(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	srv := webtest.Serve(t, web.Config{Zoo: webtest.NewZoo()})
	name, secret := webtest.BeginClass(t, srv, "/zoo")
	webtest.Enter(t, srv, name, hello(secret)).Send(herd)
	all := make([]*webtest.Pupil, 1000)
	in := make(chan bool, len(all))
	each(t, all, func(i int) {
		p := webtest.Enter(t, srv, name, join(i))
		p.Until(func(v webtest.View) bool { return v.Is == "none" })
		for range 5 {
			p.Send(`{"do":"take"}`)
		}
		v := p.Until(func(v webtest.View) bool { return v.Is == "connects" || v.Say == "error" })
		full, has := strings.Contains(v.Why, "as many as there may be"), strings.Contains(v.Why, "waits for it already")
		if v.Say == "error" && !full && !has {
			t.Errorf("learner %d is told %q", i, v.Why)
		}
		in <- !full
	})
	close(in)
	n := 0
	for is := range in {
		if is {
			n++
		}
	}
	if n != phones.MaxClients {
		t.Errorf("%d learners have a client, want %d", n, phones.MaxClients)
	}
	flood := webtest.Enter(t, srv, name, join(1))
	go func() {
		for i := range 1000 {
			move := []string{"sleep", "wake"}[i%2]
			if flood.Conn.Write(t.Context(), websocket.MessageText, fmt.Appendf(nil, `{"do":%q}`, move)) != nil {
				return
			}
		}
	}()
	if code, _ := closed(flood); code != websocket.StatusPolicyViolation && code != -1 {
		t.Errorf("a flood ends with %d", code)
	}
}
