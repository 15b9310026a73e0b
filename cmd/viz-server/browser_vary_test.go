package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// aChosenValue moves the slider in a lesson's sentence: the run with that value stands beside the lesson's, and the
// sentence says what follows from it. With the lesson's own value nothing stands there.
func aChosenValue(t *testing.T, b *browser) {
	const slug, anchor = "two-believe", "wakes"
	page, _ := b.book.Page(slug, "en")
	step := page.Step(anchor)
	for _, size := range []window{desktop, upright} {
		v := visit(t, b.ctx, b.url, size)
		v.open("/lessons/" + slug + "#" + anchor)
		v.wait("stage", "ready")
		own := step.Vary.Own
		says := func() string { return v.text("#" + anchor + " .vary [role=status]") }
		if got := says(); got != step.Vary.Values[own].Says {
			t.Errorf("at first the sentence says %q", got)
		}
		v.says("document.querySelector('#" + anchor + " .vary input').focus()")
		v.press(kb.ArrowLeft)
		chosen := step.Vary.Values[own-1]
		v.wait("beside", chosen.Beside)
		v.wait("step", anchor)
		if got := says(); got != chosen.Says {
			t.Errorf("with %s the sentence says %q", chosen.Label, got)
		}
		v.until("the names of both", func() bool {
			return strings.Contains(v.text("#described"), "Beside it, "+chosen.Label)
		})
		v.shoot(fmt.Sprintf("vary/%s-%d", anchor, size.width))
		v.says("document.querySelector('#" + anchor + " .vary input').focus()")
		v.press(kb.ArrowRight)
		v.wait("beside", "")
		if got := says(); got != step.Vary.Values[own].Says {
			t.Errorf("back at the lesson's value the sentence says %q", got)
		}
	}
}
