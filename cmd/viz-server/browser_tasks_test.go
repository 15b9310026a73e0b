package main

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/chromedp/chromedp/kb"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/lessons"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

// does presses the buttons for figures, wins the challenge, tries the repair and puts lines in order at the step that
// is shown. It returns links to schedules that break the repair.
func (v *visitor) does(l *lessons.Lesson, n int) (broken []string) {
	v.t.Helper()
	s := &l.Steps[n]
	for i := range s.Buttons {
		button := fmt.Sprintf(".step[data-here] [data-do=figures]:nth-of-type(%d)", i+1)
		v.click(button)
		v.until("figures", func() bool {
			rows := v.count(".step[data-here] .figures tbody tr")
			if rows <= i && v.count(button+":not(:disabled)") > 0 { // the server was busy, and says so
				v.click(button)
			}
			return rows == i+1
		})
	}
	if s.Challenge != nil {
		v.wins(l, s)
	}
	if s.Repair != nil {
		broken = v.repairs(s.Repair)
	}
	if s.Order != nil {
		v.putsInOrder(len(s.Order))
	}
	return broken
}

// wins wins the challenge of the step that is shown with its solution, by the menus of the stage, and begins again.
func (v *visitor) wins(l *lessons.Lesson, s *lessons.Step) {
	v.t.Helper()
	for n, text := range s.Challenge.Solution {
		f, err := fault.Parse(text)
		if err != nil {
			v.t.Fatal(err)
		}
		at := strconv.FormatInt(f.At.Milliseconds(), 10)
		v.says("zkvizPage.command('seek', " + at + ")") // as a drag on the time line does
		v.wait("atMs", at)
		v.suffers(f)
		v.wait("branch", strconv.Itoa(n+1))
	}
	v.press(kb.End)
	const won = "document.querySelector('.step[data-here] .challenge').dataset.done"
	v.until("the challenge of "+l.Slug+" to be won", func() bool { return v.says(won) == "true" })
	if n := v.text(".step[data-here] .actions"); n != strconv.Itoa(s.Challenge.Par) {
		v.t.Errorf("%s: it took %s actions, want %d", l.Slug, n, s.Challenge.Par)
	}
	v.shoot(l.Slug + "/won")
	v.press("a")
	v.until("to begin again", func() bool { return v.count(".step[data-here] .outcome[data-state=open]") == 1 })
	v.wait("branch", "0")
	v.press("0")
	v.wait("selected", "")
	v.click(".panels [data-panel=inspect]") // which the selection has opened, on any screen
}

// suffers chooses a fault from the menu beside what it strikes.
func (v *visitor) suffers(f fault.Fault) {
	v.t.Helper()
	say := uistrings.English().Say
	target, label := event.Actor(f.Client).String(), ""
	switch f.Kind.Target() {
	case fault.ToOneServer:
		target, label = event.Server(f.Server).String(), say("fault.server."+f.Kind.String())
	case fault.ToSides:
		target, label = f.A.String(), say("fault.server."+f.Kind.String())
	case fault.ToClientAt:
		label = say("fault.client.server", strconv.Itoa(f.Server))
	case fault.ToMessage:
		target, label = f.Message.From.String(), say("fault.message."+f.Kind.String())
	case fault.ToNode:
		target, label = event.Node(f.Node).String(), say("fault.node."+f.Kind.String())
	}
	v.says("zkvizPage.command('select', '" + target + "')")
	v.wait("selected", target)
	v.press("m")
	v.until("the menu of "+target, func() bool { return v.count("#menu") == 1 })
	if m := f.Message; m.Nth > 0 { // its menu is one of those that the server's menu leads to
		v.says(fmt.Sprintf("[...document.querySelectorAll('#menu-deeds button')].find((b) => b.textContent === %q).click()",
			say("menu.message", m.Op.String(), strconv.Itoa(m.To.Number()))))
		title := say("menu.letter", m.Op.String(), strconv.Itoa(m.From.Number()), strconv.Itoa(m.To.Number()))
		v.until("the menu of "+m.String(), func() bool { return v.text("#menu-title") == title })
	}
	const entries = "[...document.querySelectorAll('#menu-deeds button')]"
	chosen := v.says(fmt.Sprintf("((deed, lasts, list) => { if (lasts) list.value = lasts; if (deed) deed.click(); "+
		"return deed ? list.value : %[1]s.map((b) => b.textContent) })(%[1]s.find((b) => !b.disabled && (b.dataset.deed "+
		"|| b.textContent) === %q), %q, document.getElementById('menu-for'))",
		entries, cmp.Or(label, f.Kind.String()), lasts(f)))
	if f.Kind.Lasts() && chosen != lasts(f) || strings.Contains(chosen, ",") {
		v.t.Fatalf("%s can't be chosen from a menu: %s", f, chosen)
	}
}

// lasts returns for how long a fault lasts, as the page's list has it; "" for no time.
func lasts(f fault.Fault) string {
	if !f.Kind.Lasts() {
		return ""
	}
	return strconv.FormatFloat(f.For.Seconds(), 'f', -1, 64) + "s"
}

// repairs tries all lines for the gap in the program of the step that is shown.
func (v *visitor) repairs(r *lessons.Repair) (broken []string) {
	v.t.Helper()
	for _, p := range r.Choices {
		state := "broke"
		if p.Right {
			state = "held"
		}
		v.click(".step[data-here] .repair input[value=" + p.ID + "]")
		v.until("the line in the gap", func() bool {
			return v.count(".step[data-here] .gap > [data-shown][data-patch="+p.ID+"]") == 1
		})
		v.click(".step[data-here] [data-repair=try]")
		v.until("what came of "+p.Recipe, func() bool {
			return v.count(".step[data-here] .finding[data-state="+state+"]") == 1
		})
		if !p.Right {
			broken = append(broken, v.says("document.querySelector('.step[data-here] .finding a').href"))
		}
	}
	return broken
}
