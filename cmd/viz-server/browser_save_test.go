package main

import (
	"strings"
	"testing"
)

// saveTheLog presses Save and reads what the browser would have saved.
func saveTheLog(t *testing.T, b *browser) {
	l, _ := b.book.Find("who-is-here")
	v := visit(t, b.ctx, b.url, desktop)
	v.enter(l)
	v.says("HTMLAnchorElement.prototype.click = function () { if (this.download === '') fetch(this.href).then((r) => " +
		"r.text()).then((s) => { window.saved = s; }); }")
	v.click("[data-panel=log]")
	v.click("[data-do=save]")
	v.until("a trace", func() bool {
		saved := v.says("window.saved ?? ''")
		return strings.HasPrefix(saved, `{"format":"zkviz-trace"`) &&
			strings.Contains(saved, `"recipe":"group-membership"`) &&
			strings.Contains(saved, `"kind":"run.ended"`)
	})
}
