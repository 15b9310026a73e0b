package main

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

// tandem is a page that leads, and one that follows. The test carries places from one to the other.
type tandem struct {
	leader, follower *visitor
}

// onePageFollows checks that a page is where another one is: at the same step with its words, on the same branch with
// the same events, with the same selection, and while both play. It goes to other pages in its reader's language.
func onePageFollows(t *testing.T, b *browser) {
	book, err := b.book.With(uistrings.Pseudo, uistrings.Pseudonym)
	if err != nil {
		t.Fatal(err)
	}
	site := b.serve(t, web.Config{Book: book, Pseudo: true})
	p := tandem{visit(t, b.ctx, site, desktop), visit(t, b.ctx, site, upright)}
	p.throughALesson()
	p.whatTheReaderDoes()
	p.toOtherPages()
	p.onStills(b)
	p.whilePlaying(b)
}

// leads opens a page that leads.
func (p *tandem) leads(path string) {
	p.leader.t.Helper()
	p.leader.open(path)
	p.leader.wait("stage", "ready")
	p.leader.says("(window.said = [], zkvizPage.onplace((place) => said.push(place)))")
}

// carry hands over what the leader has said. If the follower has to go to another page, it does. It returns what
// following came to: "" if all of it could be shown.
func (p *tandem) carry() (found string) {
	p.leader.t.Helper()
	var said []json.RawMessage
	text := p.leader.says("window.said ? JSON.stringify(said.splice(0)) : '[]'")
	if err := json.Unmarshal([]byte(text), &said); err != nil {
		p.leader.t.Fatal(err)
	}
	for _, place := range said {
		if found = p.follower.says("zkvizPage.follow(" + string(place) + ")"); strings.HasPrefix(found, "/") {
			p.follower.open(found)
			p.follower.until("its script", func() bool { return p.follower.says("!!window.zkvizPage?.follow") == "true" })
		}
	}
	return found
}

// meet waits until both pages are at the same place, which is where the leader is to be.
func (p *tandem) meet(where string, so func() bool) {
	p.leader.t.Helper()
	p.leader.until(where, so)
	var one, two string
	const is = "JSON.stringify([zkvizPage.place(), document.documentElement.dataset.seq, location.hash, " +
		"document.querySelector('.step[data-here]')?.id])"
	p.follower.until("the follower at "+where, func() bool {
		p.carry()
		one, two = p.leader.says(is), p.follower.says(is)
		return one == two
	})
	sum := "new URLSearchParams(zkvizPage.program().link()).get('sum')"
	if one, two := p.leader.says(sum), p.follower.says(sum); one != two {
		p.leader.t.Errorf("%s: the events have the sums %s and %s", where, one, two)
	}
}

func (p *tandem) shoot(name string) {
	p.leader.shoot("follow/" + name + " leader")
	p.follower.shoot("follow/" + name + " follower")
}

// throughALesson goes through a lesson's steps and back, to events and to what is selected, and pauses client B. The
// follower is a phone, and speaks another language.
func (p *tandem) throughALesson() {
	t, l, f := p.leader.t, p.leader, p.follower
	t.Helper()
	p.leads("/lessons/the-herd")
	f.open(page.Lang(uistrings.Pseudo).To("/lessons/the-herd"))
	f.wait("stage", "ready")
	for _, step := range []string{"arrival", "fan", "release", "look", "all"} {
		l.press(kb.ArrowRight)
		p.meet(step, func() bool { return l.mark("step") == step })
		if step == "release" || step == "all" {
			p.shoot(step)
		}
	}
	if beside := l.mark("beside"); beside == "" || f.mark("beside") != beside {
		t.Errorf("beside the run stands %q, and %q where it's followed", beside, f.mark("beside"))
	}
	l.press(kb.ArrowLeft, kb.ArrowLeft)
	p.meet("back at release", func() bool { return l.mark("step") == "release" })
	l.press(".")
	p.meet("the event after that", func() bool { return l.mark("playing") == "false" })
	l.press("2")
	p.meet("client B", func() bool { return l.mark("selected") == "client-2" })
	l.press("p")
	p.meet("a pause", func() bool { return l.mark("branch") == "1" })
	p.shoot("fault")
	l.press(kb.End)
	p.meet("its end", func() bool { return l.mark("ended") == "true" })
	l.press(kb.Home)
	p.meet("its start", func() bool { return l.mark("seq") == "0" })
	l.says("zkvizPage.command('seek', 9000)")
	p.meet("a time", func() bool { return l.mark("seq") != "0" })
	l.press("3", "c")
	p.meet("a crash after the pause", func() bool { return l.mark("branch") == "2" })
	l.says("zkvizPage.command('branch', 0)")
	p.meet("the run without faults", func() bool { return l.mark("branch") == "0" })
	if n := f.mark("branches"); n != "3" {
		t.Errorf("the follower has %s branches, want 3", n)
	}
	if said := f.text("#link"); said != "" {
		t.Errorf("the follower remarks %q", said)
	}
	if lang := f.says("document.documentElement.lang"); lang != string(uistrings.Pseudo) {
		t.Errorf("the follower speaks %s", lang)
	}
}

// whatTheReaderDoes checks what counts as the reader's own: what moves the run, the step or the selection, by key,
// pointer or finger. Following isn't, nor is what changes nothing of that.
func (p *tandem) whatTheReaderDoes() {
	t, l, f := p.leader.t, p.leader, p.follower
	t.Helper()
	f.resize(desktop)
	f.says("(window.own = 0, zkvizPage.onown(() => own++))")
	l.press(kb.ArrowRight, "2", "3")
	p.meet("the next step", func() bool { return l.mark("selected") == "client-3" })
	f.press("t", "?", kb.Escape)
	f.click("[data-panel=log]")
	f.search("watch")
	f.says("dispatchEvent(new Event('resize'))")
	p.meet("still there", func() bool { return true })
	if n := f.integer("own"); n != 0 {
		t.Errorf("the reader hasn't moved the run, and %d times it counts as that", n)
	}
	for _, own := range []struct {
		what string
		do   func()
	}{
		{"a key", func() { f.press(kb.ArrowLeft) }},
		{"a button", func() { f.click("[data-command=step]") }},
		{"a link", func() { f.click(".progress a[href='#fan']") }},
		{"a name", func() { f.press("1") }},
		{"a row", func() { f.click("#log li[data-seq]:not([hidden])") }},
		{"the stage", f.pressStage},
	} {
		f.says("own = 0")
		own.do()
		f.until(own.what+" to be the reader's own", func() bool { return f.integer("own") > 0 })
	}
}

// pressStage clicks on the stage's canvas where a client is.
func (v *visitor) pressStage() {
	v.t.Helper()
	was := v.mark("selected")
	v.until("something that is selected on the stage", func() bool {
		return v.says(`(() => {
			const { contentWindow: w } = document.getElementById("stage");
			for (let x = 0.05; x < 1; x += 0.05) for (let y = 0.05; y < 1; y += 0.05) {
				const at = { clientX: x * w.innerWidth, clientY: y * w.innerHeight, isPrimary: true, pointerType: "mouse" };
				for (const name of ["pointerdown", "pointerup"]) w.dispatchEvent(new w.PointerEvent(name, at));
				if (document.documentElement.dataset.selected !== "`+was+`") return true;
			}
			return false;
		})()`) == "true"
	})
}

// toOtherPages goes from a lesson to the Lab, to another scenario there, and back. The follower goes there, in its
// language, with a moment of the Lab's scenario.
func (p *tandem) toOtherPages() {
	t, l, f := p.leader.t, p.leader, p.follower
	t.Helper()
	for _, path := range []string{"/lab?recipe=unique-lock&clients=4&seed=3&at=5s",
		"/lessons/watch-the-one-ahead#break-it",
		"/lab?recipe=no-second-look&clients=5&hold=20s&fault=pause+client-1+at+2s+for+15s&beside=predecessor-lock&at=8s"} {
		p.leads(path)
		p.meet(path, func() bool { return true })
		u, err := url.Parse(path)
		if err != nil {
			t.Fatal(err)
		}
		here := f.says("location.pathname")
		if want := page.Lang(uistrings.Pseudo).To(u.Path); here != want {
			t.Errorf("the follower is at %s, want %s", here, want)
		}
		if q := f.says("location.search"); u.Query().Has("at") && strings.Contains(q, "at=") {
			t.Errorf("the follower's scenario is %s", q)
		}
	}
	l.press("2", "c")
	p.meet("a fault in the Lab", func() bool { return l.mark("branch") == "1" && l.mark("besideBranch") == "1" })
	f.until("the fault beside it", func() bool { return f.mark("besideBranch") == "1" })
	p.shoot("lab")
	l.says("((list) => { list.value = 'branch 0'; list.dispatchEvent(new Event('change', { bubbles: true })); })" +
		"(document.getElementById('beside'))")
	p.meet("the branches beside each other", func() bool { return l.mark("beside") == "branch 0" })
	for _, odd := range []string{"//elsewhere.example/", "javascript:alert(1)", "https://elsewhere.example/", ""} {
		if to := f.says("zkvizPage.follow({page: '" + odd + "', step: '', query: ''})"); to != "null" {
			t.Errorf("%s leads to %s", odd, to)
		}
	}
}

// onStills leads a page whose program is held back: it turns its still pictures. Once the stage is there, it is where
// the leader is.
func (p *tandem) onStills(b *browser) {
	g := newGate(p.leader.t, p.leader.url)
	f := visit(p.leader.t, b.ctx, g.url, upright)
	two := tandem{p.leader, f}
	two.leads("/lessons/the-herd")
	f.open("/lessons/the-herd")
	f.wait("stage", "loading")
	for n, step := range []string{"arrival", "fan", "release"} {
		two.leader.press(kb.ArrowRight)
		two.leader.wait("step", step)
		f.until("the picture of "+step, func() bool {
			two.carry()
			return f.says("document.querySelector('.step[data-here]').id") == step
		})
		l, _ := b.book.Find("the-herd")
		f.stands(b, l, n+1)
	}
	two.leader.press("2", "p")
	two.leader.wait("branch", "1")
	two.carry()
	g.open()
	two.meet("the pause, with the stage", func() bool { return f.mark("stage") == "ready" })
	f.shoot("follow/after the still pictures")
}

// whilePlaying plays in the Lab and in a lesson. Both pages are at nearly the same time.
func (p *tandem) whilePlaying(b *browser) {
	moving := desktop
	moving.still = false
	two := tandem{visit(p.leader.t, b.ctx, p.leader.url, moving), visit(p.leader.t, b.ctx, p.leader.url, moving)}
	l, f := two.leader, two.follower
	two.leads("/lab?recipe=unique-lock&clients=5&hold=20s")
	f.open("/lab?recipe=unique-lock&clients=5&hold=20s")
	f.wait("stage", "ready")
	l.press(kb.Home)
	two.meet("the start", func() bool { return l.mark("seq") == "0" && l.mark("playing") == "false" })
	l.press(" ")
	two.together(3000)
	l.press("+") // twice as fast
	two.together(9000)
	if speed := f.says("document.getElementById('speed').value"); speed != "2" {
		l.t.Errorf("the follower plays %s times as fast", speed)
	}
	l.says("zkvizPage.command('seek', 1000)")
	two.together(2000)
	two.shoot("playing")
	l.press(" ")
	two.meet("a stop", func() bool { return l.mark("playing") == "false" })

	two.leads("/lessons/the-herd#arrival")
	l.wait("step", "arrival")
	two.meet("a lesson", func() bool { return l.mark("playing") == "false" })
	l.press(kb.ArrowRight)
	f.until("the step to be played", func() bool {
		two.carry()
		return f.mark("step") == "fan"
	})
	two.meet("the end of the step", func() bool { return l.mark("step") == "fan" && l.mark("playing") == "false" })
}

// together waits until both have played to a time, and are at most half a second of the run's time from each other. A
// browser that stands still for a while is caught up with.
func (p *tandem) together(ms int) {
	p.leader.t.Helper()
	// At what time of the run the clock, which both have, would have stood at zero.
	const is = `(() => {
		const at = new URLSearchParams(zkvizPage.program().position());
		return [at.has("playing"), Date.now(), parseFloat(document.documentElement.dataset.atMs)].join(" ");
	})()`
	p.follower.until("both to play at "+strconv.Itoa(ms), func() bool {
		p.carry()
		one, two := strings.Fields(p.leader.says(is)), strings.Fields(p.follower.says(is))
		if one[0] != "true" || two[0] != "true" {
			return false
		}
		var n [4]float64
		for i, text := range []string{one[1], one[2], two[1], two[2]} {
			n[i], _ = strconv.ParseFloat(text, 64)
		}
		speed, _ := strconv.ParseFloat(p.leader.says("document.getElementById('speed').value"), 64)
		off := n[1] - n[3] + (n[2]-n[0])*speed
		return n[1] >= float64(ms) && n[3] >= float64(ms) && -500 < off && off < 500
	})
}
