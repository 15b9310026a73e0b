package class

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// crowds records what is wanted of learners' clients, and does nothing.
type crowds struct {
	t       *testing.T
	said    strings.Builder
	changed func(learner int)
	behind  int
	refused error
}

func (c *crowds) Check(l Lock) error {
	if l.Way == "none" {
		return errors.New("no such recipe")
	}
	return nil
}

func (c *crowds) Open(_ string, l Lock, changed func(learner int)) Crowd {
	fmt.Fprintf(&c.said, "open %s %s\n", l.Path, l.Way)
	c.changed = changed
	return crowd{c}
}

type crowd struct{ *crowds }

func (c crowd) Move(learner int, name, do string) error {
	fmt.Fprintf(&c.said, "%d %q %s\n", learner, name, do)
	return c.refused
}

func (c crowd) Here(learner int, here bool) { fmt.Fprintf(&c.said, "%d here: %v\n", learner, here) }

func (c crowd) View(int) ClientView { return ClientView{Is: "waits", Behind: c.behind} }

func (c crowd) Close() { fmt.Fprintln(&c.said, "close") }

// is compares what was wanted since the last call.
func (c *crowds) is(want string) {
	c.t.Helper()
	if got := c.said.String(); got != want {
		c.t.Errorf("of the clients is wanted\n%swant\n%s", got, want)
	}
	c.said.Reset()
}

// TestClients checks who may do what with learners' clients, and which page sees which.
func TestClients(t *testing.T) {
	all := &crowds{t: t}
	h := newHall(t)
	h.cfg.Crowds = all
	c, secret := h.begin("a")
	teacher, ana, bo := h.enter(c, "a"), h.enter(c, "b"), h.enter(c, "c")
	h.must(teacher, `{"do":"hello","secret":%q}`, secret)
	h.must(ana, `{"do":"join","key":%q,"name":"Ana"}`, key("ana"))
	h.must(bo, `{"do":"join","key":%q}`, key("bo"))
	on := `{"do":"clients","lock":{"path":"/q","way":"herd"}}`
	for _, no := range []struct {
		page *Page
		do   string
		want error
	}{
		{ana, `{"do":"take"}`, ErrNoClients}, {ana, on, ErrNotTeacher}, {teacher, `{"do":"take"}`, ErrNotJoined},
		{h.enter(c, "d"), `{"do":"take"}`, ErrNotJoined},
	} {
		if err := does(no.page, "%s", no.do); !errors.Is(err, no.want) {
			t.Errorf("%s: %v, want %v", no.do, err, no.want)
		}
	}
	if err := does(teacher, `{"do":"clients","lock":{"path":"/q","way":"none"}}`); err == nil {
		t.Error("clients wait in a way that there isn't")
	}
	all.is("")
	sees(ana)
	rung := ana.Rung()
	h.must(teacher, "%s", on)
	<-rung
	all.is("open /q herd\n")
	if got := sees(ana); !strings.Contains(got, `"lock":{"path":"/q"`) || !strings.Contains(got, `"say":"client","is":"waits"`) {
		t.Errorf("a learner sees\n%s", got)
	}
	if got := sees(teacher); strings.Contains(got, `"client"`) {
		t.Errorf("the teacher has a client:\n%s", got)
	}
	sees(bo)
	h.must(ana, `{"do":"take"}`)
	all.refused = ErrFull
	if err := does(bo, `{"do":"sleep"}`); !errors.Is(err, ErrFull) {
		t.Errorf("what is refused is %v", err)
	}
	all.is("1 \"Ana\" take\n2 \"\" sleep\n")
	all.behind = 1
	rung, quiet := bo.Rung(), ana.Rung()
	all.changed(2)
	<-rung
	select {
	case <-quiet:
		t.Error("one learner's page is woken by another's client")
	default:
	}
	if got := sees(bo); got != `{"say":"client","is":"waits","behind":1,"name":"Ana"}`+"\n" {
		t.Errorf("a learner sees\n%s", got)
	}
	if all.changed(2); sees(bo) != "" {
		t.Error("a page sees again what it has seen")
	}
	again := h.enter(c, "b")
	h.must(again, `{"do":"join","key":%q}`, key("ana"))
	again.Leave()
	all.is("")
	ana.Leave()
	all.is("1 here: false\n")
	ana = h.enter(c, "b")
	h.must(ana, `{"do":"join","key":%q}`, key("ana"))
	all.is("1 here: true\n")
	h.must(teacher, `{"do":"clients"}`)
	if err := does(ana, `{"do":"take"}`); !errors.Is(err, ErrNoClients) {
		t.Errorf("without clients it is %v", err)
	}
	h.must(teacher, "%s", on)
	h.must(teacher, `{"do":"end"}`)
	if err := does(ana, `{"do":"take"}`); !errors.Is(err, ErrOver) {
		t.Errorf("after the class it is %v", err)
	}
	all.is("close\nopen /q herd\nclose\n")
}

// TestNoZooKeeper checks what a server says that has no ZooKeeper inside.
func TestNoZooKeeper(t *testing.T) {
	h := newHall(t)
	c, secret := h.begin("a")
	teacher := h.enter(c, "a")
	h.must(teacher, `{"do":"hello","secret":%q}`, secret)
	err := does(teacher, `{"do":"clients","lock":{"path":"/q","way":"herd"}}`)
	if !errors.Is(err, ErrNoZooKeeper) {
		t.Errorf("it is %v", err)
	}
}

// TestClientsOfOwner checks that clients are kept while nobody owns the class, and end when another server does.
func TestClientsOfOwner(t *testing.T) {
	all := &crowds{t: t}
	h := newHall(t)
	h.cfg.Crowds = all
	c, secret := h.begin("a")
	teacher := h.enter(c, "a")
	h.must(teacher, `{"do":"hello","secret":%q}`, secret)
	h.must(teacher, `{"do":"clients","lock":{"path":"/q","way":"herd"}}`)
	c.Own(false)
	c.Own(true)
	c.Yield()
	all.is("open /q herd\n")
	c.Own(false)
	c.Yield()
	c.Yield()
	all.is("close\n")
	h.must(teacher, `{"do":"clients","lock":{"path":"/q","way":"queue"}}`)
	all.is("")
	c.Own(true)
	all.is("open /q queue\n")
	h.Close()
	c.Own(true)
	all.is("close\n")
}
