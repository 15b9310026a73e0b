package main

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// thePictureInWords walks through the picture's description with Tab, and selects a client there.
func thePictureInWords(t *testing.T, b *browser) {
	v := visit(t, b.ctx, b.url, desktop)
	herd, _ := b.book.Find("the-herd")
	v.enter(herd)
	const told = "document.querySelectorAll('#described button:not([hidden])')"
	v.until("the picture in words", func() bool { return v.integer(told+".length") > len("ABCDEF") })
	v.says("document.getElementById('stage').previousElementSibling && " + told + "[0].focus()")
	v.press(kb.Tab, kb.Enter)
	v.wait("selected", "client-2")
	v.shoot("told")
	if at := v.says("document.activeElement.textContent"); at == "" || at[0] != 'B' {
		t.Errorf("the second entry is %q", at)
	}
}
