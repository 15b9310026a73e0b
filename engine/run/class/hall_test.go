package class

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// aHall is a hall whose clock a test sets.
type aHall struct {
	*Hall
	t   *testing.T
	now time.Time
}

func newHall(t *testing.T) *aHall {
	h := &aHall{t: t, now: aMonday}
	h.Hall = NewHall(HallConfig{Now: func() time.Time { return h.now }})
	return h
}

// begin begins a class and returns it with its secret.
func (h *aHall) begin(address string) (*Class, string) {
	h.t.Helper()
	name, secret, err := h.Begin(h.t.Context(), address, Place{Page: "/lab"})
	if err != nil {
		h.t.Fatal(err)
	}
	c, err := h.Find(h.t.Context(), name)
	if err != nil {
		h.t.Fatalf("%s isn't found: %v", name, err)
	}
	return c, secret
}

// enter connects a page from an address.
func (h *aHall) enter(c *Class, address string) *Page {
	h.t.Helper()
	p, err := c.Enter(address)
	if err != nil {
		h.t.Fatal(err)
	}
	return p
}

// does has a page want something.
func does(p *Page, format string, args ...any) error {
	r, err := ParseRequest(fmt.Appendf(nil, format, args...))
	if err != nil {
		return err
	}
	return p.Handle(context.Background(), r)
}

// must is does for what may be.
func (h *aHall) must(p *Page, format string, args ...any) {
	h.t.Helper()
	if err := does(p, format, args...); err != nil {
		h.t.Fatalf(format+": %v", append(args, err)...)
	}
}

// sees returns a page's news.
func sees(p *Page) string {
	var all strings.Builder
	for _, view := range p.News() {
		fmt.Fprintf(&all, "%s\n", view)
	}
	return all.String()
}

// TestPageOfAClass checks what a page sees before and after it has said whose it is, and that no other leads.
func TestPageOfAClass(t *testing.T) {
	h := newHall(t)
	c, secret := h.begin("a")
	teacher, learner := h.enter(c, "a"), h.enter(c, "b")
	if got := sees(learner); got != "" || learner.Known() {
		t.Errorf("a page that hasn't joined sees\n%s", got)
	}
	for _, do := range []string{
		`{"do":"lead","place":{"page":"/"}}`, `{"do":"end"}`, `{"do":"here","follows":true}`, `{"do":"rename"}`,
		`{"do":"hello"}`, `{"do":"hello","secret":"` + secret + `x"}`,
	} {
		if does(learner, "%s", do) == nil {
			t.Errorf("a page that hasn't joined may do %s", do)
		}
	}
	h.must(teacher, `{"do":"hello","secret":%q}`, secret)
	h.must(learner, `{"do":"join","key":%q,"name":"Ana","follows":true}`, key("ana"))
	if got := sees(learner); !strings.Contains(got, `"here":1`) || !strings.Contains(got, `"name":"Ana"`) {
		t.Errorf("a learner sees\n%s", got)
	}
	next := learner.Next()
	h.must(teacher, `{"do":"lead","place":{"page":"/lessons/a","step":"b"}}`)
	<-next
	if got := sees(learner); got != `{"say":"place","page":"/lessons/a","step":"b"}`+"\n" {
		t.Errorf("a learner sees\n%s", got)
	}
	h.must(learner, `{"do":"here","follows":false}`)
	again := h.enter(c, "b") // another page of the same learner
	h.must(again, `{"do":"join","key":%q,"name":"another","follows":true}`, key("ana"))
	again.Leave()
	if got := sees(teacher); !strings.Contains(got, `"dots":"a"`) || !strings.Contains(got, `"learners":1`) {
		t.Errorf("the teacher sees\n%s", got)
	}
	learner.Leave()
	if got := sees(teacher); !strings.Contains(got, `"dots":"g"`) {
		t.Errorf("when the learner has left, the teacher sees\n%s", got)
	}
}

// TestClassesOfAHall checks how many classes there may be, and that one that is over makes room.
func TestClassesOfAHall(t *testing.T) {
	h := newHall(t)
	begin := func(address string) error {
		_, _, err := h.Begin(t.Context(), address, Place{Page: "/"})
		return err
	}
	mine, secret := h.begin("a")
	for range MaxClassesOfOne - 1 {
		h.begin("a")
	}
	if err := begin("a"); !errors.Is(err, ErrTooManyOfOne) {
		t.Errorf("another class of one address: %v", err)
	}
	p := h.enter(mine, "a")
	h.must(p, `{"do":"hello","secret":%q}`, secret)
	h.must(p, `{"do":"end"}`)
	if err := begin("a"); err != nil {
		t.Errorf("a class that is over makes no room: %v", err)
	}
	select {
	case <-mine.Gone():
	default:
		t.Error("the class that made room isn't gone")
	}
	for i := range MaxClasses - MaxClassesOfOne {
		h.begin(fmt.Sprint(i / MaxClassesOfOne))
	}
	if err := begin("new"); !errors.Is(err, ErrTooMany) {
		t.Errorf("another class: %v", err)
	}
	if n := h.Stats().Classes; n != MaxClasses {
		t.Errorf("there are %d classes, want %d", n, MaxClasses)
	}
	if _, _, err := h.Begin(t.Context(), "b", Place{Page: "//evil.example"}); err == nil {
		t.Error("a class begins on another site")
	}
}

// TestSweep checks when classes go: an hour after the last page, or after the end, which comes after twelve hours.
func TestSweep(t *testing.T) {
	h := newHall(t)
	c, secret := h.begin("a")
	left, _ := h.begin("b")
	p := h.enter(c, "a")
	h.must(p, `{"do":"hello","secret":%q}`, secret)
	later := func(d time.Duration) { h.now = h.now.Add(d); h.Sweep(t.Context()) }
	has := func(c *Class) bool { _, err := h.Find(t.Context(), c.Name); return err == nil }
	if later(KeepIdle); !has(left) || !has(c) {
		t.Error("a class goes too early")
	}
	if later(time.Second); has(left) || !has(c) {
		t.Error("a class without a page stays, or one with a page goes")
	}
	sees(p)
	if later(MaxAge); !strings.Contains(sees(p), `"ended":true`) || !has(c) {
		t.Errorf("a class of more than %v hasn't ended, or is gone at once", MaxAge)
	}
	if err := does(p, `{"do":"call"}`); !errors.Is(err, ErrOver) {
		t.Errorf("a class that is over still does something: %v", err)
	}
	if later(KeepIdle + time.Second); has(c) {
		t.Error("a class that is over stays")
	}
	h.begin("a")
	h.Close()
	if n := h.Stats().Classes; n != 0 {
		t.Errorf("a closed hall has %d classes", n)
	}
}

// TestOneAddressFillsNoClass has more learners join from one address than may, and then one from another.
func TestOneAddressFillsNoClass(t *testing.T) {
	h := newHall(t)
	c, _ := h.begin("a")
	p := h.enter(c, "school")
	for i := range MaxLearnersOfOne {
		h.must(p, `{"do":"join","key":%q}`, key(fmt.Sprint(i)))
	}
	if err := does(p, `{"do":"join","key":%q}`, key("new")); !errors.Is(err, ErrFullAddress) {
		t.Errorf("another learner of that address: %v", err)
	}
	h.must(p, `{"do":"join","key":%q}`, key("7")) // who is there already may come back
	h.must(h.enter(c, "home"), `{"do":"join","key":%q}`, key("new"))
	pages := []*Page{}
	for range MaxPages - 2 {
		pages = append(pages, h.enter(c, "school"))
	}
	if _, err := c.Enter("home"); !errors.Is(err, ErrFullPages) {
		t.Errorf("another page: %v", err)
	}
	pages[0].Leave()
	h.enter(c, "home")
}

// TestALearnerFillsNoLog has a learner do more than one may.
func TestALearnerFillsNoLog(t *testing.T) {
	h := newHall(t)
	c, _ := h.begin("a")
	p := h.enter(c, "a")
	h.must(p, `{"do":"join","key":%q}`, key("a"))
	for i := range MaxOfLearner {
		h.must(p, `{"do":"rename","name":"%d"}`, i)
	}
	if does(p, `{"do":"rename","name":"x"}`) == nil {
		t.Errorf("a learner makes more than %d entries", MaxOfLearner)
	}
}

// refusing is a line of classes that somebody else owns now.
type refusing struct{ alone }

func (refusing) Server() string { return "a" }

func (refusing) Open(ctx context.Context, c *Class, begin *Entry) (Line, error) {
	return refusing{alone{c}}, alone{c}.Append(ctx, *begin)
}

func (refusing) Do(context.Context, Order) error { return ErrAway }

func (refusing) Lead(context.Context, Order) error { return ErrAway }

// TestRefusedByTheOwner checks that what the owner refuses hasn't happened.
func TestRefusedByTheOwner(t *testing.T) {
	h := newHall(t)
	h.cfg.Lines = refusing{}
	c, secret := h.begin("a")
	p := h.enter(c, "a")
	h.must(p, `{"do":"hello","secret":%q}`, secret)
	sees(p)
	if err := does(p, `{"do":"lead","place":{"page":"/other"}}`); err == nil || sees(p) != "" {
		t.Errorf("the class goes on without its owner: %v", err)
	}
}
