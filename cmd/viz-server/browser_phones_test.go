package main

import (
	"io"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
)

// thePhones has a teacher make the phones of a class clients of the ZooKeeper inside. One takes the lock, falls asleep
// and loses it; the other waits and gets it.
func thePhones(t *testing.T, b *browser) {
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
	moving := func(w window) window {
		w.still = false
		return w
	}
	teacher, ana, bo := visit(t, b.ctx, url, moving(desktop)), visit(t, b.ctx, url, moving(upright)),
		visit(t, b.ctx, url, moving(upright))
	teacher.open("/zoo")
	teacher.wait("stage", "ready")
	teacher.enters(".class-start button")
	teacher.until("the teacher's door", func() bool { return teacher.count("#class-teach #class-address") == 1 })
	name := teacher.says("document.querySelector('main').dataset.class")
	for v, who := range map[*visitor]string{ana: "Ana", bo: "<b>Bo</b>"} {
		v.joins(name, who, "/zoo")
	}
	teacher.enters("#class-from")
	teacher.wait("stage", "ready")
	teacher.until("the choice", func() bool { return teacher.count("#class-clients") == 1 })
	teacher.shoot("phones/before teacher")
	ana.shoot("phones/before")
	teacher.choose("#class-clients", "Phones are a herd")
	is := func(v *visitor, words string) {
		t.Helper()
		v.until(words, func() bool { return strings.HasPrefix(v.text("#class-client"), words) })
	}
	is(ana, "Not connected yet.")
	ana.shoot("phones/none")
	ana.click("#class-move-lock")
	is(ana, "Has the lock.")
	ana.until("its circle picked out", func() bool { return ana.mark("selected") == "client-1" })
	ana.shoot("phones/holds")
	bo.click("#class-move-lock")
	is(bo, "Waits behind Ana. Clients ahead: 1.")
	bo.until("its circle picked out", func() bool { return bo.mark("selected") == "client-2" })
	for _, v := range []*visitor{ana, bo} {
		if text := v.text("#class-link"); text != "" {
			t.Errorf("on a phone that only moves its client, the bar says %q", text)
		}
	}
	bo.shoot("phones/waits")
	teacher.shoot("phones/waits teacher")
	ana.click("#class-move-sleep")
	is(ana, "Asleep.")
	ana.shoot("phones/asleep")
	teacher.shoot("phones/asleep teacher")
	is(bo, "Has the lock.")
	ana.click("#class-move-sleep")
	is(ana, "Its session has expired")
	ana.shoot("phones/expired")
	ana.click("#class-move-lock")
	is(ana, "Waits behind <b>Bo</b>.")
	bo.click("#class-move-net")
	is(bo, "Has no network. It thinks that it still has the lock.")
	bo.shoot("phones/lost")
	teacher.shoot("phones/lost teacher")
	is(ana, "Has the lock.")
	bo.click("#class-move-net")
	is(bo, "Its session has expired")
	ana.click("#class-move-lock")
	is(ana, "Connected.")
	teacher.choose("#class-clients", "Phones only watch")
	for _, v := range []*visitor{ana, bo} {
		v.until("no pad", func() bool { return v.count("#class-pad") == 0 })
	}
}

// joins joins a class, with a name, and waits until the page is the one that the class is at.
func (v *visitor) joins(class, name, at string) {
	v.t.Helper()
	v.open("/class/" + class)
	v.until("the door", func() bool { return v.says("!!window.zkvizPage?.room") == "true" })
	v.says("(document.getElementById('class-join-name').value = '" + name + "', '')")
	v.click("#class-join button")
	v.until("the class's page", func() bool { return v.says("location.pathname") == at })
	v.wait("stage", "ready")
}
