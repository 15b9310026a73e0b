package main

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/run"
)

// linkedMoments shares moments of the Lab, of two runs, of a lesson's branch and of a file, and opens the links. The
// page says whether it shows the same, what it doesn't know, and what is damaged.
func linkedMoments(t *testing.T, b *browser) {
	v := visit(t, b.ctx, b.url, desktop)
	v.open("/lab?recipe=no-second-look&clients=4&seed=7&beside=predecessor-lock")
	v.wait("stage", "ready")
	v.until("the run beside it", func() bool { return v.number("besideSeq") > 0 })
	v.press("]", "]", "2")
	v.wait("selected", "client-2")
	seq, there := v.mark("seq"), v.mark("besideSeq")
	lab := v.share()
	v.open(lab)
	v.wait("link", "same")
	v.wait("seq", seq)
	v.wait("besideSeq", there)
	said := v.says("document.getElementById('share').textContent")
	if said != "This is the moment the link was made from." {
		t.Errorf("of a link that holds the page says %q", said)
	}
	v.wait("selected", "client-2")
	v.shoot("link/lab")
	v.open(with(t, lab, "beside-sum", "ab"))
	v.told("beside", "The run beside it isn't quite the one")
	v.open(with(t, lab, "sum", "ab"))
	v.told("differs", "You see the same scenario as this version runs it, at the same time.")
	v.open(with(t, lab, "disk", "slow"))
	v.told("same", `also says "disk"`)

	v.open("/lessons/the-herd#release")
	v.wait("step", "release")
	v.press("3", "c")
	v.wait("branch", "1")
	v.press(".")
	seq = v.mark("seq")
	lesson := v.share()
	v.open(lesson)
	v.wait("link", "same")
	v.wait("branch", "1")
	v.wait("seq", seq)
	v.wait("selected", "client-3")
	v.shoot("link/lesson")
	v.open(with(t, lesson, "at", "soon"))
	v.told("", "is not a time like 2.5s")
	v.open(with(t, lesson, "at", strings.Repeat("1", 3000)))
	v.told("", "at most 2048 bytes")
	v.open(with(t, lesson, "fault", "crash client-99 at 1s"))
	v.told("differs", "So you see the run without the faults")

	log := simulated(t, run.Scenario{Recipe: "children-lock", Clients: 3, Hold: time.Second}.WithDefaults())
	other := simulated(t, run.Scenario{Recipe: "children-lock", Clients: 3, Hold: time.Second, Seed: 2}.WithDefaults())
	v.open("/lab")
	v.wait("stage", "ready")
	v.openTrace("incident.jsonl", log)
	v.wait("ended", "true")
	v.press("[", ",", "1")
	seq = v.mark("seq")
	file := v.share()
	v.open(file)
	v.told("", "the file incident.jsonl,")
	v.shoot("link/file")
	v.openTrace("another.jsonl", other)
	v.told("file", "This isn't the file the link was made from")
	v.openTrace("incident.jsonl", log)
	v.wait("link", "same")
	v.wait("seq", seq)
	v.wait("selected", "client-1")
}

// share presses Share, and returns the link from the site's root on.
func (v *visitor) share() string {
	v.t.Helper()
	v.says("document.querySelector('[data-do=share]').click()")
	const box = "document.getElementById('share-link')"
	v.until("a link", func() bool { return v.says(box+".hidden") == "false" })
	return strings.TrimPrefix(v.says(box+".value"), v.url)
}

// told waits until the page is ready and says above the stage what became of the link.
func (v *visitor) told(mark, says string) {
	v.t.Helper()
	v.wait("stage", "ready")
	v.wait("link", mark)
	v.until("the words "+says, func() bool { return strings.Contains(v.text("#link"), says) })
}

// with returns a link with another value of a parameter.
func with(t *testing.T, link, name, value string) string {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}
